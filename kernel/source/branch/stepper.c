// SPDX-License-Identifier: GPL-2.0-only
/* Stops tasks behind each instruction of their programs: see stepper.h. */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/thread_info.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include <asm/debugreg.h>
#include <asm/processor-flags.h>
#include <asm/segment.h>

#include "base/work.h"
#include "call.h"
#include "env.h"
#include "hooks.h"
#include "program/space.h"
#include "pushed.h"
#include "step.h"
#include "stepper.h"
#include "trap_flag.h"

struct stepper {
	struct hlist_node node; /* in `steppers' */
	struct rcu_head rcu;
	refcount_t refs; /* of its clients, and of its work */
	struct task_struct *task;
	/* A new task's: whose clients may want it.  For the work. */
	struct stepper *parent;
	bool thread; /* of the parent's process */
	bool executed; /* another program, since the work ran; only the task itself asks */

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
	bool begun; /* `step' knows where the program is */
	bool unsure; /* it has met a breakpoint: which instruction was there is not known */
	bool sent; /* the kernel sends the program elsewhere */
	bool own; /* the program itself wants to be stopped behind each instruction */
	int signal; /* the last one for which it has no handler */
};

/* Changed under the lock, read under RCU. */
static DEFINE_HASHTABLE(steppers, 8);
static DEFINE_RAW_SPINLOCK(steppers_lock);
static unsigned long nr_steppers;

static DEFINE_MUTEX(clients_mutex);

static const struct branch_hooks hooks;
static DEFINE_MUTEX(hooks_mutex);
static bool hooked;

/* ---- steppers ------------------------------------------------------------- */

/* Under RCU. */
static struct stepper *stepper_of(const struct task_struct *task)
{
	struct stepper *stepper;

	hash_for_each_possible_rcu(steppers, stepper, node, (unsigned long)task)
		if (stepper->task == task)
			return stepper;
	return NULL;
}

/* The task's stepper, with a reference; makes it if there is none. */
static struct stepper *stepper_get(struct task_struct *task, gfp_t gfp)
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

static void stepper_put(struct stepper *stepper)
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
		parent = stepper->parent;
		kfree_rcu(stepper, rcu);
		if (last)
			schedule_work(&unhook_work);
	}
}

/* Under its lock. */
static void deliver(struct stepper *stepper, enum kt_branch_kind kind, u64 from,
		    u64 to)
{
	struct branch_client *client;

	list_for_each_entry(client, &stepper->clients, node) {
		if (!branch_client_takes(client, kind))
			continue;
		kt_branch_log_add(&client->log, kind, from, to);
		/* Stamps have no place, so what is mapped now may hold for them, too. */
		if (!kt_branch_is_stamp(kind))
			client->behind = client->log.head;
	}
	/* The program goes on now. */
	if (kind == KT_BRANCH_SYSCALL || kind == KT_BRANCH_SENT)
		deliver(stepper, KT_BRANCH_TIME, smp_processor_id(),
			env_clock());
}

static void deliver_stamp(struct stepper *stepper, enum kt_branch_kind kind)
{
	deliver(stepper, kind, smp_processor_id(), env_clock());
}

/* ---- on and off ----------------------------------------------------------- */

/* Where the program goes on, which is not behind the last instruction that it ran. */
static void begin_here(struct stepper *stepper, struct pt_regs *regs)
{
	u64 before = stepper->step.ip, ip = regs->ip;

	/*
	 * If it met a breakpoint, it may be behind that, and nothing else has run.  A debugger sets it
	 * back then, by one byte; a system call that begins again, by two.
	 */
	u64 far = stepper->unsure ? 1 : KT_INSTRUCTION_MAX;

	if (stepper->begun && stepper->sent)
		deliver(stepper, KT_BRANCH_SENT, before, ip);
	else if (stepper->begun && call_is_at(regs, before) &&
		 call_is_interrupted(regs))
		ip = before;
	else if (stepper->begun && call_is_at(regs, before))
		deliver(stepper, KT_BRANCH_SYSCALL, before, ip);
	else if (stepper->begun && ip + 2 - before > far + 2)
		deliver(stepper, KT_BRANCH_UNKNOWN, before, ip);
	stepper->sent = false;
	stepper->unsure = false;
	stepper->begun = true;
	stepper->step.ip = ip;
}

