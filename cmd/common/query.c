// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/timeline.h>

#include "query.h"
#include "trace.h"
#include "value.h"

#define AROUND_NS 1000000 /* of --around without a span */

static int time_option(struct moment *moment, const struct command *command,
		       const char *option, const char *text)
{
	if (!moment_parse(moment, text))
		return EXIT_OK;
	return misused(command,
		       "%s `%s': expected are seconds like 12.5 or +0.2, or a "
		       "time like 02:15:00.5, `2026-11-30 02:15' or "
		       "02:15+01:00",
		       option, text);
}

/* TIME or TIME,SPAN */
static int around_option(struct query *q, const struct command *command,
			 const char *text)
{
	const char *comma = strchr(text, ',');
	char *time = strndup(text, strcspn(text, ","));
	int status;

	if (!time)
		return failed("out of memory");
	q->around_ns = AROUND_NS;
	status = time_option(&q->around, command, "--around", time);
	free(time);
	if (!status && comma && duration_parse(comma + 1, &q->around_ns))
		status = misused(command,
				 "--around `%s': behind the comma, a duration "
				 "is expected, like 10ms",
				 text);
	return status;
}

/* Whichever comes first. */
static int times_check(const struct query *q, const struct command *command)
{
	if (q->around.kind && (q->from.kind || q->to.kind))
		return misused(command,
			       "--around is in the place of --from and "
			       "--until");
	return EXIT_OK;
}

static int one_option(struct query *q, const struct command *command,
		      int option, const char *argument)
{
	switch (option) {
	case 'e':
		return selection_option(&q->selection, command, argument);
	case QUERY_FILTER:
		return event_filters_add(&q->filters, &q->selection, command,
					 argument);
	case 'c':
		return cpus_option(&q->cpus, command, argument);
	case QUERY_FROM:
		return time_option(&q->from, command, "--from", argument);
	case QUERY_TO:
		return time_option(&q->to, command, "--until", argument);
	case QUERY_AROUND:
		return around_option(q, command, argument);
	default:
		return option_forgotten(command, option);
	}
}

int query_option(struct query *q, const struct command *command, int option,
		 const char *argument)
{
	int status = one_option(q, command, option, argument);

	return status ?: times_check(q, command);
}

/* Branches may be older than the recording. */
static bool is_recorded(const struct ktrace_type *type, void *data)
{
	return !type->branch;
}

/* The time of the first event; 0: there is none. */
static uint64_t trace_begin(struct ktrace *trace)
{
	const struct ktrace_cursor_options options = {
		.size = sizeof(options),
		.want = is_recorded,
	};
	struct ktrace_cursor *cursor;
	uint64_t begin = 0;
	int item;

	if (ktrace_cursor_create(trace, &options, &cursor))
		return 0;
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_EVENT) {
			begin = ktrace_cursor_event(cursor)->time;
			break;
		}
	}
	ktrace_cursor_destroy(cursor);
	return begin;
}

static int cpus_check(const struct query *q, const struct ktrace_info *info)
{
	for (size_t i = 0; i < q->cpus.nr; i++) {
		uint32_t j;

		for (j = 0; j < info->nr_cpus; j++)
			if (info->cpus[j].cpu == q->cpus.list[i])
				break;
		if (j == info->nr_cpus)
			return failed("the trace has no data of CPU %u",
				      q->cpus.list[i]);
	}
	return EXIT_OK;
}

static bool either_is(const struct query *q, enum moment_kind kind)
{
	return q->from.kind == kind || q->to.kind == kind ||
	       q->around.kind == kind;
}

/* Where the trace is in time, as far as the moments need it. */
static int range_find(const struct query *q, struct ktrace *trace,
		      struct moment_range *range)
{
	const struct ktrace_info *info = ktrace_get_info(trace);
	int err = 0;

	*range = (struct moment_range){
		.trace = trace,
		.first = ktrace_wall_find(trace, info->start),
		.last = UINT64_MAX,
	};
	if (info->live)
		return EXIT_OK;
	if (either_is(q, MOMENT_CLOCK))
		err = ktrace_time_range(trace, &range->first, &range->last);
	if (err && err != -ENODATA)
		return failed_in_library();
	if (either_is(q, MOMENT_RELATIVE))
		range->first = trace_begin(trace);
	return EXIT_OK;
}

static int around_find(const struct query *q, const struct moment_range *range,
		       struct ktrace_cursor_options *options)
{
	uint64_t time;

	if (moment_find_begin(&q->around, range, &time))
		return failed("--around: there is no such date");
	options->from = time > q->around_ns ? time - q->around_ns : 1;
	if (__builtin_add_overflow(time, q->around_ns, &options->to))
		options->to = UINT64_MAX;
	return EXIT_OK;
}

static int times_find(const struct query *q, struct ktrace *trace,
		      struct ktrace_cursor_options *options)
{
	struct moment_range range;
	int status = range_find(q, trace, &range);

	if (status)
		return status;
	if (q->around.kind)
		return around_find(q, &range, options);
	if (moment_find_begin(&q->from, &range, &options->from))
		return failed("--from: there is no such date");
	if (moment_find_end(&q->to, &q->from, options->from, &range,
			    &options->to))
		return failed("--until: there is no such date");
	if (options->to && options->to < options->from)
		return failed("nothing can be before --until and after --from");
	return EXIT_OK;
}

