// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace latency --diff: two traces side by side.
 *
 * Recordings are seldom of the same length, so a sum says little about what has become slower.  What
 * orders the rows is how much time was spent beyond what as many would have taken before:
 *
 *	total after - count after * total before / count before
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "common/value.h"
#include "latency.h"

enum {
	BEFORE,
	AFTER,
	SIDES,
};

static const char *const side_names[] = {
	[BEFORE] = "before",
	[AFTER] = "after",
};

struct numbers {
	const struct histogram *ns;
	uint64_t errors;
};

struct pair {
	struct numbers of[SIDES];
	const struct span_row *row; /* of one of the sides */
	bool both;		    /* it is in both, so @change is known */
	int64_t change;		    /* ns */
};

/* ---- pairs ---------------------------------------------------------------- */

static int64_t change_find(const struct histogram *before,
			   const struct histogram *after)
{
	__int128 change = (__int128)after->count * before->total;

	change = after->total - change / before->count;
	return change > INT64_MAX   ? INT64_MAX
	       : change < INT64_MIN ? INT64_MIN
				    : change;
}

static void pair_make(struct pair *pair, const struct histogram *before,
		      uint64_t errors_before, const struct histogram *after,
		      uint64_t errors_after, const struct span_row *row)
{
	*pair = (struct pair){
		.of = {[BEFORE] = {before, errors_before},
		       [AFTER] = {after, errors_after}},
		.row = row,
		.both = before->count && after->count,
	};
	if (pair->both)
		pair->change = change_find(before, after);
}

/* NULL: out of memory.  If the other side has no such row, it gets an empty one. */
static const struct span_row *other_get(struct latency *other,
					const struct span_row *row)
{
	const struct span_row key = {.kind = row->kind, .name = row->name};

	return span_rows_get(&other->rows, &key);
}

static int pairs_make(struct latency *before, struct latency *after,
		      struct pair **pairs, size_t *nr)
{
	size_t nr_before = before->rows.nr, nr_after = after->rows.nr;
	const struct span_row *row, *other;

	*nr = 0;
	*pairs = calloc(nr_before + nr_after + 1, sizeof(**pairs));
	if (!*pairs)
		return -ENOMEM;
	for (size_t i = 0; i < nr_after; i++) {
		row = after->sorted[i];
		other = other_get(before, row);
		if (!other)
			return -ENOMEM;
		pair_make(&(*pairs)[(*nr)++], &other->ns, other->errors,
			  &row->ns, row->errors, row);
	}
	for (size_t i = 0; i < nr_before; i++) {
		row = before->sorted[i];
		other = other_get(after, row);
		if (!other)
			return -ENOMEM;
		if (!other->ns.count)
			pair_make(&(*pairs)[(*nr)++], &row->ns, row->errors,
				  &other->ns, other->errors, row);
	}
	return 0;
}

static uint64_t max_of(const struct pair *pair)
{
	const struct histogram *a = pair->of[BEFORE].ns,
			       *b = pair->of[AFTER].ns;

	return a->max > b->max ? a->max : b->max;
}

static uint64_t size_of(const struct pair *pair)
{
	return pair->change < 0 ? -(uint64_t)pair->change
				: (uint64_t)pair->change;
}

/* Those of both first, by the change; then the others, by their maximum. */
static int pair_compare(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	uint64_t of_x = x->both ? size_of(x) : max_of(x);
	uint64_t of_y = y->both ? size_of(y) : max_of(y);

	if (x->both != y->both)
		return y->both - x->both;
	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return strcmp(x->row->name, y->row->name)
		       ?: (x->row->kind > y->row->kind) -
				  (x->row->kind < y->row->kind);
}

/* ---- text ----------------------------------------------------------------- */

static struct value_text time_text(const struct histogram *h, uint64_t ns)
{
	return h->count ? ns_text(ns) : (struct value_text){"-"};
}

static struct value_text change_text(const struct pair *pair)
{
	struct value_text text = {"-"}, size;

	if (!pair->both)
		return text;
	size = ns_text(size_of(pair));
	snprintf(text.s, sizeof(text.s), "%s%.30s",
		 pair->change < 0   ? "-"
		 : pair->change > 0 ? "+"
				    : "",
		 size.s);
	return text;
}

static void pair_print(const struct pair *pair)
{
	const struct histogram *a = pair->of[BEFORE].ns,
			       *b = pair->of[AFTER].ns;

	printf("%11s %11s  ", count_text(a->count).s, count_text(b->count).s);
	for (unsigned int permille = 500; permille <= 990; permille += 490)
		printf("%9s %9s  ",
		       time_text(a, histogram_permille(a, permille)).s,
		       time_text(b, histogram_permille(b, permille)).s);
	printf("%9s %9s  %10s  ", time_text(a, a->max).s,
	       time_text(b, b->max).s, change_text(pair).s);
}

