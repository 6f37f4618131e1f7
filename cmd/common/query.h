/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which part of a trace the user wants: options that all commands have that read
 * one.
 */
#ifndef KT_CMD_COMMON_QUERY_H
#define KT_CMD_COMMON_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

#include "cmd.h"
#include "select.h"

struct query_time {
	uint64_t ns;   /* 0: not given */
	bool relative; /* to the first event */
};

struct query {
	struct selection selection;
	struct query_time from;
	struct query_time to;
	uint32_t *cpus;
	size_t nr_cpus;
	/* After query_widen(): what is wanted out of what the cursor delivers. */
	struct ktrace_cursor_options wanted;
	uint8_t *wanted_types; /* by id: what was found out, see query.c */
	size_t nr_wanted_types;
};

enum {
	QUERY_FROM = OPTION_SHARED,
	QUERY_TO,
};

/* What the tables of these commands have in common. */
#define QUERY_ROWS                                                                  \
	OPTION('e', "event", "PATTERN,...",                                         \
	       "only these events; with a `!' in front: not those",                 \
	       .kind = ARGUMENT_EVENT),                                             \
		OPTION('c', "cpu", "CPUS", "only of these CPUs, like 0,2-3"),       \
		OPTION(0, "from", "TIME",                                           \
		       "not before; in seconds, as the report shows it, or with a " \
		       "`+' in front: after the first event",                       \
		       .id = QUERY_FROM),                                           \
		OPTION(0, "until", "TIME", "not after", .id = QUERY_TO)

/* Takes an option of QUERY_ROWS.  Returns an exit status. */
int query_option(struct query *q, const struct command *command, int option,
		 const char *argument);
/*
 * Checks the query against the trace, and fills in @options, which lives no
 * longer than @q.  Returns an exit status.
 */
int query_prepare(struct query *q, struct ktrace *trace,
		  struct ktrace_cursor_options *options);
/*
 * For spans, which need events that nobody asked for: lets @options be those of a cursor
 * that delivers them too; with @spans only those that spans are made of.  What was asked
 * for is then chosen by query_wants().
 */
void query_widen(struct query *q, struct ktrace_cursor_options *options,
		 bool spans);
/* @type NULL: any. */
bool query_wants(struct query *q, const struct ktrace_type *type, uint32_t cpu,
		 uint64_t time);
void query_free(struct query *q);

#endif /* KT_CMD_COMMON_QUERY_H */
