// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The clock of programs when the machine sleeps. */
#include "check.h"
#include "record/tsc.h"

#define SECOND 1000000000ull
#define HZ     3000000000ull

TEST(awake)
{
	struct tsc tsc = {.frequency = HZ};

	tsc_went(&tsc, 100 * HZ, 100 * SECOND, 100 * SECOND);
	CHECK(!tsc_went(&tsc, 101 * HZ, 101 * SECOND, 101 * SECOND));
	/*
	 * On another CPU, or interrupted between reading the clocks, the TSC may be a
	 * little behind.
	 */
	CHECK(!tsc_went(&tsc, 101 * HZ - 5000, 101 * SECOND,
			101 * SECOND + 900000));
	CHECK(!tsc_went(&tsc, 102 * HZ, 102 * SECOND, 102 * SECOND));
	CHECK_EQ(tsc.missing, 0);
}

TEST(a_counter_that_goes_on)
{
	struct tsc tsc = {.frequency = HZ};

	tsc_went(&tsc, 100 * HZ, 100 * SECOND, 100 * SECOND);
	CHECK(tsc_went(&tsc, 160 * HZ, 160 * SECOND, 101 * SECOND));
	CHECK_EQ(tsc.missing, 0);
}

TEST(a_counter_that_begins_anew)
{
	struct tsc tsc = {.frequency = HZ};

	tsc_went(&tsc, 100 * HZ, 100 * SECOND, 100 * SECOND);
	CHECK(tsc_went(&tsc, 2 * HZ, 160 * SECOND, 101 * SECOND));
	CHECK_EQ(2 * HZ + tsc.missing, 160 * HZ);
	CHECK(!tsc_went(&tsc, 3 * HZ, 161 * SECOND, 102 * SECOND));
	CHECK_EQ(3 * HZ + tsc.missing, 161 * HZ);
	/* Again, but the kernel does not know how long it slept. */
	CHECK(tsc_went(&tsc, HZ, 162 * SECOND, 103 * SECOND));
	CHECK_EQ(HZ + tsc.missing, 162 * HZ);
}

/* CLOCK_BOOTTIME went on by less than the machine slept, or not at all. */
TEST(a_sleep_that_the_kernel_has_not_seen)
{
	const struct sleep_clocks before = {
		.boot = 100 * SECOND,
		.monotonic = 100 * SECOND,
		.ticks = 70 * HZ,
	};
	struct sleep_clocks after = {
		.boot = 103 * SECOND,
		.monotonic = 103 * SECOND,
		.ticks = 73 * HZ,
	};

	CHECK(!sleep_stood(&before, &after, HZ));
	after.ticks = 74 * HZ;
	CHECK(!sleep_between(&before, &after));
	CHECK(sleep_stood(&before, &after, HZ));
	/* Another clock. */
	CHECK(!sleep_stood(&before, &after, 0));
	/* Time servers make CLOCK_MONOTONIC slower by 500 ppm at most. */
	after.boot = after.monotonic = 1100 * SECOND;
	after.ticks = 1070 * HZ + HZ / 2;
	CHECK(!sleep_stood(&before, &after, HZ));
	/* It has restarted, or the clocks are of CPUs that differ a little. */
	after.ticks = HZ;
	CHECK(!sleep_stood(&before, &after, HZ));
}

TEST(clocks_that_the_kernel_lists)
{
	CHECK(tsc_listed("tsc\n"));
	CHECK(tsc_listed("kvm-clock tsc acpi_pm \n"));
	CHECK(tsc_listed("hpet tsc"));
	CHECK(!tsc_listed("hpet acpi_pm \n"));
	CHECK(!tsc_listed("hyperv_clocksource_tsc_page tsc-early\n"));
	CHECK(!tsc_listed(""));
}

/* ---- a session to ask ----------------------------------------------------------- */

static struct sleep_clocks world = {
	.boot = 100 * SECOND,
	.monotonic = 100 * SECOND,
	.ticks = 100 * HZ,
};
static uint64_t lacks;
static bool sleeps_next; /* as soon as somebody has asked */

static void machine_sleeps(void)
{
	world.boot += 60 * SECOND;
	world.monotonic += SECOND;
	world.ticks = HZ;
	lacks += 159 * HZ;
}

bool __wrap_sleep_clocks_read(struct sleep_clocks *clocks);
bool __wrap_sleep_clocks_read(struct sleep_clocks *clocks)
{
	*clocks = world;
	return true;
}

int __wrap_ktrace_session_clock(struct ktrace_session *session,
				struct ktrace_clock *clock);
int __wrap_ktrace_session_clock(struct ktrace_session *session,
				struct ktrace_clock *clock)
{
	*clock = (struct ktrace_clock){.frequency = HZ};
	return 0;
}

uint64_t __wrap_session_clock_missing(struct ktrace_session *session);
uint64_t __wrap_session_clock_missing(struct ktrace_session *session)
{
	uint64_t before = lacks;

	if (sleeps_next)
		machine_sleeps();
	sleeps_next = false;
	return before;
}

/* If the machine sleeps between the answer and its use, this is noticed the next time. */
TEST(asleep_while_somebody_asks)
{
	struct tsc tsc;

	sleeps_next = true;
	tsc_init(&tsc, (void *)&tsc);
	CHECK(tsc_look(&tsc));
	CHECK_EQ(tsc.missing, lacks);
	CHECK(!tsc_look(&tsc));
	machine_sleeps();
	sleeps_next = true;
	CHECK(tsc_look(&tsc));
	CHECK(tsc.missing != lacks);
	CHECK(tsc_look(&tsc));
	CHECK_EQ(tsc.missing, lacks);
	CHECK(!tsc_look(&tsc));
}

/* The clocks before the sleep, computed from the clock before it. */
TEST(the_last_point_before_a_sleep)
{
	struct tsc tsc;
	uint64_t ticks;

	tsc_init(&tsc, (void *)&tsc);
	world.boot += SECOND;
	world.monotonic += SECOND;
	world.ticks += HZ;
	CHECK(!tsc_look(&tsc));
	ticks = world.ticks + lacks;
	machine_sleeps();
	CHECK(tsc_look(&tsc));
	CHECK_EQ(tsc.before.clock, ticks);
	CHECK_EQ(tsc.before.monotonic, world.monotonic - SECOND);
}

CHECK_MAIN
