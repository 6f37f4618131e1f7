// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which clock times the events.
 *
 * The TSC costs a fifth of what the kernel's clock does, but is only good where
 * it runs at one speed on all CPUs and in all states.  The kernel watches it for
 * that.  It does trust it if the processor promises as much and nothing went
 * wrong so far, or if it is the very counter that the kernel's own clock reads.
 *
 * Decided once, when the module is loaded: clocks of one trace must not differ.
 */
#include <linux/cpufeature.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/timekeeping.h>
#include <asm/tsc.h>

#include "clock.h"
#include "compat/clock.h"
#include "env.h"

DEFINE_STATIC_KEY_TRUE(kt_clock_tsc);
EXPORT_SYMBOL_GPL(kt_clock_tsc);

static DEFINE_PER_CPU(u64, clock_last);

/*
 * The kernel's clock, which an NMI may read in the middle of an update of it: what is
 * read next may then be a little before.  A ring's times never decrease, so neither
 * does this, on a CPU.  With preemption off.
 */
u64 notrace kt_clock_mono(void)
{
	u64 now = ktime_get_mono_fast_ns();
	u64 last = this_cpu_read(clock_last), seen;

	/* Whoever interrupts us here has read a time that counts. */
	while (now > last) {
		seen = this_cpu_cmpxchg(clock_last, last, now);
		if (seen == last)
			return now;
		last = seen;
	}
	return last;
}
EXPORT_SYMBOL_GPL(kt_clock_mono);

static bool clock_kernel_uses_tsc(void)
{
	struct system_time_snapshot snapshot;
	u64 before, after;

	before = rdtsc_ordered();
	ktime_get_snapshot_id(CLOCK_MONOTONIC, &snapshot);
	after = rdtsc_ordered();
	return snapshot.cycles >= before && snapshot.cycles <= after;
}

static bool clock_tsc_trusted(void)
{
	if (check_tsc_unstable() || !tsc_khz)
		return false;
	if (boot_cpu_has(X86_FEATURE_CONSTANT_TSC) &&
	    boot_cpu_has(X86_FEATURE_NONSTOP_TSC))
		return true;
	return clock_kernel_uses_tsc();
}

void __init kt_clock_init(void)
{
	if (!clock_tsc_trusted())
		static_branch_disable(&kt_clock_tsc);
}

const char *kt_clock_name(void)
{
	return static_key_enabled(&kt_clock_tsc) ? "tsc" : "mono";
}

/* Ticks in a second. */
u64 kt_clock_frequency(void)
{
	if (static_key_enabled(&kt_clock_tsc))
		return (u64)tsc_khz * 1000;
	return NSEC_PER_SEC;
}

/*
 * Reads the trace's clock before and after the kernel's and takes the middle.  An
 * NMI or a host that takes the CPU away widens the gap: the narrowest of a few
 * tries counts.
 */
void kt_clock_read(struct kt_clock_sync *sync)
{
	u64 best = U64_MAX;
	int tries;

	for (tries = 0; tries < 8; tries++) {
		unsigned long flags;
		u64 before, after;
		ktime_t now;

		local_irq_save(flags);
		before = env_clock();
		now = ktime_get();
		after = env_clock();
		local_irq_restore(flags);
		if (after - before >= best)
			continue;
		best = after - before;
		sync->clock = before + best / 2;
		sync->monotonic = ktime_to_ns(now);
		sync->realtime = ktime_to_ns(ktime_mono_to_real(now));
	}
}
