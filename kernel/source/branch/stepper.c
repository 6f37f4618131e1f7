// SPDX-License-Identifier: GPL-2.0-only
/* Which tasks are stopped behind each instruction: see stepper.h. */
#include <linux/bitops.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "base/work.h"
#include "compat/program.h"
#include "hooks.h"
#include "stepper.h"
#include "visitors.h"

/* Changed under the lock, read under RCU. */
static DEFINE_HASHTABLE(steppers, 10);
static DEFINE_RAW_SPINLOCK(steppers_lock);
static unsigned long nr_steppers;

/* Of who stops them. */
static task_work_func_t task_looks;
static const struct branch_hooks *hooks;

static DEFINE_MUTEX(hooks_mutex);
static bool hooked;

/* New tasks get a stepper, too. */
static bool everywhere;

/* ---- steppers ------------------------------------------------------------- */

struct stepper *stepper_of(const struct task_struct *task)
{
	struct stepper *stepper;

	hash_for_each_possible_rcu(steppers, stepper, node, (unsigned long)task)
		if (stepper->task == task)
			return stepper;
	return NULL;
}

struct stepper *stepper_get(struct task_struct *task, gfp_t gfp)
{
	struct stepper *fresh = kzalloc(sizeof(*fresh), gfp | __GFP_NOWARN);
	struct stepper *stepper;
	unsigned long flags;

	raw_spin_lock_irqsave(&steppers_lock, flags);
	stepper = stepper_of(task);
	if (!stepper || !refcount_inc_not_zero(&stepper->refs)) {
		stepper = fresh;
		fresh = NULL;
	}
	if (stepper && !stepper->task) {
		refcount_set(&stepper->refs, 1);
		raw_spin_lock_init(&stepper->lock);
		INIT_LIST_HEAD(&stepper->clients);
		stepper->task = get_task_struct(task);
		hash_add_rcu(steppers, &stepper->node, (unsigned long)task);
		nr_steppers++;
	}
	raw_spin_unlock_irqrestore(&steppers_lock, flags);
	kfree(fresh);
	return stepper;
}

/* With nobody to be traced, nothing of the kernel stays hooked. */
static void unhook(struct work_struct *work)
{
	mutex_lock(&hooks_mutex);
	if (hooked && !READ_ONCE(nr_steppers)) {
		branch_hooks_detach();
		hooked = false;
	}
	mutex_unlock(&hooks_mutex);
}

static DECLARE_WORK(unhook_work, unhook);

void stepper_put(struct stepper *stepper)
{
	struct stepper *parent;
	unsigned long flags;
	bool last;

	for (; stepper && refcount_dec_and_test(&stepper->refs);
	     stepper = parent) {
		raw_spin_lock_irqsave(&steppers_lock, flags);
		hlist_del_init_rcu(&stepper->node);
		last = !--nr_steppers;
		raw_spin_unlock_irqrestore(&steppers_lock, flags);
		put_task_struct(stepper->task);
		branch_visitor_leave(stepper->visitor);
		parent = stepper->parent;
		kfree_rcu(stepper, rcu);
		/*
		 * Not under the scheduler's lock: a task that arrives has not the last one, since
		 * contexts of CPUs hold them all (steppers_hold()).
		 */
		if (last)
			schedule_work(&unhook_work);
	}
}

void stepper_again(struct stepper *stepper)
{
	if (!refcount_inc_not_zero(&stepper->refs))
		return;
	if (!test_and_set_bit(0, &stepper->works)) {
		if (kt_work_add(stepper->task, &stepper->work, task_looks,
				THIS_MODULE))
			return;
		clear_bit(0, &stepper->works);
	}
	stepper_put(stepper);
}

/* ---- all tasks ------------------------------------------------------------ */

static bool runs_program(const struct task_struct *task)
{
	return !(READ_ONCE(task->flags) & (KT_PF_NO_PROGRAM | PF_EXITING));
}

static bool stepper_everywhere(struct stepper *stepper, bool is_everywhere)
{
	unsigned long flags;
	bool changed;

	raw_spin_lock_irqsave(&steppers_lock, flags);
	changed = stepper->everywhere != is_everywhere;
	stepper->everywhere = is_everywhere;
	if (changed && is_everywhere)
		refcount_inc(&stepper->refs);
	raw_spin_unlock_irqrestore(&steppers_lock, flags);
	return changed;
}

