// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The wall clock of the traced machine.
 *
 * It is a constant ahead of CLOCK_MONOTONIC until the machine sleeps, or somebody sets it.  At the
 * start the recorder reads the difference, and at each later point of calibration it reads both
 * clocks: from there on, the new difference counts.  Points that are not later than the one before
 * have no line (clock.h), here neither.
 */
#include "trace.h"

int64_t ktrace_wall_time(const struct ktrace *trace, uint64_t time)
{
	const struct clock_line *lines = trace->clock.lines;
	size_t low = 0, high = trace->clock.count;

	/* The last line that begins at @time or before, or the first one: called for each event. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (time < lines[middle].time)
			high = middle;
		else
			low = middle;
	}
	/* Unsigned, because a trace may have any numbers. */
	return time + (uint64_t)lines[low].ahead;
}

uint64_t ktrace_wall_find(const struct ktrace *trace, int64_t wall)
{
	const struct clock *clock = &trace->clock;

	for (size_t line = 0;; line++) {
		uint64_t begin = line ? clock->lines[line].time : 0;
		__int128 time = (__int128)wall - clock->lines[line].ahead;

		/* The clock has jumped over it. */
		if (time < begin)
			return begin;
		if (line + 1 >= clock->count ||
		    time < clock->lines[line + 1].time)
			return time;
	}
}
