/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The buffers of CPUs become branches of threads. */
#ifndef KT_LIB_BRANCH_CPUS_H
#define KT_LIB_BRANCH_CPUS_H

#include <stddef.h>
#include <stdint.h>

#include "read/branches.h"

/* A change of what a thread had mapped. */
struct visit {
	uint32_t tid;
	char comm[sizeof(((struct kt_branch_maps *)0)->comm)];
	struct mapped_change change; /* `since' is a time */
};

/* In between, it is not known who ran on some CPU. */
struct cpu_hole {
	uint64_t begin, end;
};

/* What was read of contexts of CPUs. */
struct cpus {
	struct branch_thread *buffers;
	size_t nr_buffers;
	struct visit *visits;
	size_t nr_visits;
	struct cpu_hole *holes;
	size_t nr_holes;
	uint64_t
		time; /* when the first buffer was read: what is later is not whole */
};

/*
 * Adds the threads to @branches, which takes over what the visits have.  Where something may be missing
 * between two branches of a thread, there is an entry KT_BRANCH_BEGINS.  0 or -ENOMEM, with a message.
 */
int cpus_part(struct cpus *cpus, struct ktrace_branches *branches);

#endif /* KT_LIB_BRANCH_CPUS_H */
