// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "stat_spans.h"

#define CHAINS_MIN 256

/* ---- rows ----------------------------------------------------------------- */

static size_t chain_of(const struct span_table *t, const struct span_row *key)
{
	uint64_t hash = key->kind + key->tid * 31ull;

	for (const char *p = key->name; *p; p++)
		hash = hash * 31 + (unsigned char)*p;
	return hash * 0x9e3779b97f4a7c15ull >> 32 & (t->nr_chains - 1);
}

static bool row_is(const struct span_row *row, const struct span_row *key)
{
	return row->kind == key->kind && row->tid == key->tid &&
	       row->tgid == key->tgid && !strcmp(row->name, key->name);
}

/* Keeps the chains short.  If there is no memory, they become longer. */
static void rows_spread(struct span_table *t)
{
	struct span_row **old = t->chains, *row, *next;
	size_t nr = t->nr_chains;
	struct span_row **chains = calloc(nr * 4, sizeof(*chains));

	if (!chains)
		return;
	t->chains = chains;
	t->nr_chains = nr * 4;
	for (size_t i = 0; i < nr; i++) {
		for (row = old[i]; row; row = next) {
			size_t to = chain_of(t, row);

			next = row->chain;
			row->chain = chains[to];
			chains[to] = row;
		}
	}
	free(old);
}

struct span_row *span_table_find(const struct span_table *t,
				 const struct span_row *key)
{
	struct span_row *row = t->chains[chain_of(t, key)];

	while (row && !row_is(row, key))
		row = row->chain;
	return row;
}

/* NULL: out of memory. */
static struct span_row *row_get(struct span_table *t,
				const struct span_row *key)
{
	struct span_row *row = span_table_find(t, key);
	size_t chain;

	if (row)
		return row;
	if (t->nr_rows > t->nr_chains)
		rows_spread(t);
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	*row = *key;
	row->name = strdup(key->name);
	if (!row->name) {
		free(row);
		return NULL;
	}
	chain = chain_of(t, row);
	row->chain = t->chains[chain];
	t->chains[chain] = row;
	t->nr_rows++;
	return row;
}

static int span_add(struct span_table *t, const struct ktrace_span *span)
{
	bool by_thread = t->key == SPANS_BY_THREAD;
	/* That of a span is cut. */
	const char *name =
		t->key == SPANS_BY_FUNCTION ? span->type->name : span->name;
	const struct span_row key = {
		.kind = span->kind,
		.tid = by_thread ? span->tid : 0,
		.tgid = by_thread ? span->tgid : 0,
		.name = (char *)(by_thread ? span->comm : name),
	};
	struct span_row *row = row_get(t, &key);

	if (!row)
		return -ENOMEM;
	if (__builtin_add_overflow(row->self, span->self, &row->self))
		row->self = UINT64_MAX;
	row->errors += span->error != 0;
	return histogram_add(&row->ns, span->took);
}

/* ---- reading -------------------------------------------------------------- */

static bool span_is_of(const struct span_table *t, const struct query *query,
		       const struct ktrace_span *span)
{
	if (!call_scope_wants(&query->calls, span))
		return false;
	return t->key != SPANS_BY_FUNCTION ||
	       span->kind == KTRACE_SPAN_FUNCTION;
}

static int spans_read(struct span_table *t, struct ktrace_cursor *cursor,
		      struct ktrace_spans *spans, struct query *query,
		      struct count *lost)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	const struct ktrace_span *span = ktrace_spans_ended(spans);
	int err = 0, item;

	while (!err && (item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_LOSS) {
			ktrace_spans_loss(spans, loss);
			if (query_wants(query, NULL, loss->cpu, loss->time))
				err = count_loss(lost, loss);
			continue;
		}
		err = ktrace_spans_event(spans, event);
		if (err < 0)
			break;
		if (err & KTRACE_SPAN_ENDS && span_is_of(t, query, span) &&
		    (query_wants(query, event->type, event->cpu, event->time) ||
		     query_wants(query, span->type, event->cpu, event->time)))
			err = span_add(t, span);
		else
			err = 0;
	}
	if (err)
		return err;
	for (int i = 0; i < KTRACE_SPAN_NR; i++)
		t->counts[i] = *ktrace_spans_counts(spans, i);
	return item;
}

static uint64_t row_value(const struct span_row *row, enum span_column column)
{
	switch (column) {
	case SPANS_SELF:
		return row->self;
	case SPANS_CALLS:
		return row->ns.count;
	case SPANS_ERRORS:
		return row->errors;
	case SPANS_MIN:
		return row->ns.min;
	case SPANS_MEDIAN:
		return histogram_quantile(&row->ns, 50);
	case SPANS_P99:
		return histogram_quantile(&row->ns, 99);
	case SPANS_MAX:
		return row->ns.max;
	default:
		return row->ns.total;
	}
}

static int row_compare(const void *a, const void *b, void *data)
{
	const struct span_row *x = *(struct span_row *const *)a;
	const struct span_row *y = *(struct span_row *const *)b;
	const enum span_column *column = data;
	uint64_t of_x = row_value(x, *column), of_y = row_value(y, *column);

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int rows_sort(struct span_table *t, enum span_column column)
{
	size_t nr = 0;

	t->rows = calloc(t->nr_rows + 1, sizeof(*t->rows));
	if (!t->rows)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_chains; i++) {
		for (struct span_row *row = t->chains[i]; row; row = row->chain)
			t->rows[nr++] = row;
	}
	qsort_r(t->rows, nr, sizeof(*t->rows), row_compare, &column);
	return 0;
}

int span_table_create(struct ktrace *trace, struct query *query,
		      const struct ktrace_cursor_options *options,
		      enum span_key key, enum span_column column,
		      struct count *lost, struct span_table **result)
{
	struct ktrace_cursor_options all = *options;
	struct span_table *t = calloc(1, sizeof(*t));
	struct ktrace_cursor *cursor = NULL;
	struct ktrace_spans *spans = NULL;
	int err = -ENOMEM;

	if (!t)
		return -ENOMEM;
	t->key = key;
	t->nr_chains = CHAINS_MIN;
	t->chains = calloc(t->nr_chains, sizeof(*t->chains));
	if (t->chains) {
		query_widen(query, &all, true);
		err = ktrace_cursor_create(trace, &all, &cursor);
	}
	if (!err)
		err = ktrace_spans_create(cursor, &spans);
	if (!err)
		err = call_scope_spans(&query->calls, spans);
	if (!err)
		err = spans_read(t, cursor, spans, query, lost);
	if (!err)
		err = rows_sort(t, column);
	ktrace_spans_destroy(spans);
	ktrace_cursor_destroy(cursor);
	if (err) {
		span_table_destroy(t);
		return err;
	}
	*result = t;
	return 0;
}

void span_table_destroy(struct span_table *t)
{
	struct span_row *row, *next;

	for (size_t i = 0; t->chains && i < t->nr_chains; i++) {
		for (row = t->chains[i]; row; row = next) {
			next = row->chain;
			histogram_free(&row->ns);
			free(row->name);
			free(row);
		}
	}
	free(t->chains);
	free(t->rows);
	free(t);
}
