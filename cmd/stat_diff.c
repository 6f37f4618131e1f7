// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "common/losses.h"
#include "common/misses.h"
#include "common/value.h"
#include "stat_diff.h"
#include "stat_spans.h"

/* Of one side.  An event has calls alone: how often it happened. */
struct numbers {
	uint64_t calls, errors;
	uint64_t total, self, median; /* ns */
};

struct diff_row {
	struct numbers of[DIFF_SIDES];
	char name[];
};

/* ---- rows ----------------------------------------------------------------- */

/* NULL: out of memory. */
static struct diff_row *row_get(struct table *rows, const char *name)
{
	size_t len = strlen(name);
	uint64_t hash = table_hash(name, len);
	struct table_slot *slot = NULL;
	struct diff_row *row;

	while ((slot = table_next(rows, hash, slot)))
		if (!strcmp(((struct diff_row *)slot->value)->name, name))
			return slot->value;
	row = calloc(1, sizeof(*row) + len + 1);
	if (!row)
		return NULL;
	memcpy(row->name, name, len);
	if (table_add(rows, hash, row)) {
		free(row);
		return NULL;
	}
	return row;
}

static int functions_add(struct diff *diff, enum diff_side side,
			 const struct span_table *table)
{
	for (size_t i = 0; i < table->all.nr; i++) {
		const struct span_row *from = table->rows[i];
		struct diff_row *row = row_get(&diff->functions, from->name);

		if (!row)
			return -ENOMEM;
		row->of[side] = (struct numbers){
			.calls = from->ns.count,
			.errors = from->errors,
			.total = from->ns.total,
			.self = from->self,
			.median = histogram_quantile(&from->ns, 50),
		};
	}
	return 0;
}

static int event_add(struct diff *diff, enum diff_side side,
		     const struct count_type *type)
{
	struct diff_row *row;
	char *name;

	if (asprintf(&name, "%s:%s", type->type->system, type->type->name) < 0)
		return -ENOMEM;
	row = row_get(&diff->events, name);
	free(name);
	if (!row)
		return -ENOMEM;
	/* Several types may have one name. */
	row->of[side].calls += type->events;
	return 0;
}

/* ---- reading -------------------------------------------------------------- */

static int misses_take(struct diff *diff, enum diff_side side,
		       const struct ktrace_info *info)
{
	diff->misses[side] = misses_copy(info->misses, info->nr_misses);
	if (!diff->misses[side])
		return info->nr_misses ? -ENOMEM : 0;
	diff->nr_misses[side] = info->nr_misses;
	return 0;
}

static int events_read(struct diff *diff, enum diff_side side,
		       struct ktrace *trace,
		       const struct ktrace_cursor_options *options)
{
	struct count count;
	int err = count_trace(&count, trace, options, NULL, NULL, false);

	if (err)
		return err;
	for (size_t i = 0; !err && i < count.nr_types; i++)
		err = event_add(diff, side, &count.types[i]);
	count_free(&count);
	return err;
}

int diff_read(struct diff *diff, enum diff_side side, struct ktrace *trace,
	      struct query *query, struct ktrace_cursor_options *options,
	      bool stream)
{
	struct span_table *table;
	bool none;
	int err;

	err = span_table_create(trace, query, options, SPANS_BY_FUNCTION,
				SPANS_TOTAL, &diff->lost[side], &table);
	if (err)
		return err == -ENOMEM ? failed("out of memory")
				      : failed_in_library();
	losses_complete(&diff->lost[side], ktrace_get_info(trace), options);
	err = functions_add(diff, side, table);
	err = err ?: misses_take(diff, side, ktrace_get_info(trace));
	/* Who has chosen some functions does not ask for events instead. */
	none = !table->all.nr && !query->calls.scope.part;
	span_table_destroy(table);
	if (!err && none && stream)
		return failed("-: there are no calls of functions: to compare "
			      "events, record into a directory");
	if (!err && none)
		err = events_read(diff, side, trace, options);
	if (!err)
		return EXIT_OK;
	return err == -ENOMEM ? failed("out of memory") : failed_in_library();
}

/* ---- order ---------------------------------------------------------------- */

struct diff_view {
	bool functions;
	struct diff_row **rows;
	size_t nr;
};

static uint64_t value_of(const struct numbers *of, bool functions)
{
	return functions ? of->total : of->calls;
}

static uint64_t change_of(const struct diff_row *row, bool functions)
{
	uint64_t before = value_of(&row->of[DIFF_BEFORE], functions);
	uint64_t after = value_of(&row->of[DIFF_AFTER], functions);

	return after > before ? after - before : before - after;
}