/* It stays until the task ends, or nobody wants all tasks.  Under RCU. */
static void everywhere_keep(struct stepper *stepper)
{
	stepper_everywhere(stepper, true);
	/* Nobody would say so. */
	if (!runs_program(stepper->task) && stepper_everywhere(stepper, false))
		stepper_put(stepper);
}

/* Whoever sleeps would keep the module until he wakes. */
static void stepper_rest(struct stepper *stepper)
{
	if (!test_bit(0, &stepper->works) ||
	    !kt_work_cancel(stepper->task, &stepper->work))
		return;
	clear_bit_unlock(0, &stepper->works);
	kt_work_done(THIS_MODULE);
	stepper_put(stepper);
}

/* Whoever changes this, and asks the task to look then, may have found that it was to look already. */
static bool must_look(struct stepper *stepper)
{
	unsigned long flags;
	bool must;

	raw_spin_lock_irqsave(&stepper->lock, flags);
	/* A stop that nobody knows of would kill it. */
	must = stepper->stopping || !list_empty(&stepper->clients) ||
	       stepper->parent;
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
	return must;
}

static void everywhere_drop(struct stepper *stepper)
{
	if (!stepper_everywhere(stepper, false))
		return;
	if (!must_look(stepper))
		stepper_rest(stepper);
	/* Also if that has changed meanwhile. */
	if (must_look(stepper))
		stepper_again(stepper);
	stepper_put(stepper);
}

bool stepper_add_everywhere(struct task_struct *task)
{
	struct stepper *stepper;

	if (!READ_ONCE(everywhere) || !runs_program(task))
		return true;
	stepper = stepper_of(task);
	if (stepper && READ_ONCE(stepper->everywhere))
		return true;
	stepper = stepper_get(task, GFP_ATOMIC);
	if (!stepper)
		return false;
	everywhere_keep(stepper);
	stepper_put(stepper);
	return true;
}

void stepper_forget(struct stepper *stepper)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&steppers_lock, flags);
	hlist_del_init_rcu(&stepper->node);
	raw_spin_unlock_irqrestore(&steppers_lock, flags);
	everywhere_drop(stepper);
}

/* @more or less by one, as if there were a stepper. */
static void steppers_count(int more)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&steppers_lock, flags);
	nr_steppers += more;
	raw_spin_unlock_irqrestore(&steppers_lock, flags);
}

int steppers_hold(void)
{
	int err;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	steppers_count(1);
	err = steppers_hook();
	if (err)
		steppers_count(-1);
	return err;
}

void steppers_release(void)
{
	steppers_count(-1);
	schedule_work(&unhook_work);
}

unsigned int steppers_everywhere(void)
{
	struct task_struct *process, *task;
	unsigned int missed = 0;

	WRITE_ONCE(everywhere, true);
	/* A task that is not in the list yet is told of, and whoever tells sees this. */
	smp_mb();
	rcu_read_lock();
	for_each_process(process)
		kt_for_each_thread(process, task)
			missed += !stepper_add_everywhere(task);
	rcu_read_unlock();
	return missed;
}

void steppers_nowhere(void)
{
	struct stepper *stepper;
	int bucket;

	WRITE_ONCE(everywhere, false);
	/* Who tells of tasks is under RCU. */
	synchronize_rcu();
	rcu_read_lock();
	hash_for_each_rcu(steppers, bucket, stepper, node)
		everywhere_drop(stepper);
	rcu_read_unlock();
}

void steppers_init(task_work_func_t looks, const struct branch_hooks *told)
{
	task_looks = looks;
	hooks = told;
}

int steppers_hook(void)
{
	int err = 0;

	mutex_lock(&hooks_mutex);
	if (!hooked)
		err = branch_hooks_attach(hooks);
	hooked |= !err;
	mutex_unlock(&hooks_mutex);
	return err;
}

void steppers_exit(void)
{
	/* Who is in the middle of a hook may have the last reference. */
	kt_works_exit();
	flush_work(&unhook_work);
}
