// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "clock.h"
#include "base/error.h"

#define NSEC_PER_SEC 1000000000ull

/*
 * In a shorter recording the measured rate is less exact than the kernel's
 * frequency.
 */
#define RATE_SPAN_MIN (NSEC_PER_SEC / 2)

/*
 * The line goes through @ns in @ticks.  The multiplier has at most 62 bits, so
 * that its product with a 64-bit clock does not overflow 128 bits, and is exact
 * to a nanosecond over a century.  It is rounded up: if the exact product is a
 * whole number of nanoseconds, as at the end of the line, rounding down the
 * product gives that number.
 */
static void line_rate(struct clock_line *line, uint64_t ns, uint64_t ticks)
{
	unsigned __int128 mult;
	uint32_t shift = 62;

	for (;;) {
		mult = (((unsigned __int128)ns << shift) + ticks - 1) / ticks;
		if (mult < 1ull << 62 || !shift)
			break;
		shift--;
	}
	line->mult = mult;
	line->shift = shift;
}

/*
 * Did the machine sleep: did CLOCK_MONOTONIC run less than half of what the
 * clock says? No clock is so wrong while the machine is awake.
 */
static bool slept(const struct ktrace_sync *from, const struct ktrace_sync *to,
		  uint64_t frequency)
{
	unsigned __int128 ns = (unsigned __int128)(to->clock - from->clock) *
			       NSEC_PER_SEC / frequency;

	return to->monotonic - from->monotonic < ns / 2;
}

int clock_init(struct clock *clock, uint64_t frequency,
	       const struct ktrace_sync *sync, size_t nr_sync, size_t *dropped)
{
	const struct ktrace_sync *last = NULL;
	uint64_t ns = 0, ticks = 0;
	struct clock_line *line;
	size_t i;

	*dropped = 0;
	clock->count = 0;
	clock->lines = calloc(nr_sync + 2, sizeof(*clock->lines));
	if (!clock->lines)
		return error_set(-ENOMEM, "out of memory");
	if (!frequency)
		frequency = NSEC_PER_SEC;

	for (i = 0; i < nr_sync; i++) {
		const struct ktrace_sync *s = &sync[i];

		if (last && (s->clock <= last->clock ||
			     s->monotonic <= last->monotonic)) {
			/* A repeated point is no error. */
			*dropped += s->clock != last->clock ||
				    s->monotonic != last->monotonic;
			continue;
		}
		if (last)
			line_rate(&clock->lines[clock->count - 1],
				  s->monotonic - last->monotonic,
				  s->clock - last->clock);
		if (last && !slept(last, s, frequency)) {
			ns += s->monotonic - last->monotonic;
			ticks += s->clock - last->clock;
		}
		line = &clock->lines[clock->count++];
		line->begin = s->clock;
		line->time = s->monotonic;
		line->ahead = s->realtime - s->monotonic;
		last = s;
	}
	if (!last) {
		/* Without calibration the frequency of the clock is trusted. */
		line = &clock->lines[clock->count++];
		line_rate(line, NSEC_PER_SEC, frequency);
		return 0;
	}
	line = &clock->lines[clock->count - 1];
	if (ns >= RATE_SPAN_MIN)
		line_rate(line, ns, ticks);
	else
		line_rate(line, NSEC_PER_SEC, frequency);
	return 0;
}

size_t clock_hint(const struct clock *clock, uint64_t t)
{
	size_t low = 0, high = clock->count;

	/* The last line that begins at @t or before, or the first one. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (t < clock->lines[middle].begin)
			high = middle;
		else
			low = middle;
	}
	return low;
}

void clock_destroy(struct clock *clock)
{
	free(clock->lines);
	clock->lines = NULL;
	clock->count = 0;
}
