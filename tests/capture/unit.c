// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Capture programs: what they copy, what they mark as missing, what is refused. */
#include "check.h"
#include "memory.h"

#define HEAD   8 /* the event's own part */
#define POISON 0xa5

static struct kt_capture capture;
static struct kt_capture_field fields[KT_CAPTURE_FIELDS_MAX];
static struct kt_capture_error error;
static u8 payload[HEAD + 4 + 64 + KT_CAPTURE_OUTPUT_MAX + 64];
static u64 arguments[KT_CAPTURE_ARGUMENTS];
static u16 unread;
static u32 size;

static u64 place(u32 offset, const void *bytes, size_t length)
{
	memcpy(memory_bytes + offset, bytes, length);
	return MEMORY_BASE + offset;
}

#define PLACE_STRING(offset, s) place(offset, s, sizeof(s))

static void parse(const char *text)
{
	if (kt_capture_parse(&capture, text, fields, &error))
		check_fail("refused: %s at `%s'", error.what,
			   error.at ? error.at : "(all)");
}

static void run(const char *text)
{
	u32 i;

	parse(text);
	memset(payload, POISON, sizeof(payload));
	size = kt_capture_run(&capture, arguments, payload, HEAD);
	unread = kt_capture_unread(payload, HEAD);
	CHECK(size <= kt_capture_size_max(&capture, HEAD));
	for (i = 0; i < HEAD; i++)
		CHECK_EQ(payload[i], POISON);
	/* Nothing is written beyond the size that it may need. */
	for (i = kt_capture_size_max(&capture, HEAD); i < sizeof(payload); i++)
		CHECK_EQ(payload[i], POISON);
}

static u16 cut(void)
{
	return payload[HEAD] | payload[HEAD + 1] << 8;
}

static const u8 *field(u32 index, u32 *length)
{
	u32 where;

	memcpy(&where, payload + HEAD + 4 + index * 4, 4);
	*length = where >> 16;
	CHECK((where & 0xffff) + *length <= size);
	return where ? payload + (where & 0xffff) : NULL;
}

static void field_is(u32 index, const void *wanted, u32 wanted_length)
{
	u32 length;
	const u8 *got = field(index, &length);

	CHECK(got);
	CHECK_EQ(length, wanted_length);
	CHECK(!memcmp(got, wanted, length));
}

static void refused(const char *text, const char *what)
{
	CHECK(kt_capture_parse(&capture, text, fields, &error) < 0);
	if (!strstr(error.what, what))
		check_fail("`%s': %s, not %s", text, error.what, what);
}

TEST(a_string_is_copied)
{
	arguments[1] = PLACE_STRING(100, "/etc/passwd");
	run("char path: a1 string 4096");
	field_is(0, "/etc/passwd", 12);
	CHECK_EQ(cut() | unread, 0);
	CHECK_EQ(size, HEAD + 4 + 4 + 12);
	CHECK_EQ(fields[0].name_length, 4);
	CHECK(!memcmp(fields[0].name, "path", 4));
	CHECK(!memcmp(fields[0].type, "char", fields[0].type_length));
}

TEST(an_empty_string_is_not_a_missing_one)
{
	arguments[1] = PLACE_STRING(100, "");
	run("char path: a1 string 16");
	field_is(0, "", 1);
}

TEST(a_long_string_is_cut_and_says_so)
{
	arguments[0] = PLACE_STRING(100, "0123456789");
	run("char a: a0 string 4; char b: a0 string 10; char c: a0 string 11");
	field_is(0, "0123", 5);
	field_is(1, "0123456789", 11);
	field_is(2, "0123456789", 11);
	/* It is not known whether a NUL follows the tenth. */
	CHECK_EQ(cut(), 3);
	CHECK_EQ(unread, 0);
}

