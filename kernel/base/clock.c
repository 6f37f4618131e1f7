// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses the clock of the events.
 *
 * Reading the TSC takes a fifth of the time of the kernel's clock.  But the TSC is usable
 * only if it runs at one speed on all CPUs and in all states, which the kernel watches.  It
 * is trusted if the processor promises this and the kernel has found nothing wrong so far,
 * or if the kernel's own clock reads it.
 *
 * The choice is made once, when the module is loaded, because all times of a trace must be
 * of one clock.  If the kernel stops trusting the TSC later, kt_clock_show() tells.
 *
 * The TSC may restart from zero while the machine sleeps.  Then the missing ticks are added
 * from there on.  Until that happens, events do not pay for the addition: kt_clock_tsc
 * switches between reading the TSC alone and kt_clock_other().  The key is switched off
 * before the machine sleeps, and on again afterwards if there is nothing to add.  This must
 * be done before tasks are frozen, because patching code takes locks.
 *
 * CLOCK_MONOTONIC stands still during a sleep, the TSC does not.  To convert one to the
 * other, a reader needs both clocks at the begin and at the end of each sleep.
 */
#include <linux/cpufeature.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/suspend.h>
#include <linux/timekeeping.h>
#include <asm/tsc.h>

#include "clock.h"
#include "compat/clock.h"
#include "compat/syscore.h"
#include "env.h"

DEFINE_STATIC_KEY_TRUE(kt_clock_tsc);
EXPORT_SYMBOL_GPL(kt_clock_tsc);

static bool clock_restart;
module_param(clock_restart, bool, 0444);
MODULE_PARM_DESC(clock_restart,
		 "for tests: the TSC begins anew when the machine wakes up");

/* How much longer the sleep of the test appears. */
#define CLOCK_RESTART_NS (60 * NSEC_PER_SEC)

/* Three clocks, read at one moment. */
struct clock_sync {
	u64 clock;
	u64 monotonic;
	u64 realtime;
};

static bool clock_is_tsc;
static u64 clock_missing;   /* ticks to add to the TSC */
static u64 clock_restarted; /* for the test: where the TSC restarted */
static DEFINE_PER_CPU(u64, clock_last);

bool kt_clock_is_tsc(void)
{
	return clock_is_tsc;
}
EXPORT_SYMBOL_GPL(kt_clock_is_tsc);

static __always_inline u64 clock_read(void)
{
	if (!clock_is_tsc)
		return ktime_get_mono_fast_ns();
	return rdtsc() - READ_ONCE(clock_restarted) + READ_ONCE(clock_missing);
}

/*
 * Reads the clock if the TSC alone is not enough, and never returns less than before on the
 * same CPU: times in a ring must not decrease.  The kernel's clock may go back a little if
 * an NMI reads it in the middle of its update.  The TSC may go back from when the machine
 * sleeps until the missing ticks are known.  Called with preemption off.
 */
u64 notrace kt_clock_other(void)
{
	u64 now = clock_read();
	u64 last = this_cpu_read(clock_last), seen;

	/* An interrupt may have read a later time: then that one counts. */
	while (now > last) {
		seen = this_cpu_cmpxchg(clock_last, last, now);
		if (seen == last)
			return now;
		last = seen;
	}
	return last;
}
EXPORT_SYMBOL_GPL(kt_clock_other);

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

/*
 * Reads the trace's clock before and after the kernel's, and takes the middle.  An NMI, or
 * a host that runs something else, widens the gap.  So the narrowest of a few tries is
 * used.
 */
static void clock_sync(struct clock_sync *sync)
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

/* ---- sleep ---------------------------------------------------------------- */

/* Only the newest sleeps are kept. */
#define SLEEPS_MAX 64

static u64 slept_from; /* the clock */
static u64 slept_boot; /* CLOCK_BOOTTIME, which goes on during a sleep */

