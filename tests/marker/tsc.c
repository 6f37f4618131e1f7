// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The clock of programs over a sleep of the machine, with nobody to ask. */
#include "check.h"
#include "tsc.h"

#define SECOND 1000000000ull
#define HZ     3000000000ull

TEST(awake)
{
	struct tsc tsc = {.frequency = HZ};

	tsc_went(&tsc, 100 * HZ, 100 * SECOND, 100 * SECOND);
	CHECK(!tsc_went(&tsc, 101 * HZ, 101 * SECOND, 101 * SECOND));
	/* On another CPU, and interrupted between the clocks. */
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
	/* Once more, where the kernel does not know how long it slept. */
	CHECK(tsc_went(&tsc, HZ, 162 * SECOND, 103 * SECOND));
	CHECK_EQ(HZ + tsc.missing, 162 * HZ);
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

CHECK_MAIN