TEST(what_is_not_there_is_unread)
{
	u32 length;

	arguments[0] = 0;
	arguments[1] = PLACE_STRING(0, "x");
	/* Its NUL would be behind the end of memory. */
	memset(memory_bytes + MEMORY_SIZE - 3, 'y', 3);
	arguments[2] = MEMORY_BASE + MEMORY_SIZE - 3;
	run("char a: a0 string 9; char b: a1 string 9; char c: a2 string 9;"
	    "u8 d: a2 4 bytes 9; u8 e: a2 3 bytes 9");
	CHECK_EQ(unread, 1 | 4 | 8);
	CHECK_EQ(cut(), 0);
	CHECK(!field(0, &length) && !length);
	field_is(1, "x", 2);
	CHECK(!field(2, &length) && !length);
	/* Of bytes, what is there before the last page. */
	field_is(3, "yyy", 3);
	field_is(4, "yyy", 3);
	run("u8 d: a2 8192 bytes 9000; u8 e: a0 4 bytes 9; u8 f: a0 8192 bytes 9000");
	CHECK_EQ(unread, 7);
	CHECK(!field(0, &length) && !length);
	CHECK(!field(1, &length) && !length);
	CHECK(!field(2, &length) && !length);
}

TEST(bytes_go_by_another_argument)
{
	arguments[1] = place(50, "hello, world", 12);
	arguments[2] = 5;
	run("u8 data: a1 a2 bytes 32");
	field_is(0, "hello", 5);
	arguments[2] = 12;
	run("u8 data: a1 a2 bytes 7");
	field_is(0, "hello, ", 7);
	CHECK_EQ(cut(), 1);
	/* If the length is zero, nothing is read, whatever the address. */
	arguments[1] = 0;
	arguments[2] = 0;
	run("u8 data: a1 a2 bytes 32");
	field_is(0, "", 0);
	CHECK_EQ(unread, 0);
	arguments[2] = ~0ull;
	run("u8 data: a1 a2 bytes 32");
	CHECK_EQ(unread, 1);
}

TEST(pointers_are_followed)
{
	u64 target = PLACE_STRING(300, "deep");
	u64 middle = place(200, &target, 8);

	arguments[3] = place(120, &middle, 8) - 20;
	run("char s: a3 20 + @8 @8 string 16");
	field_is(0, "deep", 5);
	arguments[3] = 8;
	run("char s: a3 20 + @8 @8 string 16");
	CHECK_EQ(unread, 1);
}

TEST(memory_of_the_kernel_is_another)
{
	arguments[0] = PLACE_STRING(100, "mine") + MEMORY_KERNEL;
	run("char a: kernel a0 string 8; char b: a0 string 8");
	field_is(0, "mine", 5);
	CHECK_EQ(unread, 2);
}

TEST(numbers_are_stored_as_they_are)
{
	const u8 bytes[] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
	const u32 eight = 8, shifted = 0x1122334;

	arguments[0] = place(100, bytes, sizeof(bytes));
	run("u32 a: a0 @4 put 4; u16 b: a0 @8 put 2; u64 c: a0 @8 put 8;"
	    "u32 d: a0 @1 128 - 9 * 64 - put 4; u8 e: a0 @1 128 & 128 == put 1;"
	    "u32 f: a0 @8 36 >> put 4; u8 g: a0 @1 71 >> put 1");
	field_is(0, bytes, 4);
	field_is(1, bytes, 2);
	field_is(2, bytes, 8);
	field_is(3, &eight, 4);
	field_is(4, "\1", 1);
	field_is(5, &shifted, 4);
	field_is(6, "\1", 1);
}

TEST(an_exit_code_is_that_of_the_process)
{
	const u32 code = MEMORY_EXIT_CODE;

	run("s32 code: exit_code put 4");
	field_is(0, &code, 4);
}

TEST(a_condition_skips)
{
	u32 length;

	arguments[0] = PLACE_STRING(100, "yes");
	arguments[1] = 0;
	run("char a: a1 if a0 string 8 end; char b: a0 if a0 string 8 end");
	CHECK_EQ(unread, 0);
	field(0, &length);
	CHECK_EQ(length, 0);
	field_is(1, "yes", 4);
}

static void place_pointers(u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		u64 address = MEMORY_BASE + 1000 + 4 * i;

		memcpy(memory_bytes + 8 * i, &address, 8);
		memcpy(memory_bytes + 1000 + 4 * i, "ab", 3);
	}
	memset(memory_bytes + 8 * nr, 0, 8);
	arguments[0] = MEMORY_BASE;
}

