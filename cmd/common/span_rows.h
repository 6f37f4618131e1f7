/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Durations in rows, by what they are of.  Memory depends on the number of rows, not on that of
 * durations.
 */
#ifndef KT_CMD_COMMON_SPAN_ROWS_H
#define KT_CMD_COMMON_SPAN_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <ktrace/span.h>

#include "base/histogram.h"

struct span_row {
	struct span_row *chain;
	/* The key. */
	enum ktrace_span_kind kind;
	uint32_t tid; /* if by thread, else 0 */
	uint32_t tgid;
	char *name; /* of the spans; if by thread: of the thread */
	/* Not of the key: the name now of a thread that may have had others; NULL: not set. */
	char *title;
	/* What was added. */
	struct histogram ns;
	uint64_t self; /* of frames (<ktrace/span.h>): ns */
	uint64_t errors;
};

/* All zero: empty. */
struct span_rows {
	struct span_row **chains;
	size_t nr_chains; /* a power of two, or 0 */
	uint64_t seed[2]; /* odd, and random */
	size_t nr;
};

/* That with the key of @key, which is added if it is new.  NULL: out of memory. */
struct span_row *span_rows_get(struct span_rows *rows,
			       const struct span_row *key);
static inline const char *span_row_shown(const struct span_row *row)
{
	return row->title ?: row->name;
}

/* 0 or -ENOMEM. */
int span_row_title(struct span_row *row, const char *title);
/* *@sorted: all of them, to be freed.  @compare as for qsort_r().  0 or -ENOMEM. */
int span_rows_sort(const struct span_rows *rows,
		   int (*compare)(const void *a, const void *b, void *data),
		   void *data, struct span_row ***sorted);
void span_rows_free(struct span_rows *rows);

#endif /* KT_CMD_COMMON_SPAN_ROWS_H */
