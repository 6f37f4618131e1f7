// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processor's last branch records, which perf owns: see records.h.
 *
 * On each CPU is one event of perf, which counts cycles; it never samples.  It is there because perf records
 * branches while an event wants them.  Others that want the same share the registers.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
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
/* Never begins: see perf_open(). */
static struct perf_event *first;

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
		/* KVM may have the counters while a guest runs. */
		.exclude_guest = 1,
	};

	return perf_event_create_kernel_counter(&attributes, cpu, NULL, NULL,
						NULL);
}

static struct perf_event *event_make_anywhere(void)
{
	struct perf_event *event;
	unsigned int cpu;

	do {
		cpu = cpumask_any(cpu_online_mask);
		event = event_make(cpu);
	} while (IS_ERR(event) && !cpu_online(cpu));
	return event;
}

/* perf has no list of what it has: whether it takes such an event is seen by one that never begins. */
static const char *perf_lacks(void)
{
	struct perf_event *event = event_make_anywhere();

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

/*
 * perf patches the kernel for the first event that is told of switches, and waits for CPUs that come or
 * go.  perf_begin() is called by what brings them, so the first one is made here.
 */
static int perf_open(void)
{
	first = event_make_anywhere();
	if (IS_ERR(first))
		return PTR_ERR(first);
	static_call_update(records_off, (void *)kt_symbol("perf_pmu_disable"));
	static_call_update(records_on, (void *)kt_symbol("perf_pmu_enable"));
	static_call_update(records_reset, (void *)reset_address());
	return 0;
}

static void perf_close(void)
{
	perf_event_release_kernel(first);
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
	int err;

	if (IS_ERR(event))
		return PTR_ERR(event);
	per_cpu(events, cpu) = event;
	err = branch_event_enable(event);
	if (err)
		perf_end(cpu);
	return err;
}

/* All of LBR_SELECT's bits leave something out; the lowest one: what goes to the kernel. */
#define SELECTS_PROGRAMS 1

/*
 * perf stops all counters before it changes anything, and begins them again as the last step.  To copy in the
 * midst of that would begin them with half of the change.
 *
 * AMD's part does not refuse events that want other branches, but follows the newest one.
 */
static bool perf_here(void)
{
	const struct perf_event *event = this_cpu_read(events);

	if (!event || READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE)
		return false;
	if (is_of_amd())
		return kt_msr_read(MSR_AMD64_PERF_CNTR_GLOBAL_CTL) &&
		       kt_msr_read(MSR_AMD64_LBR_SELECT) == SELECTS_PROGRAMS;
	return kt_msr_read(MSR_CORE_PERF_GLOBAL_CTRL);
}

/* Flags and counts lie above the address. */
static u64 address_of(u64 value)
{
	return sign_extend64(value, boot_cpu_data.x86_virt_bits - 1);
}

/* Of AMD's `to'.  An entry with ERRONEOUS was never a branch: erratum 1452. */
#define AMD_VALID     BIT_ULL(63)
#define AMD_SPEC      BIT_ULL(62)
#define AMD_ERRONEOUS BIT_ULL(61)
/* perf corrects the place if the processor has fused a branch with instructions before it. */
#define AMD_REACH 15

static int read_of_amd(struct branch_register *to, unsigned int nr)
{
	unsigned int i;
	int found = 0;

	for (i = 0; i < nr; i++) {
		u32 number = MSR_AMD_SAMP_BR_FROM + i * 2;
		u64 place = kt_msr_read(number + 1);

		if (!(place & (AMD_VALID | AMD_SPEC)) ||
		    (place & AMD_ERRONEOUS))
			continue;
		to[found++] = (struct branch_register){
			.from = address_of(kt_msr_read(number)),
			.to = address_of(place),
			.reach = AMD_REACH,
		};
	}
	return found;
}

/* Architectural records: the newest is in the first register. */
static int read_of_arch(struct branch_register *to, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u64 from = kt_msr_read(MSR_ARCH_LBR_FROM_0 + i);

		if (!from)
			break;
		to[i] = (struct branch_register){
			.from = address_of(from),
			.to = address_of(kt_msr_read(MSR_ARCH_LBR_TO_0 + i)),
		};
	}
	return i;
}

/* A ring, whose newest one a register tells. */
static int read_of_ring(struct branch_register *to, unsigned int nr)
{
	u64 newest = kt_msr_read(MSR_LBR_TOS);
	unsigned int i;
	int found = 0;

	/* Processors with fewer may have them elsewhere; some of these have no filter for programs. */
	if (nr != 16 && nr != 32)
		return -EOPNOTSUPP;
	for (i = 0; i < nr; i++) {
		u32 number = (newest - i) % nr;
		u64 from = kt_msr_read(MSR_LBR_NHM_FROM + number);

		if (!from)
			continue;
		to[found++] = (struct branch_register){
			.from = address_of(from),
			.to = address_of(kt_msr_read(MSR_LBR_NHM_TO + number)),
		};
	}
	return found;
}

static int perf_read(struct branch_register *to, unsigned int nr)
{
	if (is_of_amd())
		return read_of_amd(to, nr);
	return boot_cpu_has(X86_FEATURE_ARCH_LBR) ? read_of_arch(to, nr)
						  : read_of_ring(to, nr);
}

static void perf_wipe(void)
{
	struct pmu *pmu = this_cpu_read(events)->pmu;

	static_call(records_off)(pmu);
	static_call(records_reset)();
	static_call(records_on)(pmu);
}

const struct branch_registers branch_registers_perf = {
	.driver = {.owner = THIS_MODULE,
		   .lacks = perf_lacks,
		   .open = perf_open,
		   .close = perf_close,
		   .begin = perf_begin,
		   .end = perf_end},
	.here = perf_here,
	.read = perf_read,
	.wipe = perf_wipe,
};
