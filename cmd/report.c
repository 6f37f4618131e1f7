// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace report: a trace as text, one line per event. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/branch_list.h>
#include <ktrace/output.h>
#include <ktrace/span.h>

#include "cmd.h"
#include "common/calls.h"
#include "common/color.h"
#include "common/columns.h"
#include "common/follow.h"
#include "common/misses.h"
#include "common/pager.h"
#include "common/probe_hits.h"
#include "common/query.h"
#include "common/recorded_calls.h"
#include "common/tail.h"
#include "common/trace.h"
#include "common/value.h"
#include "common/who.h"

#define STACKS_SHOWN 20 /* by --by-stack */

struct report {
	struct query query;
	const struct ktrace_output_kind *kind;
	struct ktrace_output_calls calls;
	struct who who;
	uint64_t head; /* 0: all */
	bool head_given;
	uint64_t tail; /* if it is given: the last so many events */
	bool tail_given;
	uint64_t
		skip; /* so many of those that fit all options are before these */
	struct ktrace_output *output; /* set while it is used */
	bool durations;
	bool string_given;
	bool stacks;
	bool oneline;
	bool mangled;
	bool whole_frames;
	enum color_when color;
	bool colors;
	enum ktrace_output_time time;
	struct columns columns;
	struct ktrace_output_stacks merged;
	uint64_t merged_events;	    /* ktrace_output_merged(), at the end */
	struct ktrace_spans *spans; /* NULL: no durations */
	const char *before;	    /* --diff: the other trace; NULL: none */
	const char *after;	    /* the trace; NULL: the default */
	const char *path;	    /* of these, the one that is being read */
};

static bool is_kind(const struct report *r, const char *name)
{
	return !strcmp(r->kind->name, name);
}

static bool merges_stacks(const struct report *r)
{
	return is_kind(r, "stacks") || is_kind(r, "folded") ||
	       is_kind(r, "flame");
}

/* Which calls are open, and when a thread has a CPU again, is told by events not shown, too. */
static bool pairs_events(const struct report *r)
{
	return r->kind->hidden &&
	       (!merges_stacks(r) || r->merged.weight == KTRACE_WEIGHT_OFF_CPU);
}

/*
 * Sets @ended to the span that the event ends, if any.  All events are used, shown or
 * not.
 */
static int span_follow(const struct report *r, const struct ktrace_event *event,
		       const struct ktrace_span **ended)
{
	int step = ktrace_spans_event(r->spans, event);

	if (step >= 0 && step & KTRACE_SPAN_ENDS)
		*ended = ktrace_spans_ended(r->spans);
	return step < 0 ? step : 0;
}

static bool event_fits(void *data, const struct ktrace_event *event)
{
	struct report *r = data;

	return who_match(&r->who, event) &&
	       query_wants(&r->query, event->type, event->cpu, event->time) &&
	       query_meets(&r->query, event);
}

/* Does it fit, and is it one of the last ones, if these are wanted? */
static bool event_is_due(struct report *r, const struct ktrace_event *event)
{
	if (!event_fits(r, event))
		return false;
	if (!r->skip)
		return true;
	r->skip--;
	return false;
}

static int event_show(struct report *r, const struct ktrace_event *event)
{
	const struct ktrace_span *ended = NULL;
	int err = 0;

	if (r->spans)
		err = span_follow(r, event, &ended);
	if (err)
		return err;
	if (!event_is_due(r, event))
		return ktrace_output_hidden(r->output, event);
	return ktrace_output_event(r->output, event, ended);
}

static int loss_show(struct report *r, const struct ktrace_loss *loss)
{
	if (r->spans)
		ktrace_spans_loss(r->spans, loss);
	if (r->skip || !query_wants(&r->query, NULL, loss->cpu, loss->time))
		return ktrace_output_hidden_loss(r->output, loss);
	return ktrace_output_loss(r->output, loss);
}

