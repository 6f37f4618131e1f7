/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The branches that the program has taken before an event.  A producer, which is a module of its own,
 * knows them.
 */
#ifndef KT_KERNEL_EVENT_BRANCHES_H
#define KT_KERNEL_EVENT_BRANCHES_H

#include <linux/types.h>

struct kt_branch;
struct kt_depot;
struct kt_stack;
struct mm_struct;

struct kt_branch_producer {
	/*
	 * Copies the newest @max branches of the running task, or as many as there are, oldest
	 * first; returns how many.  *@mm: whose addresses they are.  @to has room for KT_STACK_MAX words.
	 * -EBUSY: they are wanted of this task, but could not be had.  Called with preemption off,
	 * in any context.
	 */
	int (*last)(struct kt_branch *to, unsigned int max,
		    const struct mm_struct **mm);
};

/* There is one at a time: -EBUSY.  Unregistering waits for who is just being asked. */
int kt_branch_producer_register(const struct kt_branch_producer *producer);
void kt_branch_producer_unregister(const struct kt_branch_producer *producer);
bool kt_branch_producer_is_there(void);

/*
 * Stores the newest @max branches of the running task, and returns the id of that; @stack: room to
 * put them together.  KT_STACK_UNASKED: nobody traces its branches, or it has taken none yet; or
 * they could not be had, which is counted.
 * 0: there was no room, which is counted.
 */
u32 kt_branches_id(struct kt_depot *depot, struct kt_stack *stack,
		   unsigned int max);

#endif /* KT_KERNEL_EVENT_BRANCHES_H */
