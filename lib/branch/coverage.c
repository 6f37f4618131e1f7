// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which lines of the source have run.
 *
 * Between two branches, all instructions from where the first one went to where the second one is have
 * run, one behind the other: a *run*.  The line tables of the program say which lines these are.
 */
#include <errno.h>
#include <ktrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/grow.h"
#include "read.h"
#include "symbol/program_functions.h"
#include "symbol/program_tables.h"

/* ---- runs ----------------------------------------------------------------- */

/* As words of a file (KT_FRAME_FILE_SHIFT), then as its addresses. */
struct run {
	uint64_t begin, last; /* instructions */
	uint64_t count;
};

struct runs {
	struct run *all;
	size_t nr, room;
};

static int run_compare(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->last > y->last) - (x->last < y->last);
}

/* Sorts them, and keeps each once. */
static void runs_merge(struct runs *runs)
{
	size_t kept = 0;

	if (runs->nr)
		qsort(runs->all, runs->nr, sizeof(*runs->all), run_compare);
	for (size_t i = 0; i < runs->nr; i++) {
		if (kept && !run_compare(&runs->all[kept - 1], &runs->all[i]))
			runs->all[kept - 1].count += runs->all[i].count;
		else
			runs->all[kept++] = runs->all[i];
	}
	runs->nr = kept;
}

