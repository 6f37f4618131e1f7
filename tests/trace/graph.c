// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The output "graph": the exact lines of calls that no kernel made. */
#include <errno.h>

#include "calls.h"

#define DEPTH_MAX  256	/* of spans (lib/read/span.c) */
#define LINES_HELD 1024 /* (show/graph/lines.h) */

static bool other(uint32_t cpu)
{
	const struct maker_mask mask = {.mask = sizeof(mask)};

	maker_time(maker, clock_now += US);
	return maker_event(maker, cpu, MAKER_MASK, &mask, sizeof(mask));
}

static char *shown(void)
{
	return shown_as(NULL);
}

/* Compares the lines, of which the task, the CPU and the time are not in @want. */
static void check_shown(const char *want)
{
	char *text = shown(), *rest = text, *line;
	char *got = calloc(1, strlen(text) + 1);

	while ((line = strsep(&rest, "\n")) && *line) {
		/* After "]": a space, the time, a space. */
		char *bracket = strchr(line, ']');

		if (bracket && *line != '*')
			line = bracket + strcspn(bracket, ".") + 11;
		strcat(strcat(got, line), "\n");
	}
	CHECK_STR(got, want);
	free(got);
	free(text);
}

TEST(nesting)
{
	begin(1);
	maker_run(maker, 0, 812, 812, "cat");
	CHECK(call(0, OUTER, 9));
	CHECK(call(0, LEAF, 1));
	CHECK(back(0, LEAF, 7));
	CHECK(other(0));
	CHECK(call(0, OUTER, 2));
	CHECK(call(0, LEAF, 3));
	CHECK(back(0, LEAF, -1000));
	CHECK(back(0, OUTER, -2));
	CHECK(back(0, OUTER, 0));
	check_shown(
		"                | outer(count=9) {\n"
		"       1.000 us |   leaf(count=1) = 7\n"
		"                |   /* ipi:ipi_send: mask= callback=0x0 */\n"
		"                |   outer(count=2) {\n"
		"       1.000 us |     leaf(count=3) = -1000\n"
		"       3.000 us |   } = -2 ENOENT\n"
		"       8.000 us | } = 0\n");
}

TEST(pointers)
{
	begin(1);
	CHECK(call(0, POINTER, 0));
	CHECK(back(0, POINTER, -12));
	CHECK(call(0, POINTER, 0));
	CHECK(back(0, POINTER, 0x1000));
	CHECK(call(0, NAMED, 0));
	CHECK(back(0, NAMED, 0));
	check_shown("       1.000 us | pointer(count=0) = -12 ENOMEM\n"
		    "       1.000 us | pointer(count=0) = 0x1000\n"
		    "       1.000 us | strange\\x1b[1m(count=0) = 0\n");
}

TEST(marks)
{
	static const uint64_t us[] = {10,    11,     101,    1001,
				      10001, 100001, 1000001};

	begin(1);
	for (size_t i = 0; i < 7; i++) {
		CHECK(call(0, LEAF, i));
		clock_now += (us[i] - 1) * US;
		CHECK(back(0, LEAF, 0));
	}
	check_shown("      10.000 us | leaf(count=0) = 0\n"
		    "+     11.000 us | leaf(count=1) = 0\n"
		    "!    101.000 us | leaf(count=2) = 0\n"
		    "#   1001.000 us | leaf(count=3) = 0\n"
		    "*  10001.000 us | leaf(count=4) = 0\n"
		    "@ 100001.000 us | leaf(count=5) = 0\n"
		    "$1000001.000 us | leaf(count=6) = 0\n");
}

/* Lines stay in order of time, also if a call of another CPU ends first. */
TEST(cpus)
{
	begin(2);
	maker_run(maker, 0, 11, 11, "one");
	maker_run(maker, 1, 12, 12, "two");
	CHECK(call(0, LEAF, 1));
	CHECK(call(1, OUTER, 2));
	CHECK(call(1, LEAF, 3));
	CHECK(back(1, LEAF, 4));
	CHECK(back(0, LEAF, 5));
	CHECK(back(1, OUTER, 6));
	check_shown("       4.000 us | leaf(count=1) = 5\n"
		    "                | outer(count=2) {\n"
		    "       1.000 us |   leaf(count=3) = 4\n"
		    "       4.000 us | } = 6\n");
}

