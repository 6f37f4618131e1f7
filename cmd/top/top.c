// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace top: what threads do, as a table for each interval. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/needs.h"
#include "cmd.h"
#include "common/misses.h"
#include "common/patterns.h"
#include "common/trace.h"
#include "common/value.h"
#include "fields.h"
#include "top.h"

#define SECOND	 1000000000ull
#define HEAD	 20
#define LEAST_NS 10000000ull /* the shortest interval of what happens now */
static const struct needs needs[BY_NR] = {
	[BY_THREAD... BY_CGROUP] =
		{
			.list = {{"sched:sched_switch"},
				 {"sched:sched_waking|sched:sched_wakeup",
				  "waits for a CPU are taken for sleep"},
				 {ALL_CALLS,
				  "calls and what threads wait for are not known"}},
			.record =
				"-e 'sched:*,syscalls:*,exceptions:page_fault_*,"
				"lock:contention_*'",
			.what = "what threads do",
		},
	[BY_CALL] = {.list = {{ALL_CALLS}},
		     .record = "-e 'syscalls:*'",
		     .what = "system calls"},
	[BY_FUNCTION] = {.list = {{"function:*|call:*"}},
			 .record = "-e 'sched:*' -F 'vfs_*'",
			 .what = "functions"},
};

/* ---- a trace -------------------------------------------------------------------- */

/* The first item behind the part is not taken: what is missing before it is known then. */
static int part_read(struct top *top, struct ktrace_cursor *cursor,
		     uint64_t until)
{
	int item = KTRACE_END, err = 0;

	while (!err && !top_is_over(top) &&
	       (item = ktrace_cursor_next(cursor)) > 0) {
		uint64_t time = item == KTRACE_LOSS
					? ktrace_cursor_loss(cursor)->time
					: ktrace_cursor_event(cursor)->time;

		if (time > until) {
			top->now = until;
			top->item = item;
			break;
		}
		err = top_item(top, cursor, item);
	}
	if (err || item < 0)
		return err ?: item;
	return top_end(top, top->now);
}

static int trace_read(struct top *top, struct ktrace *trace,
		      const struct ktrace_cursor_options *options)
{
	struct ktrace_cursor_options all = *options;
	struct ktrace_cursor *cursor;
	int err;

	query_widen(&top->query, &all, false);
	all.to = 0;
	err = ktrace_cursor_create(trace, &all, &cursor);
	if (err)
		return err;
	err = top_begin(top, trace, cursor, options->from);
	err = err ?: part_read(top, cursor, options->to ?: UINT64_MAX);
	top_done(top);
	ktrace_cursor_destroy(cursor);
	return err;
}

static int trace_show(void *data, struct ktrace *trace,
		      struct ktrace_cursor_options *options)
{
	const struct ktrace_types *types = ktrace_get_types(trace);
	const struct ktrace_info *info = ktrace_get_info(trace);
	struct top *top = data;
	const struct needs *need = &needs[top->wish.by];
	unsigned int missing;
	bool fails;
	int err;

	missing = needs_missing(need, types, &fails);
	if (fails && !info->live)
		return needs_fail(need, missing);
	err = trace_read(top, trace, options);
	if (err)
		return top_status(top, err);
	missing = needs_missing(need, types, &fails);
	if (fails)
		return needs_fail(need, missing);
	if (!top->shown)
		return failed("the trace has no events in that part");
	if (!top->json)
		needs_print(need, missing);
	misses_say(info->misses, info->nr_misses);
	return EXIT_OK;
}

/* ---- the command line ------------------------------------------------------------ */

/* Long options without a letter. */
enum {
	BY = OPTION_OWN,
	DURATION,
	HEAD_ROWS,
	SORT,
	TRACE,
};

static int by_parse(struct top *top, const char *text)
{
	for (int i = 0; i < BY_NR; i++) {
		if (strcmp(text, rows_by_names[i]) != 0)
			continue;
		top->wish.by = i;
		return EXIT_OK;
	}
	return misused(&command_top,
		       "--by `%s': thread, process, cgroup, call, function or "
		       "event",
		       text);
}

/* The kind of rows may come behind it, so whether they have the column is asked later. */
static int sort_parse(struct top *top, const char *text)
{
	for (unsigned int i = 0; fields[i].word; i++) {
		if (strcmp(text, fields[i].word) != 0)
			continue;
		top->wish.column = i;
		top->sort = text;
		return EXIT_OK;
	}
	return misused(&command_top,
		       "--sort `%s' is no column: cpu, ready, sleep, block, "
		       "calls, events, name and so on",
		       text);
}

