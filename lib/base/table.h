/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A hash table: values by a number, which may be the hash of a name.
 *
 * Open addressing; at least half of the slots are free, so a search is short.  Several
 * values may have one number, as two names may have one hash: whoever looks for a name
 * compares it with those of all values of its hash:
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

/* Zero is empty.  The values stay the caller's. */
struct table {
	struct table_slot *slots;
	size_t size;	    /* of them; a power of two, or 0 */
	size_t nr;	    /* values */
	unsigned int shift; /* of a number of 64 bits to one of a slot */
};

/* Where the search for a number begins: all its bits have a say in the highest ones. */
static inline size_t table_begin(const struct table *table, uint64_t number)
{
	return number * 0x9e3779b97f4a7c15ull >> table->shift;
}

/* The first value with this number, or that behind @slot; NULL: there is none. */
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

/* The value of a number that only one has; NULL: there is none. */
static inline void *table_find(const struct table *table, uint64_t number)
{
	const struct table_slot *slot = table_next(table, number, NULL);

	return slot ? slot->value : NULL;
}

/* Of the first @length bytes of a name. */
uint64_t table_hash(const char *name, size_t length);

/* Adds a value, which others with its number may precede.  0 or -ENOMEM. */
int table_add(struct table *table, uint64_t number, void *value);
/* It is there. */
void table_remove(struct table *table, uint64_t number, const void *value);

/* Each in turn, in no order: *@at is 0 at first.  NULL: no more. */
void *table_each(const struct table *table, size_t *at);

void table_free(struct table *table);

#endif /* KT_LIB_BASE_TABLE_H */
