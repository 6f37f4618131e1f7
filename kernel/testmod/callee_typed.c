// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose arguments and results have all kinds of types: see callee.c.  Upper bits
 * of registers are what a caller may leave there: callers that pass whole registers set
 * them.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kdev_t.h>
#include <linux/types.h>

#include "callee.h"

enum callee_color {
	CALLEE_RED = -1,
	CALLEE_GREEN,
	CALLEE_BLUE = 7,
};

enum callee_bits {
	CALLEE_ONE = 1,
	CALLEE_TWO = 2,
	CALLEE_FOUR = 4,
};

/* Two registers, or the stack. */
struct callee_pair {
	s64 first;
	u16 second;
	bool third;
};

/* Always on the stack. */
struct callee_large {
	u64 words[3];
};

/* The same, because a member is not aligned. */
struct callee_packed {
	u8 before;
	u32 behind;
} __packed;

struct callee_nothing {
};

typedef int callee_compare_t(int, int);

CALLEE s8 typed_small(u8 a, s16 b, bool c, enum callee_color d,
		      enum callee_bits e, s8 f);
CALLEE bool typed_flags(gfp_t gfp, umode_t mode, dev_t dev, u32 flags,
			kuid_t uid, callee_compare_t *compare);
CALLEE s16 typed_eight(int a, int b, int c, int d, int e, int f, s16 g, u8 h);
CALLEE u64 typed_pair(u8 before, struct callee_pair pair, u8 behind);
CALLEE u64 typed_crossing(u64 a, u64 b, u64 c, u64 d, u64 e,
			  struct callee_pair pair, u32 behind);
CALLEE u64 typed_large(u8 before, struct callee_large large, u8 behind);
CALLEE u64 typed_packed(u8 before, struct callee_packed packed, u8 behind);
CALLEE u64 typed_empty(u8 before, struct callee_nothing nothing, u8 behind);
CALLEE struct callee_large typed_makes_large(u64 number);
CALLEE struct callee_pair typed_makes_pair(u64 number);
CALLEE int typed_many(const char *format, ...);
CALLEE void *typed_pointer(long error);
CALLEE enum callee_color typed_color(u8 number);
CALLEE size_t typed_text(const char *text, int a, int b, int c, int d, int e,
			 const char *seventh);

CALLEE s8 typed_small(u8 a, s16 b, bool c, enum callee_color d,
		      enum callee_bits e, s8 f)
{
	return f;
}

CALLEE bool typed_flags(gfp_t gfp, umode_t mode, dev_t dev, u32 flags,
			kuid_t uid, callee_compare_t *compare)
{
	return true;
}

CALLEE s16 typed_eight(int a, int b, int c, int d, int e, int f, s16 g, u8 h)
{
	return g;
}

CALLEE u64 typed_pair(u8 before, struct callee_pair pair, u8 behind)
{
	return pair.second;
}

CALLEE u64 typed_crossing(u64 a, u64 b, u64 c, u64 d, u64 e,
			  struct callee_pair pair, u32 behind)
{
	return pair.second;
}

CALLEE u64 typed_large(u8 before, struct callee_large large, u8 behind)
{
	return large.words[2];
}

CALLEE u64 typed_packed(u8 before, struct callee_packed packed, u8 behind)
{
	return packed.behind;
}

CALLEE u64 typed_empty(u8 before, struct callee_nothing nothing, u8 behind)
{
	return behind;
}

CALLEE struct callee_large typed_makes_large(u64 number)
{
	return (struct callee_large){{number, number + 1, number + 2}};
}

CALLEE struct callee_pair typed_makes_pair(u64 number)
{
	return (struct callee_pair){number, 2, true};
}

CALLEE int typed_many(const char *format, ...)
{
	return *format;
}

CALLEE void *typed_pointer(long error)
{
	return ERR_PTR(error);
}

CALLEE enum callee_color typed_color(u8 number)
{
	return number;
}

static CALLEE int compare(int a, int b)
{
	return a - b;
}

CALLEE size_t typed_text(const char *text, int a, int b, int c, int d, int e,
			 const char *seventh)
{
	return a + b + c + d + e;
}

#define DIRTY 0xdeadbeef00000000ull

/* Whole registers: a call by another prototype. */
static int dirty(void)
{
	u64 (*small)(u64, u64, u64, u64, u64, u64) = (void *)typed_small;
	u64 (*eight)(u64, u64, u64, u64, u64, u64, u64, u64) =
		(void *)typed_eight;
	s8 s;
	s16 g;

	OPTIMIZER_HIDE_VAR(small);
	OPTIMIZER_HIDE_VAR(eight);
	s = small(DIRTY | 0xabcdef05, DIRTY | 0x1234fffe, DIRTY | 0x301,
		  DIRTY | 7, DIRTY | 5, DIRTY | 0xffffff80);
	g = eight(DIRTY | 1, DIRTY | 2, DIRTY | 3, DIRTY | 4, DIRTY | 5,
		  DIRTY | 0xfffffffa, DIRTY | 0x4321fff9, DIRTY | 0xffffff08);
	return s == -128 && g == -7 ? 0 : -EIO;
}

/* Texts that can be read, and some that cannot. */
static void texts(void)
{
	static const char digits[] = "01234567890123456789012345678901234567890"
				     "123456789012345678901234567890";

	typed_text("a \"text\"", 1, 2, 3, 4, 5, "on the stack");
	typed_text(digits, 1, 2, 3, 4, 5, "");
	typed_text(NULL, 1, 2, 3, 4, 5, ERR_PTR(-EIO));
	/* No address at all, and one of a program. */
	typed_text((const char *)0xdead000000000100, 1, 2, 3, 4, 5,
		   (const char *)8);
}

int typed_all(void)
{
	const struct callee_pair pair = {-11, 12, true};
	const struct callee_large large = {{21, 22, 23}};
	const struct callee_packed packed = {31, 32};
	bool right = true;

	right &= !dirty();
	right &= typed_flags(GFP_ATOMIC | __GFP_ZERO, 0640, MKDEV(8, 17), 0x84,
			     KUIDT_INIT(1000), compare);
	right &= typed_pair(1, pair, 2) == 12;
	right &= typed_crossing(1, 2, 3, 4, 5, pair, 6) == 12;
	right &= typed_large(1, large, 2) == 23;
	right &= typed_packed(1, packed, 2) == 32;
	right &= typed_empty(1, (struct callee_nothing){}, 2) == 2;
	right &= typed_makes_large(41).words[2] == 43;
	right &= typed_makes_pair(51).first == 51;
	right &= typed_many("four %d %s %d", 1, "two", 3) == 'f';
	right &= PTR_ERR(typed_pointer(-ENOENT)) == -ENOENT;
	right &= typed_color(255) == 255;
	right &= typed_color(7) == CALLEE_BLUE;
	right &= compare(2, 1) == 1;
	texts();
	return right ? 0 : -EIO;
}
