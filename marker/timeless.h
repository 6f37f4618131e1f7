/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Threads that may not read the time stamp counter.
 *
 * Reading it is a fault for such a thread, which ends the process.  Only a
 * syscall says whether a thread may read it.  Strict seccomp takes the counter
 * away too, and there that syscall would also end the process.  So the library
 * notices the moment when it happens: it has its own prctl(), in front of the C
 * library's.  If a thread or program starts without the counter, another one
 * has taken it away.  Then the kernel is asked before the first write, when the
 * thread may still ask.
 *
 * Two cases are not noticed: a syscall that does not go through prctl(), and a
 * program that got this library by dlopen(), because there prctl() is the C
 * library's.
 *
 * Such a thread makes no syscalls at a marker and records nothing; the hub
 * counts how often.
 */
#ifndef KT_MARKER_TIMELESS_H
#define KT_MARKER_TIMELESS_H

#include <stdbool.h>

/* Of the calling thread. */
extern __thread bool timeless
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Asks the kernel.  If it is true, the thread may no longer take the fast path. */
bool timeless_ask(void);

#endif /* KT_MARKER_TIMELESS_H */
