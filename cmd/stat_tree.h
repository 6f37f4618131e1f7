/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ktrace stat --tree and --callers: calls merged by their path. */
#ifndef KT_CMD_STAT_TREE_H
#define KT_CMD_STAT_TREE_H

#include "common/call_tree.h"
#include "common/count.h"
#include "common/query.h"

/*
 * Reads the trace into @tree, which is empty.  @options are those of the query; @lost gets the
 * losses, @counts those of the spans.  0 or a negative errno.
 */
int stat_tree_read(struct call_tree *tree, struct ktrace *trace,
		   struct query *query,
		   const struct ktrace_cursor_options *options,
		   struct count *lost,
		   struct ktrace_span_counts counts[KTRACE_SPAN_NR]);

#endif /* KT_CMD_STAT_TREE_H */
