/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is done when a marker is hit, beside recording it: probes are called, and a
 * line is printed.
 *
 * A marker that has a handler in this process points to a byte of the process's own,
 * with the bit HUB_HANDLED alone, instead of the one in the hub: so that the test of a
 * marker that is off, and the short way of one that is recorded, are as ever.  What
 * recorders want is then looked up in the hub.
 *
 * Handlers run in any context.  Whoever takes one away waits until none runs that may
 * have seen it: each that runs is counted, in one of two counters, of which one is
 * always about to become zero.
 */
#ifndef KT_MARKER_HANDLER_H
#define KT_MARKER_HANDLER_H

#define KTRACE_DISABLED
#include <ktrace/marker.h>

#include "hub.h"

/* What the marker has here: a bit for each probe, and this one. */
#define HANDLER_PRINT 1u
#define HANDLERS_MAX  32

/* ---- for marker.c ---------------------------------------------------------------- */

/* What a marker that becomes known is to have. */
u32 handlers_wanted(const struct kt_marker_name *name);
/*
 * Calls them all.  Of @values, or of the payload as it is to be in @words.  @print:
 * somebody outside wants to see it.
 */
void handlers_run(struct ktrace_marker *marker, const u64 *values,
		  const u64 *words, bool print);
/*
 * Returns when nobody is in handlers_run() any more who was.  -EDEADLK: that would be
 * this thread; -ETIMEDOUT: not within @ms milliseconds, 0: for ever.
 */
int handlers_wait(unsigned int ms);
void handlers_in_child(void);

/* ---- of marker.c ------------------------------------------------------------------ */

/* Signals are blocked in between: handlers of theirs may want it as well. */
void markers_lock(void);
void markers_unlock(void);
/* Of all that match, or NULL: of all, this bit is set or cleared.  Needs the lock. */
void markers_handle(u32 handler, const char *patterns);
/* The file name of the object that has it.  Only where handlers run. */
const char *marker_system(const struct ktrace_marker *marker);

/* ---- of line.c --------------------------------------------------------------------- */

/*
 * "SYSTEM:NAME: " and the format with its arguments filled in; with a newline.  Returns
 * its length, at most @room.
 */
size_t marker_line(char *line, size_t room, const char *system,
		   const struct ktrace_marker *marker, const u64 *values);

#endif /* KT_MARKER_HANDLER_H */
