/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The part of a trace that the user wants: options of all commands that read
 * traces.
 */
#ifndef KT_CMD_COMMON_QUERY_H
#define KT_CMD_COMMON_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/output.h>
#include <ktrace/trace.h>

#include "call_scope.h"
#include "cmd.h"
#include "cpus.h"
#include "event_filters.h"
#include "moment.h"
#include "select.h"

struct query {
	struct selection selection;
	struct event_filters filters;
	struct moment from;
	struct moment to;
	struct moment around; /* in the place of both */
	uint64_t around_ns;   /* so much on each side of it */
	struct cpus cpus;
	struct call_scope calls; /* which of them are spans */
	/* After query_widen(): the query, while the cursor delivers more. */
	struct ktrace_cursor_options wanted;
	uint8_t *wanted_types; /* by id: a cache, see query.c */
	size_t nr_wanted_types;
	bool follow; /* a trace that is being recorded is read as it grows */
	int directory; /* if it follows: of the trace; negative: the path is opened */
	bool range_found; /* if it follows: these are known, and hold for all parts */
	uint64_t range_from; /* as in ktrace_cursor_options */
	uint64_t range_to;
	/* Set by who reads, before the end of a stream: what it might still have had is not known. */
	bool ended_early;
};

enum {
	QUERY_FROM = OPTION_SHARED,
	QUERY_TO,
	QUERY_AROUND,
	QUERY_FILTER,
};

/* Rows for the tables of these commands. */
#define QUERY_TIME_ROWS                                                  \
	OPTION(0, "from", "TIME",                                        \
	       "not before; in seconds, as the report shows it; with a " \
	       "`+' in front: after the first event; or by the clock, "  \
	       "like 02:15:00.5 or `2026-11-30 02:15'",                  \
	       .id = QUERY_FROM),                                        \
		OPTION(0, "until", "TIME", "not after", .id = QUERY_TO), \
		QUERY_AROUND_ROW
#define QUERY_AROUND_ROW                                                      \
	OPTION(0, "around", "TIME[,SPAN]",                                    \
	       "at most SPAN before and after this time; SPAN is like 10ms, " \
	       "and 1ms if it is not given",                                  \
	       .id = QUERY_AROUND)
#define QUERY_PART_ROWS                                               \
	OPTION('c', "cpu", "CPUS", "only of these CPUs, like 0,2-3"), \
		QUERY_TIME_ROWS
#define QUERY_ROWS                                                  \
	OPTION('e', "event", "PATTERN,...",                         \
	       "only these events; with a `!' in front: not those", \
	       .kind = ARGUMENT_EVENT),                             \
		QUERY_PART_ROWS

/* For commands that show or count events one by one. */
#define QUERY_FILTER_TEXT                                                    \
	"only events of the -e before it that meet this condition on their " \
	"fields; without -e, of all events"

/* Handles an option of these rows.  Returns an exit status. */
int query_option(struct query *q, const struct command *command, int option,
		 const char *argument);
/*
 * Opens the trace @path (see trace.h), checks the query against it, and calls @use with the
 * trace and the options of its cursor, which are valid until @use returns.  If nothing
 * failed, prints the trace's warnings.  Returns an exit status.
 */
int query_run(struct query *q, const char *path,
	      int (*use)(void *data, struct ktrace *trace,
			 struct ktrace_cursor_options *options),
	      void *data);
/*
 * For spans and time lines, which need events and losses that the user may not want: makes
 * @options those of a cursor that delivers these, too.  @spans: only those that spans are made
 * of.  query_wants() then says what the user wants; without query_widen(), all that comes.
 */
void query_widen(struct query *q, struct ktrace_cursor_options *options,
		 bool spans);
/* @type NULL: any type. */
bool query_wants(struct query *q, const struct ktrace_type *type, uint32_t cpu,
		 uint64_t time);
/* Does it meet the filters?  Also without query_widen(): the cursor does not ask it. */
bool query_meets(struct query *q, const struct ktrace_event *event);
/* Is there a filter, so that query_meets() must be asked? */
bool query_has_filter(const struct query *q);
/*
 * Refuses a filter for an output that makes one thing of two events: the filter would take one of them
 * and leave the other.  Returns an exit status.
 */
int query_filter_check(const struct query *q, const struct command *command,
		       const struct ktrace_output_kind *kind);
/* After query_widen(). */
bool query_wants_type(struct query *q, const struct ktrace_type *type);
void query_free(struct query *q);

#endif /* KT_CMD_COMMON_QUERY_H */
