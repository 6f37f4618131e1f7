// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "table.h"

#define BITS_MIN 8

uint64_t table_hash(const char *name, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */

	while (length--)
		hash = (hash ^ (unsigned char)*name++) * 0x100000001b3ull;
	return hash;
}

uint64_t table_hash_secret(const char *name, size_t length, uint64_t factor)
{
	uint64_t hash = table_mix(factor, length, factor);

	while (length--)
		hash = table_mix(hash, (unsigned char)*name++, factor);
	return hash;
}

static void slot_take(struct table *table, uint64_t number, void *value)
{
	size_t mask = table->size - 1, i = table_begin(table, number);

	while (table->slots[i & mask].value)
		i++;
	table->slots[i & mask] = (struct table_slot){number, value};
}

uint64_t table_factor(void)
{
	uint64_t factor;

	/* Without it a search is short all the same, if nobody means harm. */
	if (getrandom(&factor, sizeof(factor), GRND_NONBLOCK) < 0)
		return 0x9e3779b97f4a7c15ull;
	return factor | 1;
}

static int table_grow(struct table *table)
{
	struct table grown = {
		.size = table->size ? table->size * 2 : 1u << BITS_MIN,
		.nr = table->nr,
		.shift = table->size ? table->shift - 1 : 64 - BITS_MIN,
		.factor = table->size ? table->factor : table_factor(),
	};

	grown.slots = calloc(grown.size, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++) {
		const struct table_slot *slot = &table->slots[i];

		if (slot->value)
			slot_take(&grown, slot->number, slot->value);
	}
	free(table->slots);
	*table = grown;
	return 0;
}

int table_add(struct table *table, uint64_t number, void *value)
{
	if (table->nr * 2 >= table->size && table_grow(table))
		return -ENOMEM;
	slot_take(table, number, value);
	table->nr++;
	return 0;
}

/*
 * A search ends at a free slot, so removing a value must not separate others
 * from the slot where their search begins.  Each value that follows and may be
 * in the hole moves there, and leaves a hole itself.
 */
void table_remove(struct table *table, uint64_t number, const void *value)
{
	struct table_slot *slot = table_next(table, number, NULL);
	size_t mask = table->size - 1, hole, i;

	while (slot->value != value)
		slot = table_next(table, number, slot);
	hole = slot - table->slots;
	for (i = (hole + 1) & mask; table->slots[i].value; i = (i + 1) & mask) {
		size_t begin = table_begin(table, table->slots[i].number);

		/* If its search begins after the hole, it must stay. */
		if (((i - begin) & mask) < ((i - hole) & mask))
			continue;
		table->slots[hole] = table->slots[i];
		hole = i;
	}
	table->slots[hole].value = NULL;
	table->nr--;
}

void *table_each(const struct table *table, size_t *at)
{
	while (*at < table->size) {
		void *value = table->slots[(*at)++].value;

		if (value)
			return value;
	}
	return NULL;
}

void table_free(struct table *table)
{
	free(table->slots);
	*table = (struct table){0};
}