TEST(a_vector_ends_with_its_null)
{
	const u32 count = 2;

	place_pointers(2);
	run("char v: 999999 each 4 a0 i 8 * + @8 while a0 i 8 * + @8 string 8 "
	    "next; u32 n: 999999 each 64 a0 i 8 * + @8 while next i put 4");
	field_is(0, "ab\0ab", 6);
	field_is(1, &count, 4);
	CHECK_EQ(cut() | unread, 0);
	place_pointers(6);
	run("char v: 999999 each 4 a0 i 8 * + @8 while a0 i 8 * + @8 string 8 "
	    "next; u8 after: 4 each 9 next i put 1");
	field_is(0, "ab\0ab\0ab\0ab", 12);
	field_is(1, "\4", 1);
	CHECK_EQ(cut(), 1);
	run("u8 none: 0 each 9 a0 @1 put 1 next i put 1");
	field_is(0, "", 1);
}

TEST(a_fault_in_a_loop_keeps_what_was_read)
{
	place_pointers(3);
	memset(memory_bytes + 16, 0xff, 8);
	run("char v: 3 each 4 a0 i 8 * + @8 string 8 next; u8 b: 1 put 1");
	field_is(0, "ab\0ab", 6);
	field_is(1, "\1", 1);
	CHECK_EQ(unread, 1);
}

static void lengths_put(u32 at, u16 length)
{
	memcpy(memory_bytes + at, &length, sizeof(length));
}

static void records_are(u64 length, u32 wanted)
{
	arguments[0] = MEMORY_BASE;
	arguments[1] = length;
	run("u32 n: a0 a1 records 3 put 4");
	field_is(0, &wanted, 4);
}

TEST(records_are_counted_by_their_lengths)
{
	static const u16 lengths[] = {5, 8, 300};
	u32 at = 0, length;
	size_t i;

	for (i = 0; i < 3; i++) {
		lengths_put(at + 3, lengths[i]);
		at += lengths[i];
	}
	records_are(0, 0);
	records_are(at, 3);
	records_are(at - 1, 3); /* the last one is incomplete */
	records_are(13, 2);
	records_are(-22ull, 0);
	CHECK_EQ(cut() | unread, 0);

	/* A record of length zero is the last one. */
	memset(memory_bytes + 8, 0, 2);
	records_are(at, 2);

	/* A record behind the end of memory. */
	lengths_put(3, MEMORY_SIZE - 4);
	run("u32 n: a0 999999 records 3 put 4");
	CHECK(!field(0, &length));
	CHECK_EQ(unread, 1);
}

TEST(too_many_records_are_cut)
{
	const u32 most = KT_CAPTURE_RECORDS_MAX;
	u32 i;

	for (i = 0; i < most; i++)
		lengths_put(2 * i, 2);
	arguments[0] = MEMORY_BASE;
	run("u32 n: a0 8192 records 0 put 4");
	field_is(0, &most, 4);
	CHECK_EQ(cut(), 0);
	run("u32 n: a0 8194 records 0 put 4");
	field_is(0, &most, 4);
	CHECK_EQ(cut(), 1);
	refused("u32 n: a0 records 0", "nothing is left");
	refused("u32 n: 9 each 32 a0 a1 records 0 put 4 next",
		"may do too much");
}