/* As ktrace_output_run(), but only events that fit all options, and with spans. */
static int events_show(struct report *r, struct ktrace_cursor *cursor)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	int err = 0, item;

	while (!err && (item = ktrace_cursor_next(cursor)) > 0) {
		err = item == KTRACE_LOSS ? loss_show(r, loss)
					  : event_show(r, event);
		if (r->head && ktrace_output_events(r->output) == r->head) {
			r->query.ended_early = true;
			break;
		}
		if (r->query.follow && follow_is_over(NULL))
			break;
	}
	if (err)
		return err;
	/* A part of a trace cannot be compared with all of another. */
	if (r->before)
		return item < 0 ? item : 0;
	/* What was read until then is shown. */
	err = ktrace_output_finish(r->output);
	return item < 0 ? item : err;
}

/* Before waiting for more of a stream, shows what has come. */
static void stream_show(void *data)
{
	struct report *r = data;

	if (r->output)
		ktrace_output_pause(r->output);
}

/* Of two traces that are compared, the first one makes the output. */
static int output_make(struct report *r, struct ktrace *trace,
		       struct ktrace_cursor *cursor)
{
	const struct ktrace_output_options options = {
		.size = sizeof(options),
		.fd = STDOUT_FILENO,
		.calls = &r->calls,
		.cursor = cursor,
		.stacks = r->stacks,
		.stacks_in_line = r->oneline,
		.merged = &r->merged,
		.mangled = r->mangled,
		.whole_frames = r->whole_frames,
		.time = r->time,
		.colors = r->colors,
		.columns = r->columns.set,
		.fields = (const char *const *)r->columns.fields,
	};

	if (r->output)
		return 0;
	return ktrace_output_create(trace, r->kind->name, &options, &r->output);
}

static int show_run(struct report *r, struct ktrace *trace,
		    struct ktrace_cursor *cursor)
{
	int err = output_make(r, trace, cursor);

	if (err)
		return err;
	if (!who_is_all(&r->who) || r->head || r->spans || pairs_events(r) ||
	    r->before || query_has_filter(&r->query) || r->skip ||
	    r->query.follow)
		err = events_show(r, cursor);
	else
		err = ktrace_output_run(r->output, cursor, NULL, NULL);
	r->merged_events = ktrace_output_merged(r->output);
	/* Else there is more to come. */
	if (!r->before) {
		/* Of the parts that follow, the others. */
		if (r->head && !r->query.ended_early)
			r->head -= ktrace_output_events(r->output);
		ktrace_output_destroy(r->output);
		r->output = NULL;
	}
	return err;
}

/* If there are two traces, says of which one it speaks. */
static int show_failed(const struct report *r, const char *why)
{
	if (r->before)
		return failed("%s: %s", r->path ?: TRACE_DEFAULT, why);
	return failed("%s", why);
}

/* Outputs that merge stacks are empty if there are none: says why.  Returns an exit status. */
static int stacks_check(const struct report *r, const struct ktrace *trace)
{
	const char *why;

	if (!trace_has_stacks(trace))
		why = TRACE_STACKLESS;
	else if (r->merged_events || r->before) /* who compares them says so */
		return EXIT_OK;
	else if (r->merged.weight == KTRACE_WEIGHT_OFF_CPU)
		why = "no thread that is shown has left a CPU with its stack, "
		      "and come back: ktrace record -e sched:sched_switch -g";
	else
		why = "no event that is shown has a stack";
	if (r->before)
		return show_failed(r, why);
	say("%s", why);
	return EXIT_OK;
}

/* Of two traces, one may be. */
static bool trace_is_stream(const struct report *r)
{
	return is_stream(r->before ? r->path : r->after);
}

/* In a stream, branches come when all events have been shown. */
static void stream_check(struct ktrace *trace)
{
	struct ktrace_branches *branches;

	if (!ktrace_trace_branches(trace, &branches) && branches)
		say("branches are shown among the events of a trace on disk; "
		    "of a stream, by ktrace branch -i -");
}

static const struct column_name column_names[] = {
	{"task", KTRACE_COLUMN_TASK},
	{"pid", KTRACE_COLUMN_PID},
	{"cpu", KTRACE_COLUMN_CPU},
	{"time", KTRACE_COLUMN_TIME},
	{"event", KTRACE_COLUMN_EVENT},
	{"fields", KTRACE_COLUMN_FIELDS},
	{NULL},
};

