/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work that a task does before it returns to its program, when it may wait and may read the
 * program's memory.  The owner, a module, stays until it is done.
 */
#ifndef KT_KERNEL_BASE_WORK_H
#define KT_KERNEL_BASE_WORK_H

#include <linux/task_work.h>

/*
 * In any context.  False: the task is ending, or the module is.  Otherwise the function of @head
 * is called by the task, also if it ends, and then has no memory of a program any more.
 */
bool kt_work_add(struct task_struct *task, struct callback_head *head,
		 task_work_func_t function, struct module *owner);
/* To be called at the end of that function, or if it is not called any more. */
void kt_work_done(struct module *owner);
/* True: the function will not be called.  May be false also if it has not begun. */
bool kt_work_cancel(struct task_struct *task, struct callback_head *head);

/* Waits for the last instructions of functions; to be called when the owner goes. */
void kt_works_exit(void);

#endif /* KT_KERNEL_BASE_WORK_H */