/* No lock: readers are frozen while these change. */
static struct {
	struct clock_sync begin;
	struct clock_sync end;
} sleeps[SLEEPS_MAX];
static unsigned int nr_sleeps;

/* Runs on the last CPU, with interrupts off, right before the sleep. */
static int clock_suspend(void)
{
	clock_sync(&sleeps[nr_sleeps % SLEEPS_MAX].begin);
	slept_from = clock_read();
	slept_boot = ktime_get_boottime_ns();
	if (clock_restart)
		WRITE_ONCE(clock_restarted, rdtsc());
	return 0;
}

/*
 * If the TSC has gone on, it is right.  If it has restarted, the kernel knows how long the
 * sleep was, though often only to a second.
 */
static void clock_mend(void)
{
	u64 now = clock_read(), slept;

	if (now >= slept_from)
		return;
	slept = ktime_get_boottime_ns() - slept_boot;
	/* The test's machine does not sleep, so pretend that it did. */
	if (clock_restart)
		slept += CLOCK_RESTART_NS;
	WRITE_ONCE(clock_missing,
		   clock_missing + slept_from - now +
			   mul_u64_u64_div_u64(slept, tsc_khz, 1000000));
}

static void clock_resume(void)
{
	clock_mend();
	clock_sync(&sleeps[nr_sleeps % SLEEPS_MAX].end);
	nr_sleeps++;
}

KT_SYSCORE(clock_syscore, clock_suspend, clock_resume);

static int clock_notified(struct notifier_block *block, unsigned long event,
			  void *unused)
{
	if (!clock_is_tsc)
		return NOTIFY_OK;
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		static_branch_disable(&kt_clock_tsc);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		/* We may have been loaded after the sleep began. */
		if (clock_missing)
			static_branch_disable(&kt_clock_tsc);
		else
			static_branch_enable(&kt_clock_tsc);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block clock_notifier = {.notifier_call = clock_notified};

int __init kt_clock_init(void)
{
	int err;

	clock_is_tsc = clock_tsc_trusted();
	if (!clock_is_tsc)
		static_branch_disable(&kt_clock_tsc);
	err = register_pm_notifier(&clock_notifier);
	if (err)
		return err;
	register_syscore(&clock_syscore);
	return 0;
}

void kt_clock_exit(void)
{
	unregister_syscore(&clock_syscore);
	unregister_pm_notifier(&clock_notifier);
}

/* ---- what is shown -------------------------------------------------------- */

static void sync_show(struct seq_file *m, const struct clock_sync *sync)
{
	seq_printf(m, " %llu %llu %llu", sync->clock, sync->monotonic,
		   sync->realtime);
}

void kt_clock_show(struct seq_file *m)
{
	unsigned int i = nr_sleeps > SLEEPS_MAX ? nr_sleeps - SLEEPS_MAX : 0;
	struct clock_sync now;

	clock_sync(&now);
	seq_printf(m, "clock %s\n", clock_is_tsc ? "tsc" : "mono");
	/* ticks per second */
	seq_printf(m, "frequency %llu\n",
		   clock_is_tsc ? (u64)tsc_khz * 1000 : NSEC_PER_SEC);
	/* Does the kernel still trust that all CPUs agree on it? */
	seq_printf(m, "trusted %d\n", !clock_is_tsc || !check_tsc_unstable());
	/* Ticks to add to the TSC that programs read; modulo 2^64. */
	seq_printf(m, "missing %llu\n",
		   READ_ONCE(clock_missing) - READ_ONCE(clock_restarted));
	seq_puts(m, "sync");
	sync_show(m, &now);
	seq_putc(m, '\n');
	for (; i < nr_sleeps; i++) {
		seq_puts(m, "slept");
		sync_show(m, &sleeps[i % SLEEPS_MAX].begin);
		sync_show(m, &sleeps[i % SLEEPS_MAX].end);
		seq_putc(m, '\n');
	}
}
