// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace why: where the time of threads went, and who made them wait. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "common/losses.h"
#include "common/trace.h"
#include "common/value.h"
#include "why.h"

#define WORST_MAX 10000

static const struct needs needs = {
	.list =
		{
			{"sched:sched_switch"},
			{"sched:sched_waking|sched:sched_wakeup",
			 "waits for a CPU are taken for sleep, and who has woken is not known"},
			{"sched:sched_wakeup",
			 "where sched_waking was lost, threads are not known until they run"},
			{"syscalls:sys_enter_*|compat_syscalls:sys_enter_*|"
			 "raw_syscalls:sys_enter",
			 "which call a thread waits in is not known"},
			{"irq:irq_handler_entry|irq:softirq_entry|irq_vectors:*_entry",
			 "interrupts that wake are taken for the threads that they interrupt"},
			{"exceptions:page_fault_user",
			 "page faults are not told from other waits outside of calls"},
			{"lock:contention_begin",
			 "waits for locks are those of the call"},
			{"lock:contention_end",
			 "waits for locks are those of the call"},
		},
	.record = "sched:*,syscalls:*,irq:*,irq_vectors:*,"
		  "exceptions:page_fault_*,lock:contention_*",
	.what = "where the time of a thread went",
};

/* ---- reading -------------------------------------------------------------- */

static int event_take(struct why *w, struct ktrace_timeline *timeline,
		      const struct ktrace_event *event)
{
	int err;

	if (!w->begin)
		w->begin = event->time;
	w->now = event->time;
	err = ktrace_timeline_event(timeline, event, true);
	if (err)
		return err;
	/* Calls of others would need memory, and nobody asks for them. */
	if (why_wants(w, event))
		err = ktrace_output_event(w->output, event, NULL);
	return err ?: why_settle(w);
}

static int loss_take(struct why *w, struct ktrace_timeline *timeline,
		     const struct ktrace_loss *loss)
{
	int err = 0;

	if (query_wants(&w->query, NULL, loss->cpu, loss->time))
		err = count_loss(&w->lost, loss);
	w->now = loss->time > w->now ? loss->time : w->now;
	return err ?: ktrace_timeline_loss(timeline, loss, true);
}

/*
 * The first item behind the part that is wanted is taken, too: states last until then, and the
 * cursor knows which gaps have begun before.
 */
static int events_read(struct why *w, struct ktrace_cursor *cursor,
		       struct ktrace_timeline *timeline)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	int err = 0, item = KTRACE_END;

	while (!err && w->now <= w->end &&
	       (item = ktrace_cursor_next(cursor)) > 0)
		err = item == KTRACE_EVENT ? event_take(w, timeline, event)
					   : loss_take(w, timeline, loss);
	if (err || item < 0)
		return err ?: item;
	losses_cut(&w->lost, cursor, item, w->end);
	if (w->end > w->now)
		w->end = w->now;
	if (w->begin > w->end)
		w->begin = w->end;
	err = ktrace_output_finish(w->output);
	err = err ?: ktrace_timeline_finish(timeline);
	return err ?: why_finish(w);
}

/* What is not a call's line. */
static int text_drop(void *data, const char *text, size_t size)
{
	return 0;
}

static int output_make(struct why *w, struct ktrace *trace,
		       const struct ktrace_cursor *cursor)
{
	const struct ktrace_output_calls calls = {
		.string_max = 32,
		.column = 1,
		.statuses = KTRACE_STATUS_ALL,
		.separate = why_text,
		.data = w,
	};
	const struct ktrace_output_options options = {
		.size = sizeof(options),
		.write = text_drop,
		.calls = &calls,
		.cursor = cursor,
	};

	return ktrace_output_create(trace, "strace", &options, &w->output);
}

static int trace_read(struct why *w, struct ktrace *trace,
		      const struct ktrace_cursor_options *options)
{
	const struct ktrace_timeline_calls calls = {
		.size = sizeof(calls),
		.data = w,
		.state = why_state,
		.begin = why_begin,
		.end = why_end,
		.wake = why_wake,
		.point = why_point,
		.gone = why_gone,
	};
	struct ktrace_cursor_options all = *options;
	struct ktrace_timeline *timeline = NULL;
	struct ktrace_cursor *cursor;
	int err;

	query_widen(&w->query, &all, false);
	w->begin = options->from;
	w->end = all.to ?: UINT64_MAX;
	all.to = 0;
	err = ktrace_cursor_create(trace, &all, &cursor);
	if (err)
		return err;
	err = ktrace_timeline_create(cursor, &calls, &timeline);
	err = err ?: output_make(w, trace, cursor);
	err = err ?: events_read(w, cursor, timeline);
	ktrace_output_destroy(w->output);
	ktrace_timeline_destroy(timeline);
	ktrace_cursor_destroy(cursor);
	return err;
}

