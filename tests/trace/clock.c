// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Converts the trace's clock to CLOCK_MONOTONIC if the machine sleeps in between. */
#include "check.h"
#include "read/clock.h"

#define SECOND 1000000000ull
#define HZ     3000000000ull

/* The clock runs faster than its nominal frequency, by a thousandth. */
#define TICKS(seconds) ((seconds)*HZ * 1001 / 1000)

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The begin, a sleep of an hour, and the end: 10 seconds before the sleep and 20 after it. */
TEST(both_sides_of_a_sleep)
{
	const struct ktrace_sync sync[] = {
		{TICKS(100), 50 * SECOND, 0},
		{TICKS(110), 60 * SECOND, 0},
		{TICKS(3710), 60 * SECOND + 1000, 3600 * SECOND},
		{TICKS(3730), 80 * SECOND + 1000, 3600 * SECOND},
	};
	struct clock clock;
	size_t dropped, hint = 0;

	CHECK(!clock_init(&clock, HZ, sync, 4, &dropped));
	CHECK_EQ(dropped, 0);
	CHECK(distance(clock_convert(&clock, &hint, TICKS(109)), 59 * SECOND) <=
	      1);
	CHECK(distance(clock_convert(&clock, &hint, TICKS(3711)),
		       61 * SECOND + 1000) <= 1);
	/* After the last point, the clock has the rate of an awake machine. */
	CHECK(distance(clock_convert(&clock, &hint, TICKS(4730)),
		       1080 * SECOND + 1000) <= 10);
	clock_destroy(&clock);
}

/* It is the line that a walk from the first one finds. */
TEST(hint)
{
	struct ktrace_sync sync[100];
	struct clock clock;
	size_t dropped;

	for (uint64_t i = 0; i < 100; i++)
		sync[i] = (struct ktrace_sync){TICKS(10 + i * 3),
					       (20 + i * 3) * SECOND, 0};
	CHECK(!clock_init(&clock, HZ, sync, 100, &dropped));
	for (uint64_t t = 0; t < 330; t++) {
		size_t walked = 0;

		clock_convert(&clock, &walked, TICKS(t));
		CHECK_EQ(clock_hint(&clock, TICKS(t)), walked);
	}
	clock_destroy(&clock);
}

CHECK_MAIN
