/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which calls of a trace are wanted: some functions, what they call to a depth, what is cut, and
 * within which others.  While a trace is recorded, the kernel decides the same.
 */
#ifndef KT_CMD_COMMON_CALL_SCOPE_H
#define KT_CMD_COMMON_CALL_SCOPE_H

#include <ktrace/span.h>

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

/* Those of an option, "a*,b"; changes it, and it must stay valid.  Returns an exit status. */
int call_scope_patterns(struct call_scope *scope, enum scope_role role,
			const struct command *command, char *words);
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
