// SPDX-License-Identifier: GPL-2.0-only
/* Work of tasks on their way back to the program: see work.h. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "symbol.h"
#include "work.h"

static bool late; /* a task may be behind kt_work_done() */

bool kt_work_add(struct task_struct *task, struct callback_head *head,
		 task_work_func_t function, struct module *owner)
{
	init_task_work(head, function);
	/* If the module is being unloaded, it would not wait for the task. */
	if (!try_module_get(owner))
		return false;
	WRITE_ONCE(late, true);
	if (!task_work_add(task, head, TWA_RESUME))
		return true;
	module_put(owner);
	return false;
}
EXPORT_SYMBOL_GPL(kt_work_add);

void kt_work_done(struct module *owner)
{
	module_put(owner);
}
EXPORT_SYMBOL_GPL(kt_work_done);

static bool is_it(struct callback_head *head, void *data)
{
	return head == data;
}

/* The kernel exports what adds work, but not what takes it back. */
bool kt_work_cancel(struct task_struct *task, struct callback_head *head)
{
	typeof(&task_work_cancel_match) cancel =
		(void *)kt_symbol("task_work_cancel_match");

	return cancel && cancel(task, is_it, head);
}
EXPORT_SYMBOL_GPL(kt_work_cancel);

void kt_works_exit(void)
{
	if (late)
		synchronize_rcu_tasks();
}
EXPORT_SYMBOL_GPL(kt_works_exit);