static int columns_check_in(const struct report *r, struct ktrace *trace)
{
	return columns_check(&r->columns, column_names, &r->query.selection,
			     ktrace_get_types(trace));
}

/* Of those that are chosen, only they have a line. */
static bool type_has_line(const struct ktrace_type *type, void *data)
{
	const struct report *r = data;

	return selection_wants(type, (void *)&r->query.selection) &&
	       columns_match(&r->columns, type);
}

/* Of a trace that grows, the last events are those that have happened until now; what comes is shown, too. */
static int tail_choose(struct report *r, struct ktrace *trace,
		       struct ktrace_cursor_options *options)
{
	struct ktrace_cursor_options now = *options;
	uint64_t until;
	int status;

	if (ktrace_follow_now(trace, options->stop, options->wait_data, &until))
		return failed_in_library();
	if (until != UINT64_MAX && (!now.to || now.to > until))
		now.to = until;
	status = tail_find(trace, &now, r->tail, event_fits, r, &r->skip);
	options->from = now.from;
	return status;
}

static int trace_show(void *data, struct ktrace *trace,
		      struct ktrace_cursor_options *options)
{
	struct report *r = data;
	/* These make their own spans. */
	bool spans =
		r->durations && !is_kind(r, "strace") && !is_kind(r, "graph");
	const struct ktrace_info *info = ktrace_get_info(trace);
	const bool live = info->live;
	struct ktrace_cursor *cursor;
	int err, status = EXIT_OK;

	/* In a stream, events that have the fields may come later. */
	if (!live)
		status = columns_check_in(r, trace);
	if (status)
		return status;
	if (r->columns.only) {
		options->want = type_has_line;
		options->data = r;
	}
	if (r->tail_given)
		status = tail_choose(r, trace, options);
	/* Of the parts that follow, all. */
	r->tail_given = false;
	if (status || (r->query.follow && follow_is_over(NULL)))
		return status;
	options->wait = stream_show;
	options->wait_data = r;
	if (spans || pairs_events(r)) {
		query_widen(&r->query, options, false);
		/* What it asks now is the selection, and what has a line is asked later. */
		options->data = &r->query.selection;
	}
	if (ktrace_cursor_create(trace, options, &cursor))
		return failed_in_library();
	if (spans && ktrace_spans_create(cursor, &r->spans)) {
		ktrace_cursor_destroy(cursor);
		return failed_in_library();
	}
	err = show_run(r, trace, cursor);
	/* On EPIPE the reader needs no more. */
	r->query.ended_early |= err == -EPIPE;
	if (err && err != -EPIPE)
		status = show_failed(r, ktrace_last_error());
	ktrace_spans_destroy(r->spans);
	ktrace_cursor_destroy(cursor);
	if (!err && !status && trace_is_stream(r))
		stream_check(trace);
	if (!err && merges_stacks(r))
		status = stacks_check(r, trace);
	if (!err && is_kind(r, "strace"))
		recorded_calls_check(ktrace_get_types(trace),
				     &r->query.selection);
	if (!err && !status && live && !r->query.ended_early)
		status = columns_check_in(r, trace);
	if (!err) {
		misses_say(info->misses, info->nr_misses);
		probe_hits_say(info->probe_hits, info->nr_probe_hits);
	}
	return status;
}

static int after_show(void *data, struct ktrace *trace,
		      struct ktrace_cursor_options *options)
{
	struct report *r = data;
	int status, err;

	if (ktrace_output_compare(r->output, trace))
		return show_failed(r, ktrace_last_error());
	r->path = r->after;
	status = trace_show(r, trace, options);
	if (status)
		return status;
	err = ktrace_output_finish(r->output);
	/* They are not of the same kind. */
	if (err == -EINVAL)
		return failed("%s, %s: %s", r->before,
			      r->after ?: TRACE_DEFAULT, ktrace_last_error());
	return err && err != -EPIPE ? show_failed(r, ktrace_last_error())
				    : EXIT_OK;
}

/* The other trace is read while this one is open. */
static int before_show(void *data, struct ktrace *trace,
		       struct ktrace_cursor_options *options)
{
	struct report *r = data;
	int status = trace_show(r, trace, options);