/* The idle threads of two CPUs have one number. */
TEST(idle)
{
	begin(2);
	CHECK(call(0, LEAF, 1));
	CHECK(call(1, LEAF, 2));
	CHECK(back(0, LEAF, 3));
	CHECK(back(1, LEAF, 4));
	check_shown("       2.000 us | leaf(count=1) = 3\n"
		    "       2.000 us | leaf(count=2) = 4\n");
}

TEST(without_its_call)
{
	begin(1);
	CHECK(back(0, NAMED, 5));
	CHECK(call(0, OUTER, 1));
	CHECK(call(0, OUTER, 2));
	CHECK(call(0, LEAF, 3));
	CHECK(back(0, POINTER, 0));
	check_shown("                | } = 5 /* strange\\x1b[1m */\n"
		    "                | outer(count=1) {\n"
		    "                |   outer(count=2) {\n"
		    "                |     leaf(count=3) {\n"
		    "                |       } = 0x0 /* pointer */\n");
}

/* A call may have ended in a gap: it is not taken for the caller of what follows. */
TEST(loss)
{
	uint64_t before;
	char *text;

	begin(1);
	CHECK(call(0, OUTER, 1));
	before = maker_lost(maker, 0);
	maker_stall(maker, 0, true);
	while (maker_lost(maker, 0) == before)
		other(0);
	maker_stall(maker, 0, false);
	CHECK(call(0, LEAF, 2));
	CHECK(back(0, LEAF, 3));
	CHECK(back(0, OUTER, 4));
	text = shown();
	CHECK(strstr(text, "| outer(count=1) {\n"));
	CHECK(strstr(text, "*** cpu 0: "));
	CHECK(strstr(text, "       1.000 us | leaf(count=2) = 3\n"));
	CHECK(strstr(text, "                | } = 4 /* outer */\n"));
	free(text);
}

