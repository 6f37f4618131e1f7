// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last branches of programs, for events, by the processor's records of them: see records.h.
 *
 * They are asked for at the event, so nothing is kept here.  While a context wants them, each CPU records;
 * a CPU that cannot, or from which perf has taken the records for a while, is asked in vain, which
 * the session counts.
 */
#include <linux/cpuhotplug.h>
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

/* Changed under the mutex. */
static DEFINE_MUTEX(records_mutex);
static unsigned int users;
/* Changed under both while there are no users; the second one is the innermost. */
static const struct branch_registers *registers = &branch_registers_perf;
static DEFINE_MUTEX(registers_mutex);
static bool is_on; /* events may ask */
static enum cpuhp_state hotplug;
static int begin_error; /* of a CPU */
static struct tracepoint *exec;

static DEFINE_PER_CPU(bool, begun);

/* ---- asking --------------------------------------------------------------- */

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
	unsigned int records, nr, i;

	/* In an exec, they are those of the program before. */
	if (!READ_ONCE(is_on) || !current->mm || current->in_execve)
		return 0;
	/* perf may be in the midst of them itself. */
	if (in_nmi() || !registers->here())
		return -EBUSY;
	records = static_call(records_copy)((struct perf_branch_entry *)to,
					    RECORDS_MAX);
	records = registers->valid(min(records, RECORDS_MAX));
	nr = branches_make(to, max, records);
	for (i = 0; i < nr / 2; i++)
		swap(to[i], to[nr - 1 - i]);
	*mm = current->mm;
	return nr;
}

/* ---- programs ------------------------------------------------------------- */

/* Before the new program takes a branch. */
static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	unsigned long flags;

	kt_probe_enter();
	local_irq_save(flags);
	if (registers->here())
		registers->wipe();
	local_irq_restore(flags);
	kt_probe_exit();
}

static __maybe_unused void check_types(void)
{
	check_trace_callback_type_sched_process_exec(probe_exec);
}

static int exec_hook(void)
{
	mutex_lock(&kt_mutex);
	exec = kt_tracepoint_find("sched_process_exec");
	mutex_unlock(&kt_mutex);
	return exec ? tracepoint_probe_register(exec, probe_exec, NULL)
		    : -ENOENT;
}

static void exec_unhook(void)
{
	tracepoint_probe_unregister(exec, probe_exec, NULL);
	kt_tracepoints_synchronize();
}

/* ---- CPUs ----------------------------------------------------------------- */

static int cpu_begins(unsigned int cpu)
{
	int err = registers->begin(cpu);

	per_cpu(begun, cpu) = !err;
	if (err) {
		WRITE_ONCE(begin_error, err);
		pr_warn("ktrace: cpu %u records no branches: error %d\n", cpu,
			err);
	}
	/* The machine may have this CPU without them, too. */
	return 0;
}

static int cpu_ends(unsigned int cpu)
{
	if (per_cpu(begun, cpu))
		registers->end(cpu);
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
	const char *why;

	mutex_lock(&registers_mutex);
	why = registers->lacks();
	mutex_unlock(&registers_mutex);
	if (why)
		return why;
	if (!perf_key() ||
	    READ_ONCE(perf_key()->func) == (void *)__static_call_return0)
		return "this kernel's perf does not tell the processor's last "
		       "branch records at an event";
	return NULL;
}

static int cpus_begin(void)
{
	int state;

	begin_error = 0;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "ktrace/records:online",
				  cpu_begins, cpu_ends);
	if (state < 0)
		return state;
	hotplug = state;
	if (begin_error)
		cpuhp_remove_state(hotplug);
	return begin_error;
}

static int records_open(void)
{
	int err;

	if (!try_module_get(registers->owner))
		return -ENODEV;
	static_call_update(records_copy, (void *)perf_key()->func);
	err = registers->open ? registers->open() : 0;
	err = err ?: exec_hook();
	if (err)
		goto err_module;
	err = cpus_begin();
	if (err)
		goto err_exec;
	WRITE_ONCE(is_on, true);
	return 0;

err_exec:
	exec_unhook();
err_module:
	module_put(registers->owner);
	return err;
}

static void records_close(void)
{
	WRITE_ONCE(is_on, false);
	/* Who asks has preemption off. */
	synchronize_rcu();
	cpuhp_remove_state(hotplug);
	exec_unhook();
	static_call_update(records_copy, (void *)__static_call_return0);
	module_put(registers->owner);
}

static int records_begin(void)
{
	int err = 0;

	mutex_lock(&records_mutex);
	if (!users)
		err = records_open();
	users += !err;
	mutex_unlock(&records_mutex);
	return err;
}

static void records_end(void)
{
	mutex_lock(&records_mutex);
	if (!--users)
		records_close();
	mutex_unlock(&records_mutex);
}

int branch_records_play(const struct branch_registers *played)
{
	int err = 0;

	mutex_lock(&records_mutex);
	if (users)
		err = -EBUSY;
	mutex_lock(&registers_mutex);
	if (!err)
		registers = played ?: &branch_registers_perf;
	mutex_unlock(&registers_mutex);
	mutex_unlock(&records_mutex);
	return err;
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
