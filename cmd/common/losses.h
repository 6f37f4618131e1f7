/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a trace lacks, as text and as JSON. */
#ifndef KT_CMD_COMMON_LOSSES_H
#define KT_CMD_COMMON_LOSSES_H

#include "count.h"

/*
 * Adds the recorder's counts, which are better: no packet has the losses after
 * the last packet.  A CPU may have several streams, each with its own counts.
 */
void losses_complete(struct count *c, const struct ktrace_info *info,
		     const struct ktrace_cursor_options *o);
/*
 * The cursor has found @item, which nobody has taken: since when (ns) events of the kernel are
 * missing whose loss is still to be told, by that item or a later one; 0: none are.
 */
uint64_t losses_since(const struct ktrace_cursor *cursor, int item);
/*
 * The cursor has been read until behind a part, with @item, which ends at @until (ns): says in
 * c->losing if a gap has begun in the part and ends behind it.
 */
void losses_cut(struct count *c, const struct ktrace_cursor *cursor, int item,
		uint64_t until);
/* What was lost, and what sources have missed in the whole recording. */
void losses_print(const struct count *c, const struct ktrace_miss *misses,
		  size_t nr_misses);
/* Prints a member of a JSON object. */
void losses_json(const uint64_t *lost);

#endif /* KT_CMD_COMMON_LOSSES_H */