TEST(programs_may_be_idle)
{
	static const char idle[] =
		"char a: a7 1 & if a0 string 9 end;"
		"u8 b: a7 2 & a6 * if 3 each 9 a0 8 bytes 8 next end";
	static const char *const busy[] = {
		"char a: a7 1 & if a0 string 9 end; u8 b: a0 4 bytes 4",
		"char a: a7 1 & if a0 string 9 end; u8 b: a6 1 & if 9 put 1 end",
		"char a: a7 1 & if a0 string 9 end 9 put 1",
		"char a: a7 if a0 string 9 end",
		"char a: a7 1 & a6 + if a0 string 9 end",
		"char a: a7 1 & put 8",
	};
	u32 length;
	size_t i;

	arguments[0] = PLACE_STRING(100, "later on");
	arguments[6] = 1;
	arguments[7] = 0;
	run(idle);
	CHECK(kt_capture_idles(&capture, 7));
	CHECK(!kt_capture_idles(&capture, 6));
	CHECK_EQ(size, HEAD + kt_capture_head(&capture));
	CHECK_EQ(kt_capture_nothing(&capture, payload, HEAD), size);
	CHECK(!field(0, &length) && !length);
	CHECK(!field(1, &length) && !length);
	CHECK_EQ(cut() | unread, 0);
	arguments[7] = 3;
	run(idle);
	field_is(0, "later on", 9);
	field_is(1, "later onlater onlater on", 24);
	for (i = 0; i < sizeof(busy) / sizeof(busy[0]); i++) {
		parse(busy[i]);
		CHECK(!kt_capture_idles(&capture, 7));
	}
}

TEST(paths_of_descriptors)
{
	u32 length;

	arguments[0] = 1;
	arguments[1] = (u32)-100;
	arguments[2] = -1ull;
	arguments[3] = 3;
	arguments[4] = 1ull << 32;
	run("char a: a0 path 9; char b: a1 path 5; char c: a2 path 100;"
	    "char d: a3 path 100; char e: a4 path 100; char f: a0 path 8");
	field_is(0, "pipe:[12]", 10);
	field_is(1, "/home", 6);
	field_is(2, "", 1);
	CHECK(!field(3, &length));
	/* A descriptor has 32 bits. */
	field_is(4, "/dev/null", 10);
	field_is(5, "", 1);
	CHECK_EQ(unread, 1 << 3);
	CHECK_EQ(cut(), 1 << 5);
	CHECK(capture.paths);
	parse("char a: a0 string 9");
	CHECK(!capture.paths);
}

TEST(paths_of_many_descriptors)
{
	const int fds[] = {1, 99, 2, 0};

	arguments[0] = place(100, fds, sizeof(fds));
	run("char p: 4 each 4 a0 i 4 * + @4 path 30 next");
	field_is(0, "pipe:[12]\0\0\0/dev/null", 22);
	CHECK_EQ(cut() | unread, 0);
	refused("char a: path 4", "nothing is left");
	refused("char a: a0 path", "a number is missing");
	refused("char a: a0 path 0", "a maximum is");
	refused("char a: 999 each 999 0 path 9 next", "may do too much");
}

TEST(what_files_are)
{
	const int fds[] = {0, 99, 1};

	arguments[0] = place(100, fds, sizeof(fds));
	arguments[1] = 0;
	arguments[2] = 3;
	arguments[3] = 1;
	run("char a: a1 file 18; char b: a1 file 17; char c: a1 file 9;"
	    "char d: 3 each 3 a0 i 4 * + @4 file 30 next;"
	    "char e: a2 file 100; char f: 7 file 1; char g: a3 file 9");
	field_is(0, "/dev/null\0char 1:3", 19);
	/* No room for what the file is, and then none for its path. */
	field_is(1, "/dev/null\0", 11);
	field_is(2, "\0", 2);
	field_is(3, "/dev/null\0char 1:3\0\0\0pipe:[12]\0", 32);
	field_is(5, "\0", 2);
	CHECK_EQ(unread, 1 << 4);
	CHECK_EQ(cut(), 1 << 2 | 1 << 6);
	CHECK(capture.paths);
	refused("char a: a0 file 0", "a maximum is");
	/* It takes longer than a path. */
	run("char a: 300 each 300 3 path 9 next");
	refused("char a: 300 each 300 3 file 9 next", "may do too much");
	refused("char a: 999 each 999 0 file 9 next", "may do too much");
}

/* The whole result of a program, written over old bytes of two kinds. */
static u32 leaves(const char *text, u8 *left)
{
	static u8 other[sizeof(payload)];
	u32 first;

	run(text);
	first = size;
	memmove(left, payload, size);
	memset(other, (u8)~POISON, sizeof(other));
	size = kt_capture_run(&capture, arguments, other, HEAD);
	CHECK_EQ(size, first);
	/* No byte is an old one. */
	CHECK(!memcmp(other + HEAD, left + HEAD, size - HEAD));
	return size;
}

