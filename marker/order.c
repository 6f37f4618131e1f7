// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * All places are sorted once, because a program with thousands of markers
 * numbers them when it is loaded.
 */
#include "order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Mostly both are the same string, with the same address. */
static int string_compare(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int function_compare(const struct marker_place *a,
			    const struct marker_place *b)
{
	return string_compare(a->file, b->file)
		       ?: string_compare(a->function, b->function);
}

static int place_compare(const void *x, const void *y)
{
	const struct marker_place *a = *(const struct marker_place *const *)x,
				  *b = *(const struct marker_place *const *)y;
	int function = function_compare(a, b);

	if (function)
		return function;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a < b ? -1 : a > b;
}

int places_order(const struct marker_place *places, size_t nr, u32 *orders)
{
	const struct marker_place **sorted = calloc(nr + 1, sizeof(*sorted));
	u32 order = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		sorted[i] = &places[i];
	qsort(sorted, nr, sizeof(*sorted), place_compare);
	for (size_t i = 0; i < nr; i++) {
		if (i && function_compare(sorted[i - 1], sorted[i]))
			order = 0;
		orders[sorted[i] - places] = ++order;
	}
	free(sorted);
	return 0;
}
