// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/value.h"
#include "instead.h"

static int run_compare(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->end != y->end ? (x->end < y->end ? 1 : -1)
				: (x->tid > y->tid) - (x->tid < y->tid);
}

struct together {
	struct run *runs;
	size_t nr;
	size_t room;
	uint64_t idle;
};

static int run_keep(void *data, const struct run *run)
{
	struct together *all = data;
	size_t room = all->room ? all->room * 2 : 16;
	struct run *runs = all->runs;

	if (!run->tid) {
		all->idle += run->end - run->begin;
		return 0;
	}
	if (all->nr == all->room) {
		runs = realloc(runs, room * sizeof(*runs));
		if (!runs)
			return -ENOMEM;
		all->runs = runs;
		all->room = room;
	}
	runs[all->nr++] = *run;
	return 0;
}

/* By thread; its last run, with the name that it has, first. */
static int run_order(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->begin < y->begin) - (x->begin > y->begin);
}

/* One for each thread: how long it ran. */
static void runs_join(struct together *all)
{
	size_t nr = 0;

	qsort(all->runs, all->nr, sizeof(*all->runs), run_order);
	for (size_t i = 0; i < all->nr; i++) {
		uint64_t ns = all->runs[i].end - all->runs[i].begin;

		if (nr && all->runs[nr - 1].id == all->runs[i].id) {
			all->runs[nr - 1].end += ns;
			continue;
		}
		all->runs[nr] = all->runs[i];
		all->runs[nr].begin = 0;
		all->runs[nr++].end = ns;
	}
	all->nr = nr;
}

int instead_find(struct instead *instead, const struct runs *runs, uint32_t cpu,
		 uint64_t begin, uint64_t end)
{
	struct together all = {0};
	int err;

	*instead = (struct instead){0};
	err = runs_between(runs, cpu, begin, end, run_keep, &all,
			   &instead->unknown);
	instead->idle = all.idle;
	if (!err && all.nr) {
		runs_join(&all);
		qsort(all.runs, all.nr, sizeof(*all.runs), run_compare);
		instead->nr = all.nr < INSTEAD_MAX ? all.nr : INSTEAD_MAX;
		memcpy(instead->of, all.runs, instead->nr * sizeof(*all.runs));
	}
	for (size_t i = instead->nr; i < all.nr; i++)
		instead->others += all.runs[i].end;
	instead->nr_others = all.nr - instead->nr;
	free(all.runs);
	return err;
}

struct instead *instead_keep(const struct instead *instead)
{
	size_t size = offsetof(struct instead, of) +
		      instead->nr * sizeof(*instead->of);
	struct instead *kept = malloc(size);

	if (kept)
		memcpy(kept, instead, size);
	return kept;
}

/* One of the parts of a list. */
static void part_print(const char **before, const char *what, uint64_t ns)
{
	if (!ns)
		return;
	printf("%s%s %s", *before, what, ns_text(ns).s);
	*before = ", ";
}

void instead_print(const struct instead *instead)
{
	const char *before = "";

	for (unsigned int i = 0; i < instead->nr; i++) {
		const struct run *run = &instead->of[i];

		fputs(before, stdout);
		print_text(stdout, run->comm);
		printf("-%u %s", run->tid, ns_text(run->end).s);
		before = ", ";
	}
	if (instead->nr_others)
		printf("%s%u others %s", before, instead->nr_others,
		       ns_text(instead->others).s);
	part_print(&before, "idle", instead->idle);
	part_print(&before, "not known", instead->unknown);
}

void instead_json(const struct instead *instead)
{
	fputs(",\"instead\":[", stdout);
	for (unsigned int i = 0; i < instead->nr; i++) {
		const struct run *run = &instead->of[i];

		printf("%s{\"tid\":%u,\"pid\":%u,\"comm\":", i ? "," : "",
		       run->tid, run->tgid);
		print_json(stdout, run->comm);
		printf(",\"ns\":%lu}", run->end);
	}
	printf("],\"others\":%lu,\"idle\":%lu,\"unknown\":%lu", instead->others,
	       instead->idle, instead->unknown);
}