static void client_add(struct stepper *stepper, struct branch_client *client)
{
	unsigned long flags;

	lockdep_assert_held(&clients_mutex);
	raw_spin_lock_irqsave(&stepper->lock, flags);
	list_add_tail(&client->node, &stepper->clients);
	client->wanting = true;
	stepper->wanting++;
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
}

/* Under the stepper's lock. */
static void client_unwant(struct stepper *stepper, struct branch_client *client)
{
	stepper->wanting -= client->wanting;
	client->wanting = false;
}

static bool client_follows(const struct branch_client *client, bool thread)
{
	return thread ? client->threads : client->children;
}

static void client_miss(struct stepper *stepper, struct branch_client *client)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&stepper->lock, flags);
	client->unfollowed++;
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
}

/* A new task asks its parent's clients. */
static void clients_inherit(struct stepper *stepper)
{
	struct stepper *parent = stepper->parent;
	struct branch_client *client, *born;

	lockdep_assert_held(&clients_mutex);
	if (!parent)
		return;
	list_for_each_entry(client, &parent->clients, node) {
		if (!client_follows(client, stepper->thread))
			continue;
		born = client->kind->follow(client);
		if (IS_ERR(born))
			client_miss(parent, client);
		if (IS_ERR_OR_NULL(born))
			continue;
		refcount_inc(&stepper->refs);
		born->stepper = stepper;
		client_add(stepper, born);
	}
	stepper->parent = NULL;
	stepper_put(parent);
}

static struct branch_client *client_unmet(struct stepper *stepper)
{
	struct branch_client *client;

	lockdep_assert_held(&clients_mutex);
	list_for_each_entry(client, &stepper->clients, node)
		if (!client->met)
			return client;
	return NULL;
}

/* The mutex is free meanwhile: memory may have to be waited for, also for what others do. */
static void client_begin(struct stepper *stepper, struct branch_client *client)
{
	struct kt_branch *entries = client->log.entries;
	unsigned long flags;
	u32 nr;

	if (!entries) {
		entries = client->kind->room(client, &nr);
		if (entries)
			kt_branch_log_open(&client->log, entries, nr);
	}
	if (entries) {
		raw_spin_lock_irqsave(&stepper->lock, flags);
		client->begun = true;
		kt_branch_log_add(&client->log, KT_BRANCH_BEGINS,
				  smp_processor_id(), env_clock());
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
		client->kind->begins(client);
	}
}

/* For a client without a buffer, nobody is to be stopped. */
static void client_met(struct stepper *stepper, struct branch_client *client)
{
	unsigned long flags;

	lockdep_assert_held(&clients_mutex);
	raw_spin_lock_irqsave(&stepper->lock, flags);
	if (!client->begun) {
		client_unwant(stepper, client);
		client->unfollowed++;
	}
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
	smp_store_release(&client->meeting, false);
	smp_mb(); /* before it looks for who waits */
	/* Who waits may free it from now on; the address is only a name. */
	wake_up_var(&client->meeting);
}

static void clients_begin(struct stepper *stepper)
{
	struct branch_client *client;

	mutex_lock(&clients_mutex);
	clients_inherit(stepper);
	while ((client = client_unmet(stepper))) {
		client->met = true;
		client->meeting = true;
		mutex_unlock(&clients_mutex);
		client_begin(stepper, client);
		mutex_lock(&clients_mutex);
		client_met(stepper, client);
	}
	mutex_unlock(&clients_mutex);
}

/* Behind begin_here(): what comes next is of the new program. */
static void clients_execute(struct stepper *stepper)
{
	struct branch_client *client;

	if (!stepper->executed)
		return;
	stepper->executed = false;
	mutex_lock(&clients_mutex);
	list_for_each_entry(client, &stepper->clients, node)
		client->kind->executed(client);
	mutex_unlock(&clients_mutex);
}

