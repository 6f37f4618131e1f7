// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* How often each branch was taken: see branch_show.h. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/table.h"
#include "branch_show.h"
#include "cmd.h"
#include "common/value.h"

struct edge {
	struct branch_at first; /* where it was met first */
	uint64_t count;
};

struct edges {
	struct table table;
	uint64_t factor; /* nobody can choose edges that have one number */
	struct arena arena;
	uint64_t all;
};

/* Each process may have a file at another address. */
static uint64_t place_mix(const struct branch_show *show,
			  const struct branch_at *at, bool to, uint64_t number,
			  uint64_t factor)
{
	struct ktrace_branch_place place;

	if (!ktrace_branches_place(show->branches, at->thread, at->entry, to,
				   &place))
		return table_mix(number, to ? at->branch.to : at->branch.from,
				 factor);
	for (const char *c = place.file; *c; c++)
		number = table_mix(number, (unsigned char)*c, factor);
	return table_mix(number, place.offset, factor);
}

/* Branches that are the same have the same number. */
static uint64_t number_of(const struct branch_show *show,
			  const struct branch_at *at, uint64_t factor)
{
	uint64_t number = at->branch.kind;

	number = place_mix(show, at, false, number, factor);
	return place_mix(show, at, true, number, factor);
}

static int edge_count(const struct branch_show *show, struct edges *edges,
		      const struct branch_at *at)
{
	uint64_t number = number_of(show, at, edges->factor);
	struct table_slot *slot = NULL;
	struct edge *edge;

	edges->all++;
	while ((slot = table_next(&edges->table, number, slot))) {
		edge = slot->value;
		if (branch_is_same(show, &edge->first, at)) {
			edge->count++;
			return EXIT_OK;
		}
	}
	edge = arena_alloc(&edges->arena, sizeof(*edge));
	if (!edge || table_add(&edges->table, number, edge))
		return failed("out of memory");
	*edge = (struct edge){*at, 1};
	return EXIT_OK;
}

static int edges_count(const struct branch_show *show, struct edges *edges)
{
	const struct ktrace_branch_thread *thread;
	struct branch_at at;
	int status = EXIT_OK;

	for (size_t i = 0; (thread = ktrace_branches_thread(show->branches, i));
	     i++)
		for (size_t n = branch_show_first(show, thread);
		     !status && n < thread->nr; n++) {
			at.branch = ktrace_branches_get(show->branches, i, n);
			at.thread = i;
			at.entry = n;
			if (!ktrace_branch_is_stamp(&at.branch) &&
			    at.branch.kind != KTRACE_BRANCH_LAST &&
			    at.branch.kind != KTRACE_BRANCH_SYSCALL)
				status = edge_count(show, edges, &at);
		}
	return status;
}

static int edge_compare(const void *a, const void *b)
{
	const struct edge *x = *(const struct edge *const *)a;
	const struct edge *y = *(const struct edge *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	/* What was met first comes first. */
	if (x->first.thread != y->first.thread)
		return x->first.thread < y->first.thread ? -1 : 1;
	return (x->first.entry > y->first.entry) -
	       (x->first.entry < y->first.entry);
}

static void edges_print(const struct branch_show *show,
			const struct edges *edges, struct edge **list)
{
	uint64_t lost = branch_show_lost(show);

	if (lost)
		fprintf(show->file,
			"of the newest ones; %s entries before were "
			"overwritten%s\n",
			count_text(lost).s, show->trace ? "" : " (--size)");
	fprintf(show->file, "%12s  share  branch\n", "count");
	for (size_t i = 0; i < edges->table.nr; i++) {
		const struct edge *edge = list[i];

		fprintf(show->file, "%12s  %4.1f%%  %-13s  ",
			count_text(edge->count).s,
			100.0 * edge->count / edges->all,
			ktrace_branch_kind_name(edge->first.branch.kind));
		branch_place_print(show, edge->first.thread, edge->first.entry,
				   false);
		fputs(" → ", show->file);
		branch_place_print(show, edge->first.thread, edge->first.entry,
				   true);
		fputc('\n', show->file);
	}
}

int branch_show_flat(const struct branch_show *show)
{
	struct edges edges = {.factor = table_factor()};
	int status = edges_count(show, &edges);
	struct edge **list = calloc(edges.table.nr + 1, sizeof(struct edge *));
	size_t at = 0;

	if (!status && !list)
		status = failed("out of memory");
	if (!status) {
		for (size_t i = 0; i < edges.table.nr; i++)
			list[i] = table_each(&edges.table, &at);
		qsort(list, edges.table.nr, sizeof(struct edge *),
		      edge_compare);
		edges_print(show, &edges, list);
	}
	free(list);
	table_free(&edges.table);
	arena_destroy(&edges.arena);
	return status;
}
