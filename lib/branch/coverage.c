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

#include <ktrace/branches.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/table.h"
#include "contexts.h"
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

/* Makes room for one more: much may be the same.  False: no memory. */
static bool runs_grow(struct runs *runs)
{
	struct run *more;

	runs_merge(runs);
	if (runs->nr * 2 < runs->room)
		return true;
	runs->room = runs->room ? runs->room * 2 : 4096;
	more = realloc(runs->all, runs->room * sizeof(*more));
	if (!more)
		return false;
	runs->all = more;
	return true;
}

static int run_add(struct runs *runs, uint64_t begin, uint64_t last)
{
	/* It was not seen where this began, or something is missing in between. */
	if (!begin || last < begin ||
	    begin >> KT_FRAME_FILE_SHIFT != last >> KT_FRAME_FILE_SHIFT)
		return 0;
	if (runs->nr == runs->room && !runs_grow(runs))
		return -ENOMEM;
	runs->all[runs->nr++] = (struct run){begin, last, 1};
	return 0;
}

/*
 * Has the instruction run, or at least begun?  Not if a signal came there, or if the thread has ended behind
 * its last system call.
 */
static bool has_begun(const struct ktrace_branch *branch)
{
	return branch->kind != KTRACE_BRANCH_SENT &&
	       (branch->kind != KTRACE_BRANCH_LAST || branch->to);
}

static int thread_runs(struct ktrace_branches *branches, size_t thread,
		       struct runs *runs)
{
	const struct ktrace_branch_thread *of =
		ktrace_branches_thread(branches, thread);
	uint64_t at = branches->threads[thread].origin, from;
	int err = 0;

	for (size_t i = 0; !err && i < of->nr; i++) {
		struct ktrace_branch branch =
			ktrace_branches_get(branches, thread, i);

		if (branch.kind == KTRACE_BRANCH_BEGINS)
			at = 0;
		if (ktrace_branch_is_stamp(&branch))
			continue;
		from = branches_word(branches, thread, i, false);
		err = run_add(runs, at, from - !has_begun(&branch));
		at = branch.kind == KTRACE_BRANCH_LAST
			     ? 0
			     : branches_word(branches, thread, i, true);
	}
	return err;
}

/* ---- lines ---------------------------------------------------------------- */

struct line {
	const char *path; /* the same text is at the same place */
	unsigned int number;
	uint32_t file; /* of the program */
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
	struct table paths; /* whole ones, by their hash */
	struct arena texts;

	/* Of one file: */
	struct sums begins, lasts;
	uint32_t file; /* its number */
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

/* How many of them are below @address. */
static size_t sums_before(const struct sums *sums, uint64_t address)
{
	size_t low = 0, high = sums->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sums->all[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t sum_below(const struct sums *sums, uint64_t address)
{
	size_t nr = sums_before(sums, address);

	return nr ? sums->all[nr - 1].count : 0;
}

/* How often the instruction at @address has run. */
static uint64_t count_at(const struct coverage *c, uint64_t address)
{
	return sum_below(&c->begins, address + 1) -
	       sum_below(&c->lasts, address);
}

/*
 * How often that from @begin up to @end has run which ran most often: a call in the midst of it ends one run
 * and begins another one.
 */
static uint64_t count_of(const struct coverage *c, uint64_t begin, uint64_t end)
{
	uint64_t count = count_at(c, begin), another;
	size_t i = sums_before(&c->begins, begin + 1);

	for (; i < c->begins.nr && c->begins.all[i].address < end; i++) {
		another = count_at(c, c->begins.all[i].address);
		if (another > count)
			count = another;
	}
	return count;
}

static bool has_run(void *data, uint64_t begin, uint64_t end)
{
	return count_of(data, begin, end);
}

/* Takes "." and ".." out of an absolute path, as far as these can be without looking. */
static void path_shorten(char *path)
{
	char *to = path;

	for (char *at = path; *at;) {
		size_t length = strcspn(at + 1, "/") + 1;

		if (length == 1 || (length == 2 && at[1] == '.')) {
			/* Nothing, or the same folder. */
		} else if (length == 3 && at[1] == '.' && at[2] == '.') {
			while (to > path && *--to != '/')
				;
		} else {
			memmove(to, at, length);
			to += length;
		}
		at += length;
	}
	*to = '\0';
}

static const char *path_intern(struct coverage *c, const char *path)
{
	uint64_t hash = table_hash(path, strlen(path));
	struct table_slot *slot = NULL;
	char *kept;

	while ((slot = table_next(&c->paths, hash, slot)))
		if (!strcmp(slot->value, path))
			return slot->value;
	kept = arena_strdup(&c->texts, path);
	return kept && !table_add(&c->paths, hash, kept) ? kept : NULL;
}

/* The whole path, if it is known; the folder may be in front of it already. */
static const char *path_of(struct coverage *c, const struct source_row *row)
{
	const char *folder = row->directory, *found;
	size_t length = folder ? strlen(folder) : 0;
	char *path;

	if (*row->path == '/' || !length || *folder != '/')
		path = strdup(row->path);
	else if (asprintf(&path, "%s/%s", folder, row->path) < 0)
		path = NULL;
	if (!path)
		return NULL;
	if (*path == '/')
		path_shorten(path);
	found = path_intern(c, path);
	free(path);
	return found;
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
		.file = c->file,
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
		c->file = file->number;
		err = sums_make(c, &functions, runs, nr);
		err = err
			      ?: source_rows(functions.places, has_run,
					     row_take, c);
		sums_free(c);
	}
	/* There are too many open files: lines of this one would be missing. */
	err = err ?: functions.err;
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

/* Of the rows of a line in a program, that which has run most often is the first. */
static int line_compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = x->path == y->path ? 0 : strcmp(x->path, y->path);

	if (order)
		return order;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->count < y->count) - (x->count > y->count);
}

/* A line may be in several programs, each of which counts. */
static int lines_give(struct coverage *c,
		      int (*take)(void *data, const char *path,
				  unsigned int line, uint64_t count),
		      void *data)
{
	const struct line *line = c->lines, *end = line + c->nr, *next;
	int err = 0;

	if (c->nr)
		qsort(c->lines, c->nr, sizeof(*c->lines), line_compare);
	for (; !err && line < end; line = next) {
		uint64_t count = line->count;

		for (next = line + 1; next < end && next->path == line->path &&
				      next->number == line->number;
		     next++)
			if (next->file != next[-1].file)
				count += next->count;
		err = take(data, line->path, line->number, count);
	}
	return err;
}

int ktrace_branches_coverage(struct ktrace_branches *branches,
			     int (*take)(void *data, const char *path,
					 unsigned int line, uint64_t count),
			     void *data)
{
	struct contexts *contexts = contexts_of(branches);
	struct coverage coverage = {0};
	struct runs runs = {0};
	int err = 0;

	if (!contexts)
		return error_set(-EINVAL,
				 "lines that have run: a trace does not have "
				 "the programs");
	for (size_t i = 0; !err && ktrace_branches_thread(branches, i); i++)
		err = thread_runs(branches, i, &runs);
	runs_merge(&runs);
	err = err ?: files_cover(&coverage, &contexts->tables, &runs);
	err = err ? error_set(err, "lines that have run: %s", strerror(-err))
		  : lines_give(&coverage, take, data);
	free(runs.all);
	free(coverage.lines);
	table_free(&coverage.paths);
	arena_destroy(&coverage.texts);
	return err;
}
