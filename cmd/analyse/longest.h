/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The longest of many: memory for those that are kept, and time for the others is that of one
 * comparison.
 *
 * Of two that are as long, the first one stays.
 */
#ifndef KT_CMD_ANALYSE_LONGEST_H
#define KT_CMD_ANALYSE_LONGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an item begins with. */
struct longest_item {
	uint64_t ns;
	uint64_t nr; /* set by longest_add(): those that were added before */
};

/* All zero but for these two: empty. */
struct longest {
	size_t size; /* of an item, bytes */
	size_t max;  /* items that are kept */

	char *items; /* in no order until longest_sort() */
	size_t nr;
	size_t room;
	uint64_t added;
};

/* Would one that is so long be kept? */
bool longest_takes(const struct longest *l, uint64_t ns);
/* The one that is thrown away for the next one that is kept; NULL: none. */
static inline void *longest_displaced(const struct longest *l)
{
	return l->nr && l->nr == l->max ? l->items : NULL;
}

/* From now on keeps at most @max, which are not more than before; calls @drop for each other one. */
void longest_limit(struct longest *l, size_t max, void (*drop)(void *item));
/* Adds a copy of @item if it is long enough.  0 or -ENOMEM. */
int longest_add(struct longest *l, void *item);
/* The longest first.  None may be added after this. */
void longest_sort(struct longest *l);
void longest_free(struct longest *l);

static inline void *longest_get(const struct longest *l, size_t i)
{
	return l->items + i * l->size;
}

#endif /* KT_CMD_ANALYSE_LONGEST_H */
