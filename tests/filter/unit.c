// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Filters: what they accept, what they decide, and what they refuse. */
#include <stdint.h>

#include "check.h"
#include "rnd.h"
#include "filter.h"

void env_wake(struct kt_ring *ring)
{
}

void env_current_task(u32 *tid, u32 *tgid, char *comm)
{
	*tid = 812;
	*tgid = 800;
	memset(comm, 0, KT_COMM_LEN);
	memcpy(comm, "dbench", 6);
}

struct sample {
	int8_t small;
	uint8_t byte;
	int16_t half;
	int32_t word;
	uint64_t wide;
	int64_t deep;
	char comm[8];
	uint32_t path;
	uint32_t blob;
	char data[32];
};

static struct sample sample = {
	.small = -3,
	.byte = 200,
	.half = -300,
	.word = 70000,
	.wide = 1ull << 63,
	.deep = INT64_MIN,
	.comm = "bash",
	.path = offsetof(struct sample, data) | 9 << 16,
	.data = "/etc/foo",
};

/* Numbers of all sizes are tested at this place, which is not aligned. */
#define TRIED(name, size, kind)                                \
	{                                                      \
		name, offsetof(struct sample, data) + 1, size, \
			KT_FILTER_##kind                       \
	}

#define FIELD(f, k)                                                 \
	{                                                           \
#f, offsetof(struct sample, f), sizeof(sample.f), k \
	}

static const struct kt_filter_field fields[] = {
	FIELD(small, KT_FILTER_SIGNED),
	FIELD(byte, KT_FILTER_UNSIGNED),
	FIELD(half, KT_FILTER_SIGNED),
	FIELD(word, KT_FILTER_SIGNED),
	FIELD(wide, KT_FILTER_UNSIGNED),
	FIELD(deep, KT_FILTER_SIGNED),
	FIELD(path, KT_FILTER_DYNAMIC),
	FIELD(blob, KT_FILTER_OPAQUE),
	/* Arguments, and what is captured for them. */
	{"pointer", offsetof(struct sample, wide), 8, KT_FILTER_UNSIGNED},
	{"__pointer_val", offsetof(struct sample, path), 4, KT_FILTER_DYNAMIC},
	{"fd", offsetof(struct sample, byte), 1, KT_FILTER_UNSIGNED},
	{"__fd_path", offsetof(struct sample, path), 4, KT_FILTER_DYNAMIC},
	{"file", offsetof(struct sample, small), 1, KT_FILTER_SIGNED},
	{"__file_file", offsetof(struct sample, path), 4, KT_FILTER_DYNAMIC},
	{"data", offsetof(struct sample, wide), 8, KT_FILTER_UNSIGNED},
	{"__data_val", offsetof(struct sample, blob), 4, KT_FILTER_OPAQUE},
	{"name", offsetof(struct sample, comm), 8, KT_FILTER_STRING},
	TRIED("u1", 1, UNSIGNED),
	TRIED("s1", 1, SIGNED),
	TRIED("u2", 2, UNSIGNED),
	TRIED("s2", 2, SIGNED),
	TRIED("u4", 4, UNSIGNED),
	TRIED("s4", 4, SIGNED),
	TRIED("u8", 8, UNSIGNED),
	TRIED("s8", 8, SIGNED),
	{"outside", sizeof(sample) - 4, 8, KT_FILTER_UNSIGNED},
};

static bool lookup(void *event, const char *name, size_t length,
		   struct kt_filter_field *field)
{
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strlen(fields[i].name) == length &&
		    !memcmp(fields[i].name, name, length)) {
			*field = fields[i];
			return true;
		}
	}
	return false;
}

static struct kt_filter filter;
static struct kt_filter_error error;

static int compile(const char *text)
{
	return kt_filter_compile(&filter, text, lookup, NULL, sizeof(sample),
				 &error);
}

static int run(const char *text)
{
	int err = compile(text);

	if (err) {
		check_note("%s: %s at \"%s\"", text, error.what, error.at);
		return err;
	}
	return kt_filter_run(&filter, &sample, sizeof(sample), 5);
}

