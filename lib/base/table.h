/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A hash table: values by a number, which may be the hash of a name.
 *
 * It uses open addressing.  At least half of the slots are free, so a search is
 * short.  The slot where it begins cannot be predicted by who chooses the numbers.
 * Several values may have the same number, as several names may have
 * the same hash.  So a search for a name compares it with the names of all
 * values of its hash:
 *
 *	while ((slot = table_next(table, table_hash(name, length), slot)))
 *		if (!strcmp(((struct person *)slot->value)->name, name))
 *			break;
 */
#ifndef KT_LIB_BASE_TABLE_H
#define KT_LIB_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_slot {
	uint64_t number;
	void *value; /* NULL: free */
};

/* All zero: an empty table.  The values belong to the caller. */
struct table {
	struct table_slot *slots;
	size_t size;	    /* number of slots: a power of two, or 0 */
	size_t nr;	    /* number of values */
	unsigned int shift; /* from 64 bits down to the number of a slot */
	uint64_t factor;    /* odd, and random for each table */
};

/*
 * The slot where the search begins: the product's highest bits depend on all of
 * @number.
 */
static inline size_t table_begin(const struct table *table, uint64_t number)
{
	number = (number ^ table->factor) * 0x9e3779b97f4a7c15ull;
	number = (number ^ number >> 32) * table->factor;
	return (number ^ number >> 29) * 0x9e3779b97f4a7c15ull >> table->shift;
}

/*
 * The first value with this number, or the next one after @slot.  NULL: no
 * more.
 */
static inline struct table_slot *table_next(const struct table *table,
					    uint64_t number,
					    const struct table_slot *slot)
{
	size_t mask = table->size - 1, i;

	if (!table->size)
		return NULL;
	i = slot ? (size_t)(slot - table->slots) + 1
		 : table_begin(table, number);
	for (;; i++) {
		struct table_slot *found = &table->slots[i & mask];

		if (!found->value)
			return NULL;
		if (found->number == number)
			return found;
	}
}

/* For numbers that only one value has.  NULL: no such value. */
static inline void *table_find(const struct table *table, uint64_t number)
{
	const struct table_slot *slot = table_next(table, number, NULL);

	return slot ? slot->value : NULL;
}

/* An odd number that nobody can predict, for a hash of one's own. */
uint64_t table_factor(void);
/* One more part of such a hash; @factor is what table_factor() has given. */
static inline uint64_t table_mix(uint64_t number, uint64_t value,
				 uint64_t factor)
{
	number = (number ^ value) * factor;
	return number ^ number >> 32;
}

/* Hashes the first @length bytes of a name. */
uint64_t table_hash(const char *name, size_t length);
/*
 * The same of names that strangers choose: who does not know @factor cannot make many that have
 * the same hash, with which each search would take long.
 */
uint64_t table_hash_secret(const char *name, size_t length, uint64_t factor);

/* Adds a value, also if others have the same number.  0 or -ENOMEM. */
int table_add(struct table *table, uint64_t number, void *value);
/* Removes a value, which must be in the table. */
void table_remove(struct table *table, uint64_t number, const void *value);

/* Returns each value once, in no order.  *@at is 0 at first.  NULL: no more. */
void *table_each(const struct table *table, size_t *at);

void table_free(struct table *table);

#endif /* KT_LIB_BASE_TABLE_H */
