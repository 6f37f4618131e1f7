/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is done when a marker is hit, beside recording it: probes are called, and a
 * line is printed.
 *
 * A marker that has a handler in this process points to a byte of the process
 * instead of the one in the hub.  This byte has only the bit HUB_HANDLED.  So
 * the test of a marker that is off, and the fast path of one that is recorded,
 * stay as they are.  What recorders want is then looked up in the hub.
 *
 * Handlers run in any context.  A thread that removes one waits until none runs
 * that may have seen it.  For this each running handler is counted in one of
 * two counters; the other one is always about to become zero.
 *
 * markers_lock() protects what is changed.
 */
#ifndef KT_MARKER_HANDLER_H
#define KT_MARKER_HANDLER_H

#define KTRACE_DISABLED
#include <ktrace/marker.h>

#include "hub.h"

/* The marker's handlers in this process: a bit for each probe, and this one. */
#define HANDLER_PRINT 1u
#define HANDLERS_MAX  32

/* ---- for marker.c ---------------------------------------------------------------- */

/* The handlers of a marker that becomes known. */
u32 handlers_wanted(const struct kt_marker_name *name);
/*
 * Calls all of them, with @values or with the payload in @words.  @print:
 * printing was asked for from outside.
 */
void handlers_run(struct ktrace_marker *marker, const u64 *values,
		  const u64 *words, bool print);
/*
 * Waits until all threads that are in handlers_run() have left it.  -EDEADLK:
 * this thread is in it; -ETIMEDOUT: they have not left within @ms milliseconds
 * (0: wait for ever).
 */
int handlers_wait(unsigned int ms);
void handlers_in_child(void);

/* ---- for probe.c ------------------------------------------------------------------ */

/* "a*,!b", as marker_wanted() takes it.  0 or -errno. */
int handler_patterns(const char *list, char packed[RECORDER_PATTERNS]);
/* The number of its bit, or -errno; what has the bit is up to the caller. */
int handler_add(struct ktrace_marker_probe *probe,
		const char patterns[RECORDER_PATTERNS]);
/* The number of its bit; 0: it has none. */
unsigned int handler_find(const struct ktrace_marker_probe *probe);
/* Markers that come from here on do not get its bit. */
void handler_retire(unsigned int handler);
/* When nothing has its bit any more, and after handlers_wait(). */
void handler_remove(unsigned int handler);
/* Is this thread in a handler? */
bool handlers_inside(void);

/* ---- of line.c --------------------------------------------------------------------- */

/*
 * "SYSTEM:NAME: " and the format with its arguments filled in; with a newline.  Returns
 * its length, at most @room.
 */
size_t marker_line(char *line, size_t room, const char *system,
		   const struct ktrace_marker *marker, const u64 *values);

#endif /* KT_MARKER_HANDLER_H */
