/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mutex that protects what is registered and what sessions are: systems, events,
 * points, sources, sessions, markers; all but the buffers (event/buffer.h).
 *
 * It is taken outside of tracepoints_mutex and cpu_hotplug_lock, so neither may be held
 * when taking it; and never while holding the mmap_lock.  The tracer's event_mutex
 * (event/print.c) and the lock of the list of modules with tracepoints, under which
 * notifiers are called, are outside of it: neither is taken under it.
 */
#ifndef KT_KERNEL_BASE_LOCK_H
#define KT_KERNEL_BASE_LOCK_H

#include <linux/mutex.h>

extern struct mutex kt_mutex;

#endif /* KT_KERNEL_BASE_LOCK_H */