/* So it is if the loss is that of another part, which is not shown. */
TEST(hidden_loss)
{
	struct ktrace_output_options options = {.size = sizeof(options)};
	FILE *file = tmpfile();
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;
	struct ktrace *trace;
	char text[4096] = "";
	uint64_t before;
	int item;

	begin(2);
	maker_run(maker, 0, 11, 11, "one");
	maker_run(maker, 1, 12, 12, "two");
	CHECK(call(0, LEAF, 1));
	before = maker_lost(maker, 1);
	maker_stall(maker, 1, true);
	while (maker_lost(maker, 1) == before)
		other(1);
	maker_stall(maker, 1, false);
	CHECK(call(1, NAMED, 2));
	maker_run(maker, 0, 13, 13, "three");
	CHECK(call(0, NAMED, 2));
	maker_run(maker, 0, 11, 11, "one");
	CHECK(back(0, LEAF, 4));
	CHECK_EQ(maker_finish(maker, false), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	options.cursor = cursor;
	options.fd = fileno(file);
	CHECK_EQ(ktrace_output_create(trace, "graph", &options, &output), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		const struct ktrace_event *event = ktrace_cursor_event(cursor);

		if (item == KTRACE_LOSS)
			CHECK_EQ(ktrace_output_hidden_loss(
					 output, ktrace_cursor_loss(cursor)),
				 0);
		else if (event->cpu)
			CHECK_EQ(ktrace_output_hidden(output, event), 0);
		else
			CHECK_EQ(ktrace_output_event(output, event, NULL), 0);
	}
	CHECK_EQ(ktrace_output_finish(output), 0);
	CHECK_EQ(ktrace_output_losses(output), 0);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	CHECK(pread(fileno(file), text, sizeof(text) - 1, 0) > 0);
	fclose(file);
	CHECK(!strstr(text, "lost"));
	CHECK(strstr(text, "| } = 4 /* leaf */\n"));
}

/* A call that never ends does not keep more than some lines back. */
TEST(long_wait)
{
	char *text, *line;

	begin(2);
	maker_run(maker, 0, 11, 11, "one");
	maker_run(maker, 1, 12, 12, "two");
	CHECK(call(0, LEAF, 1));
	for (int i = 0; i < 3 * LINES_HELD; i++)
		CHECK(other(1));
	CHECK(back(0, LEAF, 2));
	text = shown();
	CHECK(strstr(text, "| leaf(count=1) {\n") == strchr(text, '|'));
	line = strrchr(text, '|');
	CHECK(!strcmp(line, "| } = 2\n"));
	free(text);
}

TEST(recursion)
{
	char *text, *found = NULL, deepest[DEPTH_MAX * 2 + 32];

	begin(1);
	for (int i = 0; i < DEPTH_MAX + 50; i++)
		CHECK(call(0, OUTER, i));
	for (int i = 0; i < DEPTH_MAX + 50; i++)
		CHECK(back(0, OUTER, i));
	text = shown();
	snprintf(deepest, sizeof(deepest), "| %*souter(count=%d)",
		 (DEPTH_MAX - 1) * 2, "", DEPTH_MAX + 49);
	found = strstr(text, deepest);
	CHECK(found);
	CHECK(strstr(found, "| } = 255\n"));
	CHECK(strstr(found, "| } = 256 /* outer */\n"));
	free(text);
}

static bool nothing(const struct ktrace_type *type, void *data)
{
	return false;
}

TEST(interrupts)
{
	begin(2);
	interrupts_define();
	CHECK(call(0, OUTER, 1));
	CHECK(interrupt(0, HARD_ENTRY));
	CHECK(call(0, LEAF, 2));
	CHECK(call(1, LEAF, 3));
	CHECK(back(0, LEAF, 0));
	CHECK(back(1, LEAF, 0));
	CHECK(interrupt(0, HARD_EXIT));
	CHECK(interrupt(0, SOFT_ENTRY));
	CHECK(call(0, OUTER, 4));
	CHECK(interrupt(0, HARD_ENTRY));
	CHECK(call(0, LEAF, 5));
	CHECK(back(0, LEAF, 0));
	CHECK(interrupt(0, HARD_EXIT));
	CHECK(back(0, OUTER, 0));
	CHECK(interrupt(0, SOFT_EXIT));
	CHECK(call(0, LEAF, 6));
	CHECK(back(0, LEAF, 0));
	CHECK(back(0, OUTER, 0));
	check_shown(
		"                | outer(count=1) {\n"
		"=>              |   /* irq:irq_handler_entry: irq=24 */\n"
		"       2.000 us h   leaf(count=2) = 0\n"
		"       2.000 us | leaf(count=3) = 0\n"
		"<=     5.000 us |   /* irq:irq_handler_exit: irq=24 */\n"
		"=>              |   /* irq:softirq_entry: vec=3 */\n"
		"                s   outer(count=4) {\n"
		"=>              s     /* irq:irq_handler_entry: irq=24 */\n"
		"       1.000 us h     leaf(count=5) = 0\n"
		"<=     3.000 us s     /* irq:irq_handler_exit: irq=24 */\n"
		"       5.000 us s   } = 0\n"
		"<=     7.000 us |   /* irq:softirq_exit: vec=3 */\n"
		"       1.000 us |   leaf(count=6) = 0\n"
		"+     17.000 us | } = 0\n");
}

/* The time that is a call's own: not in calls, nor in interrupts. */
TEST(self)
{
	const struct ktrace_output_graph graph = {
		.columns = KTRACE_COLUMN_DURATION | KTRACE_COLUMN_SELF,
	};
	char *text;

	begin(1);
	interrupts_define();
	CHECK(call(0, OUTER, 1));
	CHECK(call(0, LEAF, 2));
	CHECK(back(0, LEAF, 0));
	CHECK(interrupt(0, SOFT_ENTRY));
	CHECK(call(0, LEAF, 3));
	CHECK(back(0, LEAF, 0));
	CHECK(interrupt(0, SOFT_EXIT));
	CHECK(back(0, OUTER, 0));
	text = shown_as(&graph);
	CHECK_STR(
		text,
		"                              | outer(count=1) {\n"
		"       1.000 us      1.000 us |   leaf(count=2) = 0\n"
		"=>                            |   /* irq:softirq_entry: vec=3 */\n"
		"       1.000 us      1.000 us s   leaf(count=3) = 0\n"
		"<=     3.000 us      2.000 us |   /* irq:softirq_exit: vec=3 */\n"
		"       7.000 us      3.000 us | } = 0\n");
	free(text);
}

/* Events that are not shown are used all the same, and open no line. */
TEST(wanted)
{
	const struct ktrace_output_graph graph = {
		.columns = KTRACE_COLUMN_DURATION,
		.want = nothing,
	};
	char *text;

	begin(1);
	interrupts_define();
	CHECK(call(0, OUTER, 1));
	CHECK(interrupt(0, SOFT_ENTRY));
	CHECK(call(0, LEAF, 2));
	CHECK(back(0, LEAF, 0));
	CHECK(interrupt(0, SOFT_EXIT));
	CHECK(back(0, OUTER, 0));
	CHECK(call(0, LEAF, 3));
	CHECK(interrupt(0, SOFT_ENTRY));
	CHECK(other(0));
	CHECK(interrupt(0, SOFT_EXIT));
	CHECK(back(0, LEAF, 0));
	text = shown_as(&graph);
	CHECK_STR(text, "                | outer(count=1) {\n"
			"       1.000 us s   leaf(count=2) = 0\n"
			"       5.000 us | } = 0\n"
			"       4.000 us | leaf(count=3) = 0\n");
	free(text);
}

TEST(columns)
{
	static const struct {
		uint32_t columns;
		const char *line;
	} cases[] = {
		{KTRACE_COLUMN_ALL,
		 "cat-812               [000] 12.000001000        1.000 us | leaf(count=1) = 7\n"},
		{KTRACE_COLUMN_TASK,
		 "cat-812               | leaf(count=1) = 7\n"},
		{KTRACE_COLUMN_CPU, "[000] | leaf(count=1) = 7\n"},
		{KTRACE_COLUMN_TIME, "12.000001000 | leaf(count=1) = 7\n"},
		{KTRACE_COLUMN_DURATION,
		 "       1.000 us | leaf(count=1) = 7\n"},
		{KTRACE_COLUMN_CPU | KTRACE_COLUMN_DURATION,
		 "[000]        1.000 us | leaf(count=1) = 7\n"},
		{KTRACE_COLUMN_SELF, "     1.000 us | leaf(count=1) = 7\n"},
		{KTRACE_COLUMN_DURATION | KTRACE_COLUMN_SELF,
		 "       1.000 us      1.000 us | leaf(count=1) = 7\n"},
		{0, "| leaf(count=1) = 7\n"},
	};
	struct ktrace_output_options options = {.size = sizeof(options)};
	struct ktrace_output *output;
	struct ktrace *trace;
	char *text;

	begin(1);
	maker_known(maker, 812, 812, 1, "cat");
	maker_run(maker, 0, 812, 812, "cat");
	CHECK(call(0, LEAF, 1));
	CHECK(back(0, LEAF, 7));
	CHECK_EQ(maker_finish(maker, false), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ktrace_output_graph graph = {
			.columns = cases[i].columns,
		};

		options.graph = &graph;
		text = shown_with(trace, "graph", options, NULL);
		CHECK_STR(text, cases[i].line);
		free(text);
	}
	options.graph = &(const struct ktrace_output_graph){.columns = 32};
	CHECK_EQ(ktrace_output_create(trace, "graph", &options, &output),
		 -E2BIG);
	options.graph = &(const struct ktrace_output_graph){.reserved = {1}};
	CHECK_EQ(ktrace_output_create(trace, "graph", &options, &output),
		 -E2BIG);
	ktrace_close(trace);
}

/* A call that was recorded when it returned: one record, one line. */
TEST(whole)
{
	const struct ktrace_field fields[] = {
		{.name = "count",
		 .ctype = "size_t",
		 .offset = 24,
		 .size = 8,
		 .kind = KTRACE_UINT},
		/* Arguments may have these names, too. */
		{.name = "ret",
		 .ctype = "u64",
		 .offset = 32,
		 .size = 8,
		 .kind = KTRACE_UINT},
		{.name = "duration",
		 .ctype = "u64",
		 .offset = 40,
		 .size = 8,
		 .kind = KTRACE_UINT},
		{.name = "ret",
		 .ctype = "int",
		 .offset = 16,
		 .size = 4,
		 .kind = KTRACE_INT},
		{.name = "duration",
		 .ctype = "u64",
		 .offset = 8,
		 .size = 8,
		 .kind = KTRACE_UINT},
	};
	uint64_t payload[16] = {0, 2000, (uint32_t)-5, 9, 3, 4};

	begin(1);
	CHECK_EQ(maker_variant_of(maker, IRQ, 0, "call", "whole", fields, 5),
		 0);
	CHECK(call(0, OUTER, 1));
	clock_now += 4 * US;
	maker_time(maker, clock_now);
	CHECK(maker_event(maker, 0, IRQ, payload, sizeof(payload)));
	CHECK(call(0, LEAF, 2));
	CHECK(back(0, LEAF, 0));
	CHECK(back(0, OUTER, 0));
	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, 0, IRQ, payload, sizeof(payload)));
	check_shown(
		"                | outer(count=1) {\n"
		"       2.000 us |   whole(count=9, ret=3, duration=4) = -5 EIO\n"
		"       1.000 us |   leaf(count=2) = 0\n"
		"       7.000 us | } = 0\n"
		"       2.000 us | whole(count=9, ret=3, duration=4) = -5 EIO\n");
}

