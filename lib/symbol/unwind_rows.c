// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind_rows.h"
#include "unwind_table.h"

/* An array with room for @nr elements of @size bytes.  NULL: out of memory. */
static void *grow(void *array, size_t *room, size_t nr, size_t size)
{
	size_t wanted = *room ? *room : 256;

	if (nr <= *room)
		return array;
	while (wanted < nr)
		wanted *= 2;
	array = realloc(array, wanted * size);
	if (array)
		*room = wanted;
	return array;
}

/*
 * The number of a rule.  Files have a thousand different ones at most; if there should ever be
 * too many, the others become "unknown", which is the first one.
 */
static int rule_number(struct unwind_rows *rows, uint64_t rule,
		       uint16_t *number)
{
	uintptr_t known = (uintptr_t)table_find(&rows->known, rule);
	uint64_t *rules;
	int err;

	if (known) {
		*number = known - 1;
		return 0;
	}
	if (rows->nr_rules == KT_UNWIND_RULES_MAX) {
		*number = 0;
		return 0;
	}
	rules = grow(rows->rules, &rows->rules_room, rows->nr_rules + 1,
		     sizeof(*rules));
	if (!rules)
		return -ENOMEM;
	rows->rules = rules;
	err = table_add(&rows->known, rule, (void *)(rows->nr_rules + 1ul));
	if (err)
		return err;
	rules[rows->nr_rules] = rule;
	*number = rows->nr_rules++;
	return 0;
}

/* Buckets up to the one of @address begin with the next row. */
static int buckets_fill(struct unwind_rows *rows, uint64_t address)
{
	uint64_t nr = ((address - rows->base) >> KT_UNWIND_BUCKET_SHIFT) + 1;
	uint32_t *buckets;

	if (nr > KT_UNWIND_BUCKETS_MAX)
		return -EFBIG;
	buckets = grow(rows->buckets, &rows->buckets_room, nr + 1,
		       sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	rows->buckets = buckets;
	while (rows->nr_buckets < nr)
		rows->buckets[rows->nr_buckets++] = rows->nr;
	return 0;
}

static int rows_begin(struct unwind_rows *rows, uint64_t address)
{
	uint16_t number;

	rows->base = address >> KT_UNWIND_BUCKET_SHIFT
					<< KT_UNWIND_BUCKET_SHIFT;
	return rule_number(rows, KT_UNWIND_UNKNOWN, &number);
}

/* Makes room for one more row. */
static int rows_grow(struct unwind_rows *rows)
{
	size_t room = rows->room; /* is the same for both */
	uint16_t *numbers;
	uint8_t *offsets;

	numbers = grow(rows->numbers, &room, rows->nr + 1, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	rows->numbers = numbers;
	offsets = grow(rows->offsets, &rows->room, rows->nr + 1,
		       sizeof(*offsets));
	if (!offsets)
		return -ENOMEM;
	rows->offsets = offsets;
	return 0;
}

int unwind_rows_add(struct unwind_rows *rows, uint64_t address, uint64_t rule)
{
	uint16_t number;
	int err;

	if (rows->nr && (address <= rows->last || rule == rows->last_rule))
		return 0;
	if (rows->nr == KT_UNWIND_ROWS_MAX)
		return -EFBIG;
	err = rows->nr ? 0 : rows_begin(rows, address);
	if (!err)
		err = rule_number(rows, rule, &number);
	if (!err)
		err = buckets_fill(rows, address);
	if (!err)
		err = rows_grow(rows);
	if (err)
		return err;
	rows->numbers[rows->nr] = number;
	rows->offsets[rows->nr] = address;
	rows->nr++;
	rows->last = address;
	rows->last_rule = rule;
	return 0;
}

int unwind_rows_finish(struct unwind_rows *rows, const void *id, size_t id_size,
		       void **bytes, size_t *size)
{
	struct kt_unwind_header header = {
		.magic = KT_UNWIND_MAGIC,
		.version = KT_UNWIND_VERSION,
		.machine = KT_UNWIND_X86_64,
		.nr_rules = rows->nr_rules,
		.nr_buckets = rows->nr_buckets,
		.nr_rows = rows->nr,
		.id_size = id_size <= KT_UNWIND_ID_MAX ? id_size : 0,
		.base = rows->base,
	};
	size_t total = kt_unwind_table_size(&header);
	uint8_t *made, *at;

	if (!rows->nr)
		return -ENODATA;
	made = malloc(total);
	if (!made)
		return -ENOMEM;
	if (header.id_size)
		memcpy(header.id, id, header.id_size);
	rows->buckets[rows->nr_buckets] = rows->nr;
	at = mempcpy(made, &header, sizeof(header));
	at = mempcpy(at, rows->rules, rows->nr_rules * sizeof(*rows->rules));
	at = mempcpy(at, rows->buckets,
		     (rows->nr_buckets + 1ul) * sizeof(*rows->buckets));
	at = mempcpy(at, rows->numbers, rows->nr * sizeof(*rows->numbers));
	memcpy(at, rows->offsets, rows->nr);
	*bytes = made;
	*size = total;
	return 0;
}

void unwind_rows_free(struct unwind_rows *rows)
{
	free(rows->offsets);
	free(rows->numbers);
	free(rows->buckets);
	free(rows->rules);
	table_free(&rows->known);
}
