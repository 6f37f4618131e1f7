// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Unwind tables and walks, on tables and stacks that are made up here: each kind of rule, each
 * way to end, and what strangers could hand in.
 */
#include <errno.h>

#include "check.h"
#include "rnd.h"
#include "memory.h"
#include "walked_check.h"

#define SAME KT_UNWIND_SAME
#define LOST KT_UNWIND_LOST
#define RULE kt_unwind_rule

/* Where the text of the tests is in memory, and in its file. */
#define TEXT	  0x400000ull
#define OUTSIDE	  0x900000ull
#define FILE_TEXT 0x1000ull
#define TEXT_SIZE 0x10000ull

struct row {
	u64 at; /* in the text */
	u64 rule;
};

#define BYTES_MAX 8192

/* A table that a test may damage. */
struct made {
	union {
		struct kt_unwind_header header;
		u8 bytes[BYTES_MAX];
	};
	size_t size;
	u64 *rules;
	u32 *buckets;
	u16 *numbers;
	u8 *offsets;
};

/* Each row has a rule of its own. */
static void make(struct made *made, const struct row *rows, u32 nr)
{
	struct kt_unwind_header *header = &made->header;
	u32 bucket = 0, i;

	memset(made, 0, sizeof(*made));
	header->magic = KT_UNWIND_MAGIC;
	header->version = KT_UNWIND_VERSION;
	header->machine = KT_UNWIND_X86_64;
	header->nr_rules = header->nr_rows = nr;
	header->nr_buckets =
		nr ? (rows[nr - 1].at >> KT_UNWIND_BUCKET_SHIFT) + 1 : 0;
	header->base = FILE_TEXT;
	made->size = kt_unwind_table_size(header);
	if (made->size > BYTES_MAX)
		abort();
	made->rules = (u64 *)(header + 1);
	made->buckets = (u32 *)(made->rules + nr);
	made->numbers = (u16 *)(made->buckets + header->nr_buckets + 1);
	made->offsets = (u8 *)(made->numbers + nr);
	for (i = 0; i < nr; i++) {
		made->rules[i] = rows[i].rule;
		made->numbers[i] = i;
		made->offsets[i] = rows[i].at;
		while (bucket <= rows[i].at >> KT_UNWIND_BUCKET_SHIFT)
			made->buckets[bucket++] = i;
	}
	made->buckets[bucket] = nr;
}

static int open_made(const struct made *made, struct kt_unwind_table *table)
{
	/* Of exactly this size, so that AddressSanitizer sees the end. */
	void *bytes = malloc(made->size ?: 1);
	int err;

	if (!bytes)
		abort();
	memcpy(bytes, made->bytes, made->size);
	err = kt_unwind_table_open(table, bytes, made->size);
	free(bytes);
	return err;
}

#define SOME                                                                \
	((const struct row[]){                                              \
		{0x00, RULE(KT_UNWIND_RSP, 1, SAME, SAME, 0)},              \
		{0x04, RULE(KT_UNWIND_RSP, 2, -2, SAME, 0)},                \
		{0xff, KT_UNWIND_NONE},                                     \
		{0x100, RULE(KT_UNWIND_RBP, 2, -2, -3,                      \
			     0)}, /* Nothing begins from 0x200 to 0x3ff. */ \
		{0x410, KT_UNWIND_END},                                     \
		{0x412, RULE(KT_UNWIND_PLT, 1, SAME, SAME, 11)},            \
	})
#define NR_SOME 6

TEST(rules_keep_what_they_are_made_of)
{
	static const s64 places[] = {SAME, LOST, KT_UNWIND_PLACE_MIN, -1,
				     0,	   1,	 KT_UNWIND_PLACE_MAX};
	static const s64 offsets[] = {KT_UNWIND_OFFSET_MIN, -1, 0, 1,
				      KT_UNWIND_OFFSET_MAX};

	for (int i = 0; i < 7 * 7 * 5; i++) {
		s64 rbp = places[i % 7], rbx = places[i / 7 % 7];
		s64 offset = offsets[i / 49];
		u64 rule = RULE(KT_UNWIND_LINK, offset, rbp, rbx, 255);

		CHECK_EQ(kt_unwind_rule_kind(rule), KT_UNWIND_LINK);
		CHECK_EQ(kt_unwind_rule_offset(rule), offset * 8);
		CHECK_EQ(kt_unwind_rule_rbp(rule), rbp);
		CHECK_EQ(kt_unwind_rule_rbx(rule), rbx);
		CHECK_EQ(kt_unwind_rule_extra(rule), 255);
		CHECK_EQ(rule >> 50, 0);
	}
}