/* Of the task, on its way back to the program. */
static void stepper_work(struct callback_head *head)
{
	struct stepper *stepper = container_of(head, struct stepper, work);
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long flags;

	clear_bit_unlock(0, &stepper->works);
	smp_mb__after_atomic();
	if (!(current->flags & PF_EXITING)) {
		clients_begin(stepper);
		raw_spin_lock_irqsave(&stepper->lock, flags);
		if (runs_copy()) {
			/* It comes again when the copy has run. */
		} else if (!stepper->wanting) {
			stepping_off(regs);
			stepper->begun = false;
		} else {
			if (!is_forced())
				stepper->own = regs->flags & X86_EFLAGS_TF;
			begin_here(stepper, regs);
			stepping_on(regs, stepper->own);
		}
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
		clients_execute(stepper);
	}
	stepper_put(stepper);
	kt_work_done(THIS_MODULE);
}

/* Makes the task look at its stepper before it runs its program again. */
static void stepper_again(struct stepper *stepper)
{
	if (!refcount_inc_not_zero(&stepper->refs))
		return;
	if (!test_and_set_bit(0, &stepper->works)) {
		if (kt_work_add(stepper->task, &stepper->work, stepper_work,
				THIS_MODULE))
			return;
		clear_bit(0, &stepper->works);
	}
	stepper_put(stepper);
}

/* ---- stops ---------------------------------------------------------------- */

static void effect(struct stepper *stepper, const struct pt_regs *regs,
		   const struct kt_instruction *last)
{
	if (!last->length)
		return;
	if (last->effect == KT_EFFECT_LOADS_FLAGS) {
		stepper->own = regs->flags & X86_EFLAGS_TF;
		if (stepper->own)
			clear_thread_flag(TIF_FORCED_TF);
	} else if (last->effect == KT_EFFECT_PUSHES_FLAGS && !stepper->own) {
		pushed_flags_hide(regs);
	}
}

static void follow(struct stepper *stepper, const struct pt_regs *regs)
{
	const struct kt_step_stop stop = {
		.ip = regs->ip,
		.flags = regs->flags,
		.cx = regs->cx,
		.narrow = !user_64bit_mode((struct pt_regs *)regs),
		.fred = has_fred(),
	};
	struct kt_step_done done;
	u64 to;
	u32 i;

	/* Code in a segment that begins elsewhere than at zero (the local descriptor table). */
	if (regs->cs != __USER_CS && regs->cs != __USER32_CS) {
		stepper->step.ip = regs->ip;
		stepper->step.unread++;
		return;
	}
	kt_step(&stepper->step, &stop, &done);
	for (i = 0; i < done.nr; i++)
		deliver(stepper, done.branches[i].kind, done.branches[i].from,
			done.branches[i].to);
	if (pushed_by_vsyscall(regs, &to)) {
		deliver(stepper, KT_BRANCH_RETURN, regs->ip, to);
		stepper->step.ip = to;
	}
	effect(stepper, regs, &done.last);
}

/* What was mapped since the last stop was mapped before what the program has run since. */
static void notice_mappings(struct stepper *stepper,
			    const struct kt_maps **dropped)
{
	const struct kt_maps *now = NULL;
	struct branch_client *client;

	list_for_each_entry(client, &stepper->clients, node) {
		if (!client->begun || !client->mappings.room)
			continue;
		if (!now)
			now = kt_space_maps(current->mm);
		branch_mappings_notice(&client->mappings, client->behind, now,
				       dropped);
	}
}

/* True: nobody but us has stopped the task. */
static bool stop(struct stepper *stepper, struct pt_regs *regs,
		 const struct kt_maps **dropped)
{
	bool alone = !stepper->own && !is_debugged();

	lockdep_assert_held(&stepper->lock);
	/* Before the work has asked, and after the end, the program may stop itself as well. */
	if (!stepper->wanting || !stepper->begun)
		alone &= is_forced();
	/* Also the last time, or flags that it has just pushed would stay as they are. */
	if (stepper->begun) {
		notice_mappings(stepper, dropped);
		follow(stepper, regs);
	}
	if (!stepper->wanting) {
		stepping_off(regs);
		stepper->begun = false;
	} else if (stepper->begun) {
		stepping_on(regs, stepper->own);
	}
	return alone;
}

/*
 * Watchpoints have been handled: what is left of them in @dr6 is nobody's, and those that somebody is
 * to be told of are in virtual_dr6.  If memory that is read here is watched, that is no hit.
 */
