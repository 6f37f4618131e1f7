// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace latency: the results, as text and as JSON. */
#include <stdio.h>
#include <string.h>

#include "common/histogram_show.h"
#include "common/losses.h"
#include "common/misses.h"
#include "common/value.h"
#include "latency.h"

/* ---- text ----------------------------------------------------------------- */

static void head_print(const struct latency *l, const char *names)
{
	printf("%14s %9s %9s %9s %9s %9s %9s", "count", "min", "median", "p90",
	       "p99", "p99.9", "max");
	if (l->kind->errors)
		printf(" %9s", "errors");
	printf("%s%s\n", *names ? "  " : "", names);
}

static void numbers_print(const struct latency *l, const struct histogram *h,
			  uint64_t errors)
{
	printf("%14s %9s %9s %9s %9s %9s %9s ", count_text(h->count).s,
	       ns_text(h->min).s, ns_text(histogram_permille(h, 500)).s,
	       ns_text(histogram_permille(h, 900)).s,
	       ns_text(histogram_permille(h, 990)).s,
	       ns_text(histogram_permille(h, 999)).s, ns_text(h->max).s);
	if (l->kind->errors)
		printf("%9s ", count_text(errors).s);
	putchar(' ');
}

static void all_print(const struct latency *l)
{
	printf("%s\n\n", l->kind->title);
	head_print(l, "");
	numbers_print(l, &l->all, l->errors);
	puts("all");
	if (l->preempted.count) {
		numbers_print(l, &l->preempted, 0);
		puts("(preempted, until they ran again)");
	}
	if (l->all.count) {
		putchar('\n');
		histogram_print(&l->all);
	}
}

static void rows_print(const struct latency *l)
{
	size_t nr = l->head && l->head < l->rows.nr ? l->head : l->rows.nr;

	if (!l->rows.nr)
		return;
	putchar('\n');
	head_print(l, l->by_thread || l->kind->instead ? "thread"
		      : l->kind->kinds		       ? "kind     name"
						       : "name");
	for (size_t i = 0; i < nr; i++) {
		const struct span_row *row = l->sorted[i];

		numbers_print(l, &row->ns, row->errors);
		if (l->kind->kinds && !l->by_thread)
			printf("%-8s ", ktrace_span_kind_name(row->kind));
		print_text(stdout, span_row_shown(row));
		if (l->by_thread)
			printf("-%u", row->tid);
		putchar('\n');
		if (l->histogram)
			histogram_print(&row->ns);
	}
	if (nr < l->rows.nr)
		printf("%14zu more rows: --head 0 shows all\n",
		       l->rows.nr - nr);
}

static void case_print(const struct latency *l, const struct latency_case *c)
{
	int width =
		24 - printf("%9lu.%09lu %9s %4u  ", c->begin / 1000000000,
			    c->begin % 1000000000, ns_text(c->ns).s, c->cpu);

	width += 27;
	print_text(stdout, c->comm);
	width -= strlen(c->comm) + printf("-%u", c->tid);
	if (*c->name) {
		printf("%*s  ", width > 0 ? width : 0, "");
		print_text(stdout, c->name);
	}
	if (*c->file) {
		fputs("  ", stdout);
		print_text(stdout, c->file);
	}
	if (c->error)
		printf(": error %d", c->error);
	if (l->kind->instead) {
		printf("%*s  ", width > 0 ? width : 0, "");
		instead_print(&c->instead);
	}
	putchar('\n');
}

static void cases_print(const struct latency *l)
{
	if (!l->cases.nr)
		return;
	printf("\n%19s %9s  CPU  %-24s  %s\n", "from", "for", "thread",
	       l->kind->instead ? "what ran there instead" : l->kind->worst);
	for (size_t i = 0; i < l->cases.nr; i++)
		case_print(l, longest_get(&l->cases, i));
}

/* What is in no row. */
static void left_print(const struct latency *l)
{
	const struct latency_left *left = &l->left;

	if (left->cut || left->died || left->open || left->unbegun ||
	    l->missing)
		putchar('\n');
	if (left->cut)
		printf("%14s  have no known end: events were lost, or were not "
		       "recorded\n",
		       count_text(left->cut).s);
	if (left->died)
		printf("%14s  did not end before their thread\n",
		       count_text(left->died).s);
	if (left->open)
		printf("%14s  were open at the end\n",
		       count_text(left->open).s);
	if (left->longest)
		printf("%14s  these do not count; the longest took >= %s\n", "",
		       ns_text(left->longest).s);
	if (left->unbegun)
		printf("%14s  have no known begin: the thread ran, and that it "
		       "was woken is not in the trace\n",
		       count_text(left->unbegun).s);
}

