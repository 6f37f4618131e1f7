/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The clock by which the command itself measures time. */
#ifndef KT_CMD_COMMON_CLOCK_H
#define KT_CMD_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

#endif /* KT_CMD_COMMON_CLOCK_H */