TEST(numbers)
{
	CHECK_EQ(run("small == -3"), 1);
	CHECK_EQ(run("small < 0"), 1);
	CHECK_EQ(run("small>-4&&small<=-3"), 1);
	CHECK_EQ(run("byte == 200"), 1);
	CHECK_EQ(run("byte == 0xc8 && byte == 0310"), 1);
	CHECK_EQ(run("byte < 0x7f"), 0);
	CHECK_EQ(run("half >= -300"), 1);
	CHECK_EQ(run("half > -300"), 0);
	CHECK_EQ(run("word != 70000"), 0);
	CHECK_EQ(run("word & 0x10000"), 1);
	CHECK_EQ(run("word & 2"), 0);
	CHECK_EQ(run("wide > 0x7fffffffffffffff"), 1);
	CHECK_EQ(run("wide == 9223372036854775808"), 1);
	CHECK_EQ(run("deep == -9223372036854775808"), 1);
	CHECK_EQ(run("deep < 5"), 1);
}

struct number_field {
	const char *name;
	uint32_t size;
	bool is_signed;
};

/* A 64-bit number, mostly near the limit of some size. */
static uint64_t near_a_bound(void)
{
	uint64_t any = (uint64_t)rnd(1u << 31) << 33 ^
		       (uint64_t)rnd(1u << 31) << 16 ^ rnd(1u << 16);
	uint64_t bound = rnd(2) ? 1ull << (rnd(9) * 8 % 64) : 0;

	switch (rnd(4)) {
	case 0:
		return any;
	case 1:
		return any >> rnd(64);
	case 2:
		return (bound >> rnd(2)) + rnd(3) - 1;
	default:
		return -(bound >> rnd(2)) + rnd(3) - 1;
	}
}

/* Compares @number by C's own rules. */
static bool compares(__int128 number, const char *op, __int128 value)
{
	switch (op[0] << 8 | op[1]) {
	case '=' << 8 | '=':
		return number == value;
	case '!' << 8 | '=':
		return number != value;
	case '<' << 8 | '=':
		return number <= value;
	case '>' << 8 | '=':
		return number >= value;
	case '<' << 8:
		return number < value;
	case '>' << 8:
		return number > value;
	default:
		return (uint64_t)number & (uint64_t)value;
	}
}

/* An argument is a number for a number, and a text for a text. */
TEST(captured)
{
	CHECK_EQ(run("pointer == 0x8000000000000000"), 1);
	CHECK_EQ(run("pointer ~ /etc/*"), 1);
	CHECK_EQ(run("pointer ~ '/usr/*'"), 0);
	CHECK_EQ(run("pointer==\"/etc/foo\""), 1);
	CHECK_EQ(run("pointer == '/etc/fo'"), 0);
	CHECK_EQ(run("pointer  !=  '/etc/fo'"), 1);
	CHECK_EQ(run("pointer != '/etc/foo' || pointer == 1"), 0);
	CHECK_EQ(run("fd == 200 && fd ~ '*foo'"), 1);
	CHECK_EQ(run("file == -3 && file ~ '*foo'"), 1);
	CHECK_EQ(run("__pointer_val ~ /etc/*"), 1);
	/* Without quotes, a value is a number. */
	CHECK_EQ(compile("pointer == /etc/foo"), -EINVAL);
	CHECK_EQ(compile("pointer < '/etc/foo'"), -EINVAL);
	/* What was captured is no text, or nothing was. */
	CHECK_EQ(compile("data ~ x"), -EINVAL);
	CHECK(!strcmp(error.at, "~ x"));
	CHECK_EQ(compile("word ~ x"), -EINVAL);
	CHECK_EQ(compile("word == 'x'"), -EINVAL);
	CHECK_EQ(compile("tid ~ x"), -EINVAL);
	CHECK_EQ(
		compile("an_argument_with_a_name_that_is_longer_than_any_that_exists"
			"_in_a_call ~ x"),
		-EINVAL);
}

