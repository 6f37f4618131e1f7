/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The clock of programs: the time stamp counter, plus what it lost when it
 * restarted while the machine slept.  If the kernel does not trust the counter,
 * the clock is CLOCK_MONOTONIC, as in the kernel's trace, and nothing is lost.
 *
 * The kernel knows how much was lost, and corrects the times in its own trace;
 * programs read the bare counter.  So the recorder checks from time to time
 * whether the machine has slept, and tells the programs what to add.  Without a
 * session it cannot ask the kernel.  Then it adds as much as CLOCK_BOOTTIME has
 * advanced.
 */
#ifndef KT_LIB_RECORD_TSC_H
#define KT_LIB_RECORD_TSC_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/session.h>

#include "sleep.h"

struct tsc {
	struct ktrace_session *session; /* NULL: there is none */
	uint64_t frequency;		/* ticks per second */
	uint64_t missing;		/* ticks */
	/* At the last look: the counter, and CLOCK_BOOTTIME in ns. */
	uint64_t ticks;
	uint64_t boot;
	int64_t asleep; /* so far: CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	struct sleep_clocks looked;
	struct ktrace_sync before; /* the clocks before the last sleep */
};

void tsc_init(struct tsc *tsc, struct ktrace_session *session);
/* Looks for a sleep.  True: @missing may have changed. */
bool tsc_look(struct tsc *tsc);
/* The same for given values of the clocks, without asking the kernel. */
bool tsc_went(struct tsc *tsc, uint64_t ticks, uint64_t boot,
	      uint64_t monotonic);

/* Is the counter in the kernel's list of clocks?  If not, it is not trusted. */
bool tsc_listed(const char *clocks);

/* The clock of a recording without the kernel: "tsc" or "mono". */
void tsc_clock(struct ktrace_clock *clock, uint64_t missing);

#endif /* KT_LIB_RECORD_TSC_H */