static int why_show(void *data, struct ktrace *trace,
		    struct ktrace_cursor_options *options)
{
	const struct ktrace_info *info = ktrace_get_info(trace);
	const struct ktrace_types *types = ktrace_get_types(trace);
	struct why *w = data;
	bool fails = false;
	int err;

	w->missing = needs_missing(&needs, types, &fails);
	if (fails && !info->live)
		return needs_fail(&needs, w->missing);
	w->types = types;
	err = trace_read(w, trace, options);
	w->missing = needs_missing(&needs, types, &fails);
	if (!err && fails)
		return needs_fail(&needs, w->missing);
	if (!err && !w->threads)
		return failed("the trace has nothing of such a thread: `ktrace "
			      "stat --tasks' lists those that it has");
	losses_complete(&w->lost, info, &w->query.wanted);
	err = err
		      ?: w->json ? why_json(w, info, &needs)
				 : why_print(w, info, &needs);
	if (err == -ENOMEM)
		return failed("out of memory");
	return err ? failed_in_library() : EXIT_OK;
}

/* ---- the command line ----------------------------------------------------- */

/* Long options without a letter. */
enum {
	WHY_WORST = OPTION_OWN,
};

static int option_handle(void *data, int option)
{
	struct why *w = data;

	switch (option) {
	case 'p':
		return who_pids(&w->who, &command_why, optarg);
	case 'C':
		w->who.comm = optarg;
		return EXIT_OK;
	case 'j':
		w->json = true;
		return EXIT_OK;
	case 'n':
		w->head_given = true;
		if (number_parse(optarg, &w->head))
			return misused(&command_why, "--head `%s' is no number",
				       optarg);
		return EXIT_OK;
	case WHY_WORST:
		if (!number_parse(optarg, &w->worst) && w->worst <= WORST_MAX)
			return EXIT_OK;
		return misused(&command_why,
			       "--worst `%s': a number up to %d is expected; "
			       "0: none",
			       optarg, WORST_MAX);
	default:
		return query_option(&w->query, &command_why, option, optarg);
	}
}

static int why_main(int argc, char **argv)
{
	struct why w = {.head = 10, .worst = 5};
	int status;

	status = options_parse(&command_why, argc, argv, option_handle, &w);
	if (status != OPTIONS_TAKEN)
		return status;
	status = EXIT_OK;
	if (who_is_all(&w.who))
		status = misused(&command_why,
				 "of which thread? -p 812, for instance");
	else if (optind + 1 < argc)
		status = misused(&command_why, "one trace at a time");
	else if (w.json && w.head_given)
		status = misused(&command_why,
				 "-n is for text: the JSON has all rows");
	if (!status)
		status =
			query_run(&w.query, optind < argc ? argv[optind] : NULL,
				  why_show, &w);
	why_free(&w);
	return output_finish(status);
}

static const struct command_option options[] = {
	OPTION('p', "pid", "PID,...", "of these processes or threads",
	       .kind = ARGUMENT_PID),
	OPTION('C', "comm", "COMM",
	       "of tasks with such a name; wildcards are allowed"),
	QUERY_TIME_ROWS,
	OPTION(0, "worst", "COUNT", "so many of the longest waits (5)",
	       .id = WHY_WORST),
	OPTION('n', "head", "COUNT", "rows of each table (10); 0: all"),
	OPTION('j', "json", NULL, "as JSON"),
	OPTION_QUIET_ROW("no warnings"),
	{0},
};

const struct command command_why = {
	.name = "why",
	.what = "show where the time of a thread went, and who made it wait",
	.usage = "-p PID [OPTION...] [DIR]",
	.about = "DIR is a trace (" TRACE_DEFAULT
		 "); -: standard input, from `ktrace\n"
		 "record -o -'.\n",
	.options = options,
	.operand = ARGUMENT_DIRECTORY,
	.examples = "    ktrace why -p 812\n"
		    "    ktrace why -p 812 --from 12.1 --until 12.3\n",
	.main = why_main,
};
