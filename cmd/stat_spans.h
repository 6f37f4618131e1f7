/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Spans of a trace in rows, with a histogram of their durations.  Memory depends on the
 * number of rows, not on the length of the trace.
 */
#ifndef KT_CMD_STAT_SPANS_H
#define KT_CMD_STAT_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/span.h>

#include "common/count.h"
#include "common/query.h"
#include "common/span_rows.h"

/* What a row is of. */
enum span_key {
	SPANS_BY_NAME,
	SPANS_BY_THREAD,
	SPANS_BY_FUNCTION, /* calls of functions, no other spans */
};

struct span_table {
	enum span_key key;
	struct span_rows all;
	struct span_row **rows; /* at the end: all, sorted */
	struct ktrace_span_counts counts[KTRACE_SPAN_NR];
};

/* Columns to sort by. */
enum span_column {
	SPANS_TOTAL,
	SPANS_SELF,
	SPANS_CALLS,
	SPANS_ERRORS,
	SPANS_MIN,
	SPANS_MEDIAN,
	SPANS_P99,
	SPANS_MAX,
	SPANS_COLUMNS,
};

/* Their names, separated by spaces. */
#define SPANS_COLUMN_WORDS "total self calls errors min median p99 max"

/*
 * Reads the trace.  @options are those of the query; @lost gets the losses.  The rows with
 * the most of @column come first.  0 or a negative errno; span_table_destroy() frees it.
 */
int span_table_create(struct ktrace *trace, struct query *query,
		      const struct ktrace_cursor_options *options,
		      enum span_key key, enum span_column column,
		      struct count *lost, struct span_table **table);
void span_table_destroy(struct span_table *table);

/* @head: number of rows; 0: all.  @histogram: below each row its distribution. */
void span_table_print(const struct span_table *table, uint64_t head,
		      bool histogram);
/* Prints members of a JSON object, without a comma after the last one. */
void span_table_json(const struct span_table *table, bool histogram);
/* Prints the counts of spans that are in no row. */
void span_counts_print(const struct ktrace_span_counts *counts);
void span_counts_json(const struct ktrace_span_counts *counts);

#endif /* KT_CMD_STAT_SPANS_H */
