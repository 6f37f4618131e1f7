// SPDX-License-Identifier: GPL-2.0-only
/* Stops tasks behind each instruction of their programs: see stops.h. */
#include <linux/bitops.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/thread_info.h>
#include <asm/debugreg.h>
#include <asm/processor-flags.h>
#include <asm/segment.h>

#include "base/work.h"
#include "call.h"
#include "client.h"
#include "cpus.h"
#include "env.h"
#include "hooks.h"
#include "producer.h"
#include "program/space.h"
#include "pushed.h"
#include "step.h"
#include "stepper.h"
#include "stops.h"
#include "trap_flag.h"
#include "visitors.h"

/* ---- who is told ---------------------------------------------------------- */

/* Under its lock. */
static void deliver_cpus(struct stepper *stepper, enum kt_branch_kind kind,
			 u64 from, u64 to)
{
	branch_cpus_take(&branch_step, stepper->task,
			 (struct branch_found){kind, BRANCH_USER, from, to});
}

/* Who has another producer is told of what happens to the task. */
static bool is_for(const struct branch_client *client, enum kt_branch_kind kind)
{
	return branch_client_takes(client, kind) &&
	       (client->producer == &branch_step ||
		(kind >= KT_BRANCH_ARRIVES && kind <= KT_BRANCH_ENDS) ||
		kind == KT_BRANCH_LAST);
}

