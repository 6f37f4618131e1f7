// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last branches of programs, for events, by the processor's records of them: see records.h.
 *
 * They are asked for at the event, so nothing is kept here.  While a context wants them, each CPU records;
 * a CPU that cannot, or from which perf has taken the records for a while, is asked in vain, which
 * the session counts.
 *
 * To ask stops the whole PMU and writes registers, and both may have events (msr:write_msr), or a page fault
 * may (exceptions:page_fault_kernel).  So a CPU is asked by one at a time, and who comes in the midst is
 * refused.
 *
 * The records have no owner.  perf forgets them at some switches and not at others, and later than `current'
 * changes, so they are forgotten here at each, behind the events of that switch.  A CPU says whose they are
 * since then: if it could not be done, nobody's.
 */
#include <linux/container_of.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <trace/events/sched.h>

#include <ktrace.h>
#include <ktrace_branch.h>

#include "base/lock.h"
#include "base/symbol.h"
#include "compat/compat.h"
#include "event/tracepoints.h"
#include "hardware.h"
#include "kind.h"
#include "producer.h"
#include "records.h"

/* No processor has more. */
#define RECORDS_MAX 32u

/* They are copied to where the branches are put together, and become shorter there. */
static_assert(RECORDS_MAX * sizeof(struct perf_branch_entry) <=
	      KT_STACK_MAX * sizeof(u64));
static_assert(sizeof(struct kt_branch) <= sizeof(struct perf_branch_entry));

/* Without the registers, perf's own is a function that returns 0. */
DEFINE_STATIC_CALL_RET0(records_copy, perf_snapshot_branch_stack_t);

static struct branch_hardware hardware;

static DEFINE_PER_CPU(bool, begun);
/* Somebody asks, or forgets. */
static DEFINE_PER_CPU(bool, busy);
/* All records are of this task; NULL: who knows.  Only compared. */
static DEFINE_PER_CPU(const struct task_struct *, owner);
/* Used with interrupts off, by who is busy. */
static DEFINE_PER_CPU(struct branch_register[RECORDS_MAX], read_here);

static const struct branch_registers *registers(void)
{
	return container_of(hardware.driver, struct branch_registers, driver);
}

/* ---- asking --------------------------------------------------------------- */

/* With preemption off.  False: this is in the midst of another one. */
static bool busy_enter(void)
{
	if (this_cpu_read(busy))
		return false;
	this_cpu_write(busy, true);
	barrier();
	return true;
}

static void busy_leave(void)
{
	barrier();
	this_cpu_write(busy, false);
}

/*
 * perf copies always as many as there can be.  Those that it has left out have made place, and behind the last one
 * are copies of that one, or what an earlier copy has left there, maybe of another program.  So an
 * entry counts if the registers have it, behind the one before.
 */
static int entries_count(const struct perf_branch_entry *entries,
			 unsigned int nr)
{
	struct branch_register *record = *this_cpu_ptr(&read_here);
	int i, there = registers()->read(record, nr);
	unsigned int found = 0;

	if (there < 0)
		return there;
	for (i = 0; i < there && found < nr; i++)
		found +=
			entries[found].to == record[i].to &&
			entries[found].from - record[i].from <= record[i].reach;
	return found;
}

/* How many @to has now, newest first. */
static int entries_copy(struct perf_branch_entry *to)
{
	unsigned long flags;
	int nr = -EBUSY;

	local_irq_save(flags);
	if (this_cpu_read(owner) == current && registers()->here()) {
		nr = static_call(records_copy)(to, RECORDS_MAX);
		if (nr > 0)
			nr = entries_count(to, min_t(u32, nr, RECORDS_MAX));
	}
	local_irq_restore(flags);
	return nr;
}

/* In place: a branch is written where no record is that is still to be read.  The newest one comes first. */
static unsigned int branches_make(struct kt_branch *to, unsigned int max,
				  unsigned int records)
{
	const struct perf_branch_entry *entries = (void *)to;
	struct branch_looked looked = {};
	unsigned int i, nr = 0;

	for (i = 0; i < records && nr < max; i++) {
		u64 from = entries[i].from, place = entries[i].to;

		/* What enters or leaves the kernel has an address of it. */
		if (!from || !branch_of_program(from) ||
		    !branch_of_program(place))
			continue;
		/* The processor has guessed so, and has not gone there. */
		if (entries[i].spec == PERF_BR_SPEC_WRONG_PATH)
			continue;
		to[nr].from = (u64)branch_kind_of(from, place, &looked)
				      << KT_BRANCH_KIND_SHIFT |
			      from;
		to[nr++].to = place;
	}
	return nr;
}

int branch_records_last(struct kt_branch *to, unsigned int max,
			const struct mm_struct **mm)
{
	int records, nr, i;

	/* In an exec, they are those of the program before. */
	if (!READ_ONCE(hardware.is_on) || !current->mm || current->in_execve)
		return 0;
	/* perf may be in the midst of them itself. */
	if (in_nmi() || !busy_enter())
		return -EBUSY;
	records = entries_copy((struct perf_branch_entry *)to);
	nr = records > 0 ? branches_make(to, max, records) : records;
	busy_leave();
	for (i = 0; i < nr / 2; i++)
		swap(to[i], to[nr - 1 - i]);
	*mm = current->mm;
	return nr;
}

/* ---- whose they are ------------------------------------------------------- */

/* With interrupts off.  From now on, records are of @task; NULL remains if those before cannot be forgotten. */
static void records_forget(const struct task_struct *task)
{
	bool is_empty = false;

	this_cpu_write(owner, NULL);
	if (!busy_enter())
		return;
	if (registers()->here()) {
		registers()->wipe();
		is_empty = true;
	}
	busy_leave();
	if (is_empty)
		this_cpu_write(owner, task);
}

/* Before the new program takes a branch. */
static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	unsigned long flags;

	kt_probe_enter();
	local_irq_save(flags);
	records_forget(current);
	local_irq_restore(flags);
	kt_probe_exit();
}

/* Interrupts are off. */
static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	kt_probe_enter();
	/* One of the kernel's threads has left them as empty as they were when it came. */
	if ((prev->flags & PF_KTHREAD) && this_cpu_read(owner) == prev)
		this_cpu_write(owner, next);
	else
		records_forget(next);
	kt_probe_exit();
}

static struct kt_own_probe probes[] = {
	{"sched_process_exec", probe_exec, TRACEPOINT_DEFAULT_PRIO},
	/* Behind events, which have the branches of the task that leaves. */
	{"sched_switch", probe_switch, 0},
};

/* Never called: it makes the compiler check the types of the probes. */
static __maybe_unused void check_types(void)
{
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_sched_switch(probe_switch);
}

/* ---- CPUs ----------------------------------------------------------------- */

static int cpu_begins(unsigned int cpu)
{
	int err = hardware.driver->begin(cpu);
	unsigned long flags;

	/* Another one of perf's may have recorded before. */
	local_irq_save(flags);
	records_forget(current);
	local_irq_restore(flags);
	per_cpu(begun, cpu) = !err;
	if (err)
		branch_hardware_fails(&hardware, cpu, err);
	/* The machine may have this CPU without them, too. */
	return 0;
}

static int cpu_ends(unsigned int cpu)
{
	if (per_cpu(begun, cpu))
		hardware.driver->end(cpu);
	per_cpu(begun, cpu) = false;
	return 0;
}

/* ---- begin and end -------------------------------------------------------- */

static const struct static_call_key *perf_key(void)
{
	return (void *)kt_symbol(
		STATIC_CALL_KEY_STR(perf_snapshot_branch_stack));
}

static const char *records_lacks(void)
{
	const char *why = branch_hardware_lacks(&hardware);

	if (why)
		return why;
	if (!perf_key() ||
	    READ_ONCE(perf_key()->func) == (void *)__static_call_return0)
		return "this kernel's perf does not tell the processor's last "
		       "branch records at an event";
	return NULL;
}

/* -ENOSYS: whatever the reason, it is not one of perf's. */
static int records_attach(void)
{
	int err;

	mutex_lock(&kt_mutex);
	err = kt_own_probes_attach(probes, ARRAY_SIZE(probes), NULL);
	mutex_unlock(&kt_mutex);
	if (err)
		return err == -ENOMEM ? err : -ENOSYS;
	static_call_update(records_copy, (void *)perf_key()->func);
	return 0;
}

static void records_detach(void)
{
	mutex_lock(&kt_mutex);
	kt_own_probes_detach(probes, ARRAY_SIZE(probes), NULL);
	mutex_unlock(&kt_mutex);
	/* Who asks has preemption off, too. */
	kt_tracepoints_synchronize();
	static_call_update(records_copy, (void *)__static_call_return0);
}

static struct branch_hardware hardware = {
	BRANCH_HARDWARE_INIT(hardware, &branch_registers_perf.driver),
	.name = "ktrace/records:online",
	.cpu_begins = cpu_begins,
	.cpu_ends = cpu_ends,
	.attach = records_attach,
	.detach = records_detach,
};

static int records_begin(void)
{
	return branch_hardware_begin(&hardware);
}

static void records_end(void)
{
	branch_hardware_end(&hardware);
}

int branch_records_play(const struct branch_registers *played)
{
	return branch_hardware_play(&hardware, played ? &played->driver : NULL);
}
EXPORT_SYMBOL_GPL(branch_records_play);

const struct branch_producer branch_records = {
	.name = "lbr",
	.modes = BRANCH_USER,
	.for_events = true,
	.lacks = records_lacks,
	.begin = records_begin,
	.end = records_end,
};
