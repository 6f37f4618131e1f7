// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Filters of events of a trace: numbers of all sizes and signs against the compiler's own comparison,
 * strings against fnmatch(3), and which fields are refused.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>

#include <ktrace/filter.h>

#include "check.h"
#include "rnd.h"

#define NR_NUMBERS 8

struct payload {
	uint64_t wide;
	int64_t deep;
	uint32_t word;
	int32_t number;
	uint16_t half;
	int16_t small;
	uint8_t byte;
	int8_t tiny;
	char name[10];
	uint32_t path; /* offset | length << 16 */
	uint32_t blob;
	float ratio;
	char data[16];
} __attribute__((packed));

#define FIELD(member, its_kind, ...)                                         \
	{                                                                    \
		.name = #member, .offset = offsetof(struct payload, member), \
		.size = sizeof(((struct payload *)0)->member),               \
		.kind = its_kind, ##__VA_ARGS__                              \
	}

/* The numbers come first. */
static const struct ktrace_field fields[] = {
	FIELD(wide, KTRACE_UINT),
	FIELD(deep, KTRACE_INT, .is_signed = true),
	FIELD(word, KTRACE_UINT),
	FIELD(number, KTRACE_INT, .is_signed = true),
	FIELD(half, KTRACE_POINTER),
	FIELD(small, KTRACE_INT, .is_signed = true),
	FIELD(byte, KTRACE_UINT),
	FIELD(tiny, KTRACE_INT, .is_signed = true),
	FIELD(name, KTRACE_STRING),
	FIELD(path, KTRACE_STRING, .place = KTRACE_DATA_LOC),
	FIELD(blob, KTRACE_ARRAY, .elem = 1),
	FIELD(ratio, KTRACE_UINT, .base = KTRACE_FLOAT),
};

static const struct ktrace_type type = {
	.size = offsetof(struct payload, data),
	.dynamic = true,
	.system = "made",
	.name = "event",
	.nr_fields = sizeof(fields) / sizeof(fields[0]),
	.fields = fields,
};

static struct payload payload;
static struct ktrace_event event = {
	.type = &type,
	.payload = (const uint8_t *)&payload,
	.size = sizeof(payload),
	.cpu = 3,
	.tid = 812,
	.tgid = 800,
	.comm = "dbench",
};

static bool meets(const char *text)
{
	struct ktrace_filter *filter;
	bool yes;

	if (ktrace_filter_create(&type, text, NULL, &filter))
		check_fail("%s: %s", text, ktrace_last_error());
	yes = ktrace_filter_match(filter, &event);
	ktrace_filter_destroy(filter);
	return yes;
}

/* A number in which the ends of all sizes are frequent. */
static __int128 number_make(bool is_signed)
{
	uint64_t bits = 1ull << rnd(64), v = bits + rnd(3) - 1;

	if (rnd(4) == 0)
		v = (uint64_t)rnd(1u << 31) << rnd(34);
	return is_signed ? (__int128)(int64_t)(rnd(2) ? v : -v) : (__int128)v;
}

static __int128 field_value(const struct ktrace_field *field)
{
	union {
		uint64_t u;
		int64_t s;
	} v = {0};
	unsigned int unused = 64 - 8 * field->size;

	memcpy(&v, event.payload + field->offset, field->size);
	if (field->kind != KTRACE_INT)
		return v.u;
	v.u <<= unused;
	return v.s >> unused;
}

static bool compares(__int128 a, unsigned int op, __int128 b)
{
	switch (op) {
	case 0:
		return a == b;
	case 1:
		return a != b;
	case 2:
		return a < b;
	case 3:
		return a <= b;
	case 4:
		return a > b;
	case 5:
		return a >= b;
	default:
		return (a & b) != 0;
	}
}

