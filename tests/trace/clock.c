// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From the trace's clock to CLOCK_MONOTONIC, where the machine sleeps in between. */
#include "check.h"
#include "read/clock.h"

#define SECOND 1000000000ull
#define HZ     3000000000ull

/* The clock runs by a thousandth faster than it says. */
#define TICKS(seconds) ((seconds)*HZ * 1001 / 1000)

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Begin, a sleep of an hour, end: 10 seconds before it and 20 after it. */
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
	/* What comes after the last point has the rate of who is awake. */
	CHECK(distance(clock_convert(&clock, &hint, TICKS(4730)),
		       1080 * SECOND + 1000) <= 10);
	clock_destroy(&clock);
}

CHECK_MAIN
