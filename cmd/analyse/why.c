// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace why: where the time of threads went, and who made them wait. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chain.h"
#include "cmd.h"
#include "common/losses.h"
#include "common/pager.h"
#include "common/recorded_calls.h"
#include "common/trace.h"
#include "common/value.h"
#include "why.h"

#define WORST_MAX 10000

/* With --chain, if the user does not say it. */
#define CHAIN_WORST 3
#define CHAIN_HEAD  30

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
	if (w->kind->wants(w, event))
		err = ktrace_output_event(w->output, event, NULL);
	return err ?: w->kind->settle(w);
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
	return err ?: w->kind->finish(w);
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
		.separate = w->kind->text,
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
	struct ktrace_timeline_calls calls = w->kind->calls;
	struct ktrace_cursor_options all = *options;
	struct ktrace_timeline *timeline = NULL;
	struct ktrace_cursor *cursor;
	int err;

	calls.size = sizeof(calls);
	calls.data = w;
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

/* Nothing of what was asked for. */
static int empty_say(const struct why *w)
{
	if (w->of)
		return failed("the trace has no span `%s' of such threads: "
			      "`ktrace stat --spans' lists those that it has",
			      w->of);
	return failed("the trace has nothing of such a thread: `ktrace stat "
		      "--tasks' lists those that it has");
}

static int why_show(void *data, struct ktrace *trace,
		    struct ktrace_cursor_options *options)
{
	const struct ktrace_info *info = ktrace_get_info(trace);
	const struct ktrace_types *types = ktrace_get_types(trace);
	struct why *w = data;
	const struct why_kind *kind = w->kind;
	bool fails = false;
	int err;

	w->missing = needs_missing(&kind->needs, types, &fails);
	if (fails && !info->live)
		return needs_fail(&kind->needs, w->missing);
	w->types = types;
	err = kind->begin ? kind->begin(w) : 0;
	err = err ?: trace_read(w, trace, options);
	w->missing = needs_missing(&kind->needs, types, &fails);
	if (!err && fails)
		return needs_fail(&kind->needs, w->missing);
	if (!err && kind->is_empty(w))
		return empty_say(w);
	losses_complete(&w->lost, info, &w->query.wanted);
	if (!err && !w->json)
		recorded_calls_check_words(types);
	if (!err)
		err = w->json ? kind->json(w, info) : kind->print(w, info);
	if (err == -ENOMEM)
		return failed("out of memory");
	return err ? failed_in_library() : EXIT_OK;
}

/* ---- the command line ----------------------------------------------------- */

/* Long options without a letter. */
enum {
	WHY_WORST = OPTION_OWN,
	WHY_CHAIN,
	WHY_OF,
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
	case WHY_CHAIN:
		w->kind = &why_chain;
		return EXIT_OK;
	case WHY_OF:
		w->of = optarg;
		return EXIT_OK;
	case WHY_WORST:
		w->worst_given = true;
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

static int options_check(const struct why *w)
{
	bool chain = w->kind == &why_chain;

	if (w->of && !chain)
		return misused(&command_why, "--of is for --chain");
	if (who_is_all(&w->who) && !w->of)
		return misused(&command_why,
			       "of which thread? -p 812, for "
			       "instance%s",
			       chain ? ", or of which spans? --of openat" : "");
	if (chain && !w->worst)
		return misused(&command_why, "--worst 0: no chain is left");
	if (w->json && w->head_given)
		return misused(&command_why,
			       "-n is for text: the JSON has all rows");
	return EXIT_OK;
}

static int why_main(int argc, char **argv)
{
	struct why w = {.kind = &why_threads, .head = 10, .worst = 5};
	int status;

	status = options_parse(&command_why, argc, argv, option_handle, &w);
	if (status != OPTIONS_TAKEN)
		return status;
	status = options_check(&w);
	if (!status && optind + 1 < argc)
		status = misused(&command_why, "one trace at a time");
	if (w.kind == &why_chain && !w.worst_given)
		w.worst = CHAIN_WORST;
	if (w.kind == &why_chain && !w.head_given)
		w.head = CHAIN_HEAD;
	if (!status)
		pager_open();
	if (!status)
		status =
			query_run(&w.query, optind < argc ? argv[optind] : NULL,
				  why_show, &w);
	chain_free(w.chain);
	why_free(&w);
	return output_finish(status);
}

static const struct command_option options[] = {
	OPTION('p', "pid", "PID,...", "of these processes or threads",
	       .kind = ARGUMENT_PID),
	OPTION('C', "comm", "COMM",
	       "of tasks with such a name; wildcards are allowed"),
	QUERY_TIME_ROWS,
	OPTION(0, "chain", NULL,
	       "the critical path: what those did for whom it waited",
	       .id = WHY_CHAIN),
	OPTION(0, "of", "PATTERN",
	       "with --chain: of spans like syscalls:openat or app:request; "
	       "wildcards are allowed",
	       .id = WHY_OF),
	OPTION(0, "worst", "COUNT",
	       "so many of the longest waits (5); with --chain: of the longest "
	       "threads or spans (3)",
	       .id = WHY_WORST),
	OPTION('n', "head", "COUNT",
	       "rows of each table (10; with --chain 30); 0: all"),
	OPTION('j', "json", NULL, "as JSON"),
	PAGER_ROW,
	OPTION_QUIET_ROW("no warnings"),
	{0},
};

const struct command command_why = {
	.name = "why",
	.what = "show where the time of a thread went, and who made it wait",
	.usage = "-p PID | --chain [-p PID] [--of PATTERN] [OPTION...] [DIR]",
	.about = "DIR is a trace (" TRACE_DEFAULT
		 "); -: standard input, from `ktrace\n"
		 "record -o -'.\n",
	.options = options,
	.operand = ARGUMENT_DIRECTORY,
	.examples = "    ktrace why -p 812\n"
		    "    ktrace why -p 812 --from 12.1 --until 12.3\n"
		    "    ktrace why --chain --of syscalls:openat --worst 1\n",
	.main = why_main,
};
