// SPDX-License-Identifier: GPL-2.0-only
/* The branches of whatever programs run on some CPUs: see cpus.h. */
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "cpus.h"
#include "env.h"
#include "stepper.h"

/* Changed under the mutex, read under RCU. */
static LIST_HEAD(wanted);
static DEFINE_MUTEX(wanted_mutex);
static unsigned int nr_stepped; /* of them: by the stepper */

static bool wants(const struct branch_cpus *cpus,
		  const struct branch_producer *producer,
		  const struct task_struct *task)
{
	return cpus->producer == producer &&
	       cpumask_test_cpu(smp_processor_id(), cpus->begun) &&
	       task_tgid((struct task_struct *)task) != cpus->asker;
}

unsigned int branch_cpus_modes(const struct branch_producer *producer,
			       const struct task_struct *task)
{
	const struct branch_cpus *cpus;
	unsigned int modes = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(cpus, &wanted, node)
		if (wants(cpus, producer, task))
			modes |= cpus->modes;
	rcu_read_unlock();
	return modes;
}

/* Many tasks share a buffer. */
static u64 stamp_from(const struct task_struct *task)
{
	return smp_processor_id() | (u64)task->pid << KT_BRANCH_TID_SHIFT;
}

void branch_cpus_take(const struct branch_producer *producer,
		      const struct task_struct *task, struct branch_found found)
{
	struct branch_cpus *cpus;

	if (kt_branch_is_stamp(found.kind))
		found.from = stamp_from(task);
	rcu_read_lock();
	list_for_each_entry_rcu(cpus, &wanted, node) {
		struct kt_branch_log *log = &cpus->logs[smp_processor_id()];

		if (!wants(cpus, producer, task) || !(cpus->modes & found.mode))
			continue;
		/* If the arrival is overwritten, this says whose they are. */
		if (!(log->head % KT_BRANCH_STAMP_EVERY) &&
		    !kt_branch_is_stamp(found.kind))
			kt_branch_log_add(log, KT_BRANCH_TIME, stamp_from(task),
					  env_clock());
		kt_branch_log_add(log, found.kind, found.from, found.to);
	}
	rcu_read_unlock();
}

void branch_cpus_unread(const struct task_struct *task)
{
	struct branch_cpus *cpus;

	rcu_read_lock();
	list_for_each_entry_rcu(cpus, &wanted, node)
		if (wants(cpus, &branch_step, task))
			atomic64_inc(&cpus->unread);
	rcu_read_unlock();
}

void branch_cpus_lose(const struct branch_producer *producer,
		      const struct task_struct *task, unsigned int modes,
		      u32 nr)
{
	struct branch_cpus *cpus;

	rcu_read_lock();
	list_for_each_entry_rcu(cpus, &wanted, node)
		if (wants(cpus, producer, task) && (cpus->modes & modes))
			atomic_add(nr, &cpus->lost);
	rcu_read_unlock();
}

void branch_cpus_miss(void)
{
	struct branch_cpus *cpus;

	rcu_read_lock();
	list_for_each_entry_rcu(cpus, &wanted, node)
		if (cpus->producer == &branch_step)
			atomic_inc(&cpus->missed);
	rcu_read_unlock();
}

/* The task that runs on this CPU has not come since the context is there.  False: it is not wanted. */
static bool stamp_begin(struct branch_cpus *cpus, u64 now)
{
	if (!wants(cpus, cpus->producer, current))
		return false;
	kt_branch_log_add(&cpus->logs[smp_processor_id()], KT_BRANCH_BEGINS,
			  stamp_from(current), now);
	return true;
}

/* What was found on this CPU before this is not the context's. */
static void begin_here(struct branch_cpus *cpus)
{
	unsigned int cpu = smp_processor_id();
	u64 now = env_clock();

	if (!cpumask_test_cpu(cpu, cpus->mask) ||
	    cpumask_test_cpu(cpu, cpus->begun))
		return;
	branch_producers_turn(current, current);
	cpumask_set_cpu(cpu, cpus->begun);
	stamp_begin(cpus, now);
	branch_producers_turn(current, current);
}

static void look_here(void *context)
{
	struct branch_cpus *cpus = context;
	struct stepper *stepper;

	if (cpus->producer != &branch_step) {
		begin_here(cpus);
		return;
	}
	rcu_read_lock();
	stepper = stepper_of(current);
	if (stepper && stamp_begin(cpus, env_clock()))
		stepper_again(stepper);
	rcu_read_unlock();
}

void branch_cpus_come(const struct branch_producer *producer)
{
	struct branch_cpus *cpus;
	unsigned long flags;

	rcu_read_lock();
	local_irq_save(flags);
	list_for_each_entry_rcu(cpus, &wanted, node)
		if (cpus->producer == producer)
			begin_here(cpus);
	local_irq_restore(flags);
	rcu_read_unlock();
}

int branch_cpus_begin(struct branch_cpus *cpus)
{
	/* Before any task may be stopped. */
	int err = steppers_hold();

	if (err)
		return err;
	/* Whoever comes to a CPU is stepped, also if that comes on later. */
	if (cpus->producer == &branch_step)
		cpumask_copy(cpus->begun, cpus->mask);
	mutex_lock(&wanted_mutex);
	list_add_rcu(&cpus->node, &wanted);
	if (cpus->producer == &branch_step) {
		nr_stepped++;
		atomic_add(steppers_everywhere(), &cpus->missed);
	}
	mutex_unlock(&wanted_mutex);
	/* A switch has interrupts off: this comes before it, or behind it. */
	on_each_cpu(look_here, cpus, true);
	return 0;
}

void branch_cpus_end(struct branch_cpus *cpus)
{
	mutex_lock(&wanted_mutex);
	list_del_rcu(&cpus->node);
	/* Who has found it wanted has told so in its stepper by then. */
	synchronize_rcu();
	if (cpus->producer == &branch_step && !--nr_stepped)
		steppers_nowhere();
	mutex_unlock(&wanted_mutex);
	steppers_release();
}

unsigned int branch_cpus_nth(const struct branch_cpus *cpus,
			     unsigned int number)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpus->mask)
		if (!number--)
			return cpu;
	return nr_cpu_ids;
}
