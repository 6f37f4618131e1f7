// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processor's last branch records, which perf owns: see records.h.
 *
 * On each CPU is one event of perf, which counts cycles; it never samples.  It is there because perf records
 * branches while an event wants them.  Others that want the same share the registers.
 */
#include <linux/err.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "base/symbol.h"
#include "compat/msr.h"
#include "records.h"

static DEFINE_PER_CPU(struct perf_event *, events);

typedef void reset_fn(void);

DEFINE_STATIC_CALL_NULL(records_off, perf_pmu_disable);
DEFINE_STATIC_CALL_NULL(records_on, perf_pmu_enable);
DEFINE_STATIC_CALL_NULL(records_reset, reset_fn);

static bool is_of_amd(void)
{
	return boot_cpu_data.x86_vendor != X86_VENDOR_INTEL;
}

static unsigned long reset_address(void)
{
	return kt_symbol(is_of_amd() ? "amd_pmu_lbr_reset"
				     : "intel_pmu_lbr_reset");
}

static struct perf_event *event_make(unsigned int cpu)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type =
			PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
		.pinned = 1,
		.disabled = 1,
	};

	return perf_event_create_kernel_counter(&attributes, cpu, NULL, NULL,
						NULL);
}

/* perf has no list of what it has: whether it takes such an event is seen by one that never begins. */
static const char *perf_lacks(void)
{
	struct perf_event *event = event_make(0);

	if (event == ERR_PTR(-EOPNOTSUPP) || event == ERR_PTR(-ENOENT) ||
	    event == ERR_PTR(-ENODEV) || event == ERR_PTR(-EINVAL))
		return "this machine has no last branch records (LBR, which "
		       "virtual machines mostly have not)";
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	if (!reset_address() || !kt_symbol("perf_pmu_disable") ||
	    !kt_symbol("perf_pmu_enable"))
		return "this kernel's perf is not one whose last branch "
		       "records ktrace knows";
	return NULL;
}

static int perf_open(void)
{
	static_call_update(records_off, (void *)kt_symbol("perf_pmu_disable"));
	static_call_update(records_on, (void *)kt_symbol("perf_pmu_enable"));
	static_call_update(records_reset, (void *)reset_address());
	return 0;
}

static void perf_end(unsigned int cpu)
{
	struct perf_event *event = per_cpu(events, cpu);

	WRITE_ONCE(per_cpu(events, cpu), NULL);
	/* Whoever has found it is here, with preemption off. */
	perf_event_release_kernel(event);
}

static int perf_begin(unsigned int cpu)
{
	struct perf_event *event = event_make(cpu);

	if (IS_ERR(event))
		return PTR_ERR(event);
	per_cpu(events, cpu) = event;
	perf_event_enable(event);
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE)
		return 0;
	/* Another pinned event has them, and wants other branches. */
	perf_end(cpu);
	return -EBUSY;
}

static bool perf_here(void)
{
	const struct perf_event *event = this_cpu_read(events);

	return event && READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE;
}

/* perf leaves out those that were not written, wherever they are; the upper bits say so. */
static unsigned int valid_of_amd(unsigned int nr)
{
	unsigned int i, valid = 0;
	u64 to;

	for (i = 0; i < nr; i++) {
		rdmsrq(MSR_AMD_SAMP_BR_FROM + i * 2 + 1, to);
		valid += !!(to >> 62);
	}
	return valid;
}

/*
 * perf copies its own array, in which those behind the last valid one are of an earlier copy, and maybe of
 * another program.  Of processors without architectural records, such ones have no address there.
 */
static unsigned int perf_valid(unsigned int nr)
{
	u64 from = 0;

	if (is_of_amd())
		return valid_of_amd(nr);
	for (; boot_cpu_has(X86_FEATURE_ARCH_LBR) && nr; nr--) {
		rdmsrq(MSR_ARCH_LBR_FROM_0 + nr - 1, from);
		if (from)
			break;
	}
	return nr;
}

static void perf_wipe(void)
{
	struct pmu *pmu = this_cpu_read(events)->pmu;

	static_call(records_off)(pmu);
	static_call(records_reset)();
	static_call(records_on)(pmu);
}

const struct branch_registers branch_registers_perf = {
	.owner = THIS_MODULE,
	.lacks = perf_lacks,
	.open = perf_open,
	.begin = perf_begin,
	.end = perf_end,
	.here = perf_here,
	.valid = perf_valid,
	.wipe = perf_wipe,
};