TEST(a_search_finds_the_row_of_each_byte)
{
	const struct row *some = SOME;
	struct kt_unwind_table table;
	struct made made;

	make(&made, some, NR_SOME);
	CHECK_EQ(kt_unwind_table_open(&table, made.bytes, made.size), 0);
	for (u64 at = 0; at < 0x500; at++) {
		u64 expected = KT_UNWIND_NONE;

		for (size_t i = 0; i < NR_SOME; i++)
			if (some[i].at <= at)
				expected = some[i].rule;
		CHECK_EQ(kt_unwind_table_find(&table, FILE_TEXT + at),
			 expected);
	}
	CHECK_EQ(kt_unwind_table_find(&table, FILE_TEXT - 1), KT_UNWIND_NONE);
	CHECK_EQ(kt_unwind_table_find(&table, FILE_TEXT + 0x500),
		 KT_UNWIND_NONE);
	CHECK_EQ(kt_unwind_table_find(&table, ~0ull), KT_UNWIND_NONE);
}

TEST(before_the_first_row_nothing_is_known)
{
	const struct row rows[] = {
		{0x80, RULE(KT_UNWIND_RSP, 1, SAME, SAME, 0)}};
	struct kt_unwind_table table;
	struct made made;

	make(&made, rows, 1);
	CHECK_EQ(kt_unwind_table_open(&table, made.bytes, made.size), 0);
	CHECK_EQ(kt_unwind_table_find(&table, FILE_TEXT), KT_UNWIND_NONE);
	CHECK_EQ(kt_unwind_table_find(&table, FILE_TEXT + 0x80), rows[0].rule);
}

TEST(an_empty_table_knows_nothing)
{
	struct kt_unwind_table table;
	struct made made;

	make(&made, NULL, 0);
	CHECK_EQ(kt_unwind_table_open(&table, made.bytes, made.size), 0);
	CHECK_EQ(kt_unwind_table_find(&table, FILE_TEXT), KT_UNWIND_NONE);
}

static void check_refused(const struct made *made, int expected,
			  const char *what)
{
	struct kt_unwind_table table;
	int err = open_made(made, &table);

	if (err != expected)
		check_fail("%s: %d, not %d", what, err, expected);
}

