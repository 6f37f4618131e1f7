/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which calls of a trace are wanted: some functions, what they call to a depth, and what is
 * cut.  While a trace is recorded, the kernel decides the same.
 */
#ifndef KT_CMD_COMMON_CALL_SCOPE_H
#define KT_CMD_COMMON_CALL_SCOPE_H

#include <ktrace/span.h>

#include "patterns.h"

struct call_scope {
	struct ktrace_span_scope scope;
	const struct patterns *roots; /* empty: calls that no other is around */
	const struct patterns *cut;
	bool *used; /* by the number of the pattern: those of @roots, then those of @cut */
};

/* The patterns must outlive it.  Returns an exit status. */
int call_scope_init(struct call_scope *scope, const struct command *command,
		    const struct patterns *roots, const struct patterns *cut);
/* When the trace was read: did each pattern mean a function?  Returns an exit status. */
int call_scope_check(const struct call_scope *scope);
void call_scope_free(struct call_scope *scope);

#endif /* KT_CMD_COMMON_CALL_SCOPE_H */