static bool hook_stops(struct pt_regs *regs, unsigned long *dr6)
{
	unsigned long hits = current->thread.virtual_dr6;
	const struct kt_maps *dropped = NULL;
	struct stepper *stepper;
	bool alone;

	if (!(*dr6 & DR_STEP))
		return false;
	stepper = stepper_of(current);
	if (!stepper)
		return false;
	if (runs_copy()) {
		stepper_again(stepper);
		return false;
	}
	raw_spin_lock(&stepper->lock);
	alone = stop(stepper, regs, &dropped);
	raw_spin_unlock(&stepper->lock);
	/* This may wake somebody, and the scheduler takes the lock, too. */
	if (dropped)
		kt_maps_put(dropped);
	current->thread.virtual_dr6 = hits;
	if (!alone)
		return false;
	*dr6 &= ~(DR_STEP | DR_TRAP_BITS);
	current->thread.virtual_dr6 &= ~DR_STEP;
	return !*dr6 && !(hits & DR_TRAP_BITS);
}

/* If this is a uprobe's breakpoint: it must not find the task stepped. */
static void hook_breaks(struct pt_regs *regs)
{
	struct stepper *stepper = stepper_of(current);

	if (!stepper)
		return;
	raw_spin_lock(&stepper->lock);
	stepper->unsure = true;
	stepping_off(regs);
	raw_spin_unlock(&stepper->lock);
	stepper_again(stepper);
}

/* ---- what happens to tasks ------------------------------------------------ */

static void stamp(const struct task_struct *task, enum kt_branch_kind kind)
{
	struct stepper *stepper;
	unsigned long flags;

	rcu_read_lock();
	stepper = stepper_of(task);
	if (stepper) {
		raw_spin_lock_irqsave(&stepper->lock, flags);
		deliver_stamp(stepper, kind);
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
	}
	rcu_read_unlock();
}

static void hook_switches(struct task_struct *prev, struct task_struct *next)
{
	stamp(prev, KT_BRANCH_LEAVES);
	stamp(next, KT_BRANCH_ARRIVES);
}

static void clients_miss(struct stepper *stepper, bool thread)
{
	struct branch_client *client;
	unsigned long flags;

	raw_spin_lock_irqsave(&stepper->lock, flags);
	list_for_each_entry(client, &stepper->clients, node)
		client->unfollowed += client_follows(client, thread);
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
}

static void hook_forks(struct task_struct *child)
{
	bool thread = same_thread_group(current, child);
	struct stepper *parent, *stepper;

	rcu_read_lock();
	parent = stepper_of(current);
	if (parent && refcount_inc_not_zero(&parent->refs)) {
		/* The child does not run yet, so nobody reads what is set here. */
		stepper = stepper_get(child, GFP_ATOMIC);
		if (stepper) {
			stepper->parent = parent;
			stepper->thread = thread;
			stepper_again(stepper);
			stepper_put(stepper);
		} else {
			clients_miss(parent, thread);
			stepper_put(parent);
		}
	}
	rcu_read_unlock();
}

/* The kernel sends the task elsewhere. */
static void sent(bool now)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct stepper *stepper;
	unsigned long flags;

	rcu_read_lock();
	stepper = stepper_of(current);
	if (stepper) {
		raw_spin_lock_irqsave(&stepper->lock, flags);
		/* Of several signals, each interrupts the handler of the one before. */
		if (now && stepper->begun) {
			stepper->unsure = false;
			begin_here(stepper, regs);
		}
		stepper->sent = true;
		stepping_off(regs);
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
		stepper_again(stepper);
	}
	rcu_read_unlock();
}

static void hook_signals(void)
{
	sent(true);
}

static void hook_defaults(int signal)
{
	const struct kt_maps *dropped = NULL;
	struct stepper *stepper;
	unsigned long flags;

	rcu_read_lock();
	stepper = stepper_of(current);
	if (stepper) {
		raw_spin_lock_irqsave(&stepper->lock, flags);
		stepper->signal = signal;
		/* It may be killed before its next stop, right behind an exec. */
		notice_mappings(stepper, &dropped);
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
	}
	rcu_read_unlock();
	if (dropped)
		kt_maps_put(dropped);
}

static void hook_returns(void)
{
	sent(false);
}

static void hook_execs(void)
{
	struct stepper *stepper;

	rcu_read_lock();
	stepper = stepper_of(current);
	if (stepper)
		stepper->executed = true;
	rcu_read_unlock();
	sent(false);
}

