/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task whose branches are wanted has a *stepper*, however many clients want them (client.h), or if it
 * comes to a CPU of which they are wanted (cpus.h).  stops.h says how they are found.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_STEPPER_H
#define KT_KERNEL_SOURCE_BRANCH_STEPPER_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/types.h>

#include "step.h"

struct branch_hooks;
struct branch_visitor;
struct task_struct;

struct stepper {
	struct hlist_node node; /* in `steppers' */
	struct rcu_head rcu;
	/* Of its clients, its work, its children's `parent', and one if it is everywhere. */
	refcount_t refs;
	struct task_struct *task;
	/* A new task's: whose clients may want it.  For the work. */
	struct stepper *parent;
	bool thread; /* of the parent's process */
	bool executed; /* another program, since the work ran; only the task itself asks */
	bool everywhere; /* contexts of CPUs have a reference; under the lock of all steppers */

	struct callback_head work;
	unsigned long works; /* bit 0: it was added, and has not begun */

	/*
	 * Of what follows.  Taken by the task, by who adds and removes clients, and by the
	 * scheduler; interrupts are off.  Clients come and go under clients_mutex, too.
	 */
	raw_spinlock_t lock;
	struct list_head clients;
	u32 wanting; /* of them: those that want stops */
	struct kt_step step;
	bool begun;    /* `step' knows where the program is */
	bool stopping; /* the processor stops it, for us */
	bool unsure; /* it has met a breakpoint: which instruction was there is not known */
	bool sent; /* the kernel sends the program elsewhere */
	bool own; /* the program itself wants to be stopped behind each instruction */
	int signal; /* the last one for which it has no handler */
	/* The time of the first stamp behind its last branch; 0: there is none. */
	u64 quiet_since;
	/* If contexts of CPUs want to know what it maps. */
	struct branch_visitor *visitor;
};

/* Under RCU. */
struct stepper *stepper_of(const struct task_struct *task);
/* The task's stepper, with a reference; makes it if there is none.  NULL: no memory. */
struct stepper *stepper_get(struct task_struct *task, gfp_t gfp);
void stepper_put(struct stepper *stepper);
/* Makes the task look at its stepper before it runs its program again. */
void stepper_again(struct stepper *stepper);

/* The task ends, and nobody looks for its stepper any more.  Under RCU. */
void stepper_forget(struct stepper *stepper);

/*
 * The kernel tells of tasks until steppers_release(), as if there were a stepper.  0; -EOPNOTSUPP: this
 * kernel is PREEMPT_RT; or why it does not.  May sleep.
 */
int steppers_hold(void);
void steppers_release(void);

/*
 * All tasks that run programs have steppers, or not; one caller at a time, who holds them.  Returns how
 * many have none for lack of memory.  The second may sleep.
 */
unsigned int steppers_everywhere(void);
void steppers_nowhere(void);
/* A new task, or one that was none of a program; if all have one.  False: no memory.  Under RCU. */
bool stepper_add_everywhere(struct task_struct *task);

/* The kernel tells of tasks from now on, until there is no stepper.  0, or why not.  May sleep. */
int steppers_hook(void);

/* @looks: what a task does to look at its stepper; it ends with stepper_put() and kt_work_done(). */
void steppers_init(task_work_func_t looks, const struct branch_hooks *hooks);
void steppers_exit(void);

#endif /* KT_KERNEL_SOURCE_BRANCH_STEPPER_H */