	return status ?: query_run(&r->query, r->after, after_show, r);
}

static int diff_run(struct report *r)
{
	int status;

	r->path = r->before;
	status = query_run(&r->query, r->before, before_show, r);
	ktrace_output_destroy(r->output);
	return status;
}

static int format_find(struct report *r, const char *name)
{
	r->kind = ktrace_output_find(name);
	if (r->kind && !r->kind->directory && !r->kind->file)
		return EXIT_OK;
	if (r->kind)
		return misused(&command_report,
			       "%s is no text: ktrace export --to %s", name,
			       name);
	return misused(&command_report, "--format `%s': it is %s", name,
		       formats_names(false).s);
}

/* In the order of enum ktrace_output_time, behind the usual one. */
#define TIMES "seconds date clock relative delta"

static int time_find(struct report *r, const char *name)
{
	size_t length = strlen(name), n;
	int kind = KTRACE_TIME_SECONDS;

	for (const char *word = TIMES; *word; word += n, word += *word == ' ') {
		n = strcspn(word, " ");
		if (n == length && !memcmp(word, name, n)) {
			r->time = kind;
			return EXIT_OK;
		}
		kind++;
	}
	return misused(&command_report, "--time `%s': it is one of " TIMES,
		       name);
}

/* Long options without a letter. */
enum {
	REPORT_DURATIONS = OPTION_OWN,
	REPORT_GRAPH,
	REPORT_FOLDED,
	REPORT_STACKS,
	REPORT_FLAME,
	REPORT_WEIGHT,
	REPORT_TITLE,
	REPORT_ONELINE,
	REPORT_MANGLED,
	REPORT_WHOLE,
	REPORT_DIFF,
	REPORT_TIME,
	REPORT_COLUMNS,
	REPORT_STRING,
	REPORT_TAIL,
	REPORT_FOLLOW,
	REPORT_COLOR,
};

static int count_option(const char *name, uint64_t *count)
{
	if (!number_parse(optarg, count))
		return EXIT_OK;
	return misused(&command_report, "%s `%s' is no number", name, optarg);
}

static int option_handle(void *data, int option)
{
	struct report *r = data;

	switch (option) {
	case 'F':
		return format_find(r, optarg);
	case 'p':
		return who_pids(&r->who, &command_report, optarg);
	case 'C':
		r->who.comm = optarg;
		return EXIT_OK;
	case 'n':
		r->head_given = true;
		return count_option("--head", &r->head);
	case REPORT_COLOR:
		return color_option(&r->color, &command_report, optarg);
	case REPORT_FOLLOW:
		r->query.follow = true;
		return EXIT_OK;
	case REPORT_TAIL:
		r->tail_given = true;
		return count_option("--tail", &r->tail);
	case REPORT_DURATIONS:
		r->durations = r->calls.durations = true;
		return EXIT_OK;
	case REPORT_STRING:
		r->string_given = true;
		return calls_string_option(&command_report, "--string", optarg,
					   &r->calls.string_max);
	case REPORT_GRAPH:
		return format_find(r, "graph");
	case REPORT_FOLDED:
		return format_find(r, "folded");
	case REPORT_STACKS:
		return format_find(r, "stacks");
	case REPORT_FLAME:
		return format_find(r, "flame");
	case REPORT_TITLE:
		r->merged.title = optarg;
		return EXIT_OK;
	case REPORT_WEIGHT:
		r->merged.field = optarg;
		r->merged.weight = strcmp(optarg, "time")
					   ? KTRACE_WEIGHT_FIELD
					   : KTRACE_WEIGHT_OFF_CPU;
		return EXIT_OK;
	case REPORT_ONELINE:
		r->stacks = r->oneline = true;
		return EXIT_OK;
	case REPORT_MANGLED:
		r->mangled = true;
		return EXIT_OK;
	case REPORT_WHOLE:
		r->whole_frames = true;
		return EXIT_OK;
	case REPORT_DIFF:
		r->before = optarg;
		return EXIT_OK;
	case REPORT_COLUMNS:
		return columns_option(&r->columns, &command_report,
				      column_names, true, optarg);
	case REPORT_TIME:
		return time_find(r, optarg);
	case 'g':
		r->stacks = true;
		return EXIT_OK;
	default:
		return query_option(&r->query, &command_report, option, optarg);
	}
}

