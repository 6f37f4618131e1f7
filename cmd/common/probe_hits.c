// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cmd.h"
#include "probe_hits.h"
#include "value.h"

/* So many are said on standard error. */
#define SAID_MAX 5

static uint64_t missed(const struct ktrace_probe_hits *probe)
{
	return probe->missed_nested + probe->missed_open + probe->missed_idle;
}

static int order_compare(const void *a, const void *b)
{
	const struct ktrace_probe_hits *x = *(const void *const *)a;
	const struct ktrace_probe_hits *y = *(const void *const *)b;

	if (missed(x) != missed(y))
		return missed(x) < missed(y) ? 1 : -1;
	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	return strcmp(x->system, y->system) ?: strcmp(x->name, y->name);
}

/* Those that have missed most first.  To be freed; NULL: out of memory. */
static const struct ktrace_probe_hits **order_make(
	const struct ktrace_probe_hits *hits, size_t nr)
{
	const struct ktrace_probe_hits **order =
		malloc((nr + 1) * sizeof(*order));

	if (!order)
		return NULL;
	for (size_t i = 0; i < nr; i++)
		order[i] = &hits[i];
	qsort(order, nr, sizeof(*order), order_compare);
	return order;
}

/* "7 nested, 2 idle" */
struct reasons {
	char s[100];
};

static struct reasons reasons_text(const struct ktrace_probe_hits *probe)
{
	const struct {
		const char *why;
		uint64_t nr;
	} misses[] = {{"nested", probe->missed_nested},
		      {"open", probe->missed_open},
		      {"idle", probe->missed_idle}};
	struct reasons text = {""};
	size_t length = 0;

	for (size_t i = 0; i < sizeof(misses) / sizeof(*misses); i++)
		if (misses[i].nr)
			length +=
				snprintf(text.s + length,
					 sizeof(text.s) - length,
					 "%s%" PRIu64 " %s", length ? ", " : "",
					 misses[i].nr, misses[i].why);
	return text;
}

static void row_print(const struct ktrace_probe_hits *probe)
{
	printf("%14s %9s  ", count_text(probe->hits).s,
	       count_text(missed(probe)).s);
	print_text(stdout, probe->system);
	putchar(':');
	print_text(stdout, probe->name);
	if (missed(probe))
		printf(" (%s)", reasons_text(probe).s);
	putchar('\n');
}

void probe_hits_print(const struct ktrace_probe_hits *hits, size_t nr,
		      size_t head)
{
	const struct ktrace_probe_hits **order =
		nr ? order_make(hits, nr) : NULL;
	size_t rows = head && nr > head ? head : nr;

	if (!order)
		return;
	printf("\n%14s %9s  %s\n", "hits", "missed", "probe");
	for (size_t i = 0; i < rows; i++)
		row_print(order[i]);
	if (nr > rows)
		printf("%14zu more probes: --head 0 shows all\n", nr - rows);
	free(order);
}

void probe_hits_json(const struct ktrace_probe_hits *hits, size_t nr)
{
	fputs("\"probes\":[", stdout);
	for (size_t i = 0; i < nr; i++) {
		fputs(i ? ",\n{\"system\":" : "\n{\"system\":", stdout);
		print_json(stdout, hits[i].system);
		fputs(",\"name\":", stdout);
		print_json(stdout, hits[i].name);
		printf(",\"hits\":%" PRIu64 ",\"missed\":{\"nested\":%" PRIu64
		       ",\"open\":%" PRIu64 ",\"idle\":%" PRIu64 "}}",
		       hits[i].hits, hits[i].missed_nested, hits[i].missed_open,
		       hits[i].missed_idle);
	}
	putchar(']');
}

static void probe_say(const struct ktrace_probe_hits *probe)
{
	char *text, *shown;

	if (asprintf(&text, "%s:%s", probe->system, probe->name) < 0)
		return;
	/* The names come from the trace. */
	shown = escape_text(text);
	if (shown)
		say("%s was hit %s time%s, and missed %s more (%s)", shown,
		    count_text(probe->hits).s, probe->hits == 1 ? "" : "s",
		    count_text(missed(probe)).s, reasons_text(probe).s);
	free(shown);
	free(text);
}

void probe_hits_say(const struct ktrace_probe_hits *hits, size_t nr)
{
	const struct ktrace_probe_hits **order =
		nr ? order_make(hits, nr) : NULL;
	size_t i, missing = 0;

	if (!order)
		return;
	while (missing < nr && missed(order[missing]))
		missing++;
	for (i = 0; i < missing && i < SAID_MAX; i++)
		probe_say(order[i]);
	if (missing > i)
		say("%zu more probes have missed hits: ktrace stat",
		    missing - i);
	free(order);
}
