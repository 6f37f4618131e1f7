// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Whose branches the buffers of CPUs have: see cpus.h.
 *
 * The buffer of a CPU has *stretches*, each of one thread.  Those of a thread, of all CPUs and in the order
 * of their times, are its branches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cpus.h"

struct stretch {
	uint32_t tid;
	uint64_t time, end; /* of its first stamp, and of its last one */
	const struct kt_branch *entries;
	size_t nr;
	bool leaves; /* the CPU, at its end */
	bool ends;   /* the thread does */
};

struct parting {
	struct cpus *cpus;
	struct ktrace_branches *branches;
	struct stretch *stretches;
	size_t nr;
	uint64_t whole; /* since then nothing was overwritten */
};

/* ---- stretches ------------------------------------------------------------ */

static unsigned int kind_of(const struct kt_branch *entry)
{
	return entry->from >> KT_BRANCH_KIND_SHIFT;
}

static uint32_t tid_of(const struct kt_branch *stamp)
{
	return (stamp->from & KT_BRANCH_PLACE_MASK) >> KT_BRANCH_TID_SHIFT;
}

static struct stretch *stretch_begin(struct parting *parting,
				     const struct kt_branch *stamp)
{
	struct stretch *more =
		array_grow(parting->stretches, parting->nr, sizeof(*more));

	if (!more)
		return NULL;
	parting->stretches = more;
	more += parting->nr++;
	*more = (struct stretch){
		.tid = tid_of(stamp), .time = stamp->to, .entries = stamp};
	return more;
}

static void stretch_add(struct stretch *stretch, const struct kt_branch *entry)
{
	stretch->nr++;
	if (!kt_branch_is_stamp(kind_of(entry)))
		return;
	stretch->end = entry->to;
	stretch->leaves = kind_of(entry) == KT_BRANCH_LEAVES;
	stretch->ends = kind_of(entry) == KT_BRANCH_ENDS;
}

/*
 * What is in front of the first stamp is of a thread that is not known, and what is behind the time when
 * another buffer was read would have a hole if the thread was there.
 */
static int stretches_find(struct parting *parting,
			  const struct branch_thread *cpu)
{
	const struct kt_branch *entry = cpu->entries + cpu->begin;
	const struct kt_branch *end = entry + cpu->shown.nr;
	struct stretch *now = NULL;
	bool known = !cpu->shown.lost;

	for (; entry < end; entry++) {
		bool stamp = kt_branch_is_stamp(kind_of(entry));

		if (stamp && entry->to > parting->cpus->time)
			break;
		if (stamp && !known && parting->whole < entry->to)
			parting->whole = entry->to;
		known |= stamp;
		if (stamp && (!now || tid_of(entry) != now->tid)) {
			now = stretch_begin(parting, entry);
			if (!now)
				return branches_out_of_memory();
		}
		if (!now) {
			parting->branches->cpus.lost++;
			continue;
		}
		stretch_add(now, entry);
		if (now->leaves || now->ends)
			now = NULL;
	}
	return 0;
}

static int stretch_compare(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->entries > y->entries) - (x->entries < y->entries);
}

static int visit_compare(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->change.since != y->change.since)
		return x->change.since < y->change.since ? -1 : 1;
	return (x->change.number > y->change.number) -
	       (x->change.number < y->change.number);
}

/* ---- threads -------------------------------------------------------------- */

/* Those of one thread, which end with its end: its number may be used again. */
static size_t stretches_of_thread(const struct stretch *first, size_t left)
{
	size_t nr = 1;

	while (nr < left && first[nr].tid == first->tid && !first[nr - 1].ends)
		nr++;
	return nr;
}

static int hole_compare(const void *a, const void *b)
{
	const struct cpu_hole *x = a, *y = b;

	return (x->end > y->end) - (x->end < y->end);
}

/* In the order of their ends; each begins where it or one behind it does. */
static void holes_sort(struct cpus *cpus)
{
	if (!cpus->nr_holes)
		return;
	qsort(cpus->holes, cpus->nr_holes, sizeof(*cpus->holes), hole_compare);
	for (size_t i = cpus->nr_holes - 1; i; i--)
		if (cpus->holes[i - 1].begin > cpus->holes[i].begin)
			cpus->holes[i - 1].begin = cpus->holes[i].begin;
}

