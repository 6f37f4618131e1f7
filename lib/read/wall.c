// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The wall clock of the traced machine.
 *
 * It is a constant ahead of CLOCK_MONOTONIC until the machine sleeps, or somebody sets it.  At the
 * start the recorder reads the difference, and at each later point of calibration it reads both
 * clocks: from there on, the new difference counts.
 */
#include "trace.h"

/* From the point with this number on; the first one was read at the start. */
static int64_t wall_ahead(const struct ktrace_info *info, uint32_t point)
{
	if (!point)
		return info->realtime;
	return info->sync[point].realtime - info->sync[point].monotonic;
}

int64_t ktrace_wall_time(const struct ktrace *trace, uint64_t time)
{
	const struct ktrace_info *info = &trace->info;
	uint32_t point = info->nr_sync ? info->nr_sync - 1 : 0;

	while (point && info->sync[point].monotonic > time)
		point--;
	/* Unsigned, because a trace may have any numbers. */
	return time + (uint64_t)wall_ahead(info, point);
}

uint64_t ktrace_wall_find(const struct ktrace *trace, int64_t wall)
{
	const struct ktrace_info *info = &trace->info;
	for (uint32_t point = 0;; point++) {
		uint64_t begin = point ? info->sync[point].monotonic : 0;
		__int128 time = (__int128)wall - wall_ahead(info, point);

		/* The clock has jumped over it. */
		if (time < begin)
			return begin;
		if (point + 1 >= info->nr_sync ||
		    time < info->sync[point + 1].monotonic)
			return time;
	}
}
