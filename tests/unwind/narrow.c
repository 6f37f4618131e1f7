// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Walks over stacks of 32-bit programs that are made up here. */
#include "check.h"
#include "memory.h"
#include "walked_check.h"

#define TEXT	0x400000ull
#define IN(n)	(TEXT + 16 * (n))
#define OUTSIDE 0x900000ull

/* Where the words of the stack are. */
#define LOW_BASE 0x8100000ull
#define LOW(n)	 (LOW_BASE + 4 * (n)) /* of 32 bits */

static const struct kt_unwind_file file = {NULL, TEXT};
static const struct kt_unwind_map map = {TEXT, TEXT + 0x10000, TEXT, &file};
static const struct kt_unwind_space space = {&map, 1, 1};
static struct walked stack;

static void begin(void)
{
	memset(memory_words, 0, sizeof(memory_words));
	memory_base = LOW_BASE;
	memory_closed = false;
}

/* A frame: the caller's ebp and the return address. */
static void put(u32 at, u32 bp, u32 ip)
{
	memory_words[at / 2] = (u64)ip << 32 | bp;
}

static void walk(u64 ip, u64 sp, u64 bp, u32 depth)
{
	static struct kt_unwind_cache cache;
	const struct kt_unwind_start start = {
		.ip = ip, .sp = sp, .bp = bp, .narrow = true};

	walked_take(&space, &cache, &start, depth, &stack);
}

#define FRAMES(end, ...) WALKED_FRAMES(&stack, end, __VA_ARGS__)

TEST(all_but_the_first_frame_are_guesses)
{
	begin();
	put(10, LOW(20), IN(1));
	put(20, LOW(30), IN(3));
	put(30, 0, IN(2));
	/* What is above the 32 bits does not count. */
	walk(IN(0) | 1ull << 32, LOW(0) | 1ull << 40, LOW(10) | 1ull << 63, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1), IN(3), IN(2));
	CHECK_EQ(stack.guesses[0], 1 << 1 | 1 << 2 | 1 << 3);
	walk(IN(0), LOW(0), LOW(10), 3);
	FRAMES(KT_STACK_TRUNCATED, IN(0), IN(1), IN(3));
}

/* The first function has the number of arguments where others are called from. */
TEST(no_frame_is_outside_of_all_files)
{
	begin();
	put(10, LOW(20), IN(1));
	put(20, 0, 1);
	walk(IN(0), LOW(0), LOW(10), 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1));
	/* Only the first instruction may be anywhere. */
	walk(OUTSIDE, LOW(0), LOW(10), 10);
	FRAMES(KT_STACK_COMPLETE, OUTSIDE, IN(1));
	put(20, LOW(30), OUTSIDE);
	walk(IN(0), LOW(0), LOW(10), 10);
	FRAMES(KT_STACK_NO_TABLE, IN(0), IN(1));
}

/* Who does not keep frame pointers uses ebp for anything. */
TEST(zero_ends_a_stack_only_behind_a_step)
{
	begin();
	walk(IN(0), LOW(0), 0, 10);
	FRAMES(KT_STACK_NO_TABLE, IN(0));
	/* It points to zeros, or to any number. */
	walk(IN(0), LOW(0), LOW(10), 10);
	FRAMES(KT_STACK_NO_TABLE, IN(0));
	put(10, 0, 12345);
	walk(IN(0), LOW(0), LOW(10), 10);
	FRAMES(KT_STACK_NO_TABLE, IN(0));
}

TEST(a_pointer_that_leads_nowhere_ends_a_stack)
{
	static const u64 pointers[] = {1, LOW(0) - 4, LOW(0) + 2,
				       LOW(13) + (1 << 20), 0xfffffffc};

	begin();
	for (size_t i = 0; i < sizeof(pointers) / sizeof(*pointers); i++) {
		put(10, pointers[i], IN(1));
		walk(IN(0), LOW(0), pointers[i], 10);
		FRAMES(KT_STACK_NO_TABLE, IN(0));
		walk(IN(0), LOW(0), LOW(10), 10);
		FRAMES(KT_STACK_NO_TABLE, IN(0), IN(1));
	}
	put(10, LOW(2 * MEMORY_WORDS), IN(1));
	walk(IN(0), LOW(0), LOW(10), 10);
	FRAMES(KT_STACK_ABSENT, IN(0), IN(1));
	memory_closed = true;
	walk(IN(0), LOW(0), LOW(10), 10);
	FRAMES(KT_STACK_ABSENT, IN(0));
}

CHECK_MAIN
