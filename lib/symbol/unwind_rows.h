/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Makes an unwind table (core/unwind_table.h) of rows that come in the order of their addresses. */
#ifndef KT_LIB_SYMBOL_UNWIND_ROWS_H
#define KT_LIB_SYMBOL_UNWIND_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/* All zero: no rows. */
struct unwind_rows {
	uint64_t base, last; /* addresses of the first bucket, the last row */
	uint64_t last_rule;
	uint32_t nr, nr_buckets, nr_rules;
	uint8_t *offsets;
	uint16_t *numbers;
	uint32_t *buckets;
	uint64_t *rules;
	size_t room, buckets_room, rules_room;
	struct table known; /* rules, each with its number + 1 */
};

/*
 * From @address on, @rule is good.  0 or -ENOMEM; -EFBIG: more than a table can have.
 * A row that is not behind the last one is left out.
 */
int unwind_rows_add(struct unwind_rows *rows, uint64_t address, uint64_t rule);

/*
 * The bytes of the table, which the caller frees.  0, -ENOMEM; -ENODATA: there are no rows.
 */
int unwind_rows_finish(struct unwind_rows *rows, const void *id, size_t id_size,
		       void **bytes, size_t *size);

void unwind_rows_free(struct unwind_rows *rows);

#endif /* KT_LIB_SYMBOL_UNWIND_ROWS_H */
