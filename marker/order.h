/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The number of a marker in its function, which patterns and ids use. */
#ifndef KT_MARKER_ORDER_H
#define KT_MARKER_ORDER_H

#include "env.h"

/* Where a marker is in the source. */
struct marker_place {
	const char *file;
	const char *function;
	u32 line;
};

/*
 * Stores in @orders the number of each of @nr places in its function, from 1
 * on.  They are ordered by line, and within a line as in @places.  0, or
 * -ENOMEM.
 */
int places_order(const struct marker_place *places, size_t nr, u32 *orders);

#endif /* KT_MARKER_ORDER_H */