/* Changes one thing of a good table. */
#define REFUSED(err, change)                          \
	do {                                          \
		make(&made, SOME, NR_SOME);           \
		change;                               \
		check_refused(&made, (err), #change); \
	} while (0)

TEST(damaged_tables_are_refused)
{
	struct made made;

	REFUSED(0, (void)0);
	REFUSED(-EBADMSG, made.header.magic++);
	REFUSED(-EPROTONOSUPPORT, made.header.version++);
	REFUSED(-EPROTONOSUPPORT, made.header.machine++);
	REFUSED(-EBADMSG, made.size = 0);
	REFUSED(-EBADMSG, made.size = sizeof(made.header) - 1);
	REFUSED(-EBADMSG, made.size--);
	REFUSED(-EBADMSG, made.size++);
	REFUSED(-EBADMSG, made.header.nr_rows++);
	REFUSED(-EBADMSG, made.header.nr_rows = ~0u);
	REFUSED(-EBADMSG, made.header.nr_buckets = ~0u);
	REFUSED(-EBADMSG, made.header.nr_rules = ~0u);
	REFUSED(-EBADMSG, made.header.base++);
	REFUSED(-EBADMSG, made.header.id_size = KT_UNWIND_ID_MAX + 1);
	REFUSED(-EBADMSG, made.header.id[3] = 1);
	REFUSED(-EBADMSG, made.numbers[2] = NR_SOME);
	REFUSED(-EBADMSG, made.buckets[0] = 1);
	REFUSED(-EBADMSG, made.buckets[1] = 1000);
	REFUSED(-EBADMSG, made.buckets[2] = 1);
	REFUSED(-EBADMSG, made.buckets[5]--);
	REFUSED(-EBADMSG, made.buckets[5]++);
	REFUSED(-EBADMSG, made.offsets[1] = 0);
	REFUSED(-EBADMSG, made.offsets[0] = 5);
}

TEST(senseless_rules_are_refused)
{
	struct made made;

	REFUSED(-EBADMSG, made.rules[0] = KT_UNWIND_KINDS);
	REFUSED(-EBADMSG, made.rules[0] = 15);
	REFUSED(-EBADMSG, made.rules[0] |= 1ull << 50);
	REFUSED(-EBADMSG, made.rules[0] |= 1ull << 63);
	REFUSED(-EBADMSG, made.rules[0] = RULE(KT_UNWIND_END, 1, 0, 0, 0));
	REFUSED(-EBADMSG, made.rules[0] = RULE(KT_UNWIND_SIGNAL, 0, 1, 0, 0));
	REFUSED(-EBADMSG, made.rules[0] = RULE(KT_UNWIND_RSP, 1, 0, 0, 1));
	REFUSED(-EBADMSG,
		made.rules[0] = RULE(KT_UNWIND_REGISTER, 1, 0, 0, 16));
	REFUSED(-EBADMSG, made.rules[0] = RULE(KT_UNWIND_LINK, 1, 0, 0, 16));
	REFUSED(-EBADMSG, made.rules[0] = RULE(KT_UNWIND_PLT, 1, 0, 0, 16));
	REFUSED(-EBADMSG, made.rules[0] = RULE(KT_UNWIND_RSP, 1,
					       KT_UNWIND_AT_BASE, 0, 0));
	REFUSED(-EBADMSG, made.rules[0] = RULE(KT_UNWIND_AT_RBP, 1, 0,
					       KT_UNWIND_AT_BASE, 0));
	REFUSED(0, made.rules[0] = RULE(KT_UNWIND_AT_RBP, 1, KT_UNWIND_AT_BASE,
					0, 255));
}

/* Whatever the bytes are: if they are taken, each search stays inside. */
TEST(tables_of_random_bytes)
{
	struct kt_unwind_table table;
	unsigned int taken = 0;
	struct made made;

	for (int i = 0; i < 100000; i++) {
		void *bytes;

		make(&made, SOME, NR_SOME);
		for (int n = rnd(3); n >= 0; n--)
			made.bytes[rnd(made.size)] = rnd(4) ? rnd(8) : rnd(256);
		bytes = malloc(made.size);
		if (!bytes)
			abort();
		memcpy(bytes, made.bytes, made.size);
		if (!kt_unwind_table_open(&table, bytes, made.size)) {
			taken++;
			for (int n = 0; n < 20; n++)
				kt_unwind_table_find(&table,
						     FILE_TEXT + rnd(0x600));
		}
		free(bytes);
	}
	/* Otherwise the test would prove little. */
	CHECK(taken > 1000);
}

/* --- walks --- */

static struct kt_unwind_cache cache;
static struct kt_unwind_table the_table;
static struct kt_unwind_file the_file = {&the_table, TEXT - FILE_TEXT};
static struct kt_unwind_map the_map = {TEXT, TEXT + TEXT_SIZE, TEXT - FILE_TEXT,
				       &the_file};
static struct kt_unwind_space space = {&the_map, 1, 0x123456789abcdefull};
static struct made the_made;
static struct walked stack;

#define AT(word) (MEMORY_BASE + 8 * (word))

/* Each row is 16 bytes long; the last one goes on. */
static void begin(const u64 *rules, u32 nr)
{
	struct row rows[16];

	for (u32 i = 0; i < nr; i++)
		rows[i] = (struct row){16 * i, rules[i]};
	make(&the_made, rows, nr);
	CHECK_EQ(kt_unwind_table_open(&the_table, the_made.bytes,
				      the_made.size),
		 0);
	memset(memory_words, 0, sizeof(memory_words));
	memset(&stack, 0xee, sizeof(stack));
	memory_closed = false;
	space.salt += 0x9e3779b97f4a7c15ull;
}

#define BEGIN(...)                        \
	begin((const u64[]){__VA_ARGS__}, \
	      sizeof((const u64[]){__VA_ARGS__}) / sizeof(u64))

/* A place in the row with this number; as a return address, too. */
#define IN(row) (TEXT + 16 * (row) + 8)

static void walk(u64 ip, u64 sp, u64 bp, u64 bx, u32 depth)
{
	const struct kt_unwind_start start = {
		.ip = ip, .sp = sp, .bp = bp, .bx = bx};

	static struct walked again;

	walked_take(&space, &cache, &start, depth, &stack);
	/* By what the cache has now. */
	walked_take(&space, &cache, &start, depth, &again);
	CHECK_EQ(again.nr, stack.nr);
	CHECK_EQ(again.end, stack.end);
	CHECK(!memcmp(again.frames, stack.frames,
		      stack.nr * sizeof(*stack.frames)));
}

#define FRAMES(end, ...) WALKED_FRAMES(&stack, end, __VA_ARGS__)

#define LEAF		 RULE(KT_UNWIND_RSP, 1, SAME, SAME, 0)

TEST(frames_on_rsp)
{
	BEGIN(LEAF, RULE(KT_UNWIND_RSP, 4, SAME, SAME, 0), KT_UNWIND_END);
	memory_words[0] = IN(1);
	memory_words[4] = IN(2);
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1), IN(2));
	CHECK_EQ(stack.guesses[0] | stack.guesses[1], 0);
}

