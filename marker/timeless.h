/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Threads that may not read the time stamp counter.
 *
 * To read it is a fault for them, which ends the process, and nothing but a system call
 * tells.  In strict seccomp, which takes the counter as well, that would be death, too.
 * So the library is there when it happens: it has a prctl() of its own, in front of the C
 * library's.  Threads and programs that begin without the counter had it taken by others;
 * of those the kernel is asked before they write for the first time, when they may still
 * ask.
 *
 * What is not noticed: a system call that does not go through prctl(), and a program that
 * got this library by dlopen(), because prctl() is the C library's there.
 *
 * Such a thread makes no system calls at a marker, and records nothing; the hub counts how
 * often.
 */
#ifndef KT_MARKER_TIMELESS_H
#define KT_MARKER_TIMELESS_H

#include <stdbool.h>

/* Of the thread that runs. */
extern __thread bool timeless
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Asks the kernel. */
bool timeless_ask(void);

/* ---- of marker.c ------------------------------------------------------------------ */

/* The thread's next hit takes the long way. */
void marker_leave_short(void);

#endif /* KT_MARKER_TIMELESS_H */
