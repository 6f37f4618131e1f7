/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each process has mapped to run it: a table of address spaces, which probes read.
 *
 * A space may outlive its process for a second: it holds the mm_struct, not the memory.
 */
#ifndef KT_KERNEL_PROGRAM_SPACE_H
#define KT_KERNEL_PROGRAM_SPACE_H

#include <linux/refcount.h>
#include <linux/types.h>

#include "unwind.h"

struct mm_struct;

/* Processes that have forked share it until one of them maps something. */
struct kt_maps {
	refcount_t users;
	struct rcu_head rcu;
	u64 salt;
	u32 nr;
	struct kt_unwind_map maps[];
};

/* With preemption off.  NULL: the mappings are not known. */
const struct kt_maps *kt_space_maps(const struct mm_struct *mm);

/*
 * Something was mapped; *@change counts for kt_space_read().  Any context but NMI.  False: no
 * memory.
 */
bool kt_space_changed(struct mm_struct *mm, u32 *change);
/* Is a mapping of a file known that has something of this range? */
bool kt_space_overlaps(const struct mm_struct *mm, u64 begin, u64 end);
/*
 * Reads the mappings, unless they were read after @change.  The caller holds a reference on
 * the memory and the lock of its mappings, and may sleep.  False: no memory.
 */
bool kt_space_read(struct mm_struct *mm, pid_t pid, u32 change);
/*
 * @child begins with the mappings of @parent.  True: these are being changed, so the child's
 * must be read.
 */
bool kt_space_fork(struct mm_struct *parent, struct mm_struct *child,
		   u32 *change);

/* Forgets processes that have ended. */
void kt_spaces_sweep(void);
/* Forgets all; nobody calls any of the above meanwhile.  Waits for probes. */
void kt_spaces_forget(void);

#endif /* KT_KERNEL_PROGRAM_SPACE_H */
