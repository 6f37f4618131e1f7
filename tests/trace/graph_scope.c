// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The output "graph", if only some calls are wanted: the exact lines. */
#include "calls.h"

static bool nothing(const struct ktrace_type *type, void *data)
{
	return false;
}

/* What a scope makes of the functions, in their order. */
struct parts {
	enum ktrace_span_part of[4];
};

static enum ktrace_span_part part_of(const struct ktrace_type *type, void *data)
{
	const struct parts *parts = data;

	return parts->of[type->index];
}

/* Compares the lines, in which the calls have this scope. */
static void check_shown_in(struct ktrace_span_scope scope, struct parts parts,
			   const char *want)
{
	const struct ktrace_output_graph graph = {
		.columns = KTRACE_COLUMN_DURATION | KTRACE_COLUMN_SELF,
		.want = nothing,
		.scope = &scope,
	};
	char *text;

	scope.size = sizeof(scope);
	scope.part = part_of;
	scope.data = &parts;
	text = shown_as(&graph);
	CHECK_STR(text, want);
	free(text);
}

#define INSIDE KTRACE_SPAN_INSIDE
#define ROOT   KTRACE_SPAN_ROOT
#define TOP    KTRACE_SPAN_TOP
#define CUT    KTRACE_SPAN_CUT
#define AROUND KTRACE_SPAN_AROUND

TEST(scope)
{
	begin(1);
	CHECK(back(0, POINTER, 1)); /* its call is not in the trace */
	CHECK(call(0, LEAF, 1));
	CHECK(back(0, LEAF, 0));
	CHECK(call(0, OUTER, 2));
	CHECK(call(0, POINTER, 3));
	CHECK(call(0, OUTER, 4));
	CHECK(call(0, LEAF, 5)); /* too deep */
	CHECK(back(0, LEAF, 0));
	CHECK(call(0, OUTER,
		   6)); /* too; its return is not that of the one around it */
	CHECK(call(0, POINTER, 7)); /* but a root is not */
	CHECK(call(0, LEAF, 8));
	CHECK(back(0, LEAF, 8));
	CHECK(back(0, POINTER, 7));
	CHECK(back(0, OUTER, 6));
	CHECK(back(0, OUTER, 4));
	CHECK(call(0, NAMED, 9)); /* cut, and a root in it as well */
	CHECK(call(0, POINTER, 10));
	CHECK(back(0, POINTER, 0));
	CHECK(back(0, NAMED, 0));
	CHECK(call(0, LEAF, 11));
	CHECK(back(0, LEAF, 11));
	CHECK(back(0, POINTER, 3));
	CHECK(call(0, LEAF, 12));
	CHECK(back(0, LEAF, 0));
	CHECK(back(0, OUTER, 2));
	check_shown_in(
		(struct ktrace_span_scope){.depth = 2},
		(struct parts){{INSIDE, INSIDE, ROOT, CUT}},
		"                              | pointer(count=3) {\n"
		"                              |   outer(count=4) {\n"
		"                              |     pointer(count=7) {\n"
		"       1.000 us      1.000 us |       leaf(count=8) = 8\n"
		"       3.000 us      2.000 us |     } = 0x7\n"
		"       9.000 us      6.000 us |   } = 4\n"
		"       1.000 us      1.000 us |   leaf(count=11) = 11\n"
		"+     17.000 us      7.000 us | } = 0x3\n");
}

TEST(scope_of_all)
{
	begin(1);
	CHECK(call(0, OUTER, 1));
	CHECK(call(0, LEAF, 2));
	CHECK(call(0, LEAF, 3));
	CHECK(back(0, LEAF, 3));
	CHECK(back(0, LEAF, 2));
	CHECK(call(0, NAMED, 4));
	CHECK(back(0, NAMED, 4));
	CHECK(back(0, OUTER, 1));
	CHECK(call(0, LEAF, 5));
	CHECK(back(0, LEAF, 5));
	check_shown_in((struct ktrace_span_scope){.depth = 2},
		       (struct parts){{TOP, TOP, TOP, CUT}},
		       "                              | outer(count=1) {\n"
		       "       3.000 us      3.000 us |   leaf(count=2) = 2\n"
		       "       7.000 us      4.000 us | } = 1\n"
		       "       1.000 us      1.000 us | leaf(count=5) = 5\n");
}

TEST(scope_and_interrupts)
{
	begin(1);
	interrupts_define();
	CHECK(interrupt(0, HARD_ENTRY));
	CHECK(call(0, OUTER, 1));
	CHECK(call(0, LEAF, 2));
	CHECK(back(0, LEAF, 2));
	CHECK(back(0, OUTER, 1));
	CHECK(interrupt(0, HARD_EXIT));
	CHECK(call(0, OUTER, 3));
	CHECK(interrupt(0, SOFT_ENTRY));
	CHECK(call(0, LEAF, 4)); /* in between */
	CHECK(back(0, LEAF, 4));
	CHECK(call(0, OUTER, 5)); /* but a root is one */
	CHECK(call(0, LEAF, 6));
	CHECK(back(0, LEAF, 6));
	CHECK(back(0, OUTER, 5));
	CHECK(interrupt(0, SOFT_EXIT));
	CHECK(call(0, LEAF, 7));
	CHECK(back(0, LEAF, 7));
	CHECK(back(0, OUTER, 3));
	check_shown_in((struct ktrace_span_scope){.no_interrupts = true},
		       (struct parts){{ROOT, INSIDE, CUT, CUT}},
		       "                              h outer(count=1) {\n"
		       "       1.000 us      1.000 us h   leaf(count=2) = 2\n"
		       "       3.000 us      2.000 us h } = 1\n"
		       "                              | outer(count=3) {\n"
		       "                              s   outer(count=5) {\n"
		       "       1.000 us      1.000 us s     leaf(count=6) = 6\n"
		       "       3.000 us      2.000 us s   } = 5\n"
		       "       1.000 us      1.000 us |   leaf(count=7) = 7\n"
		       "+     11.000 us      3.000 us | } = 3\n");
}

