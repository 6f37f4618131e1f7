/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which calls of a trace are wanted: some functions, what they call to a depth, what is cut, and
 * within which others.  While a trace is recorded, the kernel decides the same.
 */
#ifndef KT_CMD_COMMON_CALL_SCOPE_H
#define KT_CMD_COMMON_CALL_SCOPE_H

#include <ktrace/span.h>

#include "patterns.h"

enum call_role {
	CALL_ROOT, /* no patterns: calls that no other is around */
	CALL_CUT,
	CALL_AROUND, /* functions and system calls; no patterns: anywhere */
	CALL_ROLES,
};

struct call_scope {
	struct ktrace_span_scope scope;
	struct patterns patterns[CALL_ROLES];
	bool *used[CALL_ROLES]; /* by the number of the pattern */
};

/* The patterns are there.  Returns an exit status. */
int call_scope_init(struct call_scope *scope, const struct command *command);
/* When the trace was read: did each pattern mean a call?  Returns an exit status. */
int call_scope_check(const struct call_scope *scope);
void call_scope_free(struct call_scope *scope);

#endif /* KT_CMD_COMMON_CALL_SCOPE_H */
