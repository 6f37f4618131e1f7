/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The machine's clocks as numbers of nanoseconds. */
#ifndef KT_LIB_BASE_NOW_H
#define KT_LIB_BASE_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* For durations: CLOCK_MONOTONIC. */
static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif /* KT_LIB_BASE_NOW_H */