static int text_append(void *data, const char *text, size_t size)
{
	char *all = data;

	strncat(all, text, size);
	return 0;
}

/* Shows @nr events, pauses, and checks what is shown since the last time. */
static void paused(struct ktrace_output *output, struct ktrace_cursor *cursor,
		   int nr, char *all, const char *want)
{
	while (nr--) {
		CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_EVENT);
		CHECK_EQ(ktrace_output_event(output,
					     ktrace_cursor_event(cursor), NULL),
			 0);
	}
	CHECK_EQ(ktrace_output_pause(output), 0);
	CHECK_STR(all, want);
	*all = '\0';
}

/* At a pause a call waits for what comes next; at the second, no longer. */
TEST(pause)
{
	const struct ktrace_output_graph graph = {0};
	struct ktrace_cursor *cursor;
	struct ktrace_output *output;
	struct ktrace *trace;
	char all[1024] = "";
	struct ktrace_output_options options = {
		.size = sizeof(options),
		.write = text_append,
		.data = all,
		.graph = &graph,
	};

	begin(2);
	maker_run(maker, 0, 11, 11, "one");
	maker_run(maker, 1, 12, 12, "two");
	CHECK(call(0, OUTER, 1));
	CHECK(call(0, LEAF, 2));
	CHECK(back(0, LEAF, 0));
	CHECK(call(1, LEAF, 3));
	CHECK(call(0, LEAF, 4));
	CHECK(back(0, LEAF, 0));
	CHECK(call(0, LEAF, 5));
	CHECK_EQ(maker_finish(maker, false), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	options.cursor = cursor;
	CHECK_EQ(ktrace_output_create(trace, "graph", &options, &output), 0);
	paused(output, cursor, 2, all, "| outer(count=1) {\n");
	paused(output, cursor, 2, all, "|   leaf(count=2) = 0\n");
	paused(output, cursor, 1, all, "| leaf(count=3) {\n");
	paused(output, cursor, 2, all, "|   leaf(count=4) = 0\n");
	CHECK_EQ(ktrace_output_finish(output), 0);
	CHECK_STR(all, "|   leaf(count=5) {\n");
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

CHECK_MAIN
