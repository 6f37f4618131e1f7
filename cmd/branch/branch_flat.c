// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* How often each branch was taken: see branch_show.h. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/table.h"
#include "branch_show.h"
#include "cmd.h"
#include "common/value.h"

/* A branch, and where it was met first: there its places are known. */
struct edge {
	struct ktrace_branch branch;
	size_t thread, entry;
	uint64_t count;
};

struct edges {
	struct table table;
	struct arena arena;
	uint64_t all;
};

static bool is_same(const struct ktrace_branch *a,
		    const struct ktrace_branch *b)
{
	return a->kind == b->kind && a->from == b->from && a->to == b->to;
}

static int edge_count(struct edges *edges, const struct ktrace_branch *branch,
		      size_t thread, size_t entry)
{
	uint64_t number = branch->from * 31 + branch->to;
	struct table_slot *slot = NULL;
	struct edge *edge;

	edges->all++;
	while ((slot = table_next(&edges->table, number, slot))) {
		edge = slot->value;
		if (is_same(&edge->branch, branch)) {
			edge->count++;
			return EXIT_OK;
		}
	}
	edge = arena_alloc(&edges->arena, sizeof(*edge));
	if (!edge || table_add(&edges->table, number, edge))
		return failed("out of memory");
	*edge = (struct edge){*branch, thread, entry, 1};
	return EXIT_OK;
}

static int edges_count(const struct branch_show *show, struct edges *edges)
{
	const struct ktrace_branch_thread *thread;
	struct ktrace_branch branch;
	int status = EXIT_OK;

	for (size_t i = 0; (thread = ktrace_branches_thread(show->branches, i));
	     i++)
		for (size_t at = branch_show_first(show, thread);
		     !status && at < thread->nr; at++) {
			branch = ktrace_branches_get(show->branches, i, at);
			if (!ktrace_branch_is_stamp(&branch) &&
			    branch.kind != KTRACE_BRANCH_LAST)
				status = edge_count(edges, &branch, i, at);
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
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static void edges_print(const struct branch_show *show,
			const struct edges *edges, struct edge **list)
{
	fprintf(show->file, "%12s  share  branch\n", "count");
	for (size_t i = 0; i < edges->table.nr; i++) {
		const struct edge *edge = list[i];

		fprintf(show->file, "%12s  %4.1f%%  %-13s  ",
			count_text(edge->count).s,
			100.0 * edge->count / edges->all,
			ktrace_branch_kind_name(edge->branch.kind));
		branch_place_print(show, edge->thread, edge->entry, false);
		fputs(" → ", show->file);
		branch_place_print(show, edge->thread, edge->entry, true);
		fputc('\n', show->file);
	}
}

int branch_show_flat(const struct branch_show *show)
{
	struct edges edges = {0};
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