static bool holes_meet(const struct cpus *cpus, uint64_t begin, uint64_t end)
{
	size_t low = 0, high = cpus->nr_holes;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (cpus->holes[middle].end < begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cpus->nr_holes && cpus->holes[low].begin < end;
}

/* May the thread have run elsewhere between the two, without a trace of it? */
static bool has_hole(const struct parting *parting,
		     const struct stretch *stretch, const struct stretch *next)
{
	return !stretch->leaves ||
	       kind_of(next->entries) != KT_BRANCH_ARRIVES ||
	       stretch->end < parting->whole ||
	       holes_meet(parting->cpus, stretch->end, next->time);
}

/* As entries of a thread's own buffer. */
static void entries_copy(struct branch_thread *thread,
			 const struct stretch *stretch, bool hole)
{
	const uint64_t cpu = (1ull << KT_BRANCH_TID_SHIFT) - 1;
	struct kt_branch *to = thread->entries + thread->shown.nr;

	if (hole) {
		*to++ = (struct kt_branch){
			.from = (uint64_t)KT_BRANCH_BEGINS
					<< KT_BRANCH_KIND_SHIFT |
				(stretch->entries->from & cpu),
			.to = stretch->time,
		};
		thread->shown.nr++;
	}
	memcpy(to, stretch->entries, stretch->nr * sizeof(*to));
	for (size_t i = 0; i < stretch->nr; i++)
		if (kt_branch_is_stamp(kind_of(&to[i])))
			to[i].from &= ~KT_BRANCH_PLACE_MASK | cpu;
	thread->shown.nr += stretch->nr;
}

static struct branch_thread *thread_make(const struct parting *parting,
					 const struct stretch *first, size_t nr)
{
	struct branch_thread *thread = branches_add(parting->branches);
	size_t entries = nr; /* for holes */

	for (size_t i = 0; i < nr; i++)
		entries += first[i].nr;
	if (!thread)
		return NULL;
	thread->entries = malloc(entries * sizeof(*thread->entries));
	if (!thread->entries)
		return NULL;
	thread->shown.tid = first->tid;
	thread->shown.ended = first[nr - 1].ends;
	for (size_t i = 0; i < nr; i++)
		entries_copy(thread, &first[i],
			     i && has_hole(parting, &first[i - 1], &first[i]));
	return thread;
}

/* The number of the first stamp at @time or later, from entry @at on. */
static size_t stamp_find(const struct branch_thread *thread, size_t at,
			 uint64_t time)
{
	const struct kt_branch *entries = thread->entries;

	while (at < thread->shown.nr &&
	       (!kt_branch_is_stamp(kind_of(&entries[at])) ||
		entries[at].to < time))
		at++;
	return at;
}

/*
 * Gives the thread its changes, from visit @next on.  What is behind its last stamp is of another thread
 * with its number; @last: there is none.
 */
static int changes_take(struct cpus *cpus, struct branch_thread *thread,
			size_t *next, bool last)
{
	struct mapped *mapped = &thread->mapped;
	struct mapped_change *more;
	size_t at = 0;

	for (; *next < cpus->nr_visits; ++*next) {
		struct visit *visit = &cpus->visits[*next];

		if (visit->tid != (uint32_t)thread->shown.tid)
			break;
		at = stamp_find(thread, at, visit->change.since);
		if (at == thread->shown.nr && !last)
			break;
		more = array_grow(mapped->changes, mapped->nr, sizeof(*more));
		if (!more)
			return branches_out_of_memory();
		mapped->changes = more;
		more += mapped->nr++;
		*more = visit->change;
		/* What it had first, it had before its first branch. */
		more->since = mapped->nr == 1 && !more->number ? 0 : at;
		visit->change.maps = NULL;
		memcpy(thread->shown.comm, visit->comm, sizeof(visit->comm));
	}
	return 0;
}

static int threads_make(const struct parting *parting)
{
	struct cpus *cpus = parting->cpus;
	size_t next = 0, nr;
	int err = 0;

	for (size_t i = 0; !err && i < parting->nr; i += nr) {
		const struct stretch *first = &parting->stretches[i];
		size_t left = parting->nr - i;
		struct branch_thread *thread;

		nr = stretches_of_thread(first, left);
		thread = thread_make(parting, first, nr);
		if (!thread)
			return branches_out_of_memory();
		while (next < cpus->nr_visits &&
		       cpus->visits[next].tid < first->tid)
			next++;
		err = changes_take(cpus, thread, &next,
				   nr == left || first[nr].tid != first->tid);
	}
	return err;
}

int cpus_part(struct cpus *cpus, struct ktrace_branches *branches)
{
	struct parting parting = {.cpus = cpus, .branches = branches};
	int err = 0;

	for (size_t i = 0; !err && i < cpus->nr_buffers; i++)
		err = stretches_find(&parting, &cpus->buffers[i]);
	holes_sort(cpus);
	if (!err && parting.nr) {
		qsort(parting.stretches, parting.nr, sizeof(struct stretch),
		      stretch_compare);
		if (cpus->nr_visits)
			qsort(cpus->visits, cpus->nr_visits,
			      sizeof(struct visit), visit_compare);
		err = threads_make(&parting);
	}
	free(parting.stretches);
	return err;
}