static int interval_parse(struct top *top, const char *text)
{
	top->interval_given = true;
	if (!duration_parse(text, &top->interval))
		return EXIT_OK;
	return misused(&command_top,
		       "-d `%s': a number and s, ms or us is expected, like "
		       "500ms; 0: one table for all",
		       text);
}

static int count_parse(const char *option, const char *text, uint64_t *count)
{
	return number_parse(text, count)
		       ? misused(&command_top, "%s `%s' is no number", option,
				 text)
		       : EXIT_OK;
}

/* Options for what happens now. */
static int live_handle(struct top *top, int option)
{
	top->is_live = option;
	switch (option) {
	case 'e':
		return query_option(&top->query, &command_top, option, optarg);
	case 'o':
		top->live.output = optarg;
		return EXIT_OK;
	case 'u':
		return user_option(&top->live.child.user, optarg);
	case 'w':
		top->waits = true;
		return EXIT_OK;
	case DURATION:
		return option_duration(&command_top, optarg,
				       &top->live.duration);
	case TRACE:
		top->live.trace = optarg;
		return EXIT_OK;
	default:
		return option_forgotten(&command_top, option);
	}
}

static int option_handle(void *data, int option)
{
	struct top *top = data;

	switch (option) {
	case 'b':
		top->batch = true;
		return EXIT_OK;
	case 'C':
		top->who.comm = optarg;
		return EXIT_OK;
	case 'd':
		return interval_parse(top, optarg);
	case 'i':
		top->input = optarg;
		return EXIT_OK;
	case 'j':
		top->json = true;
		return EXIT_OK;
	case 'n':
		return count_parse("-n", optarg, &top->count);
	case 'p':
		return patterns_option(&top->pids, &command_top, "-p",
				       "process", optarg);
	case 'r':
		top->wish.reverse = true;
		return EXIT_OK;
	case BY:
		return by_parse(top, optarg);
	case HEAD_ROWS:
		top->head_given = true;
		return count_parse("--head", optarg, &top->head);
	case SORT:
		return sort_parse(top, optarg);
	case QUERY_FROM:
	case QUERY_TO:
	case QUERY_AROUND:
		top->is_part = option;
		return query_option(&top->query, &command_top, option, optarg);
	default:
		return live_handle(top, option);
	}
}

static int sort_check(struct top *top)
{
	if (!top->sort)
		top->wish.column = field_default(top->wish.by);
	else if (!(fields[top->wish.column].by & 1u << top->wish.by))
		return misused(&command_top,
			       "--sort %s: rows of --by %s have no such column",
			       top->sort, rows_by_names[top->wish.by]);
	return EXIT_OK;
}

/* Do the options fit together? */
static int options_check(struct top *top)
{
	if (top->input && top->live.argv)
		return misused(&command_top, "-i shows a trace; it runs no "
					     "command");
	if (top->input && top->is_live)
		return misused(&command_top,
			       "-i shows a trace, and --%s is for what happens "
			       "now",
			       option_name(&command_top, top->is_live));
	if (!top->input && top->is_part)
		return misused(&command_top,
			       "--%s is for traces: name one with -i",
			       option_name(&command_top, top->is_part));
	if (top->input && top->wish.by == BY_CGROUP)
		return misused(&command_top,
			       "--by cgroup is about processes that run: a "
			       "trace does not tell their groups");
	if (!top->input && top->wish.by == BY_FUNCTION)
		return misused(
			&command_top,
			"--by function is for traces that have some: "
			"`ktrace record -F' records them, -i shows them");
	top->batch |= top->json || top->live.argv || top->live.output ||
		      !screen_exists() || !isatty(STDIN_FILENO) ||
		      !isatty(STDOUT_FILENO);
	if (!top->input && !top->batch && top->head_given)
		return misused(&command_top,
			       "--head is for lines, with -b: the screen has "
			       "all rows, and scrolls");
	if (top->json && top->head_given)
		return misused(&command_top,
			       "--head is for text: the JSON has all rows");
	if (!top->input && top->interval && top->interval < LEAST_NS)
		return misused(&command_top,
			       "-d: at least 10ms, for what happens now");
	if (!top->input && !top->batch && !top->interval)
		return misused(
			&command_top,
			"-d 0 is one table at the end: -b, or a COMMAND");
	return sort_check(top);
}

