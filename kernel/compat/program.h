/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels for who looks at programs. */
#ifndef KT_KERNEL_COMPAT_PROGRAM_H
#define KT_KERNEL_COMPAT_PROGRAM_H

#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uprobes.h>

/* Threads of the kernel that work for a program have its memory, but no registers of it. */
#ifdef PF_USER_WORKER
#define KT_PF_NO_PROGRAM (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define KT_PF_NO_PROGRAM (PF_KTHREAD | PF_IO_WORKER)
#endif

/* Under RCU.  for_each_thread() mentions tasklist_lock if lockdep is on, which no module can use. */
#define kt_for_each_thread(process, thread)                              \
	list_for_each_entry_rcu(thread, &(process)->signal->thread_head, \
				thread_node)

/*
 * The functions with a uretprobe that a task is in: a list.  The kernel allows so many (its
 * MAX_URETPROBE_DEPTH).
 */
#define KT_RETURNS_MAX 64

#ifdef CONFIG_UPROBES
#define kt_return_instance	  return_instance
#define kt_task_has_returns(task) ((task)->utask)
#define kt_task_returns(task)	  (&(task)->utask->return_instances)
#define kt_task_returns_nr(task)  ((task)->utask ? (task)->utask->depth : 0)
#else
struct kt_return_instance {
	unsigned long stack, orig_ret_vaddr;
	struct kt_return_instance *next;
};
#define kt_task_has_returns(task) false
#define kt_task_returns(task)	  ((struct kt_return_instance **)NULL)
#define kt_task_returns_nr(task)  0
#endif

#endif /* KT_KERNEL_COMPAT_PROGRAM_H */
