/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mutex that protects what is registered, and sessions: systems, events, points,
 * sources, markers; everything but the buffers (event/buffer.h).
 *
 * Order of locks.  tracepoints_mutex and cpu_hotplug_lock may be taken while holding it,
 * but it must not be taken while holding one of them, or the mmap_lock.  The tracer's
 * event_mutex (event/print.c) and the lock of the list of modules with tracepoints, under
 * which notifiers are called, come before it: neither may be taken while holding it.
 */
#ifndef KT_KERNEL_BASE_LOCK_H
#define KT_KERNEL_BASE_LOCK_H

#include <linux/mutex.h>

extern struct mutex kt_mutex;

#endif /* KT_KERNEL_BASE_LOCK_H */