/* -p is about processes that run, or were recorded. */
static int pids_take(struct top *top)
{
	int status = EXIT_OK;

	for (size_t i = 0; !status && i < top->pids.nr; i++)
		status = top->input ? who_pids(&top->who, &command_top,
					       top->pids.list[i])
				    : processes_add(&top->live.processes,
						    top->pids.list[i],
						    &command_top);
	return status;
}

static void top_free(struct top *top)
{
	for (int by = 0; by < BY_NR; by++)
		rows_free(&top->rows[by]);
	cgroups_free(&top->cgroups);
	family_free(&top->family);
	query_free(&top->query);
	patterns_free(&top->pids);
	who_free(&top->who);
	live_free(&top->live);
}

static int top_main(int argc, char **argv)
{
	struct top top = {
		.wish.by = BY_PROCESS,
		.interval = SECOND,
		.head = HEAD,
		.cgroups.proc = "/proc",
		.out = stdout,
	};
	int status;

	status = options_parse(&command_top, argc, argv, option_handle, &top);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind < argc)
		top.live.argv = argv + optind;
	if (top.input && !top.interval_given)
		top.interval = 0;
	status = user_check(&top.live.child.user, &command_top, top.live.argv);
	status = status ?: options_check(&top);
	status = status ?: pids_take(&top);
	if (!status && top.input)
		status = query_run(&top.query, top.input, trace_show, &top);
	else if (!status)
		status = top_live(&top);
	top_free(&top);
	return output_finish(status);
}

static const struct command_option options[] = {
	OPTION('b', "batch", NULL,
	       "lines, not a screen; so it is if the output is no terminal, or "
	       "with COMMAND"),
	OPTION(0, "by", "KIND",
	       "rows are of each thread, process (this is so without it), cgroup, call, "
	       "function or event",
	       .words = "thread process cgroup call function event", .id = BY),
	OPTION('d', "interval", "TIME",
	       "between two tables (1s; of a trace: 0); 0: one table for all"),
	OPTION('n', "iterations", "COUNT", "end after so many tables"),
	OPTION(0, "sort", "COLUMN",
	       "the order of rows: cpu, ready, sleep, block, switches, calls, "
	       "errors, events, total, max, name, waits and so on",
	       .words =
		       "tid pid threads cpu ready sleep block unknown switches "
		       "preempted calls errors mean max total events name waits",
	       .id = SORT),
	OPTION('r', "reverse", NULL, "the last ones first"),
	OPTION(0, "head", "COUNT", "rows of a table of lines (20); 0: all",
	       .id = HEAD_ROWS),
	OPTION('j', "json", NULL, "a JSON object for each interval, in a line"),
	OPTION('w', "waits", NULL,
	       "also what threads wait for, and their calls and errors: records system "
	       "calls, page faults and waits for locks"),
	OPTION('e', "event", "PATTERN,...",
	       "records these events, too; they are in EVENTS/s and in --by event",
	       .kind = ARGUMENT_EVENT),
	OPTION('p', "pid", "PID,...",
	       "only these processes and their children; of a trace: these processes or "
	       "threads",
	       .kind = ARGUMENT_PID),
	OPTION('C', "comm", "COMM",
	       "only tasks with such a name; wildcards are allowed"),
	OPTION_USER_ROW,
	OPTION(0, "duration", "TIME", "end after that, like 10s",
	       .id = DURATION),
	OPTION('o', "output", "FILE", "lines go there, not to standard output",
	       .kind = ARGUMENT_FILE),
	OPTION(0, "trace", "DIRECTORY", "keep the trace",
	       .kind = ARGUMENT_DIRECTORY, .id = TRACE),
	OPTION('i', "input", "DIRECTORY",
	       "of a trace instead of what happens now; -: standard input",
	       .kind = ARGUMENT_DIRECTORY),
	QUERY_TIME_ROWS,
	OPTION_QUIET_ROW("only errors"),
	OPTION_VERBOSE_ROW("say what is done"),
	{0},
};

const struct command command_top = {
	.name = "top",
	.what = "show live what threads do and wait for, by CPU time",
	.usage = "[OPTION...] [-- COMMAND [ARG...]]",
	.about = "Of the whole machine, of processes, or of COMMAND and its "
		 "children.  On a terminal:\n"
		 "? explains the keys, q quits.\n",
	.options = options,
	.operand = ARGUMENT_PROGRAM,
	.examples = "    ktrace top\n"
		    "    ktrace top --by thread -w -p 812\n"
		    "    ktrace top -b -n 3 -d 500ms\n"
		    "    ktrace top -d 0 -w -- make\n"
		    "    ktrace top -i ktrace.data --by call\n",
	.main = top_main,
};
