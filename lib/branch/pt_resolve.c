// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See pt_resolve.h. */
#include <stdlib.h>

#include "pt_decode.h"
#include "pt_resolve.h"

struct resolving {
	struct kt_branch *out;
	size_t nr;
	struct kt_branch left; /* where it is not; kind 0: it is there */
	bool still; /* it came back to where it was: its time tells nothing */
};

static unsigned int kind_of(const struct kt_branch *entry)
{
	return entry->from >> KT_BRANCH_KIND_SHIFT;
}

static void put(struct resolving *r, unsigned int kind, uint64_t from,
		uint64_t to)
{
	r->out[r->nr++] = (struct kt_branch){
		.from = (from & KT_BRANCH_PLACE_MASK) |
			(uint64_t)kind << KT_BRANCH_KIND_SHIFT,
		.to = to,
	};
}

/* A call that the kernel begins anew comes back to itself. */
static void came(struct resolving *r, uint64_t to)
{
	uint64_t from = r->left.from & KT_BRANCH_PLACE_MASK;
	uint64_t at = to & KT_BRANCH_PLACE_MASK;

	r->still = true;
	switch (kind_of(&r->left)) {
	case PT_LEFT_BY_CALL:
		put(r,
		    !r->left.to || r->left.to == to || from == at
			    ? KT_BRANCH_SYSCALL
			    : KT_BRANCH_SENT,
		    from, to);
		r->still = false;
		break;
	case PT_LEFT:
		if (from != at) {
			put(r, KT_BRANCH_SENT, from, to);
			r->still = false;
		}
		break;
	}
	r->left = (struct kt_branch){0};
}

static void entry_take(struct resolving *r, const struct kt_branch *entry)
{
	switch (kind_of(entry)) {
	case PT_LEFT_BY_CALL:
	case PT_LEFT:
		r->left = *entry;
		return;
	case PT_CAME:
		came(r, entry->to);
		return;
	case KT_BRANCH_BEGINS:
		r->left = (struct kt_branch){0};
		break;
	case KT_BRANCH_TIME:
		if (r->still) {
			r->still = false;
			return;
		}
		break;
	}
	r->still = false;
	r->out[r->nr++] = *entry;
}

static void end_put(struct resolving *r, uint32_t cpu, uint64_t ended)
{
	unsigned int left = kind_of(&r->left);

	if (left == PT_LEFT)
		put(r, KT_BRANCH_LAST, r->left.from, 0);
	else if (left == PT_LEFT_BY_CALL)
		put(r, KT_BRANCH_LAST, r->left.to ?: r->left.from, 0);
	put(r, KT_BRANCH_ENDS, cpu, ended);
}

int pt_resolve(struct branch_thread *thread, uint64_t ended)
{
	const struct kt_branch *entries = thread->entries + thread->begin;
	struct mapped *mapped = &thread->mapped;
	struct resolving r = {0};
	uint32_t cpu = 0;
	size_t change = 0;

	/* None becomes two. */
	r.out = malloc((thread->shown.nr + 2) * sizeof(*r.out));
	if (!r.out)
		return branches_out_of_memory();
	for (size_t i = 0; i < thread->shown.nr; i++) {
		while (change < mapped->nr &&
		       mapped->changes[change].since <= i)
			mapped->changes[change++].since = r.nr;
		if (kt_branch_is_stamp(kind_of(&entries[i])))
			cpu = entries[i].from;
		entry_take(&r, &entries[i]);
	}
	while (change < mapped->nr)
		mapped->changes[change++].since = r.nr;
	if (ended) {
		end_put(&r, cpu, ended);
		thread->shown.ended = true;
	}
	free(thread->entries);
	thread->entries = r.out;
	thread->begin = 0;
	thread->shown.nr = r.nr;
	return 0;
}
