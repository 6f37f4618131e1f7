// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The report that people read: a line for each event.
 *
 *	dbench-812      [001] 12.345678901 sched:sched_switch: prev_comm=dbench …
 *	dbench-812      [001] 12.345679012 syscalls:sys_exit_read: ret=5 <0.000000111>
 *		__schedule+0x3f2
 *		schedule+0x27
 *	*** cpu 1: 1234 events lost (buffer full) ***
 */
#include <errno.h>
#include <stdlib.h>

#include "color.h"
#include "line.h"
#include "program.h"
#include "show.h"
#include "stack.h"

struct text {
	struct ktrace_output show;
	struct output output;
	struct programs programs;
	struct line_heads heads;
	bool headed; /* something is in front of the event */
};

static void columns_choose(struct text *text)
{
	const uint32_t usual = KTRACE_COLUMN_TASK | KTRACE_COLUMN_CPU |
			       KTRACE_COLUMN_TIME | KTRACE_COLUMN_EVENT |
			       KTRACE_COLUMN_FIELDS;
	const struct ktrace_output *show = &text->show;
	uint32_t columns = show->columns;

	if (!columns && !show->fields)
		columns = usual;
	text->heads.no_task = !(columns & KTRACE_COLUMN_TASK);
	text->heads.no_cpu = !(columns & KTRACE_COLUMN_CPU);
	text->heads.no_time = !(columns & KTRACE_COLUMN_TIME);
	text->heads.pid = columns & KTRACE_COLUMN_PID;
	text->programs.no_name = !(columns & KTRACE_COLUMN_EVENT);
	if (!(columns & KTRACE_COLUMN_FIELDS)) {
		text->programs.only = show->fields;
		text->programs.no_fields = !show->fields;
	}
	text->headed = columns & ~(KTRACE_COLUMN_EVENT | KTRACE_COLUMN_FIELDS);
}

/*
 * A line that ends with what is in front of the event has no blanks there.  Returns 0 or -ENOMEM; called
 * before anything else is written.
 */
static int blanks_drop(struct text *text, struct output *output,
		       const struct ktrace_event *event)
{
	int more = !text->programs.no_fields && !text->programs.only;

	if (!event->type->branch)
		more = programs_write(&text->programs, event->type);
	/* There are a number and a blank at least. */
	while (!more && output->p[-1] == ' ')
		output->p--;
	return more < 0 ? more : 0;
}

/* In columns, or a branch.  Returns 0 or -ENOMEM. */
static int unusual_put(struct text *text, struct output *output,
		       const struct ktrace_event *event)
{
	const struct programs *programs = &text->programs;
	const struct ktrace_output *show = &text->show;

	if (text->headed && programs->no_name &&
	    blanks_drop(text, output, event))
		return -ENOMEM;
	if (!event->type->branch)
		return programs_run(&text->programs, output, event);
	if (!programs->no_name)
		branch_name_put(output, event);
	if (programs->no_fields || programs->only)
		return 0;
	if (!programs->no_name)
		output_add(output, " ", 1);
	branch_event_put(output, show->trace, event, show->frames);
	return 0;
}

static int text_open(struct ktrace_output *show)
{
	struct text *text = (struct text *)show;

	programs_init(&text->programs, show->trace, PROGRAM_TEXT);
	times_init(&text->heads.times, show->trace, show->time);
	text->heads.colors = text->programs.colors = show->colors;
	columns_choose(text);
	if (output_init(&text->output, show->write, show->data))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

/* The program has called the kernel. */
static void stacks_put(const struct ktrace_output *show, struct output *output,
		       const struct ktrace_event *event,
		       void (*put)(struct output *output,
				   const struct ktrace *trace,
				   const struct ktrace_stack *stack,
				   unsigned int form))
{
	struct ktrace_stack stack;

	if (ktrace_event_stack(show->trace, event, &stack))
		put(output, show->trace, &stack, show->frames);
	if (ktrace_event_user_stack(show->trace, event, &stack))
		put(output, show->trace, &stack, show->frames);
}

static bool event_failed(const struct ktrace_event *event)
{
	for (uint32_t i = 0; i < event->type->nr_fields; i++) {
		const struct ktrace_field *field = &event->type->fields[i];

		if (ktrace_field_error(field, ktrace_field_int(event, field)))
			return true;
	}
	return false;
}

static int text_event(struct ktrace_output *show,
		      const struct ktrace_event *event)
{
	struct text *text = (struct text *)show;
	struct output *output = &text->output;
	struct ktrace_stack branches;

	if (line_head(&text->heads, output, event))
		return error_set(-ENOMEM, "out of memory");
	if (unlikely(show->colors) && !text->programs.no_name &&
	    event_failed(event))
		output_puts(output, COLOR_ERROR);
	if (unlikely(text->programs.no_name || event->type->branch)) {
		if (unusual_put(text, output, event))
			return error_set(-ENOMEM, "out of memory");
	} else if (programs_run(&text->programs, output, event)) {
		return error_set(-ENOMEM, "out of memory");
	}
	if (unlikely(show->ended))
		line_duration(output, show->ended);
	if (show->stacks_in_line)
		stacks_put(show, output, event, stack_in_line);
	output_add(output, "\n", 1);
	if (show->stacks && !show->stacks_in_line)
		stacks_put(show, output, event, stack_lines);
	if (show->stacks && !show->stacks_in_line && !event->type->branch &&
	    unlikely(ktrace_event_branches(show->trace, event, &branches)))
		branch_lines(output, show->trace, &branches, show->frames);
	return output->err;
}

static int text_loss(struct ktrace_output *show, const struct ktrace_loss *loss)
{
	struct text *text = (struct text *)show;

	line_loss(&text->output, loss, show->colors);
	return text->output.err;
}

static int text_finish(struct ktrace_output *show)
{
	return output_flush(&((struct text *)show)->output);
}

static void text_release(struct ktrace_output *show)
{
	struct text *text = (struct text *)show;

	line_heads_destroy(&text->heads);
	programs_destroy(&text->programs);
	output_destroy(&text->output);
}

const struct show_ops show_text = {
	.kind.name = "text",
	.kind.what = "a line for each event, to be read by people",
	.kind.times = true,
	.size = sizeof(struct text),
	.open = text_open,
	.event = text_event,
	.loss = text_loss,
	.finish = text_finish,
	.release = text_release,
};
