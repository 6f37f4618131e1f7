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
#include "producer.h"

struct pid;
struct task_struct;

struct branch_cpus {
	const struct branch_producer *producer;
	unsigned int modes; /* bits of enum branch_mode */
	cpumask_var_t mask;
	cpumask_var_t begun; /* of these: its buffer may be written */
	struct pid *asker;   /* its process, which is left out */
	struct kt_branch_log *
		logs; /* of each CPU that there may be; those of the mask are open */
	atomic_t missed; /* programs that are not traced, for lack of memory */
	atomic64_t unread; /* instructions whose bytes could not be read */
	atomic_t lost;	   /* branches for which the producer had no room */

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

/* For producers, with interrupts off: about this CPU. */

/* Which branches of this task are wanted here of that one?  Bits of enum branch_mode. */
unsigned int branch_cpus_modes(const struct branch_producer *producer,
			       const struct task_struct *task);
/* Is it to be stopped here? */
static inline bool branch_cpus_want(const struct task_struct *task)
{
	return branch_cpus_modes(&branch_step, task);
}
/* Those that have @producer get this, if they want it. */
void branch_cpus_take(const struct branch_producer *producer,
		      const struct task_struct *task,
		      struct branch_found found);
/* The same of @nr branches that are lost; @modes: whose they may be. */
void branch_cpus_lose(const struct branch_producer *producer,
		      const struct task_struct *task, unsigned int modes,
		      u32 nr);
/* Called on a CPU that has come on, with interrupts on: those that have @producer begin there, too. */
void branch_cpus_come(const struct branch_producer *producer);
/* A program is not stepped. */
void branch_cpus_miss(void);
/* An instruction of it could not be read. */
void branch_cpus_unread(const struct task_struct *task);

#endif /* KT_KERNEL_SOURCE_BRANCH_CPUS_H */