static void head_print(const char *names)
{
	printf("%-23s  %-19s  %-19s  %-19s\n%11s %11s  %9s %9s  %9s %9s  "
	       "%9s %9s  %10s  %s\n",
	       "count", "median", "p99", "max", "before", "after", "before",
	       "after", "before", "after", "before", "after", "change", names);
}

static void pairs_print(const struct latency *l, const struct pair *pairs,
			size_t nr)
{
	size_t shown = l->head && l->head < nr ? l->head : nr;

	if (!nr)
		return;
	putchar('\n');
	head_print(l->kind->instead ? "thread"
		   : l->kind->kinds ? "kind     name"
				    : "name");
	for (size_t i = 0; i < shown; i++) {
		pair_print(&pairs[i]);
		if (l->kind->kinds)
			printf("%-8s ",
			       ktrace_span_kind_name(pairs[i].row->kind));
		print_text(stdout, pairs[i].row->name);
		putchar('\n');
	}
	if (shown < nr)
		printf("%14zu more rows: --head 0 shows all\n", nr - shown);
}

static void diff_print(struct latency *const *sides, const struct pair *all,
		       const struct pair *preempted, const struct pair *pairs,
		       size_t nr)
{
	printf("%s\n\n", sides[AFTER]->kind->title);
	head_print("");
	pair_print(all);
	puts("all");
	if (preempted->of[BEFORE].ns->count || preempted->of[AFTER].ns->count) {
		pair_print(preempted);
		puts("(preempted, until they ran again)");
	}
	pairs_print(sides[AFTER], pairs, nr);
	for (int side = 0; side < SIDES; side++) {
		printf("\n%s:", side_names[side]);
		latency_lacks_print(sides[side]);
	}
}

/* ---- JSON ----------------------------------------------------------------- */

static void pair_json(const struct pair *pair)
{
	for (int side = 0; side < SIDES; side++) {
		printf("\"%s\":{", side_names[side]);
		latency_numbers_json(pair->of[side].ns, pair->of[side].errors);
		fputs("},", stdout);
	}
	if (pair->both)
		printf("\"change\":%ld", pair->change);
	else
		fputs("\"change\":null", stdout);
}

static void pairs_json(const struct latency *l, const struct pair *pairs,
		       size_t nr)
{
	fputs("\"rows\":[", stdout);
	for (size_t i = 0; i < nr; i++) {
		printf("%s\n{", i ? "," : "");
		if (l->kind->kinds)
			printf("\"kind\":\"%s\",",
			       ktrace_span_kind_name(pairs[i].row->kind));
		fputs("\"name\":", stdout);
		print_json(stdout, pairs[i].row->name);
		putchar(',');
		pair_json(&pairs[i]);
		putchar('}');
	}
	putchar(']');
}

static void diff_json(struct latency *const *sides, const struct pair *all,
		      const struct pair *preempted, const struct pair *pairs,
		      size_t nr)
{
	const struct latency *l = sides[AFTER];

	printf("{\"latency\":\"%s\",\n\"all\":{", l->kind->name);
	pair_json(all);
	if (l->kind->instead) {
		fputs("},\n\"preempted\":{", stdout);
		pair_json(preempted);
	}
	fputs("},\n", stdout);
	pairs_json(l, pairs, nr);
	for (int side = 0; side < SIDES; side++) {
		printf(",\n\"%s\":{\"begin\":%lu,\"end\":%lu,\n",
		       side_names[side], sides[side]->begin, sides[side]->end);
		latency_lacks_json(sides[side]);
		putchar('}');
	}
	puts("}");
}

int latency_diff(struct latency *before, struct latency *l)
{
	struct latency *const sides[SIDES] = {before, l};
	struct pair *pairs, all, preempted;
	size_t nr;
	int err;

	err = pairs_make(before, l, &pairs, &nr);
	if (!err) {
		qsort(pairs, nr, sizeof(*pairs), pair_compare);
		pair_make(&all, &before->all, before->errors, &l->all,
			  l->errors, NULL);
		pair_make(&preempted, &before->preempted, 0, &l->preempted, 0,
			  NULL);
		(l->json ? diff_json : diff_print)(sides, &all, &preempted,
						   pairs, nr);
	}
	free(pairs);
	return err;
}
