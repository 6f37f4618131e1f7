// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace stat --spans: how long spans took, as text and as JSON. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "common/histogram_show.h"
#include "common/value.h"
#include "stat_spans.h"

static void numbers_print(const struct histogram *h)
{
	printf("%9s %9s %9s %9s  ", ns_text(h->min).s,
	       ns_text(histogram_quantile(h, 50)).s,
	       ns_text(histogram_quantile(h, 99)).s, ns_text(h->max).s);
}

static void row_print(const struct span_row *row, enum span_key key)
{
	const struct histogram *h = &row->ns;

	printf("%14s %9s ", count_text(h->count).s, ns_text(h->total).s);
	if (key == SPANS_BY_FUNCTION)
		printf("%9s %9s ", ns_text(row->self).s,
		       count_text(row->errors).s);
	numbers_print(h);
	if (key != SPANS_BY_FUNCTION)
		printf("%-8s ", ktrace_span_kind_name(row->kind));
	print_text(stdout, row->name);
	if (key == SPANS_BY_THREAD)
		printf("-%u", row->tid);
	putchar('\n');
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

void span_counts_print(const struct ktrace_span_counts *counts)
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

static void head_print(const struct span_table *t)
{
	if (!t->all.nr)
		puts(t->key == SPANS_BY_FUNCTION
			     ? "no calls of functions: record some with "
			       "-F 'vfs_*'"
			     : "no spans: record events in pairs, like -e "
			       "'syscalls:*', -e 'irq:*' or -e "
			       "sched:sched_switch");
	else if (t->key == SPANS_BY_FUNCTION)
		printf("%14s %9s %9s %9s %9s %9s %9s %9s  %s\n", "calls",
		       "total", "self", "errors", "min", "median", "p99", "max",
		       "function");
	else
		printf("%14s %9s %9s %9s %9s %9s  %s\n", "spans", "total",
		       "min", "median", "p99", "max",
		       t->key == SPANS_BY_THREAD ? "kind     thread"
						 : "kind     name");
}

void span_table_print(const struct span_table *t, uint64_t head, bool histogram)
{
	size_t nr = head && head < t->all.nr ? head : t->all.nr;
	const struct ktrace_span_counts only[KTRACE_SPAN_NR] = {
		[KTRACE_SPAN_FUNCTION] = t->counts[KTRACE_SPAN_FUNCTION],
	};

	head_print(t);
	for (size_t i = 0; i < nr; i++) {
		row_print(t->rows[i], t->key);
		if (histogram)
			histogram_print(&t->rows[i]->ns);
	}
	if (nr < t->all.nr)
		printf("%14zu more rows: --head 0 shows all\n", t->all.nr - nr);
	span_counts_print(t->key == SPANS_BY_FUNCTION ? only : t->counts);
}

/* ---- JSON ----------------------------------------------------------------- */

static void row_json(const struct span_row *row, bool by_thread, bool histogram)
{
	const struct histogram *h = &row->ns;

	printf("\n{\"kind\":\"%s\",", ktrace_span_kind_name(row->kind));
	if (by_thread)
		printf("\"tid\":%u,\"pid\":%u,\"comm\":", row->tid, row->tgid);
	else
		fputs("\"name\":", stdout);
	print_json(stdout, row->name);
	printf(",\"count\":%lu,\"total\":%lu,\"min\":%lu,\"median\":%lu,"
	       "\"p99\":%lu,\"max\":%lu,\"self\":%lu,\"errors\":%lu",
	       h->count, h->total, h->min, histogram_quantile(h, 50),
	       histogram_quantile(h, 99), h->max, row->self, row->errors);
	if (histogram) {
		putchar(',');
		histogram_json(h);
	}
	putchar('}');
}

void span_counts_json(const struct ktrace_span_counts *counts)
{
	fputs("\"kinds\":[", stdout);
	for (int i = 0; i < KTRACE_SPAN_NR; i++) {
		const struct ktrace_span_counts *c = &counts[i];

		printf("%s\n{\"kind\":\"%s\",\"ended\":%lu,\"lost\":%lu,"
		       "\"unended\":%lu,\"died\":%lu,\"open\":%lu,"
		       "\"unbegun\":%lu}",
		       i ? "," : "", ktrace_span_kind_name(i), c->ended,
		       c->lost, c->unended, c->died, c->open, c->unbegun);
	}
	putchar(']');
}

void span_table_json(const struct span_table *t, bool histogram)
{
	fputs("\"spans\":[", stdout);
	for (size_t i = 0; i < t->all.nr; i++) {
		if (i)
			putchar(',');
		row_json(t->rows[i], t->key == SPANS_BY_THREAD, histogram);
	}
	fputs("],\n", stdout);
	span_counts_json(t->counts);
}
