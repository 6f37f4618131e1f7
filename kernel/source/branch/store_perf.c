// SPDX-License-Identifier: GPL-2.0-only
/*
 * The branch trace store of the processor, which perf owns: see store.h.
 *
 * On each CPU is one event of perf, which begins and ends the store.  perf lets nobody record branches of
 * the kernel; ktrace tells it at each start, in its place, which branches are recorded.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>
#include <asm/cpufeature.h>
#include <asm/intel_ds.h>
#include <asm/perf_event.h>

#include "base/symbol.h"
#include "compat/function.h"
#include "compat/msr.h"
#include "producer.h"
#include "store.h"

static DEFINE_PER_CPU(struct perf_event *, events);
static DEFINE_PER_CPU(unsigned int, recorded); /* bits of enum branch_mode */

DEFINE_STATIC_CALL_NULL(pmu_off, perf_pmu_disable);
DEFINE_STATIC_CALL_NULL(pmu_on, perf_pmu_enable);

static const char *perf_lacks(void)
{
	if (!boot_cpu_has(X86_FEATURE_BTS) || !boot_cpu_has(X86_FEATURE_DTES64))
		return "this machine has no branch trace store (Intel's BTS, "
		       "which virtual machines mostly have not)";
	if (!kt_symbol("intel_pmu_drain_bts_buffer") ||
	    !kt_symbol("intel_pmu_enable_bts") ||
	    !kt_symbol("perf_pmu_disable") || !kt_symbol("perf_pmu_enable"))
		return "this kernel's perf is not one whose branch trace store "
		       "ktrace knows";
	return NULL;
}

/* ---- what is recorded ----------------------------------------------------- */

/* perf switches the store on; its argument says for which modes.  Also in NMIs. */
static void enables(unsigned long ip, unsigned long caller,
		    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = kt_function_registers(fregs);
	const struct perf_event *event;
	unsigned int modes;

	preempt_disable_notrace();
	event = this_cpu_read(events);
	if (event && event->state == PERF_EVENT_STATE_ACTIVE) {
		modes = this_cpu_read(recorded);
		regs->di &= ~(u64)(ARCH_PERFMON_EVENTSEL_OS |
				   ARCH_PERFMON_EVENTSEL_USR);
		if (modes & BRANCH_USER)
			regs->di |= ARCH_PERFMON_EVENTSEL_USR;
		if (modes & BRANCH_KERNEL)
			regs->di |= ARCH_PERFMON_EVENTSEL_OS;
	}
	preempt_enable_notrace();
}

static struct ftrace_ops enable_hook = {
	.func = enables,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT,
};

static int perf_open(void)
{
	int err;

	static_call_update(pmu_off, (void *)kt_symbol("perf_pmu_disable"));
	static_call_update(pmu_on, (void *)kt_symbol("perf_pmu_enable"));
	err = ftrace_set_filter_ip(&enable_hook,
				   kt_symbol("intel_pmu_enable_bts"), 0, 1);
	return err ?: register_ftrace_function(&enable_hook);
}

static void perf_close(void)
{
	unregister_ftrace_function(&enable_hook);
}

void branch_machine_perf_exit(void)
{
	ftrace_free_filter(&enable_hook);
}

/* ---- on a CPU ------------------------------------------------------------- */

/* Never called: of branches perf only fills the store. */
static void overflows(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
}

static void perf_end(unsigned int cpu)
{
	struct perf_event *event = per_cpu(events, cpu);

	/* enables() must not find one that is freed. */
	WRITE_ONCE(per_cpu(events, cpu), NULL);
	perf_event_release_kernel(event);
}

/*
 * These values are how perf is asked for the store; it takes no other ones.  It begins when enables() knows
 * it, or it would record whoever runs meanwhile.
 */
static int perf_begin(unsigned int cpu)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		.sample_period = 1,
		.exclude_kernel = 1,
		.pinned = 1,
		.disabled = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(
		&attributes, cpu, NULL, overflows, NULL);
	int err;

	if (IS_ERR(event))
		return PTR_ERR(event);
	per_cpu(recorded, cpu) = 0;
	per_cpu(events, cpu) = event;
	err = branch_event_enable(event);
	if (err)
		perf_end(cpu);
	return err;
}

static struct debug_store *perf_here(void)
{
	const struct perf_event *event = this_cpu_read(events);
	u64 address;

	if (!event || READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE)
		return NULL;
	rdmsrq(MSR_IA32_DS_AREA, address);
	return (struct debug_store *)address;
}

static void perf_pause(void)
{
	static_call(pmu_off)(this_cpu_read(events)->pmu);
}

static void perf_resume(unsigned int modes)
{
	this_cpu_write(recorded, modes);
	static_call(pmu_on)(this_cpu_read(events)->pmu);
}

const struct branch_machine branch_machine_perf = {
	.driver = {.owner = THIS_MODULE,
		   .lacks = perf_lacks,
		   .open = perf_open,
		   .close = perf_close,
		   .begin = perf_begin,
		   .end = perf_end},
	.here = perf_here,
	.pause = perf_pause,
	.resume = perf_resume,
};