/* Which of the events are the last ones? */
static int tail_check(const struct report *r)
{
	if (!r->tail_given)
		return EXIT_OK;
	if (!is_kind(r, "text") && !is_kind(r, "kernel") &&
	    !is_kind(r, "json") && !is_kind(r, "perf-script"))
		return misused(&command_report,
			       "--tail goes with --format text, kernel, json "
			       "and perf-script");
	if (r->head_given)
		return misused(&command_report,
			       "--head and --tail: one of them");
	if (is_stream(r->after))
		return misused(&command_report,
			       "--tail is for traces on disk: a stream is read "
			       "only once, and `tail' reads what it prints");
	return EXIT_OK;
}

static int follow_check(const struct report *r)
{
	if (!r->query.follow)
		return EXIT_OK;
	if (merges_stacks(r))
		return misused(&command_report,
			       "--follow: %s is of a whole trace",
			       r->kind->name);
	if (is_stream(r->after))
		return misused(&command_report,
			       "--follow is for traces on disk: a stream is "
			       "shown as it comes");
	return EXIT_OK;
}

static int options_check(const struct report *r, int nr_traces)
{
	if (nr_traces > 1)
		return misused(&command_report, "one trace at a time");
	if (r->durations && is_kind(r, "kernel"))
		return misused(&command_report,
			       "--durations goes with --format text, json or "
			       "strace");
	if (r->merged.weight && !merges_stacks(r))
		return misused(&command_report,
			       "--weight goes with --by-stack, --folded or "
			       "--flame");
	if (r->oneline && !is_kind(r, "text"))
		return misused(&command_report,
			       "--oneline goes with --format text");
	if (r->time && !r->kind->times)
		return misused(&command_report,
			       "--time goes with --format text, kernel, strace "
			       "and graph");
	if (r->string_given && !is_kind(r, "strace"))
		return misused(&command_report,
			       "--string goes with --format strace");
	if (query_filter_check(&r->query, &command_report, r->kind))
		return EXIT_USAGE;
	if (r->columns.given && !is_kind(r, "text"))
		return misused(&command_report,
			       "--columns goes with --format text");
	if (r->merged.title && !is_kind(r, "flame"))
		return misused(&command_report, "--title goes with --flame");
	if (r->before && !is_kind(r, "folded") && !is_kind(r, "flame"))
		return misused(&command_report,
			       "--diff goes with --folded or --flame");
	if (r->before && is_stream(r->before) && is_stream(r->after))
		return misused(&command_report,
			       "--diff: one of the traces is a directory");
	return follow_check(r) ?: tail_check(r);
}

static int report_main(int argc, char **argv)
{
	struct report r = {
		.kind = ktrace_output_find("text"),
		.calls.string_max = CALLS_STRING,
	};
	int status;

	status = options_parse(&command_report, argc, argv, option_handle, &r);
	if (status != OPTIONS_TAKEN)
		return status;
	r.after = optind < argc ? argv[optind] : NULL;
	status = options_check(&r, argc - optind);
	if (status)
		return status;
	r.colors = r.calls.colors = color_is_wanted(r.color, STDOUT_FILENO);
	/* It would wait for the end. */
	if (!r.query.follow && !trace_is_stream(&r))
		pager_open();
	/* There the events are all counted, and the rows are limited. */
	if (is_kind(&r, "stacks")) {
		r.merged.limit = r.head_given ? r.head : STACKS_SHOWN;
		r.head = 0;
	}
	if (r.before)
		status = diff_run(&r);
	else if (r.query.follow)
		status = follow_run(&r.query, r.after, trace_show, &r);
	else
		status = query_run(&r.query, r.after, trace_show, &r);
	query_free(&r.query);
	who_free(&r.who);
	columns_free(&r.columns);
	return status;
}

