/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place that knows kernel versions.  It gives old kernels the newest
 * API, so that what is here is deleted one day, not edited.
 */
#ifndef KT_KERNEL_COMPAT_H
#define KT_KERNEL_COMPAT_H

#include <linux/preempt.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

/*
 * Around the body of a tracepoint probe: the ring's writers, and the scratch area, belong
 * to a CPU, and gates live as long as preemption is off.  Those of system calls run with
 * preemption on where the kernel has DECLARE_TRACE_SYSCALL (6.13: their probes may fault),
 * and any event may be one of theirs; all do from 7.0 on (a46023d5616e: under SRCU).
 */
#if defined(DECLARE_TRACE_SYSCALL) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define kt_probe_enter() preempt_disable_notrace()
#define kt_probe_exit()	 preempt_enable_notrace()
#else
#define kt_probe_enter() \
	do {             \
	} while (0)
#define kt_probe_exit() \
	do {            \
	} while (0)
#endif

/*
 * Until 6.3 printk() passes its own tracepoint, console, as one of the idle loop (under
 * SRCU).  If that is enabled, a message in an NMI makes the kernel warn.
 */
#define KT_CONSOLE_IDLE (LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0))

/* What sched_process_exit passes behind the task, from 6.16 on. */
#ifdef KT_HAS_GROUP_DEAD
#define KT_EXIT_MORE , bool group_dead
#else
#define KT_EXIT_MORE
#endif

#endif /* KT_KERNEL_COMPAT_H */