/* Both programs give the same bytes, and only @alone takes the fast path. */
static void same(const char *alone, const char *among, u32 max)
{
	static u8 short_way[sizeof(payload)], long_way[sizeof(payload)];
	u32 length = leaves(alone, short_way);

	CHECK_EQ(capture.string_max, max);
	CHECK_EQ(length, leaves(among, long_way));
	CHECK_EQ(capture.string_max, 0);
	CHECK(!memcmp(short_way + HEAD, long_way + HEAD, length - HEAD));
}

/*
 * A program of one string has its own fast path, with a condition and without.
 */
TEST(a_string_alone_is_as_among_other_words)
{
	static const u32 maxima[] = {1, 3, 10, 11, 12, 4096};
	static const char *const conditions[][2] = {
		{"", ""}, {"a7 if", "end"}, {"a6 2 & if", "end"}};
	u64 places[] = {PLACE_STRING(64, "0123456789"), 0, PLACE_STRING(96, ""),
			PLACE_STRING(120, "/etc/passwd"),
			MEMORY_BASE + MEMORY_SIZE - 3};
	char alone[96], among[96];
	u32 i, j, k;

	memset(memory_bytes + MEMORY_SIZE - 3, 'y', 3);
	for (i = 0; i < 5 * 2 * 2; i++) {
		arguments[7] = places[i / 4] + (i & 1 ? MEMORY_KERNEL : 0);
		arguments[6] = i & 2 ? 6 : 5;
		for (j = 0; j < sizeof(maxima) / sizeof(maxima[0]); j++) {
			for (k = 0; k < 3; k++) {
				const char *world = i & 1 ? "kernel" : "user";

				snprintf(alone, sizeof(alone),
					 "char a: %s %s a7 string %u %s", world,
					 conditions[k][0], maxima[j],
					 conditions[k][1]);
				snprintf(among, sizeof(among),
					 "char a: %s %s a7 0 + string %u %s",
					 world, conditions[k][0], maxima[j],
					 conditions[k][1]);
				same(alone, among, maxima[j]);
			}
		}
	}
	/* Programs that look like one string, but are not. */
	leaves("char a: a7 0 & if a7 string 9 end", payload);
	CHECK_EQ(capture.string_max, 0);
	leaves("char a: a7 if a7 string 9 end; char b: a7 string 9", payload);
	CHECK_EQ(capture.string_max, 0);
}

/* A hook's registers, of which some are arguments. */
TEST(arguments_may_lie_anywhere)
{
	static const u8 words[KT_CAPTURE_ARGUMENTS] = {
		7, 3, 5, 0, 1, 2, 4, KT_CAPTURE_NO_WORD};
	static u8 copied[sizeof(payload)];
	static const char *const texts[] = {
		"char a: a0 string 99", "char a: a1 4 & if a0 string 99 end",
		"u64 a: a2 put 8 a1 put 8; char b: a0 a6 bytes 9"};
	u64 registers[KT_CAPTURE_ARGUMENTS];
	u32 i, n, length;

	for (i = 0; i < KT_CAPTURE_ARGUMENTS; i++)
		arguments[i] = 4 + i;
	arguments[0] = PLACE_STRING(50, "/dev/null");
	memset(registers, 0, sizeof(registers));
	for (n = 0; n < KT_CAPTURE_ARGUMENTS - 1; n++)
		registers[words[n]] = arguments[n];
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		length = leaves(texts[i], copied);
		CHECK(!kt_capture_place(&capture, words));
		CHECK_EQ(kt_capture_run(&capture, registers, payload, HEAD),
			 length);
		CHECK(!memcmp(payload + HEAD, copied + HEAD, length - HEAD));
	}
	parse("char a: a7 string 9");
	CHECK(kt_capture_place(&capture, words));
}

