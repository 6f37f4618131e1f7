/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place that knows kernel versions.  It gives old kernels the newest API, so that
 * code here is deleted one day, not edited.
 */
#ifndef KT_KERNEL_COMPAT_H
#define KT_KERNEL_COMPAT_H

#include <linux/preempt.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

/*
 * Around the body of a tracepoint probe.  Rings and the scratch area belong to a CPU, and
 * gates are valid only while preemption is off.  Since DECLARE_TRACE_SYSCALL (6.13), probes
 * of system calls are called with preemption on, because they may fault.  Since 7.0
 * (a46023d5616e) all probes are, under SRCU.
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
 * Before 6.3, printk() marks its tracepoint, console, as one of the idle loop (under SRCU).
 * If that tracepoint is enabled, a message in an NMI makes the kernel warn.
 */
#define KT_CONSOLE_IDLE (LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0))

/* sched_process_exit has one more argument since 6.16. */
#ifdef KT_HAS_GROUP_DEAD
#define KT_EXIT_MORE , bool group_dead
#else
#define KT_EXIT_MORE
#endif

/* Many kernels make the compiler zero local variables.  Not this one: it costs too much. */
#if __has_attribute(__uninitialized__)
#define __kt_uninitialized __attribute__((__uninitialized__))
#else
#define __kt_uninitialized
#endif

#endif /* KT_KERNEL_COMPAT_H */