/* Any number of any size, with any operator and value, compared with C. */
TEST(numbers_are_compared_as_in_c)
{
	static const char *const ops[] = {
		"==", "!=", "<", "<=", ">", ">=", "&"};
	static const struct number_field numbers[] = {
		{"u1", 1, false}, {"s1", 1, true},  {"u2", 2, false},
		{"s2", 2, true},  {"u4", 4, false}, {"s4", 4, true},
		{"u8", 8, false}, {"s8", 8, true},
	};
	const struct sample original = sample;
	unsigned int yes = 0;
	int i;

	for (i = 0; i < 300000; i++) {
		const struct number_field *field = &numbers[rnd(8)];
		const char *op = ops[rnd(7)];
		unsigned int unused = 64 - 8 * field->size;
		uint64_t bits = near_a_bound() << unused >> unused;
		uint64_t value = near_a_bound();
		__int128 number = bits, wanted = value;
		char text[64];
		bool expected;

		if (field->is_signed) {
			number = (int64_t)(bits << unused) >> unused;
			wanted = (int64_t)value;
			snprintf(text, sizeof(text), "%s %s %lld", field->name,
				 op, (long long)value);
		} else {
			snprintf(text, sizeof(text), "%s %s %llu", field->name,
				 op, (unsigned long long)value);
		}
		expected = compares(number, op, wanted);
		memset(&sample, 0xff, sizeof(sample));
		memcpy(sample.data + 1, &bits, field->size);
		if (run(text) != expected) {
			check_note("%s, of 0x%llx", text,
				   (unsigned long long)bits);
			CHECK_EQ(!expected, expected);
			break;
		}
		yes += expected;
	}
	check_note("%u of %d were true", yes, i);
	CHECK(yes > 100000 && yes < 200000);
	sample = original;
}

TEST(strings)
{
	CHECK_EQ(run("name == bash"), 1);
	CHECK_EQ(run("name == \"bash\""), 1);
	CHECK_EQ(run("name == 'bas'"), 0);
	CHECK_EQ(run("name != \"\""), 1);
	CHECK_EQ(run("name ~ \"b*\""), 1);
	CHECK_EQ(run("name ~ \"*as*\""), 1);
	CHECK_EQ(run("name ~ \"*a*a*\""), 0);
	CHECK_EQ(run("name ~ \"?ash\""), 1);
	CHECK_EQ(run("name ~ \"?bash\""), 0);
	CHECK_EQ(run("name ~ \"[abc]ash\""), 1);
	CHECK_EQ(run("name ~ \"[!a-c]*\""), 0);
	CHECK_EQ(run("name ~ \"[c-z]*\""), 0);
	CHECK_EQ(run("name ~ \"[\""), 0);
	CHECK_EQ(run("name ~ *"), 1);
	CHECK_EQ(run("path == /etc/foo"), 1);
	CHECK_EQ(run("path ~ \"/etc/*\""), 1);
	CHECK_EQ(run("path ~ \"/usr/*\""), 0);
}

TEST(a_string_may_fill_its_field)
{
	memcpy(sample.comm, "12345678", 8);
	CHECK_EQ(run("name == 12345678"), 1);
	CHECK_EQ(run("name ~ \"*8\""), 1);
	memcpy(sample.comm, "bash\0\0\0", 8);
}

TEST(a_bad_offset_is_an_empty_string)
{
	uint32_t path = sample.path;

	sample.path = 0xffffffff;
	CHECK_EQ(run("path == \"\""), 1);
	sample.path = (sizeof(sample) - 2) | 8 << 16;
	CHECK_EQ(run("path == \"\""), 1);
	sample.path = path;
}

TEST(logic)
{
	/* All combinations of three facts, against C. */
	int i;

	for (i = 0; i < 64; i++) {
		int a = i & 1, b = i >> 1 & 1, c = i >> 2 & 1;
		static const char *const forms[] = {
			"byte %s 200 && half %s -300 || word %s 70000",
			"byte %s 200 && (half %s -300 || word %s 70000)",
			"!(byte %s 200 || half %s -300) && word %s 70000",
			"!(byte %s 200 && !(half %s -300 && word %s 70000))",
			"byte %s 200 || half %s -300 && word %s 70000",
			"!!byte %s 200 && !half %s -300 && !word %s 70000",
			"((((byte %s 200)))||((half %s -300))&&(word %s "
			"70000))",
			"!(!(byte %s 200) || !(half %s -300)) || word %s 70000",
		};
		const int wanted[] = {
			(a && b) || c,	   a && (b || c),    !(a || b) && c,
			!(a && !(b && c)), a || (b && c),    a && !b && !c,
			a || (b && c),	   !(!a || !b) || c,
		};
		char text[128];

		snprintf(text, sizeof(text), forms[i >> 3],
			 a ? "==" : "!=", b ? "==" : "!=", c ? "==" : "!=");
		CHECK_EQ(run(text), wanted[i >> 3]);
	}
}

