// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Spans by name or by thread: a row for each, with a histogram of their
 * durations.  Memory depends on the number of rows, not on the trace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/span.h>

#include "cmd.h"
#include "common/histogram.h"
#include "common/value.h"
#include "stat_spans.h"

#define CHAINS_MIN 256

struct row {
	struct row *chain;
	enum ktrace_span_kind kind;
	uint32_t tid; /* if by thread, else 0 */
	uint32_t tgid;
	char *name; /* of the spans; if by thread: of the thread */
	struct histogram ns;
};

struct span_table {
	bool by_thread;
	struct row **chains;
	size_t nr_chains;  /* a power of two */
	struct row **rows; /* at the end: all, longest first */
	size_t nr_rows;
	struct ktrace_span_counts counts[KTRACE_SPAN_NR];
};

/* ---- rows ----------------------------------------------------------------- */

static size_t chain_of(const struct span_table *t, const struct row *key)
{
	uint64_t hash = key->kind + key->tid * 31ull;

	for (const char *p = key->name; *p; p++)
		hash = hash * 31 + (unsigned char)*p;
	return hash * 0x9e3779b97f4a7c15ull >> 32 & (t->nr_chains - 1);
}

static bool row_is(const struct row *row, const struct row *key)
{
	return row->kind == key->kind && row->tid == key->tid &&
	       row->tgid == key->tgid && !strcmp(row->name, key->name);
}

