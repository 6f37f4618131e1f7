// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "span_rows.h"

#define CHAINS_MIN 256

/* Nobody who chooses the names knows which of them have the same chain. */
static size_t chain_of(const struct span_rows *rows, const struct span_row *key)
{
	uint64_t hash = (key->tid ^ (uint64_t)key->kind << 32) * rows->seed[0];

	for (const char *p = key->name; *p; p++)
		hash = ((hash ^ hash >> 32) + (unsigned char)*p) *
		       rows->seed[1];
	return (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ull >> 32 &
	       (rows->nr_chains - 1);
}

static bool row_is(const struct span_row *row, const struct span_row *key)
{
	return row->kind == key->kind && row->tid == key->tid &&
	       row->tgid == key->tgid && !strcmp(row->name, key->name);
}

/* Keeps the chains short.  If there is no memory, they become longer. */
static void rows_spread(struct span_rows *rows)
{
	struct span_row **old = rows->chains, *row, *next;
	size_t nr = rows->nr_chains, more = nr ? nr * 4 : CHAINS_MIN;
	struct span_row **chains = calloc(more, sizeof(*chains));

	if (!chains)
		return;
	if (!nr) {
		rows->seed[0] = table_factor();
		rows->seed[1] = table_factor();
	}
	rows->chains = chains;
	rows->nr_chains = more;
	for (size_t i = 0; i < nr; i++) {
		for (row = old[i]; row; row = next) {
			size_t to = chain_of(rows, row);

			next = row->chain;
			row->chain = chains[to];
			chains[to] = row;
		}
	}
	free(old);
}

static struct span_row *row_find(const struct span_rows *rows,
				 const struct span_row *key)
{
	struct span_row *row =
		rows->nr_chains ? rows->chains[chain_of(rows, key)] : NULL;

	while (row && !row_is(row, key))
		row = row->chain;
	return row;
}

struct span_row *span_rows_get(struct span_rows *rows,
			       const struct span_row *key)
{
	struct span_row *row = row_find(rows, key);
	size_t chain;

	if (row)
		return row;
	if (rows->nr >= rows->nr_chains)
		rows_spread(rows);
	if (!rows->nr_chains)
		return NULL;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	*row = *key;
	row->name = strdup(key->name);
	if (!row->name) {
		free(row);
		return NULL;
	}
	chain = chain_of(rows, row);
	row->chain = rows->chains[chain];
	rows->chains[chain] = row;
	rows->nr++;
	return row;
}

int span_row_title(struct span_row *row, const char *title)
{
	char *copy;

	if (row->title && !strcmp(row->title, title))
		return 0;
	copy = strdup(title);
	if (!copy)
		return -ENOMEM;
	free(row->title);
	row->title = copy;
	return 0;
}

int span_rows_sort(const struct span_rows *rows,
		   int (*compare)(const void *a, const void *b, void *data),
		   void *data, struct span_row ***sorted)
{
	struct span_row **list = calloc(rows->nr + 1, sizeof(*list));
	size_t nr = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr_chains; i++) {
		for (struct span_row *row = rows->chains[i]; row;
		     row = row->chain)
			list[nr++] = row;
	}
	qsort_r(list, nr, sizeof(*list), compare, data);
	*sorted = list;
	return 0;
}

void span_rows_free(struct span_rows *rows)
{
	struct span_row *row, *next;

	for (size_t i = 0; i < rows->nr_chains; i++) {
		for (row = rows->chains[i]; row; row = next) {
			next = row->chain;
			histogram_free(&row->ns);
			free(row->name);
			free(row->title);
			free(row);
		}
	}
	free(rows->chains);
	*rows = (struct span_rows){0};
}
