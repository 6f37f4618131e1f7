/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The number of a marker in its function, by which patterns and ids tell them apart. */
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
 * @orders gets, for each of @nr places, which of its function it is, from 1 on: by line,
 * and in one line as they are in @places.  0, or -ENOMEM.
 */
int places_order(const struct marker_place *places, size_t nr, u32 *orders);

#endif /* KT_MARKER_ORDER_H */
