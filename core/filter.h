/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Filters: which records of an event are wanted, by the values of its fields.
 *
 *	or     = and { "||" and }
 *	and    = not { "&&" not }
 *	not    = "!" not | "(" or ")" | test
 *	test   = FIELD ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "&" ) NUMBER
 *	       | FIELD ( "==" | "!=" | "~" ) STRING
 *
 * "&" is true if the field has any of the number's bits; "~" compares with a
 * pattern of *, ?, [a-z] and [!a-z].  A string may be quoted by " or ' and must
 * be if it contains blanks or operators.  A number that stands for a text is
 * compared with a string by that text, if the event has it: the memory to which
 * an argument of a system call points, or the path of its file descriptor, which
 * are fields of their own (<ktrace/capture_names.h>).  In addition to the event's own fields
 * there are those of the running task: comm (or COMM), tid (or common_pid),
 * tgid, and cpu (or CPU).  An event's field of the same name comes first.
 *
 * The text is compiled once.  A program is a list of tests; each names the next
 * test for true and for false:
 *
 *	a == 1 && (b == 2 || c == 3)	0: a == 1 ? 1 : NO
 *					1: b == 2 ? YES : 2
 *					2: c == 3 ? YES : NO
 *
 * All jumps lead forward, so a program ends after at most as many steps as it has
 * tests.  It may run in any context.
 *
 * All numbers are compared in one way, whatever their size, sign and operator:
 * is the number in a range, modulo 2^64?  For this a number is shifted to the
 * top of 64 bits.  There all sizes wrap alike, and a signed range is like any
 * other.
 *
 *	(number << unused bits & mask) - low <= span
 *
 *	==  low: the value		span: 0
 *	<=  low: the least number	span: up to the value
 *	&   low: 1			span: all others but the last, which is 0 - 1
 *	!=, >, >=  as ==, <=, <, with the two targets exchanged
 */
#ifndef KT_CORE_FILTER_H
#define KT_CORE_FILTER_H

#include "env.h"
#include <ktrace.h>

enum kt_filter_kind {
	KT_FILTER_UNSIGNED, /* 1, 2, 4 or 8 bytes */
	KT_FILTER_SIGNED,
	KT_FILTER_STRING,  /* up to a NUL, or the field's whole size */
	KT_FILTER_DYNAMIC, /* a u32: offset of a string, length << 16 */
	KT_FILTER_OPAQUE,  /* nothing that could be compared */
	/* Not in the payload. */
	KT_FILTER_COMM,
	KT_FILTER_TID,
	KT_FILTER_TGID,
	KT_FILTER_CPU,
};

struct kt_filter_field {
	const char *name;
	u16 offset;
	u16 size;
	u8 kind;
};

/* Finds the event's field with this name. */
typedef bool kt_filter_lookup_fn(void *event, const char *name, size_t length,
				 struct kt_filter_field *field);

#define KT_FILTER_TESTS_MAX   64
#define KT_FILTER_STRINGS_MAX 768
#define KT_FILTER_DEPTH_MAX   24

enum kt_filter_op {
	KT_FILTER_EQ,
	KT_FILTER_NE,
	KT_FILTER_LT,
	KT_FILTER_LE,
	KT_FILTER_GT,
	KT_FILTER_GE,
	KT_FILTER_BITS,
	KT_FILTER_MATCH,
};

/* The target of a test that decides. */
#define KT_FILTER_YES 0xffffu
#define KT_FILTER_NO  0xfffeu

struct kt_filter_test {
	union {
		struct {
			u64 mask;
			u64 low;
			u64 span;
		};
		struct {
			u16 string; /* where it begins in strings */
			u16 length; /* its length */
			u16 size;   /* of the field */
			u8 op;
		};
	};
	u8 kind;
	u8 number; /* size of a number in the payload; 0: it is something else */
	u16 offset;
	u16 yes;
	u16 no;
};

struct kt_filter {
	u16 nr;
	u16 strings_used;
	struct kt_filter_test tests[KT_FILTER_TESTS_MAX];
	char strings[KT_FILTER_STRINGS_MAX];
};

/* Why a text is not a filter: what is wrong, and at which place. */
struct kt_filter_error {
	const char *what;
	const char *at;
};

/*
 * 0, or -EINVAL with *@error, or -E2BIG likewise.  @payload_size: of the fixed
 * part, which contains all fields of the event.
 */
int kt_filter_compile(struct kt_filter *filter, const char *text,
		      kt_filter_lookup_fn *lookup, void *event,
		      u32 payload_size, struct kt_filter_error *error);

/* Checks that a filter can do no harm; it may be any bytes. */
bool kt_filter_verify(const struct kt_filter *filter, u32 payload_size);

static __always_inline bool kt_filter_in_range(
	const struct kt_filter_test *test, u64 top)
{
	return (top & test->mask) - test->low <= test->span;
}

/* The sizes are constants, because a copy of variable size would be a call. */
static __always_inline bool kt_filter_number(const struct kt_filter_test *test,
					     const u8 *field)
{
	u64 wide;
	u32 word;
	u16 half;

	if (likely(test->number == sizeof(word))) {
		memcpy(&word, field, sizeof(word));
		wide = (u64)word << 32;
	} else if (test->number == sizeof(wide)) {
		memcpy(&wide, field, sizeof(wide));
	} else if (test->number == sizeof(half)) {
		memcpy(&half, field, sizeof(half));
		wide = (u64)half << 48;
	} else {
		wide = (u64)*field << 56;
	}
	return kt_filter_in_range(test, wide);
}

/*
 * Runs the tests as long as they are of numbers in the payload, as those of
 * most filters are.  This calls no function.  Returns KT_FILTER_YES,
 * KT_FILTER_NO, or the test to go on with.
 */
static __always_inline u32 kt_filter_run_numbers(const struct kt_filter *filter,
						 const void *payload)
{
	const struct kt_filter_test *test = filter->tests;
	u32 at = 0;

	while (likely(test->number)) {
		const u8 *field = (const u8 *)payload + test->offset;

		at = unlikely(kt_filter_number(test, field)) ? test->yes
							     : test->no;
		if (likely(at == KT_FILTER_NO) || at == KT_FILTER_YES)
			break;
		test = &filter->tests[at];
	}
	return at;
}

/*
 * Runs the rest from that test on.  @size: of the whole payload; @cpu: the CPU
 * of the event.
 */
bool kt_filter_run_rest(const struct kt_filter *filter, const void *payload,
			u32 size, u32 cpu, u32 at);

static inline bool kt_filter_run(const struct kt_filter *filter,
				 const void *payload, u32 size, u32 cpu)
{
	return kt_filter_run_rest(filter, payload, size, cpu,
				  kt_filter_run_numbers(filter, payload));
}

#endif /* KT_CORE_FILTER_H */