/* Keeps the chains short.  If there is no memory, they become longer. */
static void rows_spread(struct span_table *t)
{
	struct row **old = t->chains, *row, *next;
	size_t nr = t->nr_chains;
	struct row **chains = calloc(nr * 4, sizeof(*chains));

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

/* NULL: out of memory. */
static struct row *row_get(struct span_table *t, const struct row *key)
{
	struct row *row = t->chains[chain_of(t, key)];
	size_t chain;

	while (row && !row_is(row, key))
		row = row->chain;
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
	const struct row key = {
		.kind = span->kind,
		.tid = t->by_thread ? span->tid : 0,
		.tgid = t->by_thread ? span->tgid : 0,
		.name = (char *)(t->by_thread ? span->comm : span->name),
	};
	struct row *row = row_get(t, &key);

	return row ? histogram_add(&row->ns, span->end - span->begin) : -ENOMEM;
}

/* ---- reading -------------------------------------------------------------- */

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
		if (err & KTRACE_SPAN_ENDS &&
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

static int row_compare(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a;
	const struct row *y = *(struct row *const *)b;

	if (x->ns.total != y->ns.total)
		return x->ns.total < y->ns.total ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int rows_sort(struct span_table *t)
{
	size_t nr = 0;

	t->rows = calloc(t->nr_rows + 1, sizeof(*t->rows));
	if (!t->rows)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_chains; i++) {
		for (struct row *row = t->chains[i]; row; row = row->chain)
			t->rows[nr++] = row;
	}
	qsort(t->rows, nr, sizeof(*t->rows), row_compare);
	return 0;
}

int span_table_create(struct ktrace *trace, struct query *query,
		      const struct ktrace_cursor_options *options,
		      bool by_thread, struct count *lost,
		      struct span_table **result)
{
	struct ktrace_cursor_options all = *options;
	struct span_table *t = calloc(1, sizeof(*t));
	struct ktrace_cursor *cursor = NULL;
	struct ktrace_spans *spans = NULL;
	int err = -ENOMEM;

	if (!t)
		return -ENOMEM;
	t->by_thread = by_thread;
	t->nr_chains = CHAINS_MIN;
	t->chains = calloc(t->nr_chains, sizeof(*t->chains));
	if (t->chains) {
		query_widen(query, &all, true);
		err = ktrace_cursor_create(trace, &all, &cursor);
	}
	if (!err)
		err = ktrace_spans_create(cursor, &spans);
	if (!err)
		err = spans_read(t, cursor, spans, query, lost);
	if (!err)
		err = rows_sort(t);
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
	struct row *row, *next;

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

static void row_print(const struct row *row)
{
	const struct histogram *h = &row->ns;

	printf("%14s %9s %9s %9s %9s %9s  %-8s ", count_text(h->count).s,
	       ns_text(h->total).s, ns_text(h->min).s,
	       ns_text(histogram_quantile(h, 50)).s,
	       ns_text(histogram_quantile(h, 99)).s, ns_text(h->max).s,
	       ktrace_span_kind_name(row->kind));
	print_text(stdout, row->name);
}

/* Prints the spans without an end, and what to do. */
static void unended_print(const struct ktrace_span_counts *counts)
{
	bool any = false;

	for (int i = 0; i < KTRACE_SPAN_NR; i++) {
		if (!counts[i].unended)
			continue;
		any = true;
		printf("%14s  %s spans have no recorded end: another began "
		       "first, or one around them ended\n",
		       count_text(counts[i].unended).s,
		       ktrace_span_kind_name(i));
	}
	if (any)
		printf("%14s  (record the events of both ends, without "
		       "filters; see ktrace-stat(1))\n",
		       "");
}

/* Prints the counts of spans that are in no row. */
static void unpaired_print(const struct ktrace_span_counts *counts)
{
	struct ktrace_span_counts sum = {0};

	for (int i = 0; i < KTRACE_SPAN_NR; i++) {
		sum.lost += counts[i].lost;
		sum.died += counts[i].died;
		sum.open += counts[i].open;
		sum.unbegun += counts[i].unbegun;
	}
	if (sum.lost)
		printf("%14s  may have ended where events were lost\n",
		       count_text(sum.lost).s);
	unended_print(counts);
	if (sum.died)
		printf("%14s  did not end before their thread\n",
		       count_text(sum.died).s);
	if (sum.open)
		printf("%14s  were open at the end\n", count_text(sum.open).s);
	if (sum.unbegun)
		printf("%14s  ends have no begin\n", count_text(sum.unbegun).s);
}

void span_table_print(const struct span_table *t, uint64_t head)
{
	size_t nr = head && head < t->nr_rows ? head : t->nr_rows;

	if (t->nr_rows)
		printf("%14s %9s %9s %9s %9s %9s  %s\n", "spans", "total",
		       "min", "median", "p99", "max",
		       t->by_thread ? "kind     thread" : "kind     name");
	else
		puts("no spans: record events in pairs, like -e 'syscalls:*', "
		     "-e 'irq:*' or -e sched:sched_switch");
	for (size_t i = 0; i < nr; i++) {
		row_print(t->rows[i]);
		if (t->by_thread)
			printf("-%u", t->rows[i]->tid);
		putchar('\n');
	}
	if (nr < t->nr_rows)
		printf("%14zu more rows: --head 0 shows all\n",
		       t->nr_rows - nr);
	unpaired_print(t->counts);
}

/* ---- JSON ----------------------------------------------------------------- */

static void row_json(const struct row *row, bool by_thread)
{
	const struct histogram *h = &row->ns;

	printf("\n{\"kind\":\"%s\",", ktrace_span_kind_name(row->kind));
	if (by_thread)
		printf("\"tid\":%u,\"pid\":%u,\"comm\":", row->tid, row->tgid);
	else
		fputs("\"name\":", stdout);
	print_json(stdout, row->name);
	printf(",\"count\":%lu,\"total\":%lu,\"min\":%lu,\"median\":%lu,"
	       "\"p99\":%lu,\"max\":%lu}",
	       h->count, h->total, h->min, histogram_quantile(h, 50),
	       histogram_quantile(h, 99), h->max);
}

void span_table_json(const struct span_table *t)
{
	fputs("\"spans\":[", stdout);
	for (size_t i = 0; i < t->nr_rows; i++) {
		if (i)
			putchar(',');
		row_json(t->rows[i], t->by_thread);
	}
	fputs("],\n\"kinds\":[", stdout);
	for (int i = 0; i < KTRACE_SPAN_NR; i++) {
		const struct ktrace_span_counts *c = &t->counts[i];

		printf("%s\n{\"kind\":\"%s\",\"ended\":%lu,\"lost\":%lu,"
		       "\"unended\":%lu,\"died\":%lu,\"open\":%lu,"
		       "\"unbegun\":%lu}",
		       i ? "," : "", ktrace_span_kind_name(i), c->ended,
		       c->lost, c->unended, c->died, c->open, c->unbegun);
	}
	putchar(']');
}
