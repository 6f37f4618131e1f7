/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sleeps of the machine in a trace: one calibration point at the begin of each
 * sleep and one at its end, because in between the trace's clock runs and
 * CLOCK_MONOTONIC does not.
 */
#ifndef KT_LIB_RECORD_SLEEP_H
#define KT_LIB_RECORD_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/session.h>
#include <ktrace/writer.h>

/* The clocks at one moment, in ns. */
struct sleep_clocks {
	uint64_t boot;
	uint64_t monotonic;
	uint64_t realtime;
	uint64_t ticks; /* of the time stamp counter */
};

/* False: each try was interrupted, so that the clocks are not of one moment. */
bool sleep_clocks_read(struct sleep_clocks *clocks);

/* Did the machine sleep between the two? */
bool sleep_between(const struct sleep_clocks *before,
		   const struct sleep_clocks *after);

/*
 * Did CLOCK_MONOTONIC stand still while the counter of @frequency ticks per second went on?  If the
 * machine's clock tells seconds only, the kernel takes a short sleep for none, and CLOCK_BOOTTIME does
 * not go on either.
 */
bool sleep_stood(const struct sleep_clocks *before,
		 const struct sleep_clocks *after, uint64_t frequency);

/* Which of the session's sleeps the trace has. */
struct sleeps {
	struct sleep_clocks looked;
	uint64_t frequency; /* of the counter; 0: it is not the clock */
	uint64_t written;   /* clock: all sleeps before it are written */
};

/* @clock is that of the trace's first point. */
void sleeps_begin(struct sleeps *sleeps, const struct ktrace_clock *clock);
/*
 * Writes the sleeps since the last call: 1 if there were any, else 0, or
 * -errno.  Older kernel modules do not report sleeps.
 */
int sleeps_write(struct sleeps *sleeps, struct ktrace_session *session,
		 struct ktrace_writer *writer);

#endif /* KT_LIB_RECORD_SLEEP_H */
