/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each process has mapped to run it: a table of address spaces, which probes read.
 *
 * A space may outlive its process for a second: it holds the mm_struct, not the memory.
 */
#ifndef KT_KERNEL_PROGRAM_SPACE_H
#define KT_KERNEL_PROGRAM_SPACE_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "unwind.h"

struct mm_struct;
struct task_struct;
struct vm_area_struct;

/* Processes that have forked share it until one of them maps something. */
struct kt_maps {
	refcount_t users;
	union {
		struct rcu_head rcu;
		struct llist_node retired; /* of those with much memory */
	};
	u64 salt;
	u32 room; /* for so many there is memory */
	u32 nr;
	unsigned long whole; /* when all were read last, in jiffies */
	struct kt_unwind_map maps[];
};

/* With preemption off.  NULL: the mappings are not known. */
const struct kt_maps *kt_space_maps(const struct mm_struct *mm);
/*
 * Takes a reference; any context.  The caller has one, or has not switched preemption on since
 * kt_space_maps().  False: they have just been replaced.
 */
bool kt_maps_hold(const struct kt_maps *maps);
/* Any context in which work may be queued. */
void kt_maps_put(const struct kt_maps *maps);

/*
 * Something was mapped from @begin to @end.  Any context but NMI, with the lock of the mappings
 * held for writing.  True: the mappings must be read, and @reader is to do it.  False: it already
 * is, or there is no memory.
 */
bool kt_space_changed(struct mm_struct *mm, u64 begin, u64 end,
		      const struct task_struct *reader);
/* From here on, what is mapped must be read anew: @reader begins to read, or will not read. */
void kt_space_release(const struct mm_struct *mm,
		      const struct task_struct *reader);
/*
 * Is it memory for code that is made at run time, if it is executable?  Not stacks, which grow all
 * the time: nobody compiles to there.
 */
bool kt_space_is_made(const struct vm_area_struct *vma);
/* Is all of this range known as code that was made at run time, by this process? */
bool kt_space_has_code(const struct mm_struct *mm, u64 begin, u64 end);
/*
 * Reads the mappings, unless that was done after the last change.  The caller holds a reference
 * on the memory and the lock of its mappings, and may sleep.  False: no memory.  *@retires is set if
 * it has left large maps to be freed, its own or of processes that have ended: then the caller calls
 * kt_spaces_settle().
 */
bool kt_space_read(struct mm_struct *mm, pid_t pid, bool *retires);
/*
 * @child begins with the mappings of @parent.  True: these are being changed, so the child's
 * must be read.
 */
bool kt_space_fork(struct mm_struct *parent, struct mm_struct *child);

/*
 * Waits while maps that were replaced have much memory, or until the task is killed.  With no lock
 * but kt_mutex: so a process cannot have maps replaced faster than they are freed.
 */
void kt_spaces_settle(void);
/* Forgets processes that have ended.  Large maps of theirs are then retired. */
void kt_spaces_sweep(void);
/* Forgets all; nobody calls any of the above meanwhile.  Waits for probes. */
void kt_spaces_forget(void);
/* When nobody holds maps any more: waits until all are freed. */
void kt_spaces_exit(void);

#endif /* KT_KERNEL_PROGRAM_SPACE_H */
