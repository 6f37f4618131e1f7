/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sleeps of the machine, as a trace has them: a point of calibration at the begin of each
 * and one at its end, since the trace's clock goes on in between and CLOCK_MONOTONIC does
 * not.
 */
#ifndef KT_LIB_RECORD_SLEEP_H
#define KT_LIB_RECORD_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/session.h>
#include <ktrace/writer.h>

/* Where the clocks were, in ns; all at once, or it is not known. */
struct sleep_clocks {
	uint64_t boot;
	uint64_t monotonic;
	uint64_t realtime;
	uint64_t ticks; /* of the time stamp counter */
};

/* False: something came in between, each time. */
bool sleep_clocks_read(struct sleep_clocks *clocks);

/* Has the machine slept between the two? */
bool sleep_between(const struct sleep_clocks *before,
		   const struct sleep_clocks *after);

/* What of a session's sleeps a trace has. */
struct sleeps {
	struct sleep_clocks looked;
	uint64_t written; /* clock: all until then */
};

/* @clock: that of the trace's first point. */
void sleeps_begin(struct sleeps *sleeps, uint64_t clock);
/*
 * Writes those that came since: 1 if there were any, else 0 or -errno.  An older kernel
 * module does not tell.
 */
int sleeps_write(struct sleeps *sleeps, struct ktrace_session *session,
		 struct ktrace_writer *writer);

#endif /* KT_LIB_RECORD_SLEEP_H */