static const struct command_option options[] = {
	OPTION('F', "format", "FORMAT",
	       "how events are printed, see below (text)",
	       .kind = ARGUMENT_FORMAT),
	QUERY_ROWS,
	OPTION('f', "filter", "FILTER", QUERY_FILTER_TEXT, .id = QUERY_FILTER),
	OPTION('p', "pid", "PID,...", "only of these processes or threads",
	       .kind = ARGUMENT_PID),
	OPTION('C', "comm", "COMM",
	       "only of tasks with such a name; wildcards are allowed"),
	OPTION('n', "head", "COUNT",
	       "only the first so many events; of --by-stack: stacks (20)"),
	OPTION(0, "tail", "COUNT", "only the last so many events",
	       .id = REPORT_TAIL),
	OPTION(0, "follow", NULL,
	       "go on while the trace is recorded, until that ends or Ctrl-C",
	       .id = REPORT_FOLLOW),
	OPTION(0, "time", "KIND",
	       "what the time of an event is: seconds since the machine began, "
	       "date, clock (of the day), relative (to the first event shown), "
	       "delta (to the one before)",
	       .words = TIMES, .id = REPORT_TIME),
	OPTION(0, "columns", "LIST",
	       "what lines have: some of task, pid, cpu, time, event, fields, and "
	       "names of fields, with commas",
	       .id = REPORT_COLUMNS),
	COLOR_ROW(REPORT_COLOR),
	PAGER_ROW,
	OPTION(0, "durations", NULL,
	       "behind an event that ends something, how long it took: a call, "
	       "an interrupt, a time on the CPU, a block request, NAME_begin to "
	       "NAME_end",
	       .id = REPORT_DURATIONS),
	OPTION(0, "string", "BYTES",
	       "for -F strace: of data that are shown (32), if they were recorded",
	       .words = "32 256 4096", .id = REPORT_STRING),
	OPTION(0, "graph", NULL,
	       "calls of functions below their callers, the same as -F graph",
	       .id = REPORT_GRAPH),
	OPTION('g', "stacks", NULL,
	       "below each event, who called, if it was recorded with that"),
	OPTION(0, "oneline", NULL, "as -g, but in the line of the event",
	       .id = REPORT_ONELINE),
	OPTION(0, "no-demangle", NULL,
	       "functions of C++ and Rust programs as their files call them",
	       .id = REPORT_MANGLED),
	OPTION(0, "no-inline", NULL,
	       "functions without those that the compiler has put into them",
	       .id = REPORT_WHOLE),
	OPTION(0, "by-stack", NULL,
	       "a table of stacks, the most frequent first, the same as -F stacks",
	       .id = REPORT_STACKS),
	OPTION(0, "folded", NULL,
	       "stacks, and how many events had them, for tools that draw flame "
	       "graphs, the same as -F folded",
	       .id = REPORT_FOLDED),
	OPTION(0, "flame", NULL,
	       "a flame graph of stacks: one HTML page, the same as -F flame",
	       .id = REPORT_FLAME),
	OPTION(0, "title", "TEXT", "for --flame: what the page is called",
	       .id = REPORT_TITLE),
	OPTION(0, "weight", "FIELD",
	       "for --by-stack, --folded and --flame: the sum of this field, instead of the number of "
	       "events; `time': how long threads were off the CPU after "
	       "sched:sched_switch, in ns",
	       .id = REPORT_WEIGHT),
	OPTION(0, "diff", "TRACE",
	       "for --folded and --flame: what has changed since that trace",
	       .kind = ARGUMENT_DIRECTORY, .id = REPORT_DIFF),
	OPTION_QUIET_ROW("no warnings"),
	{0},
};

const struct command command_report = {
	.name = "report",
	.what = "print a trace, one line per event",
	.usage = "[OPTION...] [DIR]",
	.about = "DIR is a trace (" TRACE_DEFAULT
		 "); -: standard input, from `ktrace\n"
		 "record -o -'.\n",
	.options = options,
	.operand = ARGUMENT_DIRECTORY,
	.examples =
		"    ktrace report -e 'sched:*' --comm 'make*' --from +1.5 | "
		"less\n",
	.main = report_main,
};
