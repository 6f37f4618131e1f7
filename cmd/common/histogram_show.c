// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>

#include "histogram_show.h"
#include "value.h"

/* The least power of two that is greater; 0: it has more than 64 bits. */
static uint64_t power_above(uint64_t value)
{
	if (!value)
		return 1;
	return value >> 63 ? 0 : 1ull << (64 - __builtin_clzll(value));
}

/* Calls @line for each power of two from the least to the greatest value. */
static void powers_each(const struct histogram *h,
			void (*line)(const struct histogram *h, uint64_t from,
				     uint64_t to))
{
	uint64_t to = power_above(h->min), end = power_above(h->max);
	uint64_t from = to == 1 ? 0 : to ? to / 2 : 1ull << 63;

	for (;;) {
		line(h, from, to);
		if (to == end)
			break;
		from = to;
		to = power_above(from);
	}
}

static void power_print(const struct histogram *h, uint64_t from, uint64_t to)
{
	static const char bar[] = "########################################";
	uint64_t count = histogram_between(h, from, to);
	double part = (double)count / h->count;

	printf("%14s  %9s %-9s %5.1f %%  %.*s\n", count_text(count).s,
	       ns_text(from).s, to ? ns_text(to).s : "", 100 * part,
	       (int)(part * (sizeof(bar) - 1) + 0.5), bar);
}

void histogram_print(const struct histogram *h)
{
	powers_each(h, power_print);
}

static void power_json(const struct histogram *h, uint64_t from, uint64_t to)
{
	printf("%s{\"from\":%lu,\"to\":%lu,\"count\":%lu}",
	       from <= h->min ? "" : ",", from, to ? to : UINT64_MAX,
	       histogram_between(h, from, to));
}

void histogram_json(const struct histogram *h)
{
	fputs("\"histogram\":[", stdout);
	powers_each(h, power_json);
	putchar(']');
}