/* The event that begins a system call is itself in a function, which returns at once. */
TEST(scope_around_a_system_call)
{
	const struct ktrace_field number = {
		.name = "nr",
		.ctype = "int",
		.offset = 4,
		.size = 4,
		.kind = KTRACE_INT,
	};

	begin(1);
	CHECK_EQ(maker_variant(maker, IRQ, HARD_ENTRY, "syscalls",
			       "sys_enter_read", &number),
		 0);
	CHECK_EQ(maker_variant(maker, IRQ, HARD_EXIT, "syscalls",
			       "sys_exit_read", &number),
		 0);
	CHECK(call(0, OUTER, 1));
	CHECK(interrupt(0, HARD_ENTRY));
	CHECK(back(0, OUTER, 1));
	CHECK(call(0, LEAF, 2));
	CHECK(call(0, POINTER, 3));
	CHECK(back(0, POINTER, 3));
	CHECK(back(0, LEAF, 2));
	CHECK(interrupt(0, HARD_EXIT));
	check_shown_in((struct ktrace_span_scope){.depth = 1},
		       (struct parts){{TOP, TOP, TOP, CUT}},
		       "       2.000 us      2.000 us | outer(count=1) = 1\n"
		       "       3.000 us      3.000 us | leaf(count=2) = 2\n");
}

/* Calls that POINTER is around, also in an interrupt. */
static void calls_within(void)
{
	begin(1);
	interrupts_define();
	CHECK(call(0, LEAF, 1)); /* a root, but nothing is around it */
	CHECK(back(0, LEAF, 1));
	CHECK(call(0, POINTER, 2));
	CHECK(call(0, LEAF, 3));
	CHECK(call(0, OUTER, 4));
	CHECK(back(0, OUTER, 4));
	CHECK(back(0, LEAF, 3));
	CHECK(call(0, POINTER, 5)); /* this makes no difference */
	CHECK(call(0, LEAF, 6));
	CHECK(back(0, LEAF, 6));
	CHECK(back(0, POINTER, 5));
	CHECK(call(0, LEAF, 7));
	CHECK(interrupt(0, HARD_ENTRY));
	CHECK(call(0, LEAF, 8)); /* the interrupt is not within it */
	CHECK(back(0, LEAF, 8));
	CHECK(call(0, POINTER, 9)); /* but it may have its own */
	CHECK(call(0, LEAF, 10));
	CHECK(back(0, LEAF, 10));
	CHECK(back(0, POINTER, 9));
	CHECK(interrupt(0, HARD_EXIT));
	CHECK(back(0, LEAF, 7));
	CHECK(call(0, NAMED, 11)); /* cut */
	CHECK(call(0, LEAF, 12));
	CHECK(back(0, LEAF, 12));
	CHECK(back(0, NAMED, 11));
	CHECK(back(0, POINTER, 2));
	CHECK(call(0, LEAF, 13));
	CHECK(back(0, LEAF, 13));
}

/* Roots count only within others. */
TEST(scope_within)
{
	calls_within();
	check_shown_in((struct ktrace_span_scope){.within = true,
						  .no_interrupts = true},
		       (struct parts){{INSIDE, ROOT, AROUND, CUT}},
		       "                              | leaf(count=3) {\n"
		       "       1.000 us      1.000 us |   outer(count=4) = 4\n"
		       "       3.000 us      2.000 us | } = 3\n"
		       "       1.000 us      1.000 us | leaf(count=6) = 6\n"
		       "                              | leaf(count=7) {\n"
		       "       1.000 us      1.000 us h   leaf(count=10) = 10\n"
		       "       9.000 us      2.000 us | } = 7\n");
}

TEST(scope_of_all_within)
{
	calls_within();
	check_shown_in((struct ktrace_span_scope){.within = true},
		       (struct parts){{TOP, TOP, AROUND, CUT}},
		       "                              | leaf(count=3) {\n"
		       "       1.000 us      1.000 us |   outer(count=4) = 4\n"
		       "       3.000 us      2.000 us | } = 3\n"
		       "       1.000 us      1.000 us | leaf(count=6) = 6\n"
		       "                              | leaf(count=7) {\n"
		       "       1.000 us      1.000 us h   leaf(count=8) = 8\n"
		       "       1.000 us      1.000 us h   leaf(count=10) = 10\n"
		       "       9.000 us      2.000 us | } = 7\n");
}

CHECK_MAIN
