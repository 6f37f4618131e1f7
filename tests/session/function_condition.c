// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Conditions on arguments, as the kernel gets them. */
#include "check.h"
#include "base/error.h"
#include "session/function_condition.h"

/* An argument in the word @word; those of size 0 are not recorded. */
static void argument_add(struct function_fields *fields, const char *name,
			 unsigned int word, uint32_t size,
			 enum ktrace_kind kind)
{
	fields->arguments[fields->nr_arguments++] = (struct ktrace_field){
		.name = name,
		.offset = 8 + 8 * word,
		.size = size,
		.kind = kind,
		.is_signed = kind == KTRACE_INT,
	};
}

static struct function_fields fields_make(void)
{
	struct function_fields fields = {0};

	argument_add(&fields, "file", 0, 8, KTRACE_POINTER);
	argument_add(&fields, "pair", 1, 16, KTRACE_BYTES);
	argument_add(&fields, "number", 3, 4, KTRACE_INT);
	argument_add(&fields, "flag", 4, 1, KTRACE_UINT);
	argument_add(&fields, "tid", 5, 8, KTRACE_UINT);
	argument_add(&fields, "late", 6, 8, KTRACE_UINT);
	return fields;
}

/* What becomes of @text; or of what fails, the reason. */
static void check_line(const char *text, const char *want)
{
	struct function_condition condition = {.text = text};
	struct function_fields fields = fields_make();
	struct text line = {0};
	int err;

	function_condition_write(&condition, &line, "f", &fields);
	err = function_condition_check(&condition);
	CHECK_STR(err ? ktrace_last_error() : line.s, want);
	text_free(&line);
}

TEST(names)
{
	check_line("file == 0", "a0_u64 == 0");
	check_line("number<-1&&flag!=1", "a3_s32<-1&&a4_u8!=1");
	check_line(" !(flag & 1 || number > 0x10)",
		   " !(a4_u8 & 1 || a3_s32 > 0x10)");
	/* An argument comes before the task's number, and strings are no names. */
	check_line("tid == 4 && tgid == 5 && comm == tid",
		   "a5_u64 == 4 && tgid == 5 && comm == tid");
	check_line(
		"comm != 'a && flag' || comm ~ \"\\\"||flag\" || flag == 0",
		"comm != 'a && flag' || comm ~ \"\\\"||flag\" || a4_u8 == 0");
	/* The kernel finds what is wrong with these. */
	check_line("flag >", "a4_u8 >");
	check_line("comm == 'flag", "comm == 'flag");
	check_line("== flag", "== flag");
	check_line("comm == '\\", "comm == '\\");
}

TEST(faults)
{
	static const char has[] = "it has file, number, flag, tid";
	char want[200];

	snprintf(want, sizeof(want),
		 "f has no argument `count' that is a number: %s", has);
	check_line("flag == 1 && count > 5 && other == 3", want);
	snprintf(want, sizeof(want),
		 "f has no argument `pair' that is a number: %s", has);
	check_line("pair == 1", want);
	/* It is on the stack. */
	snprintf(want, sizeof(want),
		 "f has no argument `late' that is a number: %s", has);
	check_line("late == 1", want);
}

TEST(functions)
{
	struct function_condition condition = {.text = "size > 1"};
	const struct function_fields none = {0};
	struct function_fields good = {0};
	struct text line = {0};

	argument_add(&good, "size", 2, 8, KTRACE_UINT);
	function_condition_write(&condition, &line, "a", &none);
	function_condition_write(&condition, &line, "b", &good);
	for (char name[] = "c"; *name < 'g'; ++*name)
		function_condition_write(&condition, &line, name, &none);
	CHECK(function_condition_check(&condition));
	CHECK_STR(
		ktrace_last_error(),
		"a has no argument `size' that is a number: it has none in a register; "
		"c has no argument `size' that is a number: it has none in a register; "
		"d has no argument `size' that is a number: it has none in a register; "
		"and 2 more functions lack it");
	text_free(&line);
}

CHECK_MAIN