/*
 * All threads of a process end with the signal that has killed one of them.  Of those signals that dump
 * its memory the kernel tells that one, but for a system call that is forbidden; the others kill all
 * of them alike.
 */
static int killed_by(const struct stepper *stepper)
{
	int signal = current->exit_code & 0x7f;

	if (!signal || !sig_kernel_coredump(signal) ||
	    signal == stepper->signal ||
	    (signal == SIGSYS && stepper->signal != SIGKILL))
		return signal;
	return 0;
}

static void hook_exits(void)
{
	u64 ip = task_pt_regs(current)->ip;
	struct branch_client *client;
	struct stepper *stepper;
	unsigned long flags;

	rcu_read_lock();
	stepper = stepper_of(current);
	if (stepper) {
		raw_spin_lock_irqsave(&stepper->lock, flags);
		if (stepper->begun)
			deliver(stepper, KT_BRANCH_LAST, ip,
				killed_by(stepper));
		deliver_stamp(stepper, KT_BRANCH_ENDS);
		list_for_each_entry(client, &stepper->clients, node)
			WRITE_ONCE(client->ended, true);
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
		/* Nobody looks for it any more. */
		raw_spin_lock_irqsave(&steppers_lock, flags);
		hlist_del_init_rcu(&stepper->node);
		raw_spin_unlock_irqrestore(&steppers_lock, flags);
	}
	rcu_read_unlock();
}

static void hook_resumes(struct task_struct *task)
{
	struct stepper *stepper;

	rcu_read_lock();
	stepper = stepper_of(task);
	if (stepper)
		stepper_again(stepper);
	rcu_read_unlock();
}

static const struct branch_hooks hooks = {
	.switches = hook_switches,
	.forks = hook_forks,
	.execs = hook_execs,
	.exits = hook_exits,
	.signals = hook_signals,
	.defaults = hook_defaults,
	.returns = hook_returns,
	.resumes = hook_resumes,
	.stops = hook_stops,
	.breaks = hook_breaks,
};

/* ---- clients -------------------------------------------------------------- */

int stepper_add(struct branch_client *client, struct task_struct *task)
{
	struct stepper *stepper;
	int err = 0;

	/* The hook of a fork allocates memory where that kernel must not. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	stepper = stepper_get(task, GFP_KERNEL);
	if (!stepper)
		return -ENOMEM;
	mutex_lock(&hooks_mutex);
	if (!hooked)
		err = branch_hooks_attach(&hooks);
	hooked |= !err;
	mutex_unlock(&hooks_mutex);
	if (err) {
		stepper_put(stepper);
		return err;
	}
	client->stepper = stepper;
	mutex_lock(&clients_mutex);
	client_add(stepper, client);
	mutex_unlock(&clients_mutex);
	stepper_again(stepper);
	/* If it has ended before the client was there, nobody will say so. */
	if (READ_ONCE(task->flags) & PF_EXITING) {
		stepper_remove(client);
		return -ESRCH;
	}
	return 0;
}

void stepper_remove(struct branch_client *client)
{
	struct stepper *stepper;
	unsigned long flags;

	mutex_lock(&clients_mutex);
	stepper = client->stepper;
	if (stepper) {
		raw_spin_lock_irqsave(&stepper->lock, flags);
		list_del_init(&client->node);
		client_unwant(stepper, client);
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
		client->stepper = NULL;
	}
	mutex_unlock(&clients_mutex);
	if (!stepper)
		return;
	/* If its task gives it room at this moment. */
	wait_var_event(&client->meeting, !smp_load_acquire(&client->meeting));
	stepper_again(stepper);
	stepper_put(stepper);
}

u64 stepper_unread(const struct branch_client *client)
{
	return client->stepper ? READ_ONCE(client->stepper->step.unread) : 0;
}

bool stepper_mappings(const struct branch_client *client, u32 *number,
		      struct branch_mapping *mapping)
{
	struct stepper *stepper = client->stepper;
	unsigned long flags;
	bool found;

	if (!stepper)
		return false;
	raw_spin_lock_irqsave(&stepper->lock, flags);
	found = branch_mappings_get(&client->mappings, number, mapping);
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
	return found;
}

void steppers_exit(void)
{
	/* Who is in the middle of a hook may have the last reference. */
	kt_works_exit();
	flush_work(&unhook_work);
}
