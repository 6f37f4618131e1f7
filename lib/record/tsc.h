/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The clock of programs: the time stamp counter, and what it lacks since it began anew
 * while the machine slept.  Where the kernel does not trust the counter it is
 * CLOCK_MONOTONIC, as in the kernel's trace, and nothing is missing.
 *
 * The kernel knows, and its trace goes on over the sleep; programs read the counter as it
 * is.  So who records them looks now and then whether the machine has slept, and tells
 * them what to add.  Without a session there is nobody to ask: then it is what makes the
 * clock go on by as much as CLOCK_BOOTTIME did.
 */
#ifndef KT_LIB_RECORD_TSC_H
#define KT_LIB_RECORD_TSC_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/session.h>

#include "sleep.h"

struct tsc {
	struct ktrace_session *session; /* NULL: there is none */
	uint64_t frequency;		/* ticks in a second */
	uint64_t missing;		/* ticks */
	/* When it was looked at last: the counter, ns. */
	uint64_t ticks;
	uint64_t boot;
	int64_t asleep; /* so far: CLOCK_BOOTTIME beyond CLOCK_MONOTONIC */
	struct sleep_clocks looked;
	struct ktrace_sync before; /* the last sleep: as it was looked at */
};

void tsc_init(struct tsc *tsc, struct ktrace_session *session);
/* True: @missing may have changed. */
bool tsc_look(struct tsc *tsc);
/* The same with what was read, and nobody to ask. */
bool tsc_went(struct tsc *tsc, uint64_t ticks, uint64_t boot,
	      uint64_t monotonic);

/* Of the kernel's list of clocks: it leaves out a counter that it does not trust. */
bool tsc_listed(const char *clocks);

/* The clock of a recording of programs only: "tsc", or "mono". */
void tsc_clock(struct ktrace_clock *clock, uint64_t missing);

#endif /* KT_LIB_RECORD_TSC_H */