TEST(frames_on_rbp)
{
	/* The first saves rbp, the second stands on it, the third lost it. */
	BEGIN(RULE(KT_UNWIND_RSP, 2, -2, SAME, 0),
	      RULE(KT_UNWIND_RBP, 2, LOST, SAME, 0),
	      RULE(KT_UNWIND_RBP, 2, SAME, SAME, 0));
	memory_words[0] = AT(10);
	memory_words[1] = IN(1);
	memory_words[11] = IN(2);
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_NO_RULE, IN(0), IN(1), IN(2));
}

TEST(a_frame_at_a_stored_address)
{
	BEGIN(RULE(KT_UNWIND_AT_RSP, 3, SAME, SAME, 1),
	      RULE(KT_UNWIND_AT_RBP, -1, KT_UNWIND_AT_BASE, SAME, 0),
	      RULE(KT_UNWIND_RBP, 2, SAME, SAME, 0), KT_UNWIND_END);
	memory_words[3] = AT(20);
	memory_words[20] = IN(1); /* CFA: 21 */
	memory_words[29] = AT(41);
	memory_words[30] = AT(50); /* the caller's rbp, where rbp points */
	memory_words[40] = IN(2);
	memory_words[51] = IN(3);
	walk(IN(0), AT(0), AT(30), 0, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1), IN(2), IN(3));
}

TEST(an_entry_of_a_plt)
{
	const u64 plt = RULE(KT_UNWIND_PLT, 1, SAME, SAME, 11);

	BEGIN(plt, KT_UNWIND_END);
	memory_words[0] = IN(1);
	memory_words[1] = IN(1) + 1;
	walk(TEXT + 10, AT(0), 0, 0, 10);
	FRAMES(KT_STACK_COMPLETE, TEXT + 10, IN(1));
	walk(TEXT + 11, AT(0), 0, 0, 10);
	FRAMES(KT_STACK_COMPLETE, TEXT + 11, IN(1) + 1);
}

TEST(a_frame_on_another_register)
{
	BEGIN(RULE(KT_UNWIND_REGISTER, 0, SAME, SAME, 10), KT_UNWIND_END);
	memory_words[9] = IN(1);
	walk(IN(0), AT(500), 0, 0, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1));
	/* Only the first frame's registers are known. */
	BEGIN(LEAF, RULE(KT_UNWIND_REGISTER, 0, SAME, SAME, 10));
	memory_words[0] = IN(1);
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_NO_RULE, IN(0), IN(1));
}

TEST(a_frame_on_rbx)
{
	BEGIN(RULE(KT_UNWIND_RSP, 2, SAME, -2, 0), LEAF,
	      RULE(KT_UNWIND_REGISTER, 1, SAME, LOST, 3), LEAF, KT_UNWIND_END);
	memory_words[0] = AT(20);
	memory_words[1] = IN(1);
	memory_words[2] = IN(2);
	memory_words[20] = IN(3);
	memory_words[21] = IN(4);
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1), IN(2), IN(3), IN(4));
	/* The same without a place for rbx. */
	BEGIN(RULE(KT_UNWIND_RSP, 2, SAME, LOST, 0), LEAF,
	      RULE(KT_UNWIND_REGISTER, 1, SAME, LOST, 3), LEAF, KT_UNWIND_END);
	memory_words[1] = IN(1);
	memory_words[2] = IN(2);
	walk(IN(0), AT(0), 0, AT(20), 10);
	FRAMES(KT_STACK_NO_RULE, IN(0), IN(1), IN(2));
}

#define FIRST_OF_PAGE (TEXT + 0x1000)