static int run_add(struct runs *runs, uint64_t begin, uint64_t last)
{
	struct run *more;

	/* It was not seen where this began, or something is missing in between. */
	if (!begin || last < begin ||
	    begin >> KT_FRAME_FILE_SHIFT != last >> KT_FRAME_FILE_SHIFT)
		return 0;
	if (runs->nr == runs->room)
		runs_merge(runs);
	if (runs->nr * 2 >= runs->room) {
		runs->room = runs->room ? runs->room * 2 : 4096;
		more = realloc(runs->all, runs->room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		runs->all = more;
	}
	runs->all[runs->nr++] = (struct run){begin, last, 1};
	return 0;
}

static int thread_runs(struct ktrace_branches *branches, size_t thread,
		       struct runs *runs)
{
	const struct ktrace_branch_thread *of =
		ktrace_branches_thread(branches, thread);
	uint64_t at = 0, from;
	int err = 0;

	for (size_t i = 0; !err && i < of->nr; i++) {
		struct ktrace_branch branch =
			ktrace_branches_get(branches, thread, i);

		if (branch.kind == KTRACE_BRANCH_BEGINS)
			at = 0;
		if (ktrace_branch_is_stamp(&branch))
			continue;
		from = branches_word(branches, thread, i, false);
		/* The instruction at which a signal came has not run. */
		err = run_add(runs, at,
			      from - (branch.kind == KTRACE_BRANCH_SENT));
		at = branch.kind == KTRACE_BRANCH_LAST
			     ? 0
			     : branches_word(branches, thread, i, true);
	}
	return err;
}

/* ---- lines ---------------------------------------------------------------- */

struct line {
	const char *path;
	unsigned int number;
	uint64_t count;
};

/* What has begun, or ended, before an address. */
struct sums {
	struct sum {
		uint64_t address, count;
	} * all;
	size_t nr;
};

struct coverage {
	struct line *lines;
	size_t nr;
	struct arena paths;

	/* Of one file: */
	struct sums begins, lasts;
	const char *path,
		*directory; /* of the row before, as it has them ... */
	const char *joined; /* ... and as one */
};

static int sum_compare(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void sums_finish(struct sums *sums)
{
	qsort(sums->all, sums->nr, sizeof(*sums->all), sum_compare);
	for (size_t i = 1; i < sums->nr; i++)
		sums->all[i].count += sums->all[i - 1].count;
}

/* Of all that is below @address. */
static uint64_t sum_below(const struct sums *sums, uint64_t address)
{
	size_t low = 0, high = sums->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sums->all[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? sums->all[low - 1].count : 0;
}

/* How often something from @begin up to @end has run. */
static uint64_t count_of(const struct coverage *c, uint64_t begin, uint64_t end)
{
	return sum_below(&c->begins, end) - sum_below(&c->lasts, begin);
}

static bool has_run(void *data, uint64_t begin, uint64_t end)
{
	return count_of(data, begin, end);
}

static const char *path_of(struct coverage *c, const struct source_row *row)
{
	char *joined;

	if (row->path == c->path && row->directory == c->directory)
		return c->joined;
	c->path = row->path;
	c->directory = row->directory;
	c->joined = NULL;
	if (*row->path == '/' || !row->directory) {
		c->joined = arena_strdup(&c->paths, row->path);
	} else if (asprintf(&joined, "%s/%s", row->directory, row->path) > 0) {
		c->joined = arena_strdup(&c->paths, joined);
		free(joined);
	}
	return c->joined;
}

static int row_take(void *data, const struct source_row *row)
{
	struct coverage *c = data;
	const char *path = path_of(c, row);
	struct line *more =
		path ? array_grow(c->lines, c->nr, sizeof(*more)) : NULL;

	if (!more)
		return -ENOMEM;
	c->lines = more;
	c->lines[c->nr++] = (struct line){
		.path = path,
		.number = row->line,
		.count = count_of(c, row->begin, row->end),
	};
	return 0;
}

/* Of a file's runs; where they are in its memory. */
static int sums_make(struct coverage *c, const struct program_functions *f,
		     const struct run *runs, size_t nr)
{
	uint64_t begin, last;

	c->begins.all = calloc(nr, sizeof(*c->begins.all));
	c->lasts.all = calloc(nr, sizeof(*c->lasts.all));
	if (!c->begins.all || !c->lasts.all)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (!program_address(f, runs[i].begin & KT_FRAME_PLACE_MASK,
				     &begin))
			continue;
		last = begin + (runs[i].last - runs[i].begin);
		c->begins.all[c->begins.nr++] =
			(struct sum){begin, runs[i].count};
		c->lasts.all[c->lasts.nr++] = (struct sum){last, runs[i].count};
	}
	sums_finish(&c->begins);
	sums_finish(&c->lasts);
	return 0;
}

static void sums_free(struct coverage *c)
{
	free(c->begins.all);
	free(c->lasts.all);
	c->begins = c->lasts = (struct sums){0};
	c->path = NULL;
}

/* What is not known of a file is not there. */
static int file_cover(struct coverage *c, struct program_tables *tables,
		      const struct program_file *file, const struct run *runs,
		      size_t nr)
{
	struct program_functions functions;
	int err = 0;

	program_functions_open(&functions, file, tables->servers);
	if (functions.places) {
		err = sums_make(c, &functions, runs, nr);
		err = err
			      ?: source_rows(functions.places, has_run,
					     row_take, c);
		sums_free(c);
	}
	program_functions_close(&functions);
	return err;
}

static int files_cover(struct coverage *c, struct program_tables *tables,
		       const struct runs *runs)
{
	size_t begin = 0, end;
	int err = 0;

	for (; !err && begin < runs->nr; begin = end) {
		size_t number = runs->all[begin].begin >> KT_FRAME_FILE_SHIFT;
		const struct program_file *file =
			number < tables->nr ? tables->files[number] : NULL;

		for (end = begin;
		     end < runs->nr &&
		     runs->all[end].begin >> KT_FRAME_FILE_SHIFT == number;)
			end++;
		if (file && !file->code)
			err = file_cover(c, tables, file, runs->all + begin,
					 end - begin);
	}
	return err;
}

/* Of the rows of a line, that which has run most often is the first. */
static int line_compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (order)
		return order;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->count < y->count) - (x->count > y->count);
}

static int lines_give(struct coverage *c,
		      int (*take)(void *data, const char *path,
				  unsigned int line, uint64_t count),
		      void *data)
{
	int err = 0;

	if (c->nr)
		qsort(c->lines, c->nr, sizeof(*c->lines), line_compare);
	for (size_t i = 0; !err && i < c->nr; i++) {
		const struct line *line = &c->lines[i];

		if (i && line->number == line[-1].number &&
		    !strcmp(line->path, line[-1].path))
			continue;
		err = take(data, line->path, line->number, line->count);
	}
	return err;
}

int ktrace_branches_coverage(struct ktrace_branches *branches,
			     int (*take)(void *data, const char *path,
					 unsigned int line, uint64_t count),
			     void *data)
{
	struct coverage coverage = {0};
	struct runs runs = {0};
	int err = 0;

	for (size_t i = 0; !err && ktrace_branches_thread(branches, i); i++)
		err = thread_runs(branches, i, &runs);
	runs_merge(&runs);
	err = err ?: files_cover(&coverage, branches_tables(branches), &runs);
	err = err ? error_set(err, "lines that have run: %s", strerror(-err))
		  : lines_give(&coverage, take, data);
	free(runs.all);
	free(coverage.lines);
	arena_destroy(&coverage.paths);
	return err;
}
