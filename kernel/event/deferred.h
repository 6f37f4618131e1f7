/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of programs that end where a page is not there.  A probe cannot wait for the page, so
 * the task reads it on its way back to the program, and walks again from where it has entered
 * the kernel (KT_STACK_DEFERRED in include/uapi/ktrace.h).
 */
#ifndef KT_KERNEL_EVENT_DEFERRED_H
#define KT_KERNEL_EVENT_DEFERRED_H

#include <linux/types.h>

#include <ktrace.h>

struct kt_depot;

/*
 * What an event is to have in place of @id, the id of a stack of the current task's program that
 * has ended with KT_STACK_ABSENT: @id itself, if that cannot be done.  Called by probes, in any
 * context but an NMI.  @room, for two frames at least, is written to.  @behind: as for
 * kt_program_stack().
 */
u32 kt_deferred_id(struct kt_depot *depot, u32 id, struct kt_stack *room,
		   bool behind);

/* Nobody adds to this depot for a task any more, and no program's stack is walked for it. */
void kt_deferred_forget(const struct kt_depot *depot);

#endif /* KT_KERNEL_EVENT_DEFERRED_H */