TEST(every_kind_of_field_writes_all_that_counts)
{
	static u8 left[sizeof(payload)];

	place_pointers(3);
	arguments[1] = 7;
	leaves("u8 a: a0 a1 bytes 5; u16 b: a0 @2 put 2; char c: a1 string 9;"
	       "char d: 9 each 4 a0 i 8 * + @8 while a0 i 8 * + @8 string 1 "
	       "next; u8 e: 0 if a0 string 4 end; u8 f: a0 @1 1 & if 3 put 1 "
	       "end; u8 g: a1 @8 put 8; char h: kernel a0 string 4; "
	       "char i: 1 path 50",
	       left);
	CHECK_EQ(unread, 1 << 2 | 1 << 6 | 1 << 7);
}

TEST(nonsense_is_refused)
{
	char deep[512] = "u8 a:", many[4096] = "";
	int i;

	refused("", "a field is");
	refused("char", "a field is");
	refused("char path", "a field is");
	refused(": a0 string 4", "a field is");
	refused("path: a0 string 4", "a field is");
	refused("char 1path: a0 string 4", "a field is");
	refused("char p$: a0 string 4", "belongs to no name");
	refused("char path: a0 strnig 4", "no such word");
	refused("char path: a0 string", "a number is missing");
	refused("char path: a0 string x", "a number is missing");
	refused("char path: a0 string 4294967296", "a number is missing");
	refused("char path: a0 string 0", "a maximum is");
	refused("char path: a0 string 32768", "a maximum is");
	refused("char path: string 4", "nothing is left");
	refused("char path: a0 bytes 4", "nothing is left");
	refused("char path: a8 string 4", "no such argument");
	refused("char path: a0 @3 string 4", "a size is");
	refused("u8 a: a0 put 3", "a size is");
	refused("u8 a: a0 if", "has no end");
	refused("u8 a: a0 each 4", "has no end");
	refused("u8 a: end", "an end without");
	refused("u8 a: next", "a next without");
	refused("u8 a: a0 while", "a while outside");
	refused("u8 a: a0 if a0 end", "leaves something");
	refused("u8 a: a0 each 4 a0 next", "leaves something");
	refused("u8 a: 2 each 4 a0 if next end", "");
	refused("u8 a: a0 if 2 each 4 end next", "");
	refused("u8 a: 2 each 4 a0 if a0 while end next", "within an if");
	refused("u8 a: 2 each 4 2 each 4 next next", "");
	refused("u8 a: a0 if a0 if end end", "");
	refused("u8 a: a0 each 32767 a0 8 bytes 32 next", "too much");
	refused("u8 a: a0 each 32767 a0 a0 a0 + + a0 & put 1 next", "too much");
	refused("char a: a0 string 32767; char b: a0 string 4", "too much");
	refused("u8 a: a0 put 1 ; ;", "a field is");
	for (i = 0; i < 9; i++)
		strcat(deep, " a0");
	refused(deep, "too much on the stack");
	for (i = 0; i < 200; i++)
		strcat(many, "u8 a: 1 put 1;");
	refused(many, "too many");
	CHECK(error.at);
	parse("u8 a: 1 put 1; ");
	CHECK_EQ(capture.nr_fields, 1);
	CHECK_EQ(capture.output_max, 1);
}

TEST(ops_that_no_text_makes_are_refused)
{
	struct kt_capture good;

	parse("u8 a: a0 each 9 a1 while a1 put 1 next; u8 b: a0 if a0 put 1 end");
	good = capture;
	CHECK(!kt_capture_verify(&capture));
	for (u32 at = 0; at < good.nr_ops; at++) {
		/* Any other end of a jump is wrong. */
		for (u32 to = 0; good.ops[at].to && to < 300; to++) {
			capture = good;
			capture.ops[at].to = to;
			CHECK(!kt_capture_verify(&capture) ==
			      (to == good.ops[at].to));
		}
		capture = good;
		capture.ops[at].code = KT_CAPTURE_CODES;
		CHECK(kt_capture_verify(&capture));
	}
	capture = good;
	capture.nr_fields = 1;
	CHECK(kt_capture_verify(&capture));
	capture = good;
	capture.nr_ops = 0;
	CHECK(kt_capture_verify(&capture));
	capture.nr_ops = KT_CAPTURE_OPS_MAX + 1;
	CHECK(kt_capture_verify(&capture));
}

CHECK_MAIN
