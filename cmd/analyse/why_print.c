// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/losses.h"
#include "common/misses.h"
#include "common/value.h"
#include "why_print.h"
#include "why.h"

double why_percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

void why_time_print(uint64_t ns)
{
	printf("%lu.%09lu", ns / 1000000000, ns % 1000000000);
}

void why_thread_print(const char *comm, uint32_t tid)
{
	print_text(stdout, comm);
	if (tid)
		printf("-%u", tid);
}

int why_sums_print(const struct why_sums *sums, const struct span_rows *rows,
		   size_t head, uint64_t all, const char *what,
		   void (*name)(const struct span_row *row))
{
	size_t nr = head && head < rows->nr ? head : rows->nr;
	struct span_row **sorted;

	if (span_rows_sort(rows, sums->compare, NULL, &sorted))
		return -ENOMEM;
	printf("\n%s  %s\n", sums->title, what);
	for (size_t i = 0; i < nr; i++) {
		sums->numbers(sorted[i], all);
		name(sorted[i]);
		putchar('\n');
	}
	free(sorted);
	if (nr < rows->nr)
		printf("%14zu more rows: --head 0 shows all\n", rows->nr - nr);
	return 0;
}

int why_sums_json(const struct why_sums *sums, const struct span_rows *rows,
		  const char *name, void (*row)(const struct span_row *row))
{
	struct span_row **sorted;

	if (span_rows_sort(rows, sums->compare, NULL, &sorted))
		return -ENOMEM;
	printf(",\n\"%s\":[", name);
	for (size_t i = 0; i < rows->nr; i++) {
		printf("%s\n{", i ? "," : "");
		row(sorted[i]);
		putchar('}');
	}
	putchar(']');
	free(sorted);
	return 0;
}

void why_end_print(const struct why *w, const struct ktrace_info *info)
{
	if (w->missing)
		putchar('\n');
	needs_print(&w->kind->needs, w->missing);
	losses_print(&w->lost, info->misses, info->nr_misses);
}

void why_end_json(const struct why *w, const struct ktrace_info *info)
{
	needs_json(&w->kind->needs, w->missing);
	fputs(",\n", stdout);
	losses_json(w->lost.lost);
	printf(",\"losing\":%lu,\n", w->lost.losing);
	misses_json(info->misses, info->nr_misses);
	puts("}");
}
