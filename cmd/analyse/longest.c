// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The items are a heap with the shortest one on top. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "longest.h"

#define ROOM_MIN 4

/* > 0: @a comes behind @b. */
static int item_compare(const void *a, const void *b)
{
	const struct longest_item *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

static void item_put(struct longest *l, size_t at, const void *item)
{
	memcpy(longest_get(l, at), item, l->size);
}

static void heap_sink(struct longest *l, size_t at, const void *item)
{
	size_t child;

	while ((child = 2 * at + 1) < l->nr) {
		if (child + 1 < l->nr &&
		    item_compare(longest_get(l, child + 1),
				 longest_get(l, child)) > 0)
			child++;
		if (item_compare(longest_get(l, child), item) <= 0)
			break;
		item_put(l, at, longest_get(l, child));
		at = child;
	}
	item_put(l, at, item);
}

static void heap_rise(struct longest *l, size_t at, const void *item)
{
	while (at && item_compare(longest_get(l, (at - 1) / 2), item) < 0) {
		item_put(l, at, longest_get(l, (at - 1) / 2));
		at = (at - 1) / 2;
	}
	item_put(l, at, item);
}

bool longest_takes(const struct longest *l, uint64_t ns)
{
	const struct longest_item *shortest = (const void *)l->items;

	return l->nr < l->max || (l->max && ns > shortest->ns);
}

static int room_make(struct longest *l)
{
	size_t room = l->room ? l->room * 2 : ROOM_MIN;
	char *items;

	if (l->nr < l->room)
		return 0;
	if (room > l->max)
		room = l->max;
	items = realloc(l->items, room * l->size);
	if (!items)
		return -ENOMEM;
	l->items = items;
	l->room = room;
	return 0;
}

int longest_add(struct longest *l, void *item)
{
	struct longest_item *head = item;

	head->nr = l->added++;
	if (!longest_takes(l, head->ns))
		return 0;
	if (l->nr == l->max) {
		heap_sink(l, 0, item);
		return 0;
	}
	if (room_make(l))
		return -ENOMEM;
	heap_rise(l, l->nr++, item);
	return 0;
}

void longest_limit(struct longest *l, size_t max, void (*drop)(void *item))
{
	char *items;

	l->max = max;
	while (l->nr > max) {
		drop(l->items);
		if (--l->nr)
			heap_sink(l, 0, longest_get(l, l->nr));
	}
	if (l->room <= max || !max)
		return;
	items = realloc(l->items, max * l->size);
	if (!items)
		return;
	l->items = items;
	l->room = max;
}

void longest_sort(struct longest *l)
{
	if (l->nr)
		qsort(l->items, l->nr, l->size, item_compare);
}

void longest_free(struct longest *l)
{
	free(l->items);
	l->items = NULL;
	l->nr = l->room = 0;
}