TEST(whoever_runs)
{
	CHECK_EQ(run("cpu == 5 && CPU < 6"), 1);
	CHECK_EQ(run("tgid == 800 && tid == 812 && common_pid != 800"), 1);
	CHECK_EQ(run("comm ~ db*"), 1);
	CHECK_EQ(run("COMM == 'no such name'"), 0);
}

static const char *refusal(const char *text)
{
	if (!compile(text))
		return "";
	return error.what;
}

TEST(refusals)
{
	CHECK_STR(refusal(""), "a field's name is missing");
	CHECK_STR(refusal("=="), "a field's name is missing");
	CHECK_STR(refusal("byte"), "an operator is missing");
	CHECK_STR(refusal("byte && half == 1"), "an operator is missing");
	CHECK_STR(refusal("byte = 1"), "an operator is missing");
	CHECK_STR(refusal("byte =="), "a number is missing");
	CHECK_STR(refusal("byte == foo"), "this is not a number");
	CHECK_STR(refusal("byte == half"), "this is not a number");
	CHECK_STR(refusal("byte == 0x"), "a number is missing");
	CHECK_STR(refusal("byte == 08"), "this is not a number");
	CHECK_STR(refusal("byte == -1"), "this field is never negative");
	CHECK_STR(refusal("wide == 18446744073709551616"),
		  "this number is too large");
	CHECK_STR(refusal("deep == 9223372036854775808"),
		  "this number is too large");
	CHECK_STR(refusal("name < bash"),
		  "a string can be compared by ==, != and ~");
	CHECK_STR(refusal("byte ~ 1"), "~ is for strings");
	CHECK_STR(refusal("name == "), "a string is missing");
	CHECK_STR(refusal("name == \"bash"), "this string has no end");
	CHECK_STR(refusal("(byte == 1"), "this parenthesis is not closed");
	CHECK_STR(refusal("byte == 1)"), "&& or || is missing");
	CHECK_STR(refusal("byte == 1 half == 2"), "&& or || is missing");
	CHECK_STR(refusal("byte == 1 &&"), "a field's name is missing");
	CHECK_STR(refusal("nothing == 1"), "there is no such field");
	CHECK_STR(refusal("blob == 1"), "this field cannot be compared");
	CHECK_STR(refusal("outside == 1"), "a field lies outside of the event");
	CHECK_EQ(compile("byte == 1 || blob == 2"), -EINVAL);
	CHECK_STR(error.at, "blob == 2");
}

TEST(limits)
{
	static char text[1 << 16];
	size_t at = 0;
	int i;

	for (i = 0; i < KT_FILTER_TESTS_MAX; i++)
		at += sprintf(text + at, "%sbyte == %d", i ? "||" : "", i);
	CHECK_EQ(compile(text), 0);
	CHECK_EQ(kt_filter_run(&filter, &sample, sizeof(sample), 0), 0);
	sprintf(text + at, "||byte == 200");
	CHECK_EQ(compile(text), -E2BIG);

	memset(text, '(', sizeof(text) - 1);
	CHECK_EQ(compile(text), -E2BIG);
	memset(text, '!', sizeof(text) - 1);
	CHECK_EQ(compile(text), -EINVAL);
	memset(text, 'a', sizeof(text) - 1);
	memcpy(text, "name == ", 8);
	CHECK_EQ(compile(text), -E2BIG);
}

/*
 * Whatever the bytes, a program that passes the verifier ends and stays inside.
 */
TEST(damaged_programs)
{
	unsigned int passed = 0;
	int i;

	for (i = 0; i < 200000; i++) {
		unsigned char *byte;

		if (!(i & 3))
			CHECK_EQ(compile("byte == 1 && (half < 2 || name ~ "
					 "\"b*\") || path == x"),
				 0);
		byte = (unsigned char *)&filter +
		       rnd(offsetof(struct kt_filter, tests) +
			   5 * sizeof(struct kt_filter_test));
		*byte = rnd(256);
		if (!kt_filter_verify(&filter, sizeof(sample)))
			continue;
		kt_filter_run(&filter, &sample, sizeof(sample), 0);
		passed++;
	}
	check_note("%u damaged programs were harmless", passed);
	CHECK(passed);
}

CHECK_MAIN
