// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The text that perf script prints of events with stacks, which many viewers read
 * (stackcollapse-perf.pl, speedscope, the Firefox profiler):
 *
 *	dbench   812/812   [001]    12.345678901: kmem:kmalloc: bytes_req=64 ...
 *		ffffffff8119e0a3 kmalloc_trace+0x23 ([kernel.kallsyms])
 *		ffffffffc0411f52 xfs_trans_alloc+0x12 ([xfs])
 *
 * If frames are missing, a line in their place says why, of no address: "0 [truncated] ([ktrace])".
 * An empty line ends each event.  It is what perf script -F comm,pid,tid,cpu,time,event,trace,
 * ip,sym,symoff,dso --ns prints: see perf-script(1).  Lines that begin with `#' are comments.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/loss.h"
#include "program.h"
#include "show.h"
#include "stack.h"

struct perf_script {
	struct ktrace_output show;
	struct output output;
	struct programs programs;
};

static int perf_script_open(struct ktrace_output *show)
{
	struct perf_script *p = (struct perf_script *)show;

	programs_init(&p->programs, show->trace, PROGRAM_TEXT);
	if (output_init(&p->output, show->write, show->data))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

/*
 * Readers need a name that does not begin with a blank or `#'.  They expect ASCII, and a
 * semicolon ends a name in what they make of it.
 */
static void comm_put(struct output *output, const char *comm)
{
	if (!*comm)
		output_add(output, "?", 1);
	for (const char *p = comm; *p; p++) {
		bool plain = *p >= ' ' && *p < 127 && *p != ';' &&
			     !(p == comm && (*p == ' ' || *p == '#'));

		output_add(output, plain ? p : "?", 1);
	}
}

static void head_put(struct output *output, const struct ktrace_event *event)
{
	char text[128];

	comm_put(output, event->comm);
	snprintf(text, sizeof(text),
		 " %7" PRIu32 "/%-7" PRIu32 " [%03" PRIu32 "] %5" PRIu64
		 ".%09" PRIu64 ": ",
		 event->tgid, event->tid, event->cpu, event->time / 1000000000,
		 event->time % 1000000000);
	output_puts(output, text);
}

static void frame_lines(struct output *output, const struct ktrace_output *show,
			const struct ktrace_stack *stack)
{
	const char *end = stack_end_name(stack->end);
	struct stack_part part = {0};
	char text[32];

	while (stack_part_next(show->trace, stack, show->frames, &part)) {
		output_add(output, "\t", 1);
		stack_part_perf(output, show->trace, stack, &part,
				show->frames);
		output_add(output, "\n", 1);
	}
	if (!end)
		return;
	snprintf(text, sizeof(text), "\t%16d ", 0);
	output_puts(output, text);
	output_puts(output, end);
	output_puts(output, " ([ktrace])\n");
}

static int perf_script_event(struct ktrace_output *show,
			     const struct ktrace_event *event)
{
	struct perf_script *p = (struct perf_script *)show;
	struct output *output = &p->output;
	struct ktrace_stack stack;

	head_put(output, event);
	if (programs_run(&p->programs, output, event))
		return error_set(-ENOMEM, "out of memory");
	output_add(output, "\n", 1);
	if (ktrace_event_stack(show->trace, event, &stack))
		frame_lines(output, show, &stack);
	if (ktrace_event_user_stack(show->trace, event, &stack))
		frame_lines(output, show, &stack);
	output_add(output, "\n", 1);
	return output->err;
}

static int perf_script_loss(struct ktrace_output *show,
			    const struct ktrace_loss *loss)
{
	struct output *output = &((struct perf_script *)show)->output;
	char text[128];

	if (loss->cause == KTRACE_LOST_TASK)
		return 0;
	snprintf(text, sizeof(text),
		 "# cpu %" PRIu32 ": %" PRIu64 " events lost (%s)\n\n",
		 loss->cpu, loss->count, loss_cause(loss->cause));
	output_puts(output, text);
	return output->err;
}

static int perf_script_finish(struct ktrace_output *show)
{
	return output_flush(&((struct perf_script *)show)->output);
}

static void perf_script_release(struct ktrace_output *show)
{
	struct perf_script *p = (struct perf_script *)show;

	programs_destroy(&p->programs);
	output_destroy(&p->output);
}

const struct show_ops show_perf_script = {
	.kind.name = "perf-script",
	.kind.what =
		"events with stacks as perf script prints them, for viewers",
	.size = sizeof(struct perf_script),
	.open = perf_script_open,
	.event = perf_script_event,
	.loss = perf_script_loss,
	.finish = perf_script_finish,
	.release = perf_script_release,
};