void latency_lacks_print(const struct latency *l)
{
	left_print(l);
	needs_print(&l->kind->needs, l->missing);
	losses_print(&l->lost, l->misses, l->nr_misses);
}

void latency_print(const struct latency *l)
{
	all_print(l);
	rows_print(l);
	cases_print(l);
	latency_lacks_print(l);
}

/* ---- JSON ----------------------------------------------------------------- */

void latency_numbers_json(const struct histogram *h, uint64_t errors)
{
	printf("\"count\":%lu,\"total\":%lu,\"min\":%lu,\"median\":%lu,"
	       "\"p90\":%lu,\"p99\":%lu,\"p999\":%lu,\"max\":%lu,"
	       "\"errors\":%lu",
	       h->count, h->total, h->min, histogram_permille(h, 500),
	       histogram_permille(h, 900), histogram_permille(h, 990),
	       histogram_permille(h, 999), h->max, errors);
}

static void numbers_json(const struct histogram *h, uint64_t errors)
{
	latency_numbers_json(h, errors);
	putchar(',');
	if (h->count)
		histogram_json(h);
	else
		fputs("\"histogram\":[]", stdout);
}

static void rows_json(const struct latency *l)
{
	fputs("\"rows\":[", stdout);
	for (size_t i = 0; i < l->rows.nr; i++) {
		const struct span_row *row = l->sorted[i];

		printf("%s\n{", i ? "," : "");
		if (l->by_thread)
			printf("\"tid\":%u,\"pid\":%u,", row->tid, row->tgid);
		else if (l->kind->kinds)
			printf("\"kind\":\"%s\",",
			       ktrace_span_kind_name(row->kind));
		fputs("\"name\":", stdout);
		print_json(stdout, span_row_shown(row));
		putchar(',');
		numbers_json(&row->ns, row->errors);
		putchar('}');
	}
	putchar(']');
}

static void cases_json(const struct latency *l)
{
	fputs("\"worst\":[", stdout);
	for (size_t i = 0; i < l->cases.nr; i++) {
		const struct latency_case *c = longest_get(&l->cases, i);

		printf("%s\n{\"ns\":%lu,\"begin\":%lu,\"end\":%lu,\"cpu\":%u,"
		       "\"tid\":%u,\"pid\":%u,\"comm\":",
		       i ? "," : "", c->ns, c->begin, c->end, c->cpu, c->tid,
		       c->tgid);
		print_json(stdout, c->comm);
		if (*c->name) {
			fputs(",\"name\":", stdout);
			print_json(stdout, c->name);
		}
		if (*c->file) {
			fputs(",\"file\":", stdout);
			print_json(stdout, c->file);
		}
		if (l->kind->errors)
			printf(",\"error\":%d", c->error);
		if (l->kind->instead)
			instead_json(&c->instead);
		putchar('}');
	}
	putchar(']');
}

void latency_lacks_json(const struct latency *l)
{
	const struct latency_left *left = &l->left;

	printf("\"left\":{\"cut\":%lu,\"died\":%lu,\"open\":%lu,"
	       "\"longest\":%lu,\"unbegun\":%lu},\n",
	       left->cut, left->died, left->open, left->longest, left->unbegun);
	needs_json(&l->kind->needs, l->missing);
	fputs(",\n", stdout);
	losses_json(l->lost.lost);
	printf(",\"losing\":%lu,\n", l->lost.losing);
	misses_json(l->misses, l->nr_misses);
}

void latency_json(const struct latency *l)
{
	printf("{\"latency\":\"%s\",\"begin\":%lu,\"end\":%lu,\n\"all\":{",
	       l->kind->name, l->begin, l->end);
	numbers_json(&l->all, l->errors);
	if (l->kind->instead) {
		fputs("},\n\"preempted\":{", stdout);
		numbers_json(&l->preempted, 0);
	}
	fputs("},\n", stdout);
	rows_json(l);
	fputs(",\n", stdout);
	cases_json(l);
	fputs(",\n", stdout);
	latency_lacks_json(l);
	puts("}");
}
