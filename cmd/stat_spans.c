// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "stat_spans.h"

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
	struct span_row *row = span_rows_get(&t->all, &key);

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

int span_table_create(struct ktrace *trace, struct query *query,
		      const struct ktrace_cursor_options *options,
		      enum span_key key, enum span_column column,
		      struct count *lost, struct span_table **result)
{
	struct ktrace_cursor_options all = *options;
	struct span_table *t = calloc(1, sizeof(*t));
	struct ktrace_cursor *cursor = NULL;
	struct ktrace_spans *spans = NULL;
	int err;

	if (!t)
		return -ENOMEM;
	t->key = key;
	query_widen(query, &all, true);
	err = ktrace_cursor_create(trace, &all, &cursor);
	if (!err)
		err = ktrace_spans_create(cursor, &spans);
	if (!err)
		err = call_scope_spans(&query->calls, spans);
	if (!err)
		err = spans_read(t, cursor, spans, query, lost);
	if (!err)
		err = span_rows_sort(&t->all, row_compare, &column, &t->rows);
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
	span_rows_free(&t->all);
	free(t->rows);
	free(t);
}