static int row_compare(const void *a, const void *b, void *data)
{
	const struct diff_row *x = *(struct diff_row *const *)a;
	const struct diff_row *y = *(struct diff_row *const *)b;
	const struct diff_view *view = data;
	uint64_t of_x = change_of(x, view->functions);
	uint64_t of_y = change_of(y, view->functions);

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int view_make(struct diff_view *view, struct diff *diff)
{
	struct table *rows =
		diff->functions.nr ? &diff->functions : &diff->events;
	struct diff_row *row;
	size_t at = 0;

	*view = (struct diff_view){
		.functions = diff->functions.nr,
		.rows = calloc(rows->nr + 1, sizeof(row)),
	};
	if (!view->rows)
		return -ENOMEM;
	while ((row = table_each(rows, &at)))
		view->rows[view->nr++] = row;
	qsort_r(view->rows, view->nr, sizeof(row), row_compare, view);
	return 0;
}

/* ---- text ----------------------------------------------------------------- */

/* "+1.50 ms" */
static struct value_text change_text(const struct diff_row *row, bool functions)
{
	uint64_t change = change_of(row, functions);
	struct value_text size =
		functions ? ns_text(change) : count_text(change);
	struct value_text text;
	bool less = value_of(&row->of[DIFF_AFTER], functions) <
		    value_of(&row->of[DIFF_BEFORE], functions);

	snprintf(text.s, sizeof(text.s), "%s%.30s",
		 !change ? ""
		 : less	 ? "-"
			 : "+",
		 size.s);
	return text;
}

static void function_print(const struct diff_row *row)
{
	const struct numbers *a = &row->of[DIFF_BEFORE];
	const struct numbers *b = &row->of[DIFF_AFTER];

	printf("%11s %11s  %9s %9s %10s  %9s %9s  %9s %9s  ",
	       count_text(a->calls).s, count_text(b->calls).s,
	       ns_text(a->total).s, ns_text(b->total).s,
	       change_text(row, true).s, ns_text(a->median).s,
	       ns_text(b->median).s, ns_text(a->self).s, ns_text(b->self).s);
}

static void event_print(const struct diff_row *row)
{
	printf("%14s %14s %15s  ", count_text(row->of[DIFF_BEFORE].calls).s,
	       count_text(row->of[DIFF_AFTER].calls).s,
	       change_text(row, false).s);
}

static void view_print(const struct diff_view *view, uint64_t head)
{
	size_t nr = head && head < view->nr ? head : view->nr;

	if (!view->nr)
		puts("neither trace has events");
	else if (view->functions)
		printf("%-23s  %-30s  %-19s  %-19s\n"
		       "%11s %11s  %9s %9s %10s  %9s %9s  %9s %9s  %s\n",
		       "calls", "total", "median", "self", "before", "after",
		       "before", "after", "change", "before", "after", "before",
		       "after", "function");
	else
		printf("%14s %14s %15s  %s\n", "events before", "after",
		       "change", "event");
	for (size_t i = 0; i < nr; i++) {
		if (view->functions)
			function_print(view->rows[i]);
		else
			event_print(view->rows[i]);
		print_text(stdout, view->rows[i]->name);
		putchar('\n');
	}
	if (nr < view->nr)
		printf("%14zu more rows: --head 0 shows all\n", view->nr - nr);
}

/* ---- JSON ----------------------------------------------------------------- */

static const char *const side_names[] = {
	[DIFF_BEFORE] = "before",
	[DIFF_AFTER] = "after",
};

static void numbers_json(const struct numbers *of, bool functions)
{
	if (!functions) {
		printf("{\"events\":%lu}", of->calls);
		return;
	}
	printf("{\"calls\":%lu,\"errors\":%lu,\"total\":%lu,\"median\":%lu,"
	       "\"self\":%lu}",
	       of->calls, of->errors, of->total, of->median, of->self);
}

static void view_json(const struct diff_view *view, const struct diff *diff)
{
	printf("{\"%s\":[", view->functions ? "functions" : "events");
	for (size_t i = 0; i < view->nr; i++) {
		printf("%s\n{\"name\":", i ? "," : "");
		print_json(stdout, view->rows[i]->name);
		for (int side = 0; side < DIFF_SIDES; side++) {
			printf(",\"%s\":", side_names[side]);
			numbers_json(&view->rows[i]->of[side], view->functions);
		}
		putchar('}');
	}
	putchar(']');
	for (int side = 0; side < DIFF_SIDES; side++) {
		printf(",\n\"%s\":{", side_names[side]);
		losses_json(diff->lost[side].lost);
		putchar(',');
		misses_json(diff->misses[side], diff->nr_misses[side]);
		putchar('}');
	}
	puts("}");
}

int diff_show(struct diff *diff, uint64_t head, bool json)
{
	struct diff_view view;

	if (view_make(&view, diff))
		return failed("out of memory");
	if (json) {
		view_json(&view, diff);
	} else {
		view_print(&view, head);
		for (int side = 0; side < DIFF_SIDES; side++) {
			printf("\n%s:", side_names[side]);
			losses_print(&diff->lost[side], diff->misses[side],
				     diff->nr_misses[side]);
		}
	}
	free(view.rows);
	return EXIT_OK;
}

static void rows_free(struct table *rows)
{
	struct diff_row *row;
	size_t at = 0;

	while ((row = table_each(rows, &at)))
		free(row);
	table_free(rows);
}

void diff_free(struct diff *diff)
{
	rows_free(&diff->functions);
	rows_free(&diff->events);
	for (int side = 0; side < DIFF_SIDES; side++) {
		count_free(&diff->lost[side]);
		free(diff->misses[side]);
	}
}
