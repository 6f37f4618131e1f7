/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which calls of a trace are wanted: some functions, what they call to a depth, what is cut, and
 * within which others.  While a trace is recorded, the kernel decides the same.
 */
#ifndef KT_CMD_COMMON_CALL_SCOPE_H
#define KT_CMD_COMMON_CALL_SCOPE_H

#include <ktrace/span.h>

#include "option.h"
#include "patterns.h"

enum scope_role {
	SCOPE_ROOT, /* no patterns: calls that no other is around */
	SCOPE_CUT,
	SCOPE_AROUND, /* functions and system calls; no patterns: anywhere */
	SCOPE_ROLES,
};

struct call_scope {
	struct ktrace_span_scope scope; /* its function is NULL: all calls */
	unsigned int
		pauses; /* what does not count as their time: enum ktrace_span_pause */
	struct patterns patterns[SCOPE_ROLES];
	bool *used[SCOPE_ROLES]; /* by the number of the pattern */
};

enum {
	CALLS_IN = OPTION_SHARED + 0x10,
	CALLS_NO,
	CALLS_NO_IRQ,
	CALLS_NO_SLEEP,
};

/* Rows for the tables of the commands that have these options, and -f. */
#define CALL_SCOPE_ROWS                                                        \
	OPTION(0, "in", "PATTERN,...",                                         \
	       "only while one of these runs, which do not count themselves: " \
	       "functions, or syscalls:NAME",                                  \
	       .kind = ARGUMENT_FUNCTION, .id = CALLS_IN),                     \
		OPTION(0, "no", "PATTERN,...",                                 \
		       "neither these functions nor what they call",           \
		       .kind = ARGUMENT_FUNCTION, .id = CALLS_NO),             \
		OPTION(0, "no-irq", NULL,                                      \
		       "not what interrupts call meanwhile, nor their time",   \
		       .id = CALLS_NO_IRQ),                                    \
		OPTION(0, "no-sleep", NULL,                                    \
		       "durations without the time that a thread was off its " \
		       "CPU",                                                  \
		       .id = CALLS_NO_SLEEP)

/*
 * Handles -f and the options of CALL_SCOPE_ROWS; changes @words, which must stay valid.
 * Returns an exit status.
 */
int call_scope_option(struct call_scope *scope, const struct command *command,
		      int option, char *words);
/* All patterns are there, and depth and interrupts.  Returns an exit status. */
int call_scope_init(struct call_scope *scope, const struct command *command);
/* -ENOMEM */
int call_scope_spans(const struct call_scope *scope,
		     struct ktrace_spans *spans);
/* If functions are named, or what is around them, spans of other kinds do not count. */
bool call_scope_wants(const struct call_scope *scope,
		      const struct ktrace_span *span);
/* When the trace was read: did each pattern mean a call?  Returns an exit status. */
int call_scope_check(const struct call_scope *scope);
void call_scope_free(struct call_scope *scope);

#endif /* KT_CMD_COMMON_CALL_SCOPE_H */
