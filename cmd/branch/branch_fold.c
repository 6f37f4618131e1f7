// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See branch_fold.h. */
#include "branch_fold.h"

static struct branch_at at_entry(const struct fold *fold, size_t entry)
{
	return (struct branch_at){
		.branch = ktrace_branches_get(fold->show->branches,
					      fold->thread, entry),
		.thread = fold->thread,
		.entry = entry,
	};
}

/* Their addresses are compared first, because most are not the same. */
static bool is_same(const struct fold *fold, size_t a, size_t b)
{
	struct branch_at x = at_entry(fold, a), y = at_entry(fold, b);

	/* What was called again has another time. */
	if (x.branch.kind == KTRACE_BRANCH_TIME)
		return y.branch.kind == KTRACE_BRANCH_TIME;
	return x.branch.from == y.branch.from && x.branch.to == y.branch.to &&
	       !ktrace_branch_is_stamp(&x.branch) &&
	       branch_is_same(fold->show, &x, &y);
}

static bool are_same(const struct fold *fold, size_t a, size_t b, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!is_same(fold, a + i, b + i))
			return false;
	return true;
}

/* How often the @period entries at @at come, one time behind the other. */
static size_t times_of(const struct fold *fold, size_t at, size_t end,
		       size_t period)
{
	size_t times = 1;

	while (end - at >= (times + 1) * period &&
	       are_same(fold, at, at + times * period, period))
		times++;
	return times;
}

/* The part at @at whose repetition saves most lines: its length, 1 if there is none. */
static size_t part_find(const struct fold *fold, size_t at, size_t end,
			size_t *times)
{
	size_t found = 1, best = 0, n;

	*times = 1;
	for (size_t period = 1;
	     period <= FOLD_PERIOD_MAX && period * 2 <= end - at; period++) {
		n = times_of(fold, at, end, period);
		if ((n - 1) * period > best) {
			best = (n - 1) * period;
			found = period;
			*times = n;
		}
	}
	return found;
}

static size_t part_lay(struct fold *fold, size_t at, size_t end, int depth);

/* The lines of what is between @at and @end. */
static void lines_lay(struct fold *fold, size_t at, size_t end, int depth)
{
	while (at < end)
		at += part_lay(fold, at, end, depth);
}

static enum fold_corner corner_of(size_t line, size_t first, size_t nr)
{
	if (nr == first + 1)
		return FOLD_NONE;
	return line == first	? FOLD_FIRST
	       : line == nr - 1 ? FOLD_LAST
				: FOLD_MIDDLE;
}

static size_t part_lay(struct fold *fold, size_t at, size_t end, int depth)
{
	size_t first = fold->nr, period = 1, times = 1;

	if (depth < FOLD_DEPTH)
		period = part_find(fold, at, end, &times);
	if (times == 1 || period == 1)
		fold->lines[fold->nr++] = (struct fold_line){.entry = at};
	else
		lines_lay(fold, at, at + period, depth + 1);
	if (times > 1) {
		for (size_t i = first; i < fold->nr; i++)
			fold->lines[i].corners[depth] =
				corner_of(i, first, fold->nr);
		fold->lines[fold->nr - 1].times[depth] = times;
	}
	return period * times;
}

size_t fold_next(struct fold *fold, size_t at, size_t end)
{
	fold->nr = 0;
	return part_lay(fold, at, end, 0);
}
