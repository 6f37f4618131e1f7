// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Contexts of CPUs: whose branches the buffers have.
 *
 * The buffer of a CPU has *stretches*, each of one thread.  Those of a thread, of all CPUs and in the order
 * of their times, are its branches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/error.h"
#include "base/grow.h"
#include "contexts.h"
#include "read/branches.h"

struct stretch {
	uint32_t tid;
	uint64_t time; /* of its first stamp */
	const struct kt_branch *entries;
	size_t nr;
	bool ends; /* the thread does */
};

/* A change of what a thread had mapped. */
struct visit {
	uint32_t tid;
	char comm[sizeof(((struct kt_branch_maps *)0)->comm)];
	struct mapped_change change; /* `since' is a time */
};

struct cpus {
	struct contexts *contexts;
	struct branch_thread *buffers; /* as they were read */
	size_t nr_buffers;
	struct stretch *stretches;
	size_t nr_stretches;
	struct visit *visits;
	size_t nr_visits;
};

/* ---- reading -------------------------------------------------------------- */

/* Counts are of the whole context, and each of its CPUs has them. */
static void counts_add(struct ktrace_branches_cpus *sum,
		       const struct ktrace_branch_thread *cpu, bool first)
{
	sum->lost += cpu->lost;
	if (!first)
		return;
	sum->unread += cpu->unread;
	sum->unfollowed += cpu->unfollowed;
}

static int context_read(struct cpus *cpus, int fd)
{
	struct branch_thread *more;
	int found;

	for (uint32_t n = 0;; n++) {
		more = array_grow(cpus->buffers, cpus->nr_buffers,
				  sizeof(*more));
		if (!more)
			return branches_out_of_memory();
		cpus->buffers = more;
		more += cpus->nr_buffers;
		*more = (struct branch_thread){0};
		found = entries_read(cpus->contexts, fd, n, more);
		if (found <= 0) {
			free(more->entries);
			return found;
		}
		cpus->nr_buffers++;
		counts_add(&cpus->contexts->branches.cpus, &more->shown, !n);
	}
}

static int visits_read(struct cpus *cpus, int fd)
{
	struct kt_branch_maps read = {0};
	struct visit *more;
	int found;

	for (;; read.change++) {
		more = array_grow(cpus->visits, cpus->nr_visits, sizeof(*more));
		if (!more)
			return branches_out_of_memory();
		cpus->visits = more;
		more += cpus->nr_visits;
		*more = (struct visit){0};
		found = mapped_change_read(fd, &read, &more->change);
		if (found <= 0)
			break;
		more->tid = read.tid;
		memcpy(more->comm, read.comm, sizeof(more->comm) - 1);
		cpus->nr_visits++;
	}
	free(more->change.maps);
	return found ? error_set(found, "what programs have mapped: %s",
				 strerror(-found))
		     : 0;
}

/* ---- stretches ------------------------------------------------------------ */

static unsigned int kind_of(const struct kt_branch *entry)
{
	return entry->from >> KT_BRANCH_KIND_SHIFT;
}

static uint32_t tid_of(const struct kt_branch *stamp)
{
	return (stamp->from & KT_BRANCH_PLACE_MASK) >> KT_BRANCH_TID_SHIFT;
}

static struct stretch *stretch_begin(struct cpus *cpus,
				     const struct kt_branch *stamp)
{
	struct stretch *more =
		array_grow(cpus->stretches, cpus->nr_stretches, sizeof(*more));

	if (!more)
		return NULL;
	cpus->stretches = more;
	more += cpus->nr_stretches++;
	*more = (struct stretch){
		.tid = tid_of(stamp), .time = stamp->to, .entries = stamp};
	return more;
}

/* What is in front of the first stamp is of a thread that is not known. */
static int stretches_find(struct cpus *cpus, const struct branch_thread *cpu)
{
	const struct kt_branch *entry = cpu->entries + cpu->begin;
	const struct kt_branch *end = entry + cpu->shown.nr;
	struct stretch *now = NULL;

	for (; entry < end; entry++) {
		bool stamp = kt_branch_is_stamp(kind_of(entry));

		if (stamp && (!now || tid_of(entry) != now->tid)) {
			now = stretch_begin(cpus, entry);
			if (!now)
				return branches_out_of_memory();
		}
		if (!now) {
			cpus->contexts->branches.cpus.lost++;
			continue;
		}
		now->nr++;
		now->ends |= kind_of(entry) == KT_BRANCH_ENDS;
		if (kind_of(entry) == KT_BRANCH_LEAVES || now->ends)
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
	return x->entries < y->entries ? -1 : x->entries > y->entries;
}

static int visit_compare(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->change.since != y->change.since)
		return x->change.since < y->change.since ? -1 : 1;
	return x->change.number < y->change.number ? -1 : 1;
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

/* As entries of a thread's own buffer. */
static void entries_copy(struct branch_thread *thread,
			 const struct stretch *stretch)
{
	struct kt_branch *to = thread->entries + thread->shown.nr;

	memcpy(to, stretch->entries, stretch->nr * sizeof(*to));
	for (size_t i = 0; i < stretch->nr; i++)
		if (kt_branch_is_stamp(kind_of(&to[i])))
			to[i].from &= ~KT_BRANCH_PLACE_MASK |
				      ((1ull << KT_BRANCH_TID_SHIFT) - 1);
	thread->shown.nr += stretch->nr;
}

static struct branch_thread *thread_make(struct cpus *cpus,
					 const struct stretch *first, size_t nr)
{
	struct branch_thread *thread = branches_add(&cpus->contexts->branches);
	size_t entries = 0;

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
		entries_copy(thread, &first[i]);
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
 * Gives the thread its changes, from visit @next on; those before @begin were of another one with its
 * number.  @last: no other one follows.
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
		mapped->changes[mapped->nr] = visit->change;
		/* It had this before its first branch. */
		mapped->changes[mapped->nr++].since =
			visit->change.number ? at : 0;
		visit->change.maps = NULL;
		memcpy(thread->shown.comm, visit->comm, sizeof(visit->comm));
	}
	return 0;
}

static int threads_make(struct cpus *cpus)
{
	size_t next = 0, nr;
	int err = 0;

	for (size_t i = 0; !err && i < cpus->nr_stretches; i += nr) {
		const struct stretch *first = &cpus->stretches[i];
		size_t left = cpus->nr_stretches - i;
		struct branch_thread *thread;

		nr = stretches_of_thread(first, left);
		thread = thread_make(cpus, first, nr);
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

int cpus_read(struct contexts *contexts)
{
	struct cpus cpus = {.contexts = contexts};
	int err = 0;

	for (size_t i = 0; !err && i < contexts->nr; i++)
		err = context_read(&cpus, contexts->fds[i]);
	/* Each context tells of all CPUs. */
	if (!err && contexts->nr)
		err = visits_read(&cpus, contexts->fds[0]);
	for (size_t i = 0; !err && i < cpus.nr_buffers; i++)
		err = stretches_find(&cpus, &cpus.buffers[i]);
	if (!err) {
		qsort(cpus.stretches, cpus.nr_stretches,
		      sizeof(*cpus.stretches), stretch_compare);
		qsort(cpus.visits, cpus.nr_visits, sizeof(*cpus.visits),
		      visit_compare);
		err = threads_make(&cpus);
	}
	for (size_t i = 0; i < cpus.nr_buffers; i++)
		free(cpus.buffers[i].entries);
	for (size_t i = 0; i < cpus.nr_visits; i++)
		free(cpus.visits[i].change.maps);
	free(cpus.buffers);
	free(cpus.stretches);
	free(cpus.visits);
	return err;
}