/* As the kernel does for a probe of a function's return. */
TEST(a_replaced_return_address)
{
	const u64 page = OUTSIDE;
	const struct kt_unwind_return returns[] = {
		{AT(4), IN(2)}, {AT(4), IN(2)}, {AT(0), IN(1)}, {AT(5), IN(9)}};
	struct kt_unwind_start start = {
		.ip = IN(0), .sp = AT(0), .nr_returns = 4, .returns = returns};

	for (int warm = 0; warm < 2; warm++) {
		if (!warm)
			BEGIN(LEAF, RULE(KT_UNWIND_RSP, 4, SAME, SAME, 0), LEAF,
			      KT_UNWIND_END);
		memory_words[0] = memory_words[4] = page;
		/* The last one was left without a return. */
		memory_words[5] = IN(3);
		walked_take(&space, &cache, &start, 10, &stack);
		FRAMES(KT_STACK_COMPLETE, IN(0), IN(1), IN(2), IN(3));
	}
	/* Where the task itself has returned to it. */
	start.ip = page;
	start.sp = AT(1);
	walked_take(&space, &cache, &start, 10, &stack);
	FRAMES(KT_STACK_COMPLETE, IN(1), IN(2), IN(3));
	/* A genuine one at the beginning of a page, where one was left without a return. */
	memory_words[5] = FIRST_OF_PAGE;
	start.ip = IN(0);
	start.sp = AT(0);
	walked_take(&space, &cache, &start, 6, &stack);
	CHECK_EQ(stack.frames[3], FIRST_OF_PAGE);
	/* In a place that nobody told. */
	memory_words[5] = page;
	memory_words[6] = IN(3);
	start.ip = IN(0);
	start.sp = AT(0);
	start.nr_returns = 3;
	walked_take(&space, &cache, &start, 10, &stack);
	FRAMES(KT_STACK_NO_TABLE, IN(0), IN(1), IN(2), page);
}

TEST(a_return_address_in_a_register)
{
	BEGIN(RULE(KT_UNWIND_LINK, 0, SAME, SAME, 5), KT_UNWIND_END);
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_NO_TABLE, IN(0), MEMORY_BASE + 8 * 5);
	BEGIN(LEAF, RULE(KT_UNWIND_LINK, 0, SAME, SAME, 5));
	memory_words[0] = IN(1);
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_NO_RULE, IN(0), IN(1));
}

TEST(a_signal_between_two_instructions)
{
	BEGIN(LEAF, KT_UNWIND_SIGNAL, RULE(KT_UNWIND_RSP, 8, SAME, SAME, 0),
	      RULE(KT_UNWIND_RBP, 2, SAME, SAME, 0), KT_UNWIND_END);
	memory_words[100] = IN(1);
	/* The handler has a stack of its own, above the one that it interrupts. */
	memory_words[101 + 120 / 8] = AT(30);
	memory_words[101 + 160 / 8] = AT(10);
	/* The first byte of its row: the byte before is another row's. */
	memory_words[101 + 168 / 8] = TEXT + 16 * 3;
	memory_words[31] = IN(4);
	walk(IN(0), AT(100), 0, 0, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1), TEXT + 16 * 3, IN(4));
}

TEST(the_byte_before_a_return_address_counts)
{
	struct kt_unwind_start start = {
		.ip = TEXT + 16, .sp = AT(0), .behind = true};

	BEGIN(LEAF, KT_UNWIND_UNKNOWN, LEAF, KT_UNWIND_END);
	memory_words[0] = TEXT + 16 * 3;
	memory_words[1] = IN(3);
	walked_take(&space, &cache, &start, 10, &stack);
	FRAMES(KT_STACK_COMPLETE, TEXT + 16, TEXT + 16 * 3, IN(3));
	start.behind = false;
	walked_take(&space, &cache, &start, 10, &stack);
	FRAMES(KT_STACK_NO_RULE, TEXT + 16);
}

TEST(a_return_address_of_zero_ends_a_stack)
{
	BEGIN(LEAF);
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0));
}

TEST(a_guess_is_marked)
{
	BEGIN(LEAF, KT_UNWIND_NONE, RULE(KT_UNWIND_RSP, 4, SAME, SAME, 0),
	      KT_UNWIND_END);
	memory_words[0] = OUTSIDE; /* no mapping */
	memory_words[10] = AT(20);
	memory_words[11] = IN(1); /* no row */
	memory_words[20] = 12345;
	memory_words[21] = IN(2);
	memory_words[25] = IN(3);
	walk(IN(0), AT(0), AT(10), 0, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), OUTSIDE, IN(1), IN(2), IN(3));
	CHECK_EQ(stack.guesses[0], 1 << 2 | 1 << 3);
	CHECK_EQ(stack.guesses[1], 0);
}