/* A time of day means the same in all parts of a recording that is followed. */
static int range_keep(struct query *q, struct ktrace *trace,
		      struct ktrace_cursor_options *options)
{
	int status = EXIT_OK;

	if (!q->range_found)
		status = times_find(q, trace, options);
	if (!q->range_found && !status && q->follow) {
		q->range_found = true;
		q->range_from = options->from;
		q->range_to = options->to;
	}
	if (q->range_found) {
		options->from = q->range_from;
		options->to = q->range_to;
	}
	return status;
}

static int query_prepare(struct query *q, struct ktrace *trace,
			 struct ktrace_cursor_options *options)
{
	bool live = ktrace_get_info(trace)->live;
	int status = EXIT_OK;

	/* In a live trace, matching types may come later. */
	if (!live)
		status = selection_check_types(&q->selection,
					       ktrace_get_types(trace));
	if (!status && !live && q->filters.any)
		status = event_filters_check(&q->filters, &q->selection,
					     ktrace_get_types(trace));
	if (status)
		return status;
	if (live && either_is(q, MOMENT_RELATIVE) && !q->range_found)
		return failed(
			"--from, --until and --around with +TIME are for traces "
			"that are complete: a stream is read only once");
	memset(options, 0, sizeof(*options));
	options->size = sizeof(*options);
	/* Files of CPUs may come later. */
	if (!q->follow)
		status = cpus_check(q, ktrace_get_info(trace));
	if (!status)
		status = range_keep(q, trace, options);
	if (status)
		return status;
	options->cpus = q->cpus.list;
	options->nr_cpus = q->cpus.nr;
	if (!selection_is_all(&q->selection)) {
		options->want = selection_wants;
		options->data = &q->selection;
	}
	return EXIT_OK;
}

int query_run(struct query *q, const char *path,
	      int (*use)(void *data, struct ktrace *trace,
			 struct ktrace_cursor_options *options),
	      void *data)
{
	struct ktrace_cursor_options options;
	struct ktrace *trace;
	int status;
	bool live;

	status = q->follow ? trace_open_follow(q->directory, path, &trace)
			   : trace_open(path, &trace);
	if (status)
		return status;
	live = ktrace_get_info(trace)->live;
	/* The numbers of types are those of the trace. */
	q->nr_wanted_types = 0;
	event_filters_forget(&q->filters);
	status = query_prepare(q, trace, &options);
	if (!status)
		status = use(data, trace, &options);
	if (!status && live && q->filters.any && !q->ended_early)
		status = event_filters_check(&q->filters, &q->selection,
					     ktrace_get_types(trace));
	if (!status)
		trace_complain(trace);
	ktrace_close(trace);
	return status;
}

/* Values in query->wanted_types. */
enum {
	TYPE_UNKNOWN,
	TYPE_WANTED,
	TYPE_LEFT_OUT,
};

static bool type_is_of_spans(const struct ktrace_type *type, void *data)
{
	return ktrace_span_type(type);
}

static bool type_is_needed(const struct ktrace_type *type, void *data)
{
	return ktrace_timeline_type(type) || selection_wants(type, data);
}

/* Asks once for each type, when its first event comes. */
bool query_wants_type(struct query *q, const struct ktrace_type *type)
{
	size_t nr = q->nr_wanted_types;

	if (!q->wanted.want)
		return true;
	if (type->number >= nr) {
		size_t more = type->number * 2ull + 64;
		uint8_t *table = realloc(q->wanted_types, more);

		if (!table)
			return q->wanted.want(type, q->wanted.data);
		memset(table + nr, TYPE_UNKNOWN, more - nr);
		q->wanted_types = table;
		q->nr_wanted_types = more;
	}
	if (q->wanted_types[type->number] == TYPE_UNKNOWN)
		q->wanted_types[type->number] =
			q->wanted.want(type, q->wanted.data) ? TYPE_WANTED
							     : TYPE_LEFT_OUT;
	return q->wanted_types[type->number] == TYPE_WANTED;
}

void query_widen(struct query *q, struct ktrace_cursor_options *options,
		 bool spans)
{
	q->wanted = *options;
	options->from = 0;
	options->nr_cpus = 0;
	if (spans)
		options->want = type_is_of_spans;
	else if (options->want)
		options->want = type_is_needed;
}

bool query_wants(struct query *q, const struct ktrace_type *type, uint32_t cpu,
		 uint64_t time)
{
	const struct ktrace_cursor_options *wanted = &q->wanted;

	if (time < wanted->from)
		return false;
	if (type && !query_wants_type(q, type))
		return false;
	for (size_t i = 0; i < wanted->nr_cpus; i++)
		if (wanted->cpus[i] == cpu)
			return true;
	return !wanted->nr_cpus;
}

bool query_has_filter(const struct query *q)
{
	return q->filters.any;
}

int query_filter_check(const struct query *q, const struct command *command,
		       const struct ktrace_output_kind *kind)
{
	if (!q->filters.any ||
	    (strcmp(kind->name, "strace") && strcmp(kind->name, "graph")))
		return EXIT_OK;
	return misused(command,
		       "-f is about single events, and a call in %s has two: "
		       "choose with -e",
		       kind->name);
}

bool query_meets(struct query *q, const struct ktrace_event *event)
{
	return event_filters_match(&q->filters, &q->selection, event);
}

void query_free(struct query *q)
{
	event_filters_forget(&q->filters);
	free(q->wanted_types);
	selection_free(&q->selection);
	call_scope_free(&q->calls);
	cpus_free(&q->cpus);
}
