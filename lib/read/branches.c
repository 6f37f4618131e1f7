// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See branches.h. */
#include <errno.h>
#include <ktrace.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "branches.h"

int branches_out_of_memory(void)
{
	return error_set(-ENOMEM, "out of memory for branches");
}

struct branch_thread *branches_add(struct ktrace_branches *branches)
{
	struct branch_thread *more =
		array_grow(branches->threads, branches->nr, sizeof(*more));

	if (!more)
		return NULL;
	branches->threads = more;
	more += branches->nr++;
	*more = (struct branch_thread){0};
	return more;
}

void branches_free(struct ktrace_branches *branches)
{
	for (size_t i = 0; i < branches->nr; i++) {
		free(branches->threads[i].entries);
		mapped_free(&branches->threads[i].mapped);
	}
	free(branches->threads);
	mapped_names_free(&branches->names);
	*branches = (struct ktrace_branches){.of_cpus = branches->of_cpus,
					     .traced = branches->traced};
}

static uint64_t word_of(struct branch_thread *thread, size_t entry, bool to)
{
	const struct kt_branch *branch =
		&thread->entries[thread->begin + entry];
	uint64_t address =
		to ? branch->to : branch->from & KT_BRANCH_PLACE_MASK;

	return mapped_word(&thread->mapped, thread->first + entry + to,
			   address);
}

uint64_t branches_word(struct ktrace_branches *branches, size_t thread,
		       size_t entry, bool to)
{
	return word_of(&branches->threads[thread], entry, to);
}

void branches_leave_out(struct branch_thread *thread, size_t nr)
{
	if (!nr)
		return;
	thread->origin = word_of(thread, nr - 1, true);
	thread->begin += nr;
	thread->shown.nr -= nr;
	thread->first += nr;
}

static int thread_want(struct ktrace_branches *branches, size_t thread)
{
	int err = 0;

	for (size_t n = 0; !err && n < branches->threads[thread].shown.nr;
	     n++) {
		struct ktrace_branch branch =
			ktrace_branches_get(branches, thread, n);

		if (ktrace_branch_is_stamp(&branch))
			continue;
		err = mapped_names_want(&branches->names,
					branches_word(branches, thread, n,
						      false));
		err = err
			      ?: mapped_names_want(&branches->names,
						   branches_word(branches,
								 thread, n,
								 true));
	}
	return err;
}

int branches_want(struct ktrace_branches *branches)
{
	int err = 0;

	for (size_t i = 0; !err && i < branches->nr; i++)
		err = thread_want(branches, i);
	return err ? branches_out_of_memory() : 0;
}

/* ---- for all who show them ------------------------------------------------ */

const struct ktrace_branch_thread *ktrace_branches_thread(
	const struct ktrace_branches *branches, size_t thread)
{
	return thread < branches->nr ? &branches->threads[thread].shown : NULL;
}

const struct ktrace_branches_cpus *ktrace_branches_of_cpus(
	const struct ktrace_branches *branches)
{
	return branches->of_cpus ? &branches->cpus : NULL;
}

const struct ktrace_branches_decoded *ktrace_branches_decoded(
	const struct ktrace_branches *branches)
{
	return branches->is_decoded ? &branches->decoded : NULL;
}

struct ktrace_branch ktrace_branches_get(const struct ktrace_branches *branches,
					 size_t thread, size_t entry)
{
	const struct branch_thread *of = &branches->threads[thread];
	const struct kt_branch *branch = &of->entries[of->begin + entry];

	return (struct ktrace_branch){
		.kind = branch->from >> KT_BRANCH_KIND_SHIFT,
		.from = branch->from & KT_BRANCH_PLACE_MASK,
		.to = branch->to,
	};
}

bool ktrace_branches_place(struct ktrace_branches *branches, size_t thread,
			   size_t entry, bool to,
			   struct ktrace_branch_place *place)
{
	uint64_t word = branches_word(branches, thread, entry, to);
	const struct ktrace_branch_place *found =
		mapped_names_get(&branches->names, word);

	*place = found ? *found : (struct ktrace_branch_place){0};
	place->offset = word & KT_FRAME_PLACE_MASK;
	return found;
}