TEST(guesses_of_the_second_word)
{
	BEGIN(KT_UNWIND_NONE);
	for (u32 i = 0; i < 1000; i += 2) {
		memory_words[i] = AT(i + 2);
		memory_words[i + 1] = OUTSIDE;
	}
	walk(OUTSIDE, AT(0), AT(0), 0, 100);
	CHECK_EQ(stack.end, KT_STACK_TRUNCATED);
	CHECK_EQ(stack.nr, 100);
	CHECK_EQ(stack.guesses[0], ~1ull);
	CHECK_EQ(stack.guesses[1], (1ull << 36) - 1);
}

TEST(no_guess_without_a_frame)
{
	static const u64 pointers[] = {
		0, 1, AT(0) - 8, AT(0) + 4, AT(0) + (1 << 20) + 8, ~7ull};

	for (size_t i = 0; i < sizeof(pointers) / sizeof(*pointers); i++) {
		BEGIN(KT_UNWIND_NONE);
		walk(OUTSIDE, AT(0), pointers[i], 0, 10);
		FRAMES(KT_STACK_NO_TABLE, OUTSIDE);
		CHECK_EQ(stack.guesses[0], 0);
	}
}

TEST(absent_memory_is_said)
{
	/* Each rule, with all that it reads out of reach. */
	const u64 rules[] = {
		LEAF,
		RULE(KT_UNWIND_RBP, 2, SAME, SAME, 0),
		RULE(KT_UNWIND_AT_RSP, 0, SAME, SAME, 0),
		RULE(KT_UNWIND_AT_RBP, 0, SAME, SAME, 0),
		RULE(KT_UNWIND_PLT, 1, SAME, SAME, 0),
		KT_UNWIND_SIGNAL,
		KT_UNWIND_NONE,
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		begin(&rules[i], 1);
		walk(IN(0), AT(MEMORY_WORDS), AT(MEMORY_WORDS), 0, 10);
		FRAMES(KT_STACK_ABSENT, IN(0));
	}
	/* The address is there, the saved register is not. */
	BEGIN(RULE(KT_UNWIND_RSP, 1, 1, SAME, 0));
	memory_words[MEMORY_WORDS - 1] = IN(0);
	walk(IN(0), AT(MEMORY_WORDS - 1), 0, 0, 10);
	FRAMES(KT_STACK_ABSENT, IN(0));
	CHECK_EQ(stack.absent, AT(MEMORY_WORDS + 1));
	BEGIN(LEAF);
	walk(IN(0), AT(MEMORY_WORDS), 0, 0, 10);
	FRAMES(KT_STACK_ABSENT, IN(0));
	CHECK_EQ(stack.absent, AT(MEMORY_WORDS));
	memory_closed = true;
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_ABSENT, IN(0));
	CHECK_EQ(stack.absent, 0);
}

TEST(a_caller_below_is_corrupt)
{
	BEGIN(LEAF, RULE(KT_UNWIND_RBP, 2, -2, SAME, 0));
	memory_words[50] = IN(1);
	memory_words[10] = AT(10);
	memory_words[11] = IN(1);
	walk(IN(0), AT(50), AT(10), 0, 10);
	FRAMES(KT_STACK_CORRUPT, IN(0), IN(1));
	/* It stays where it is: it would never end. */
	BEGIN(LEAF, RULE(KT_UNWIND_RSP, 0, SAME, SAME, 0));
	memory_words[50] = IN(1);
	walk(IN(0), AT(50), 0, 0, 10);
	FRAMES(KT_STACK_CORRUPT, IN(0), IN(1));
}

TEST(a_stack_has_at_most_the_frames_asked_for)
{
	static const u32 depths[] = {1, 2, 64, 65, KT_STACK_MAX};

	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		BEGIN(LEAF);
		for (u32 n = 0; n < MEMORY_WORDS; n++)
			memory_words[n] = IN(0);
		walk(IN(0), AT(0), 0, 0, depths[i]);
		CHECK_EQ(stack.end, KT_STACK_TRUNCATED);
		CHECK_EQ(stack.nr, depths[i]);
	}
	/* Just as many as there are: nothing is missing. */
	BEGIN(LEAF, KT_UNWIND_END);
	memory_words[0] = IN(1);
	walk(IN(0), AT(0), 0, 0, 2);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1));
	/* More than a stack has room for. */
	BEGIN(LEAF);
	for (u32 n = 0; n < MEMORY_WORDS; n++)
		memory_words[n] = IN(0);
	walk(IN(0), AT(0), 0, 0, 100000);
	CHECK_EQ(stack.nr, KT_STACK_MAX);
	walk(IN(0), AT(0), 0, 0, 0);
	CHECK_EQ(stack.nr, 1);
}

