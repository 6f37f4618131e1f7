// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * JSON Lines, for programs: an object for each event and each loss.
 *
 *	{"time":12345678901,"cpu":1,"tid":812,"pid":812,"comm":"dbench",
 *	 "event":"sched:sched_switch","fields":{"prev_comm":"dbench",…}}
 *	{"time":12345678901,"cpu":1,"lost":1234,"cause":"buffer full"}
 *
 * If spans are on, an event that ends one has one more member:
 *
 *	"span":{"kind":"syscall","name":"read","begin":12345678901,"ns":111,
 *	 "tid":812,"depth":0}
 *
 * An event with a stack has who called, innermost first; "stack_end" says why there are no
 * more frames if that is not the end of the stack:
 *
 *	"stack":["vfs_read+0x4a","xfs_read+0x12 [xfs]"]
 *
 * Times are integer nanoseconds of CLOCK_MONOTONIC, because most readers would
 * round a number of seconds.  Pointers, addresses, flags and values with names
 * are strings.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/loss.h"
#include "program.h"
#include "show.h"
#include "stack.h"

struct json {
	struct ktrace_output show;
	struct output output;
	struct programs programs;
};

static int json_open(struct ktrace_output *show)
{
	struct json *json = (struct json *)show;

	programs_init(&json->programs, show->trace, PROGRAM_JSON);
	if (output_init(&json->output, show->write, show->data))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

static void put_head(struct output *output, uint64_t time, uint32_t cpu)
{
	output_room(output, 256);
	output_puts(output, "{\"time\":");
	output->p = put_u64(output->p, time);
	output_puts(output, ",\"cpu\":");
	output->p = put_u64(output->p, cpu);
}

static void put_span(struct output *output, const struct ktrace_span *span)
{
	output_room(output, 256);
	output_puts(output, ",\"span\":{\"kind\":\"");
	output_puts(output, ktrace_span_kind_name(span->kind));
	output_puts(output, "\",\"name\":");
	json_string(output, (const uint8_t *)span->name, strlen(span->name));
	output_room(output, 256);
	output_puts(output, ",\"begin\":");
	output->p = put_u64(output->p, span->begin);
	output_puts(output, ",\"ns\":");
	output->p = put_u64(output->p, span->took);
	output_puts(output, ",\"tid\":");
	output->p = put_u64(output->p, span->tid);
	output_puts(output, ",\"depth\":");
	output->p = put_u64(output->p, span->depth);
	output_add(output, "}", 1);
}

static void put_stack(struct output *output, const struct ktrace_output *show,
		      const char *name, const struct ktrace_stack *stack)
{
	const char *end = ktrace_stack_end_text(stack->end), *comma = "";
	struct stack_part part = {0};

	output_puts(output, ",\"");
	output_puts(output, name);
	output_puts(output, "\":[");
	while (stack_part_next(show->trace, stack, show->frames, &part)) {
		output_puts(output, comma);
		output_add(output, "\"", 1);
		stack_part_put(output, show->trace, stack, &part, show->frames);
		output_add(output, "\"", 1);
		comma = ",";
	}
	output_add(output, "]", 1);
	if (!end)
		return;
	output_puts(output, ",\"");
	output_puts(output, name);
	output_puts(output, "_end\":\"");
	output_puts(output, end);
	output_add(output, "\"", 1);
}

/* Each branch is an object. */
static void put_branches(struct output *output,
			 const struct ktrace_output *show,
			 const struct ktrace_stack *places)
{
	const char *end = branches_end_text(places);

	output_puts(output, ",\"branches\":[");
	for (uint32_t i = 0; i < places->nr / 2; i++) {
		output_puts(output, i ? ",{\"kind\":\"" : "{\"kind\":\"");
		output_puts(output,
			    ktrace_branch_kind_name(
				    ktrace_event_branch_kind(places, i)));
		output_puts(output, "\",\"from\":\"");
		branch_place_put(output, show->trace, places, i * 2,
				 show->frames);
		output_puts(output, "\"");
		if (ktrace_event_branch_kind(places, i) != KTRACE_BRANCH_LAST) {
			output_puts(output, ",\"to\":\"");
			branch_place_put(output, show->trace, places, i * 2 + 1,
					 show->frames);
			output_puts(output, "\"");
		}
		output_puts(output, "}");
	}
	output_puts(output, "]");
	if (!end)
		return;
	output_puts(output, ",\"branches_end\":\"");
	output_puts(output, end);
	output_puts(output, "\"");
}

static int json_event(struct ktrace_output *show,
		      const struct ktrace_event *event)
{
	struct json *json = (struct json *)show;
	struct output *output = &json->output;
	struct ktrace_stack stack;

	put_head(output, event->time, event->cpu);
	output_puts(output, ",\"tid\":");
	output->p = put_u64(output->p, event->tid);
	output_puts(output, ",\"pid\":");
	output->p = put_u64(output->p, event->tgid);
	output_puts(output, ",\"comm\":");
	json_string(output, (const uint8_t *)event->comm, strlen(event->comm));
	output_add(output, ",", 1);
	if (programs_run(&json->programs, output, event))
		return error_set(-ENOMEM, "out of memory");
	output_add(output, "}", 1);
	if (unlikely(ktrace_event_stack(show->trace, event, &stack)))
		put_stack(output, show, "stack", &stack);
	if (unlikely(ktrace_event_user_stack(show->trace, event, &stack)))
		put_stack(output, show, "user_stack", &stack);
	if (unlikely(ktrace_event_branches(show->trace, event, &stack)))
		put_branches(output, show, &stack);
	if (unlikely(show->ended))
		put_span(output, show->ended);
	output_puts(output, "}\n");
	return output->err;
}

static int json_loss(struct ktrace_output *show, const struct ktrace_loss *loss)
{
	struct output *output = &((struct json *)show)->output;
	const char *cause = loss_cause(loss->cause);

	put_head(output, loss->time, loss->cpu);
	output_puts(output, loss->cause == KTRACE_LOST_TASK
				    ? ",\"lost_task_records\":"
				    : ",\"lost\":");
	output->p = put_u64(output->p, loss->count);
	output_puts(output, ",\"cause\":");
	json_string(output, (const uint8_t *)cause, strlen(cause));
	output_puts(output, "}\n");
	return output->err;
}

static int json_finish(struct ktrace_output *show)
{
	return output_flush(&((struct json *)show)->output);
}

static void json_release(struct ktrace_output *show)
{
	struct json *json = (struct json *)show;

	programs_destroy(&json->programs);
	output_destroy(&json->output);
}

const struct show_ops show_json = {
	.kind.name = "json",
	.kind.what = "JSON Lines, an object for each event",
	.size = sizeof(struct json),
	.open = json_open,
	.event = json_event,
	.loss = json_loss,
	.finish = json_finish,
	.release = json_release,
};
