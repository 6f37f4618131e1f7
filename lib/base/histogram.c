// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"

#define PARTS 64 /* parts of each power of two */
#define BITS  6

static uint32_t index_of(uint64_t value)
{
	unsigned int shift;

	if (value < 2 * PARTS)
		return value;
	shift = 63 - __builtin_clzll(value) - BITS;
	return shift * PARTS + (value >> shift);
}

/* The value in the middle of a bucket. */
static uint64_t value_of(uint32_t index)
{
	unsigned int shift = index / PARTS;
	uint64_t width;

	if (index < 2 * PARTS)
		return index;
	width = 1ull << --shift;
	return (index % PARTS + PARTS) * width + (width - 1) / 2;
}

/* The position of the bucket; if it does not exist, where to insert it. */
static size_t bucket_find(const struct histogram *h, uint32_t index)
{
	size_t low = 0, high = h->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (h->buckets[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int bucket_insert(struct histogram *h, size_t at, uint32_t index)
{
	struct histogram_bucket *more = h->buckets;
	size_t room = h->room ? h->room * 2 : 4;

	if (h->nr == h->room) {
		more = realloc(more, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		h->buckets = more;
		h->room = room;
	}
	memmove(&more[at + 1], &more[at], (h->nr++ - at) * sizeof(*more));
	more[at] = (struct histogram_bucket){.index = index};
	return 0;
}

/* The bucket has so many more.  0 or -ENOMEM. */
static int bucket_add(struct histogram *h, uint32_t index, uint64_t count)
{
	size_t at = bucket_find(h, index);

	if ((at == h->nr || h->buckets[at].index != index) &&
	    bucket_insert(h, at, index))
		return -ENOMEM;
	h->buckets[at].count += count;
	return 0;
}

int histogram_add(struct histogram *h, uint64_t value)
{
	if (bucket_add(h, index_of(value), 1))
		return -ENOMEM;
	if (!h->count || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->count++;
	if (__builtin_add_overflow(h->total, value, &h->total))
		h->total = UINT64_MAX;
	return 0;
}

int histogram_merge(struct histogram *h, const struct histogram *other)
{
	int err = 0;

	if (!other->count)
		return 0;
	for (size_t i = 0; !err && i < other->nr; i++)
		err = bucket_add(h, other->buckets[i].index,
				 other->buckets[i].count);
	if (!h->count || other->min < h->min)
		h->min = other->min;
	if (other->max > h->max)
		h->max = other->max;
	h->count += other->count;
	if (__builtin_add_overflow(h->total, other->total, &h->total))
		h->total = UINT64_MAX;
	return err;
}

uint64_t histogram_permille(const struct histogram *h, unsigned int permille)
{
	/* The rank of the value among all values in order. */
	uint64_t rank = h->count / 1000 * permille +
			(h->count % 1000 * permille + 999) / 1000;
	uint64_t seen = 0, value = h->max;

	for (size_t i = 0; i < h->nr; i++) {
		seen += h->buckets[i].count;
		if (seen >= rank) {
			value = value_of(h->buckets[i].index);
			break;
		}
	}
	if (value < h->min)
		return h->min;
	return value > h->max ? h->max : value;
}

uint64_t histogram_between(const struct histogram *h, uint64_t from,
			   uint64_t to)
{
	size_t end = to ? bucket_find(h, index_of(to)) : h->nr;
	uint64_t count = 0;

	for (size_t i = bucket_find(h, index_of(from)); i < end; i++)
		count += h->buckets[i].count;
	return count;
}

void histogram_free(struct histogram *h)
{
	free(h->buckets);
	*h = (struct histogram){0};
}
