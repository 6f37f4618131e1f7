// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups.h"
#include "fields.h"
#include "rows.h"

const char *const rows_by_names[BY_NR] = {
	"thread", "process", "cgroup", "call", "function", "event",
};

/* While rows are made. */
struct making {
	struct rows *rows;
	const struct tally *tally;
	const struct rows_wish *wish;
	size_t room;
	uint64_t factor; /* of hashes of names that strangers choose */
	/* Numbers of rows, plus 1. */
	struct table by_key;
	struct table by_thread; /* by its id */
};

/* NULL: out of memory. */
static struct row *row_new(struct making *m, const char *name)
{
	struct rows *rows = m->rows;
	struct row *row;

	if (rows->nr == m->room) {
		size_t room = m->room * 2 + 64;
		struct row *list = realloc(rows->list, room * sizeof(*list));

		if (!list)
			return NULL;
		rows->list = list;
		m->room = room;
	}
	row = &rows->list[rows->nr];
	*row = (struct row){.name = strdup(name)};
	if (!row->name)
		return NULL;
	rows->nr++;
	return row;
}

/* ---- rows of threads ------------------------------------------------------- */

/* A process has a number, a group has a name. */
static uint64_t key_of(const struct making *m, const struct tally_thread *t,
		       const char *group)
{
	if (group)
		return table_hash_secret(group, strlen(group), m->factor);
	return t->tgid ?: 1ull << 32 | t->tid;
}

static struct row *row_find(struct making *m, uint64_t key, const char *group)
{
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&m->by_key, key, slot))) {
		struct row *row = &m->rows->list[(uintptr_t)slot->value - 1];

		if (!group || !strcmp(row->name, group))
			return row;
	}
	return NULL;
}

static const char *group_of(const struct making *m,
			    const struct tally_thread *t)
{
	return m->wish->cgroups
		       ? cgroups_find(m->wish->cgroups, t->tgid ?: t->tid)
		       : "(not known)";
}

/* That of the thread's process or group; adds it if there is none.  NULL: out of memory. */
static struct row *row_of(struct making *m, const struct tally_thread *t)
{
	const char *group = NULL;
	struct row *row;
	uint64_t key;

	if (m->wish->by == BY_CGROUP) {
		group = group_of(m, t);
		if (!group)
			return NULL;
	}
	key = key_of(m, t, group);
	row = row_find(m, key, group);
	if (row)
		return row;
	row = row_new(m, group ?: t->comm);
	if (!row || table_add(&m->by_key, key, (void *)(uintptr_t)m->rows->nr))
		return NULL;
	row->tgid = group ? 0 : t->tgid;
	row->self = !group && m->wish->self && t->tgid == m->wish->self;
	return row;
}

/* Each thread has one, even if another one had its number before. */
static struct row *row_of_thread(struct making *m, const struct tally_thread *t)
{
	struct row *row = row_new(m, t->comm);

	if (!row)
		return NULL;
	row->tid = t->tid;
	row->tgid = t->tgid;
	row->self = m->wish->self && t->tgid == m->wish->self;
	return row;
}

/* A process has the name of its first thread, if that is known. */
static int row_rename(struct row *row, const struct tally_thread *t)
{
	char *name;

	if (row->tid || !row->tgid || t->tid != t->tgid ||
	    !strcmp(row->name, t->comm))
		return 0;
	name = strdup(t->comm);
	if (!name)
		return -ENOMEM;
	free(row->name);
	row->name = name;
	return 0;
}

static int threads_make(struct making *m)
{
	const struct tally *tally = m->tally;
	const struct tally_thread *t;
	struct row *row;

	for (t = tally->threads; t; t = t->next) {
		if (!t->shown || (!sums_wall(&t->sums) && !t->sums.events))
			continue;
		row = m->wish->by == BY_THREAD ? row_of_thread(m, t)
					       : row_of(m, t);
		if (!row || row_rename(row, t) ||
		    table_add(&m->by_thread, t->id,
			      (void *)(uintptr_t)(row - m->rows->list + 1)))
			return -ENOMEM;
		sums_add(&row->sums, &t->sums);
		row->threads++;
		row->least |= tally->unplaced || (t->least && m->rows->least);
	}
	return 0;
}

/* ---- reasons ----------------------------------------------------------------- */

static int wait_order(const void *a, const void *b)
{
	const struct row_wait *x = a, *y = b;
	int order = (x->row > y->row) - (x->row < y->row);

	order = order ?: (x->state > y->state) - (x->state < y->state);
	return order ?: strcmp(x->reason, y->reason);
}

static int wait_longest(const void *a, const void *b)
{
	const struct row_wait *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns) ?: wait_order(a, b);
}

