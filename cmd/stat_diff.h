/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ktrace stat --diff: two traces side by side, by function, or else by event. */
#ifndef KT_CMD_STAT_DIFF_H
#define KT_CMD_STAT_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "common/count.h"
#include "common/query.h"

enum diff_side {
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_SIDES,
};

/* All zero: nothing was read yet. */
struct diff {
	struct table functions; /* of struct diff_row, by name */
	struct table events;	/* of traces without calls of functions */
	struct count lost[DIFF_SIDES];
	struct ktrace_miss *misses[DIFF_SIDES];
	size_t nr_misses[DIFF_SIDES];
};

/*
 * Reads the trace.  Nothing of it is needed after that.  @options are those of the query;
 * @stream: it can be read only once.  Returns an exit status.
 */
int diff_read(struct diff *diff, enum diff_side side, struct ktrace *trace,
	      struct query *query, struct ktrace_cursor_options *options,
	      bool stream);
/* @head: number of rows; 0: all.  Returns an exit status. */
int diff_show(struct diff *diff, uint64_t head, bool json);
void diff_free(struct diff *diff);

#endif /* KT_CMD_STAT_DIFF_H */
