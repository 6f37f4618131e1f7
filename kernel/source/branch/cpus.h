/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The branches of whatever programs run on some CPUs.
 *
 * Each of these CPUs has a buffer.  A task that comes to one of them is stopped behind each
 * instruction until it leaves (stops.h).  Who asks is left out: to read a buffer would fill it.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_CPUS_H
#define KT_KERNEL_SOURCE_BRANCH_CPUS_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/types.h>

#include "branch_log.h"

struct pid;
struct task_struct;

struct branch_cpus {
	cpumask_var_t mask;
	struct pid *asker; /* its process, which is left out */
	struct kt_branch_log *
		logs; /* of each CPU that there may be; those of the mask are open */
	atomic_t missed; /* programs that are not traced, for lack of memory */
	atomic64_t unread; /* instructions whose bytes could not be read */

	/* For cpus.c. */
	struct list_head node;
};

/* 0; -EOPNOTSUPP: this kernel is PREEMPT_RT; or why nothing can be hooked.  May sleep. */
int branch_cpus_begin(struct branch_cpus *cpus);
/* The buffers are not used any more.  May sleep. */
void branch_cpus_end(struct branch_cpus *cpus);
/* Of the mask: the CPU with this number among them, from 0; nr_cpu_ids or more: there are not so many. */
unsigned int branch_cpus_nth(const struct branch_cpus *cpus,
			     unsigned int number);

/* For stops.c, with interrupts off: about this CPU. */

/* Are the branches of this task wanted here? */
bool branch_cpus_want(const struct task_struct *task);
void branch_cpus_take(const struct task_struct *task, enum kt_branch_kind kind,
		      u64 from, u64 to);
/* A program is not traced. */
void branch_cpus_miss(void);
/* An instruction of it could not be read. */
void branch_cpus_unread(const struct task_struct *task);

#endif /* KT_KERNEL_SOURCE_BRANCH_CPUS_H */