static int span_order(const void *a, const void *b, void *data)
{
	const struct span_row *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* The rows of a tally.  NULL: out of memory. */
static struct span_row **span_list(const struct span_rows *rows)
{
	struct span_row **sorted;

	return span_rows_sort(rows, span_order, NULL, &sorted) ? NULL : sorted;
}

/* Joins those of the same row and reason, and gives them to their rows. */
static void waits_give(struct rows *rows, size_t nr)
{
	struct row_wait *waits = rows->waits;
	size_t kept = 0;

	qsort(waits, nr, sizeof(*waits), wait_order);
	for (size_t i = 0; i < nr; i++) {
		struct row *row = &rows->list[waits[i].row];

		if (kept && row->nr_waits &&
		    !wait_order(&waits[kept - 1], &waits[i])) {
			waits[kept - 1].ns += waits[i].ns;
			continue;
		}
		waits[kept] = waits[i];
		if (!row->nr_waits++)
			row->waits = &waits[kept];
		kept++;
	}
	for (size_t i = 0; i < rows->nr; i++)
		qsort(rows->list[i].waits, rows->list[i].nr_waits,
		      sizeof(*waits), wait_longest);
}

static int waits_make(struct making *m)
{
	const struct span_rows *from = &m->tally->waits;
	struct span_row **list = span_list(from);
	struct row_wait *waits = calloc(from->nr + 1, sizeof(*waits));
	size_t nr = 0;
	int err = list && waits ? 0 : -ENOMEM;

	m->rows->waits = waits;
	for (size_t i = 0; !err && i < from->nr; i++) {
		const struct span_row text = {.name = list[i]->name};
		uintptr_t number = (uintptr_t)table_find(
			&m->by_thread, tally_thread_id(list[i]));
		const struct span_row *copy =
			span_rows_get(&m->rows->texts, &text);

		if (!copy)
			err = -ENOMEM;
		else if (number)
			waits[nr++] = (struct row_wait){
				.row = number - 1,
				.reason = copy->name,
				.state = list[i]->kind,
				.ns = list[i]->ns.total,
			};
	}
	free(list);
	if (!err)
		waits_give(m->rows, nr);
	return err;
}

/* ---- rows of calls, functions and events ----------------------------------- */

static int spans_make(struct making *m, const struct span_rows *from)
{
	struct span_row **list = span_list(from);
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < from->nr; i++) {
		struct row *row = row_new(m, list[i]->name);

		if (!row) {
			err = -ENOMEM;
			break;
		}
		row->sums.calls = list[i]->ns.count;
		row->sums.errors = list[i]->errors;
		row->total = list[i]->ns.total;
		row->max = list[i]->ns.max;
		row->least = m->rows->least ||
			     (m->wish->calls_cut && m->wish->by == BY_CALL);
	}
	free(list);
	return err;
}

static int events_make(struct making *m)
{
	const struct tally *t = m->tally;

	for (size_t i = 0; i < t->nr_events; i++) {
		const struct ktrace_type *type;
		struct row *row;
		char name[256];

		if (!t->events[i])
			continue;
		type = ktrace_types_get(t->types, i);
		snprintf(name, sizeof(name), "%s:%s", type->system, type->name);
		row = row_new(m, name);
		if (!row)
			return -ENOMEM;
		row->sums.events = t->events[i];
		row->least = m->rows->least;
	}
	return 0;
}

/* ---- all of them ------------------------------------------------------------- */

static int row_order(const void *a, const void *b, void *data)
{
	const struct rows_wish *wish = data;
	const struct row *x = a, *y = b;
	int order = field_compare(wish->column, x, y);

	if (wish->reverse)
		order = -order;
	order = order ?: field_compare(field_default(wish->by), x, y);
	order = order ?: strcmp(x->name, y->name);
	order = order ?: (x->tgid > y->tgid) - (x->tgid < y->tgid);
	return order ?: (x->tid > y->tid) - (x->tid < y->tid);
}

static int rows_by(struct making *m)
{
	int err;

	switch (m->wish->by) {
	case BY_CALL:
		return spans_make(m, &m->tally->calls);
	case BY_FUNCTION:
		return spans_make(m, &m->tally->functions);
	case BY_EVENT:
		return events_make(m);
	default:
		err = threads_make(m);
		return err ?: waits_make(m);
	}
}

int rows_make(struct rows *rows, const struct tally *t,
	      const struct rows_wish *wish)
{
	struct making m = {.rows = rows,
			   .tally = t,
			   .wish = wish,
			   .factor = table_factor()};
	uint64_t wall, known;
	int err;

	rows_free(rows);
	*rows = (struct rows){
		.by = wish->by,
		.begin = t->begin,
		.end = t->end,
		.cpus = wish->cpus,
		.all = t->all,
		.idle = t->idle,
		.lost = t->lost,
		.losing = t->losing,
		.nr_threads = t->nr_threads,
		.has_waits = wish->has_waits,
	};
	if (__builtin_mul_overflow(t->end - t->begin, (uint64_t)wish->cpus,
				   &wall))
		wall = UINT64_MAX;
	known = t->idle + t->all.states[KTRACE_STATE_RUNNING];
	rows->unknown = wall > known ? wall - known : 0;
	/*
	 * Nothing is known of a thread that slept in a gap, until it is seen again.  But if it is known who
	 * had the CPUs, it did not run.
	 */
	rows->least = t->lost || ((t->doubts || t->losing) && rows->unknown);
	if (wish->cgroups)
		cgroups_round(wish->cgroups);
	err = rows_by(&m);
	table_free(&m.by_key);
	table_free(&m.by_thread);
	if (wish->cgroups)
		cgroups_forget(wish->cgroups);
	if (err)
		return err;
	rows_sort(rows, wish);
	return 0;
}

void rows_sort(struct rows *rows, const struct rows_wish *wish)
{
	if (rows->nr)
		qsort_r(rows->list, rows->nr, sizeof(*rows->list), row_order,
			(void *)wish);
}

void rows_free(struct rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		free(rows->list[i].name);
	free(rows->list);
	free(rows->waits);
	span_rows_free(&rows->texts);
	*rows = (struct rows){0};
}
