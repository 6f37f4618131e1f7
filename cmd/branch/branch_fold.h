/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Branches that repeat themselves, as a loop's do: each once, with how often it came.  What repeats itself
 * may have parts that do.
 */
#ifndef KT_CMD_BRANCH_FOLD_H
#define KT_CMD_BRANCH_FOLD_H

#include "branch_show.h"

/* What repeats itself is so many branches long at most. */
#define FOLD_PERIOD_MAX 64
/* Parts of parts. */
#define FOLD_DEPTH 3

struct fold_line {
	size_t entry;
	/* Of each depth: which line of a part it is. */
	enum fold_corner {
		FOLD_NONE,
		FOLD_FIRST,
		FOLD_MIDDLE,
		FOLD_LAST,
	} corners[FOLD_DEPTH];
	/* How often a part came that ends here; 0: none of this depth does. */
	size_t times[FOLD_DEPTH];
};

struct fold {
	const struct branch_show *show;
	size_t thread;
	struct fold_line lines[FOLD_PERIOD_MAX];
	size_t nr;
};

/* Sets the lines of what is at entry @at, before @end.  Returns how many entries they stand for. */
size_t fold_next(struct fold *fold, size_t at, size_t end);

#endif /* KT_CMD_BRANCH_FOLD_H */
