/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From the trace's clock to CLOCK_MONOTONIC.
 *
 * The recorder notes both now and then.  Between two such points time runs in
 * a straight line, and before the first as it does after it.  After the last it
 * runs at the rate of the whole recording or, when that was too short to tell,
 * at the frequency that the kernel named.  The result never goes back when the
 * clock does not: each line is rounded down and ends where the next begins.
 *
 * While the machine sleeps CLOCK_MONOTONIC stands still, and the trace's clock does not:
 * such a line says nothing of the rate.
 */
#ifndef KT_LIB_READ_CLOCK_H
#define KT_LIB_READ_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

struct clock_line {
	uint64_t begin; /* clock */
	uint64_t time;	/* ns at begin */
	uint64_t mult;
	uint32_t shift;
};

struct clock {
	struct clock_line *lines; /* at least one */
	size_t count;
};

/* Drops points that do not follow each other; *dropped says how many. */
int clock_init(struct clock *clock, uint64_t frequency,
	       const struct ktrace_sync *sync, size_t nr_sync, size_t *dropped);
void clock_destroy(struct clock *clock);

/* *hint is the line of the time before, 0 at first. */
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
