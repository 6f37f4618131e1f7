// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A list is enough: a program uses few of the several hundred calls. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "base/error.h"
#include "base/escape.h"

struct count {
	char name[64];
	uint64_t calls;
	uint64_t errors;
	uint64_t time;
};

static struct count *count_get(struct counts *counts, const char *name)
{
	struct count *count, *more;

	for (size_t i = 0; i < counts->nr; i++) {
		if (!strncmp(counts->counts[i].name, name,
			     sizeof(counts->counts[i].name) - 1))
			return &counts->counts[i];
	}
	more = realloc(counts->counts, (counts->nr + 1) * sizeof(*more));
	if (!more)
		return NULL;
	counts->counts = more;
	count = &more[counts->nr++];
	*count = (struct count){0};
	snprintf(count->name, sizeof(count->name), "%s", name);
	return count;
}

int counts_add(struct counts *counts, const char *name, uint64_t ns,
	       bool failed)
{
	struct count *count = count_get(counts, name);

	if (!count)
		return error_set(-ENOMEM, "out of memory");
	count->calls++;
	count->errors += failed;
	count->time += ns;
	return 0;
}

static int name_compare(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int number_compare(uint64_t x, uint64_t y, const void *a, const void *b)
{
	return x != y ? (x < y ? 1 : -1) : name_compare(a, b);
}

static int time_compare(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return number_compare(x->time, y->time, a, b);
}

static int calls_compare(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return number_compare(x->calls, y->calls, a, b);
}

static int errors_compare(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return number_compare(x->errors, y->errors, a, b);
}

static void counts_sort(struct counts *counts, enum ktrace_output_sort sort)
{
	static int (*const compare[])(const void *a, const void *b) = {
		[KTRACE_SORT_TIME] = time_compare,
		[KTRACE_SORT_CALLS] = calls_compare,
		[KTRACE_SORT_ERRORS] = errors_compare,
		[KTRACE_SORT_NAME] = name_compare,
	};

	if (counts->nr && sort < sizeof(compare) / sizeof(*compare))
		qsort(counts->counts, counts->nr, sizeof(*counts->counts),
		      compare[sort]);
}

static void line_write(struct output *output, double part,
		       const struct count *count)
{
	char errors[24] = "", line[192], *name = escape_text(count->name);
	int length;

	if (count->errors)
		snprintf(errors, sizeof(errors), "%" PRIu64, count->errors);
	length = snprintf(line, sizeof(line),
			  "%6.2f %11.6f %11" PRIu64 " %9" PRIu64 " %9s ", part,
			  count->time / 1e9,
			  count->calls ? count->time / count->calls / 1000 : 0,
			  count->calls, errors);
	output_write(output, line, length);
	if (name)
		output_write(output, name, strlen(name));
	output_puts(output, "\n");
	free(name);
}

void counts_write(struct counts *counts, enum ktrace_output_sort sort,
		  struct output *output)
{
	static const char head[] =
		"% time     seconds  usecs/call     calls    errors syscall\n",
			  rule[] = "------ ----------- ----------- --------- "
				   "--------- ----------------\n";
	struct count total = {.name = "total"};

	counts_sort(counts, sort);
	for (size_t i = 0; i < counts->nr; i++) {
		total.calls += counts->counts[i].calls;
		total.errors += counts->counts[i].errors;
		total.time += counts->counts[i].time;
	}
	output_puts(output, head);
	output_puts(output, rule);
	for (size_t i = 0; i < counts->nr; i++) {
		const struct count *count = &counts->counts[i];

		line_write(output,
			   total.time ? 100.0 * count->time / total.time : 0,
			   count);
	}
	output_puts(output, rule);
	line_write(output, 100, &total);
}

void counts_destroy(struct counts *counts)
{
	free(counts->counts);
	*counts = (struct counts){0};
}