TEST(several_mappings)
{
	struct kt_unwind_table other;
	struct made made;
	const struct row row = {0, KT_UNWIND_END};
	const u64 number = 1ull << KT_FRAME_FILE_SHIFT;
	struct kt_unwind_file files[] = {{&the_table, 2 * number},
					 {&other, 3 * number}};
	const struct kt_unwind_map maps[] = {
		{TEXT, TEXT + 0x1000, TEXT - FILE_TEXT, &files[0]},
		{TEXT + 0x1000, TEXT + 0x2000, TEXT + 0x1000 - FILE_TEXT,
		 &files[1]},
		{TEXT + 0x5000, TEXT + 0x6000, TEXT + 0x5000 - FILE_TEXT,
		 &files[0]},
	};
	const struct kt_unwind_space three = {maps, 3, 99};
	struct kt_unwind_start start = {.sp = AT(0)};

	make(&made, &row, 1);
	CHECK_EQ(kt_unwind_table_open(&other, made.bytes, made.size), 0);
	BEGIN(LEAF);
	memory_words[0] = TEXT + 0x1001;
	start.ip = TEXT + 0x5010;
	walked_take(&three, &cache, &start, 10, &stack);
	FRAMES(KT_STACK_COMPLETE, 2 * number + FILE_TEXT + 0x10,
	       3 * number + FILE_TEXT + 1);
	/* Between, below and above the mappings. */
	for (int i = 0; i < 3; i++) {
		static const u64 nowhere[] = {TEXT + 0x2000, TEXT - 1,
					      TEXT + 0x6000};

		start.ip = nowhere[i];
		walked_take(&three, &cache, &start, 10, &stack);
		FRAMES(KT_STACK_NO_TABLE, nowhere[i]);
	}
	/* A file without a table still has a name. */
	files[0].table = NULL;
	start.ip = TEXT + 0x20;
	walked_take(&(struct kt_unwind_space){maps, 3, 100}, &cache, &start, 10,
		    &stack);
	FRAMES(KT_STACK_NO_TABLE, 2 * number + FILE_TEXT + 0x20);
}

/* Registers may be anything: from there, an offset may lead to where memory begins. */
TEST(a_frame_beyond_all_memory_does_not_lead_to_its_beginning)
{
	const u64 low = 0x10000, beyond = -16ull;

	memory_base = low;
	for (int kept = 0; kept < 2; kept++) {
		BEGIN(LEAF,
		      RULE(KT_UNWIND_RBP, (low + 32) / 8 + 2, kept ? SAME : -2,
			   SAME, 0),
		      KT_UNWIND_END);
		memory_words[100] = IN(1);
		memory_words[3] = IN(2);
		walk(IN(0), low + 8 * 100, beyond, 0, 10);
		FRAMES(KT_STACK_CORRUPT, IN(0), IN(1));
	}
	memory_base = MEMORY_BASE;
}

TEST(the_cache_forgets_other_mappings)
{
	BEGIN(LEAF, KT_UNWIND_END);
	memory_words[0] = IN(1);
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1));
	/* The same table, not changed: found in the cache. */
	the_table.nr_buckets = 0;
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_COMPLETE, IN(0), IN(1));
	space.salt++;
	walk(IN(0), AT(0), 0, 0, 10);
	FRAMES(KT_STACK_NO_TABLE, IN(0));
}

/* The rule without what the cache marks it with. */
static bool has_rule(const struct kt_unwind_cached *entry, u64 rule)
{
	return (entry->rule & ((1ull << 50) - 1)) == rule;
}

static void fill(struct kt_unwind_cached entry)
{
	for (u32 n = 0; n < 1 << KT_UNWIND_CACHE_SHIFT; n++)
		cache.entries[n] = entry;
}

/*
 * An interrupt between the two stores of an entry leaves the rule of one place with the check of
 * another one.  Neither of them, nor a third place, may find that.
 */