/* Under its lock. */
static void deliver(struct stepper *stepper, enum kt_branch_kind kind, u64 from,
		    u64 to)
{
	struct branch_client *client;

	list_for_each_entry(client, &stepper->clients, node) {
		if (!is_for(client, kind))
			continue;
		kt_branch_log_add(&client->log, kind, from, to);
		/* Stamps have no place, so what is mapped now may hold for them, too. */
		if (!kt_branch_is_stamp(kind))
			client->behind = client->log.head;
	}
	deliver_cpus(stepper, kind, from, to);
	if (!kt_branch_is_stamp(kind))
		stepper->quiet_since = 0;
	else if (!stepper->quiet_since)
		stepper->quiet_since = to;
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

/* Does anybody want stops of it, here?  Under its lock, on the task's CPU. */
static bool is_wanted(const struct stepper *stepper)
{
	return stepper->wanting || branch_cpus_want(stepper->task);
}

static void stops_begin(struct stepper *stepper, struct pt_regs *regs)
{
	stepping_on(regs, stepper->own);
	stepper->stopping = true;
}

/* For a while. */
static void stops_pause(struct stepper *stepper, struct pt_regs *regs)
{
	stepping_off(regs);
	stepper->stopping = false;
}

static void stops_end(struct stepper *stepper, struct pt_regs *regs)
{
	stops_pause(stepper, regs);
	stepper->begun = false;
}

/*
 * Was a call of the kernel the last instruction?  The processor does not stop behind it, so the task
 * may have left the kernel already, and have been interrupted before the next instruction.
 */
static bool has_called(const struct stepper *stepper, struct pt_regs *regs)
{
	u64 before = stepper->step.ip;

	return call_is_at(regs, before) ||
	       (!stepper->unsure && regs->ip != before &&
		kt_step_called(before, regs->ip, !user_64bit_mode(regs)));
}

/* Where the program goes on, which is not behind the last instruction that it ran. */
static void begin_here(struct stepper *stepper, struct pt_regs *regs)
{
	u64 before = stepper->step.ip, ip = regs->ip;

	/*
	 * If it met a breakpoint, it may be behind that, and nothing else has run.  A debugger sets it
	 * back then, by one byte; a system call that begins again, by two.
	 */
	u64 far = stepper->unsure ? 1 : KT_INSTRUCTION_MAX;

	bool called =
		stepper->begun && !stepper->sent && has_called(stepper, regs);

	if (stepper->begun && stepper->sent)
		deliver(stepper, KT_BRANCH_SENT, before, ip);
	else if (called && call_is_interrupted(regs))
		ip = before;
	else if (called)
		deliver(stepper, KT_BRANCH_SYSCALL, before, ip);
	else if (stepper->begun && ip + 2 - before > far + 2)
		deliver(stepper, KT_BRANCH_UNKNOWN, before, ip);
	stepper->sent = false;
	stepper->unsure = false;
	stepper->begun = true;
	stepper->step.ip = ip;
}

static void visitor_comes(struct stepper *stepper)
{
	struct branch_visitor *before = stepper->visitor, *now;
	unsigned long flags;

	now = branch_visitor_come(before);
	if (now == before)
		return;
	raw_spin_lock_irqsave(&stepper->lock, flags);
	stepper->visitor = now;
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
	branch_visitor_leave(before);
}

/* Of the task, on its way back to the program. */
static void stepper_looks(struct callback_head *head)
{
	struct stepper *stepper = container_of(head, struct stepper, work);
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long flags;

	clear_bit_unlock(0, &stepper->works);
	smp_mb__after_atomic();
	if (!(current->flags & PF_EXITING)) {
		branch_clients_begin(stepper);
		visitor_comes(stepper);
		raw_spin_lock_irqsave(&stepper->lock, flags);
		if (runs_copy()) {
			/* It comes again when the copy has run. */
		} else if (!is_wanted(stepper)) {
			stops_end(stepper, regs);
		} else {
			if (!is_forced())
				stepper->own = regs->flags & X86_EFLAGS_TF;
			if (!stepper->begun)
				deliver_cpus(stepper, KT_BRANCH_BEGINS,
					     smp_processor_id(), env_clock());
			begin_here(stepper, regs);
			stops_begin(stepper, regs);
		}
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
		branch_clients_execute(stepper);
	}
	stepper_put(stepper);
	kt_work_done(THIS_MODULE);
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
	u64 to, unread;
	u32 i;

	/* Code in a segment that begins elsewhere than at zero (the local descriptor table). */
	if (regs->cs != __USER_CS && regs->cs != __USER32_CS) {
		stepper->step.ip = regs->ip;
		stepper->step.unread++;
		branch_cpus_unread(stepper->task);
		return;
	}
	unread = stepper->step.unread;
	kt_step(&stepper->step, &stop, &done);
	if (stepper->step.unread != unread)
		branch_cpus_unread(stepper->task);
	for (i = 0; i < done.nr; i++)
		deliver(stepper, done.branches[i].kind, done.branches[i].from,
			done.branches[i].to);
	if (pushed_by_vsyscall(regs, &to)) {
		deliver(stepper, KT_BRANCH_RETURN, regs->ip, to);
		stepper->step.ip = to;
	}
	effect(stepper, regs, &done.last);
}

/*
 * Of a task on a CPU.  Whoever reads finds the first stamp behind a change by its time.  If nothing has
 * run since the last stamps, that is the first of these.  True: a stamp is missing.
 */
static bool notice_visit(struct stepper *stepper,
			 const struct kt_maps **dropped)
{
	if (!stepper->visitor ||
	    !branch_visitor_notice(stepper->visitor,
				   stepper->quiet_since ?: env_clock(),
				   dropped))
		return false;
	return !stepper->quiet_since;
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
	bool wanted = is_wanted(stepper);
	bool missing;

	lockdep_assert_held(&stepper->lock);
	/* Before the work has asked, and after the end, the program may stop itself as well. */
	if (!wanted || !stepper->begun)
		alone &= is_forced();
	/* Also the last time, or flags that it has just pushed would stay as they are. */
	if (stepper->begun) {
		notice_mappings(stepper, dropped);
		missing = notice_visit(stepper, dropped);
		follow(stepper, regs);
		if (missing)
			deliver_cpus(stepper, KT_BRANCH_TIME,
				     smp_processor_id(), env_clock());
	}
	if (!wanted)
		stops_end(stepper, regs);
	else if (stepper->begun)
		stops_begin(stepper, regs);
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
	stops_pause(stepper, regs);
	raw_spin_unlock(&stepper->lock);
	stepper_again(stepper);
}

/* ---- what happens to tasks ------------------------------------------------ */

/* The running task. */
static void leaves(struct task_struct *task)
{
	struct stepper *stepper = stepper_of(task);

	if (!stepper)
		return;
	raw_spin_lock(&stepper->lock);
	deliver_stamp(stepper, KT_BRANCH_LEAVES);
	/* Another CPU may not want it, and it may sleep when nobody does any more. */
	if (stepper->stopping && !stepper->wanting)
		stops_pause(stepper, task_pt_regs(task));
	raw_spin_unlock(&stepper->lock);
}

static void arrives(struct task_struct *task)
{
	struct stepper *stepper = stepper_of(task);
	bool again = false;

	if (!stepper)
		return;
	raw_spin_lock(&stepper->lock);
	deliver_stamp(stepper, KT_BRANCH_ARRIVES);
	again = branch_cpus_want(task);
	/* What it runs here is not seen. */
	if (!again && !stepper->wanting)
		stepper->begun = false;
	raw_spin_unlock(&stepper->lock);
	/* One that ends runs no program any more, and its work might not be done. */
	if (again && !(task->flags & PF_EXITING))
		stepper_again(stepper);
}

static void hook_switches(struct task_struct *prev, struct task_struct *next)
{
	rcu_read_lock();
	branch_producers_turn(prev, next);
	leaves(prev);
	arrives(next);
	rcu_read_unlock();
}

static void hook_forks(struct task_struct *child)
{
	bool thread = same_thread_group(current, child);
	struct stepper *parent, *stepper;

	rcu_read_lock();
	if (!stepper_add_everywhere(child))
		branch_cpus_miss();
	parent = stepper_of(current);
	if (parent && !list_empty(&parent->clients) &&
	    refcount_inc_not_zero(&parent->refs)) {
		/* The child does not run yet, so nobody reads what is set here. */
		stepper = stepper_get(child, GFP_ATOMIC);
		if (stepper) {
			stepper->parent = parent;
			stepper->thread = thread;
			stepper_again(stepper);
			stepper_put(stepper);
		} else {
			branch_clients_miss(parent, thread);
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
		stops_pause(stepper, regs);
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
		notice_visit(stepper, &dropped);
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
	/* Until now it may have been a thread of the kernel. */
	if (!stepper_add_everywhere(current))
		branch_cpus_miss();
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

static void deliver_last(struct stepper *stepper)
{
	u64 ip = task_pt_regs(current)->ip;
	struct branch_client *client;

	if (stepper->begun) {
		deliver(stepper, KT_BRANCH_LAST, ip, killed_by(stepper));
		return;
	}
	list_for_each_entry(client, &stepper->clients, node)
		if (client->producer != &branch_step &&
		    branch_client_takes(client, KT_BRANCH_LAST))
			kt_branch_log_add(&client->log, KT_BRANCH_LAST, ip,
					  killed_by(stepper));
}

static void hook_exits(void)
{
	struct branch_client *client;
	struct stepper *stepper;
	unsigned long flags;

	branch_producers_look();
	rcu_read_lock();
	stepper = stepper_of(current);
	if (stepper) {
		raw_spin_lock_irqsave(&stepper->lock, flags);
		deliver_last(stepper);
		deliver_stamp(stepper, KT_BRANCH_ENDS);
		list_for_each_entry(client, &stepper->clients, node)
			WRITE_ONCE(client->ended, true);
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
		stepper_forget(stepper);
	}
	rcu_read_unlock();
	/* Nobody wants what it does now. */
	branch_producers_look();
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

const struct branch_producer branch_step = {
	.name = "step",
	.modes = BRANCH_USER,
	.at_once = true,
};

void branch_stops_init(void)
{
	steppers_init(stepper_looks, &hooks);
}