TEST(numbers_of_all_sizes)
{
	static const char *const ops[] = {
		"==", "!=", "<", "<=", ">", ">=", "&"};
	unsigned int decided[2] = {0};

	for (int i = 0; i < 200000; i++) {
		const struct ktrace_field *field = &fields[rnd(NR_NUMBERS)];
		bool is_signed = field->kind == KTRACE_INT, yes;
		unsigned int op = rnd(7);
		__int128 value = number_make(is_signed), sized;
		char text[80];

		sized = number_make(is_signed);
		memcpy((uint8_t *)&payload + field->offset, &sized,
		       field->size);
		if (rnd(3) == 0)
			value = field_value(field);
		snprintf(text, sizeof(text),
			 is_signed ? "%s %s %" PRId64 : "%s %s %" PRIu64,
			 field->name, ops[op], (int64_t)value);
		yes = compares(field_value(field), op, value);
		if (meets(text) != yes)
			check_fail("%s, which is %" PRId64, text,
				   (int64_t)field_value(field));
		decided[yes]++;
	}
	CHECK(decided[0] > 10000 && decided[1] > 10000);
}

TEST(strings)
{
	static const char *const patterns[] = {"*",	"a*",	 "*a", "?b?",
					       "[ab]*", "*[!a]", "a",  "*ab*"};
	unsigned int decided[2] = {0};

	for (int i = 0; i < 20000; i++) {
		const char *pattern = patterns[rnd(8)];
		unsigned int length = rnd(11);
		char name[11] = "", text[40];
		bool dynamic = rnd(2), yes;

		for (unsigned int j = 0; j < length; j++)
			name[j] = "abc"[rnd(3)];
		memset(payload.name, 'a', sizeof(payload.name));
		memset(payload.data, 'a', sizeof(payload.data));
		/* A fixed string may fill its room; a dynamic one has its NUL, or not. */
		memcpy(payload.name, name, sizeof(payload.name));
		memcpy(payload.data + 3, name, sizeof(name));
		payload.path = (type.size + 3) | (length + rnd(2)) << 16;
		snprintf(text, sizeof(text), "%s ~ \"%s\"",
			 dynamic ? "path" : "name", pattern);
		yes = !fnmatch(pattern, name, 0);
		if (meets(text) != yes)
			check_fail("%s, which is %s", text, name);
		snprintf(text, sizeof(text), "%s != \"%s\"",
			 dynamic ? "path" : "name", name);
		CHECK(!meets(text));
		decided[yes]++;
	}
	CHECK(decided[0] > 1000 && decided[1] > 1000);
}

TEST(string_outside_of_the_event)
{
	for (int i = 0; i < 1000; i++) {
		payload.path = rnd(1u << 31) * 2 + rnd(2);
		meets("path ~ \"*a*\"");
	}
	payload.path = (type.size + 10u) | 100u << 16;
	CHECK(meets("path == \"\""));
	event.size = type.size - 1;
	CHECK(!meets("wide >= 0"));
	event.size = sizeof(payload);
}

TEST(task)
{
	CHECK(meets("comm == dbench && COMM ~ 'd*'"));
	CHECK(meets("tid == 812 && common_pid == 812 && tgid == 800"));
	CHECK(meets("cpu == 3 && CPU < 4"));
	CHECK(!meets("comm == bash || tid == 1 || cpu & 4"));
}

static void refused(const char *text, int err, size_t at)
{
	struct ktrace_filter *filter;
	size_t where = 99;

	CHECK_EQ(ktrace_filter_create(&type, text, &where, &filter), err);
	CHECK_EQ(where, at);
}

TEST(refusals)
{
	refused("word == 1 && nothing == 2", -ENOENT, 13);
	refused("blob == 1", -EINVAL, 0);
	refused("ratio == 1", -EINVAL, 0);
	refused("wide == -1", -EINVAL, 8);
	refused("path < 3", -EINVAL, 5);
	refused("word = 3", -EINVAL, 5);
	refused("comm == 'x", -EINVAL, 8);
	refused("", -EINVAL, 0);
}

CHECK_MAIN
