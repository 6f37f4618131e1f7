/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Branches that were read: of each thread its entries, and what it had mapped, so that addresses
 * have names.  Where they come from does not matter: contexts of the kernel (lib/branch) or a trace.
 */
#ifndef KT_LIB_READ_BRANCHES_H
#define KT_LIB_READ_BRANCHES_H

#include <ktrace/branch_list.h>
#include <ktrace_branch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mapped.h"

struct branch_thread {
	struct ktrace_branch_thread shown;
	struct kt_branch *entries; /* what was read */
	size_t begin;		   /* of what is shown */
	uint64_t read_at;	   /* the time when it was read */
	uint64_t first;		   /* the number of that */
	uint64_t
		origin; /* the word where it was before what is shown; 0: not known */
	struct mapped mapped;
};

struct ktrace_branches {
	struct branch_thread *threads;
	size_t nr;
	struct mapped_names names;
	struct ktrace_branches_cpus cpus;
	struct ktrace_branches_decoded decoded;
	bool of_cpus;
	bool is_decoded;
	bool traced; /* they are part of struct contexts (lib/branch) */
};

/* Adds a thread of which nothing is known.  NULL: no memory. */
struct branch_thread *branches_add(struct ktrace_branches *branches);
/* Leaves out the first @nr entries of a thread. */
void branches_leave_out(struct branch_thread *thread, size_t nr);
/* The word of one end of an entry, as mapped_word() gives it. */
uint64_t branches_word(struct ktrace_branches *branches, size_t thread,
		       size_t entry, bool to);
/* Wants the names of all places.  0 or -ENOMEM, with a message. */
int branches_want(struct ktrace_branches *branches);
/* Frees all, so that others can be read. */
void branches_free(struct ktrace_branches *branches);

int branches_out_of_memory(void);

#endif /* KT_LIB_READ_BRANCHES_H */