TEST(a_torn_entry_is_not_found)
{
	const u64 a = RULE(KT_UNWIND_RSP, 1, SAME, SAME, 0);
	const u64 b = RULE(KT_UNWIND_RSP, 3, SAME, SAME, 0);

	BEGIN(a, b, KT_UNWIND_END);
	memory_words[0] = IN(2);
	memory_words[2] = IN(2) + 1;
	for (int i = 0; i < 2; i++) {
		struct kt_unwind_cached torn = {0};

		fill(torn);
		walk(IN(i), AT(0), 0, 0, 10);
		for (u32 n = 0; n < 1 << KT_UNWIND_CACHE_SHIFT; n++)
			if (has_rule(&cache.entries[n], i ? b : a))
				torn = cache.entries[n];
		CHECK(torn.check);
		torn.label ^= 1;
		fill(torn);
		walk(IN(i), AT(0), 0, 0, 10);
		FRAMES(KT_STACK_COMPLETE, IN(i), IN(2) + i);
		torn.label ^= 1;
		torn.rule ^= a ^ b;
		fill(torn);
		walk(IN(i), AT(0), 0, 0, 10);
		FRAMES(KT_STACK_COMPLETE, IN(i), IN(2) + i);
		/* The third place's address differs as the rules do. */
		fill(torn);
		walk(IN(i) ^ a ^ b, AT(0), 0, 0, 10);
		FRAMES(KT_STACK_COMPLETE, IN(i) ^ a ^ b);
	}
}

/*
 * Senseless registers on senseless stacks.  The walk ends, and what it has read is bounded by
 * the depth: at most four words for a frame, twice.
 */
TEST(hostile_stacks)
{
	static const bool may_be[KT_STACK_END_NR] = {
		[KT_STACK_COMPLETE] = true, [KT_STACK_TRUNCATED] = true,
		[KT_STACK_ABSENT] = true,   [KT_STACK_NO_TABLE] = true,
		[KT_STACK_NO_RULE] = true,  [KT_STACK_CORRUPT] = true,
	};
	unsigned int ends[KT_STACK_END_NR] = {0};
	u64 rules[16];

	for (int i = 0; i < 100000; i++) {
		if (i % 100 == 0) {
			for (int n = 0; n < 16; n++) {
				rules[n] =
					RULE(rnd(KT_UNWIND_UNKNOWN - 1) + 2,
					     (int)rnd(9) - 2, (int)rnd(6) - 3,
					     (int)rnd(6) - 3, 0);
				if (kt_unwind_rule_kind(rules[n]) ==
				    KT_UNWIND_REGISTER)
					rules[n] |= 3ull << 42;
				if (kt_unwind_rule_kind(rules[n]) ==
					    KT_UNWIND_SIGNAL ||
				    kt_unwind_rule_kind(rules[n]) ==
					    KT_UNWIND_UNKNOWN)
					rules[n] &= 15;
			}
			begin(rules, 16);
		}
		for (int n = 0; n < 64; n++)
			memory_words[rnd(256)] =
				rnd(2) ? IN(rnd(16)) : AT(rnd(300));
		memory_reads = 0;
		walk(IN(rnd(16)), AT(rnd(256)), AT(rnd(256)), AT(rnd(256)),
		     KT_STACK_MAX);
		CHECK(stack.nr >= 1 && stack.nr <= KT_STACK_MAX);
		CHECK(stack.end < KT_STACK_END_NR);
		CHECK(memory_reads <= 8 * KT_STACK_MAX);
		ends[stack.end]++;
	}
	for (int i = 0; i < KT_STACK_END_NR; i++)
		CHECK(!ends[i] == !may_be[i] || i == KT_STACK_COMPLETE);
}

TEST(mappings_behind_the_limit_are_in_no_file)
{
	static struct kt_unwind_map all[KT_UNWIND_MAPS_MAX + 1];
	const struct kt_unwind_file file = {NULL, 1ull << KT_FRAME_FILE_SHIFT};
	const u32 behind = KT_UNWIND_MAPS_MAX;
	for (u32 i = 0; i <= behind; i++)
		all[i] = (struct kt_unwind_map){i, i + 1ull, 0, &file};
	space = (struct kt_unwind_space){all, behind + 1, 1};
	CHECK_EQ(kt_unwind_place(&space, behind - 1) - file.label, behind - 1);
	CHECK_EQ(kt_unwind_place(&space, behind), behind);
}
CHECK_MAIN
