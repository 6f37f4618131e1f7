/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From the trace's clock to CLOCK_MONOTONIC.
 *
 * The recorder stores the values of both clocks from time to time.  Between two
 * of these points time is linear, and before the first point the first line is
 * continued. After the last point the rate is that of the whole recording; if
 * the recording was too short to measure it, the rate is the frequency that the
 * kernel reported.  If the clock does not go back, the result does not: each
 * line is rounded down and ends where the next begins.
 *
 * While the machine sleeps, CLOCK_MONOTONIC stands still and the trace's clock
 * does not.  A line with such a sleep in it says nothing about the rate.
 */
#ifndef KT_LIB_READ_CLOCK_H
#define KT_LIB_READ_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

struct clock_line {
	uint64_t begin; /* clock */
	uint64_t time;	/* ns at @begin */
	uint64_t mult;
	uint32_t shift;
	int64_t ahead; /* CLOCK_REALTIME of CLOCK_MONOTONIC there, ns */
};

struct clock {
	struct clock_line *lines; /* at least one */
	size_t count;
};

/*
 * Drops points that are not later than the one before, and counts them in
 * *dropped.
 */
int clock_init(struct clock *clock, uint64_t frequency,
	       const struct ktrace_sync *sync, size_t nr_sync, size_t *dropped);
void clock_destroy(struct clock *clock);

/* A hint for a time that has nothing to do with the last one. */
size_t clock_hint(const struct clock *clock, uint64_t t);

/* *hint is the line of the last conversion; 0 at first. */
static inline uint64_t clock_convert(const struct clock *clock, size_t *hint,
				     uint64_t t)
{
	const struct clock_line *line = &clock->lines[*hint];

	while (t < line->begin && *hint) {
		line--;
		--*hint;
	}
	while (*hint + 1 < clock->count && t >= line[1].begin) {
		line++;
		++*hint;
	}
	if (t < line->begin) {
		uint64_t back =
			((unsigned __int128)(line->begin - t) * line->mult +
			 ((1ull << line->shift) - 1)) >>
			line->shift;

		return back < line->time ? line->time - back : 0;
	}
	return line->time +
	       (uint64_t)(((unsigned __int128)(t - line->begin) * line->mult) >>
			  line->shift);
}

#endif /* KT_LIB_READ_CLOCK_H */
