// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The output "graph", if durations are without pauses: the exact lines. */
#include "calls.h"

static bool nothing(const struct ktrace_type *type, void *data)
{
	return false;
}

static void check_shown_without(unsigned int pauses, const char *want)
{
	const struct ktrace_output_graph graph = {
		.columns = KTRACE_COLUMN_DURATION | KTRACE_COLUMN_SELF,
		.want = nothing,
		.pauses = pauses,
	};
	char *text = shown_as(&graph);

	CHECK_STR(text, want);
	free(text);
}

/* The thread @next has the CPU now. */
static void switch_to(uint32_t cpu, uint32_t prev, uint32_t next)
{
	const struct maker_switch s = {.prev_pid = prev, .next_pid = next};

	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, cpu, MAKER_SWITCH, &s, sizeof(s)));
	CHECK(maker_run(maker, cpu, next, next, "some"));
}

static void calls_with_sleep(void)
{
	begin(2);
	maker_run(maker, 0, 11, 11, "one");
	maker_run(maker, 1, 12, 12, "two");
	CHECK(call(0, OUTER, 1));
	CHECK(call(0, LEAF, 2));
	switch_to(0, 11, 0);
	switch_to(0, 0, 13); /* of no interest */
	switch_to(1, 12, 11);
	CHECK(back(1, LEAF, 2));
	CHECK(back(1, OUTER, 1));
}

TEST(sleep)
{
	calls_with_sleep();
	check_shown_without(
		KTRACE_PAUSE_SLEEP,
		"                              | outer(count=1) {\n"
		"       2.000 us      2.000 us |   leaf(count=2) = 2\n"
		"       4.000 us      2.000 us | } = 1\n");
}

TEST(sleep_counts)
{
	calls_with_sleep();
	check_shown_without(
		KTRACE_PAUSE_INTERRUPTS,
		"                              | outer(count=1) {\n"
		"       4.000 us      4.000 us |   leaf(count=2) = 2\n"
		"       6.000 us      2.000 us | } = 1\n");
}

/* How long it slept is known only if both events are there. */
TEST(half_a_sleep)
{
	begin(2);
	maker_run(maker, 0, 11, 11, "one");
	CHECK(call(0, OUTER, 1));
	switch_to(0, 11, 0);
	maker_run(maker, 0, 11, 11, "one");
	CHECK(call(0, LEAF, 2));
	CHECK(back(0, LEAF, 2));
	switch_to(1, 12, 11);
	CHECK(back(1, OUTER, 1));
	check_shown_without(
		KTRACE_PAUSE_SLEEP,
		"                              | outer(count=1) {\n"
		"       1.000 us      1.000 us |   leaf(count=2) = 2\n"
		"       5.000 us      4.000 us | } = 1\n");
}

static void calls_with_interrupts(void)
{
	begin(1);
	interrupts_define();
	maker_run(maker, 0, 11, 11, "one");
	CHECK(call(0, OUTER, 1));
	CHECK(interrupt(0, SOFT_ENTRY));
	CHECK(call(0, LEAF, 2));
	CHECK(interrupt(0, HARD_ENTRY));
	CHECK(interrupt(0, HARD_EXIT));
	CHECK(back(0, LEAF, 2));
	CHECK(interrupt(0, SOFT_EXIT));
	CHECK(call(0, LEAF, 3));
	CHECK(back(0, LEAF, 3));
	CHECK(back(0, OUTER, 1));
}

TEST(interrupts)
{
	calls_with_interrupts();
	check_shown_without(
		KTRACE_PAUSE_INTERRUPTS | KTRACE_PAUSE_SLEEP,
		"                              | outer(count=1) {\n"
		"       2.000 us      2.000 us s   leaf(count=2) = 2\n"
		"       1.000 us      1.000 us |   leaf(count=3) = 3\n"
		"       4.000 us      3.000 us | } = 1\n");
}

TEST(interrupts_count)
{
	calls_with_interrupts();
	check_shown_without(
		0, "                              | outer(count=1) {\n"
		   "       3.000 us      2.000 us s   leaf(count=2) = 2\n"
		   "       1.000 us      1.000 us |   leaf(count=3) = 3\n"
		   "       9.000 us      3.000 us | } = 1\n");
}

CHECK_MAIN
