/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ktrace stat --spans: how long spans took. */
#ifndef KT_CMD_STAT_SPANS_H
#define KT_CMD_STAT_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/count.h"
#include "common/query.h"

struct span_table;

/*
 * Reads the trace.  @options are those of the query; @lost gets the losses.  0
 * or a negative errno; span_table_destroy() frees it.
 */
int span_table_create(struct ktrace *trace, struct query *query,
		      const struct ktrace_cursor_options *options,
		      bool by_thread, struct count *lost,
		      struct span_table **table);
void span_table_destroy(struct span_table *table);

/* @head: number of rows; 0: all. */
void span_table_print(const struct span_table *table, uint64_t head);
/* Prints members of a JSON object, without a comma after the last one. */
void span_table_json(const struct span_table *table);

#endif /* KT_CMD_STAT_SPANS_H */
