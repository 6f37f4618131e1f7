/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which kinds of events count, in each of two traces that are compared.
 *
 * Shares of all that counts say something only if the same is counted.  So a kind of event
 * that counts in one trace must have been recorded with its stack in the other, too.  That
 * none of it happened there is no difference in what was recorded.
 */
#ifndef KT_SHOW_KINDS_H
#define KT_SHOW_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

struct kind;

/* All zero: nothing counts yet. */
struct kinds {
	bool *counts; /* by the number of the type */
	size_t nr;
	/* What was recorded with its stack in the trace before. */
	struct kind *before;
	size_t nr_before;
};

/* An event of this type counts.  0 or -ENOMEM. */
int kinds_count(struct kinds *kinds, const struct ktrace_type *type);
/* This was the trace before; nothing of it is needed from now on.  0 or -ENOMEM. */
int kinds_turn(struct kinds *kinds, struct ktrace *trace);
/* -EINVAL if this trace cannot be compared with the one before. */
int kinds_check(const struct kinds *kinds, struct ktrace *trace);
void kinds_free(struct kinds *kinds);

#endif /* KT_SHOW_KINDS_H */
