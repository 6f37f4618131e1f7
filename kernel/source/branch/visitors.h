/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks that came to a CPU of which somebody wants the branches (cpus.h): what each had mapped, and since
 * when.  A buffer of a CPU has branches of any of them, so all who want CPUs share the visitors; they stay
 * when the task has ended, until nobody wants to know any more.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_VISITORS_H
#define KT_KERNEL_SOURCE_BRANCH_VISITORS_H

#include <linux/sched.h>
#include <linux/types.h>

#include "mappings.h"

struct branch_visitor;
struct kt_branch_maps;

/*
 * Somebody wants to know.  What programs map is followed (program/follow.h) from before the first one to
 * behind the last end.  May sleep.
 */
void branch_visitors_begin(void);
void branch_visitors_end(void);

/*
 * Of visitor number @maps->thread, or the next one that is still kept: change @maps->change or the next one
 * (branch_mappings_get(); `since' is a time), and who it is.  A visitor without changes is passed over.
 * False: there is none.  May sleep.
 */
bool branch_visitors_get(struct kt_branch_maps *maps,
			 struct branch_mapping *mapping);

/*
 * For stops.c: the running task comes, and @visitor is what it had before, or NULL.  Returns what it
 * has from now on; if that is another one, it is to leave the one before.  NULL: nobody wants to know, or
 * there is no room.  May sleep.
 */
struct branch_visitor *branch_visitor_come(struct branch_visitor *visitor);
/* The task has ended, or has another one.  NULL is allowed.  Any context. */
void branch_visitor_leave(struct branch_visitor *visitor);

/*
 * What the running task has mapped since the time @since; with interrupts off.  True: it has changed.
 * *@dropped as for branch_mappings_notice().
 */
bool branch_visitor_notice(struct branch_visitor *visitor, u64 since,
			   const struct kt_maps **dropped);

#endif /* KT_KERNEL_SOURCE_BRANCH_VISITORS_H */
