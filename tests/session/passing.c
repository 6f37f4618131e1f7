// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Where arguments are passed.  The compiler says what is right: each case is a function, whose
 * registers and stack are looked at when it is called.  tests/cmd/vm/function_types.sh does the
 * same with functions of the kernel.
 */
#include "check.h"
#include "session/passing.h"

static struct btf *btf;
static int u8_type, u64_type, pointer, pair, large, packed, nothing, floating,
	wide;

static void types_make(void)
{
	int u32, f64;

	if (btf)
		return;
	btf = btf__new_empty();
	u8_type = btf__add_int(btf, "unsigned char", 1, 0);
	u32 = btf__add_int(btf, "unsigned int", 4, 0);
	u64_type = btf__add_int(btf, "long unsigned int", 8, 0);
	f64 = btf__add_float(btf, "double", 8);
	pointer = btf__add_ptr(btf, 0);
	pair = btf__add_struct(btf, "pair", 16);
	btf__add_field(btf, "a", u64_type, 0, 0);
	btf__add_field(btf, "b", u32, 64, 0);
	large = btf__add_struct(btf, "large", 24);
	btf__add_field(btf, "a", u64_type, 0, 0);
	btf__add_field(btf, "b", pair, 64, 0);
	packed = btf__add_struct(btf, "packed", 5);
	btf__add_field(btf, "a", u8_type, 0, 0);
	btf__add_field(btf, "b", u32, 8, 0);
	nothing = btf__add_struct(btf, "nothing", 0);
	floating = btf__add_struct(btf, "floating", 8);
	btf__add_field(btf, "a", f64, 0, 0);
	wide = btf__add_int(btf, "__int128 unsigned", 16, 0);
	CHECK(wide > 0);
}

struct pair {
	unsigned long a;
	unsigned int b;
};

struct large {
	unsigned long a;
	struct pair b;
};

struct __attribute__((packed)) packed {
	unsigned char a;
	unsigned int b;
};

/* The words of the last call of words_keep(): six registers, then the stack. */
__attribute__((used)) static unsigned long words[16];

/* Is called as any function; notes what it was passed, and returns 0. */
__attribute__((naked, noinline,
	       no_sanitize("address", "undefined"))) static void
words_keep(void)
{
	__asm__("leaq words(%rip), %rax\n\t"
		"movq %rdi, (%rax)\n\t"
		"movq %rsi, 8(%rax)\n\t"
		"movq %rdx, 16(%rax)\n\t"
		"movq %rcx, 24(%rax)\n\t"
		"movq %r8, 32(%rax)\n\t"
		"movq %r9, 40(%rax)\n\t"
		"movq 8(%rsp), %r10\n\t"
		"movq %r10, 48(%rax)\n\t"
		"movq 16(%rsp), %r10\n\t"
		"movq %r10, 56(%rax)\n\t"
		"movq 24(%rsp), %r10\n\t"
		"movq %r10, 64(%rax)\n\t"
		"movq 32(%rsp), %r10\n\t"
		"movq %r10, 72(%rax)\n\t"
		"xorl %eax, %eax\n\t"
		"ret");
}

/* By any prototype. */
static void *volatile words_function = words_keep;

struct nothing {
};

/* The next argument, of this type: @value is the first 8 bytes of what was passed. */
static void next(struct passing *p, int type, unsigned int nr_words,
		 unsigned long value, unsigned long mask)
{
	unsigned int word, nr;

	CHECK(passing_next(p, btf, type, &word, &nr));
	CHECK_EQ(nr, nr_words);
	if (nr)
		CHECK_EQ(words[word] & mask, value);
}

#define ALL ~0ul

TEST(registers_then_stack)
{
	struct passing p;

	types_make();
	((void (*)(long, long, long, long, long, long, long,
		   long))words_function)(11, 12, 13, 14, 15, 16, 17, 18);
	passing_begin(&p, btf, 0);
	for (unsigned long i = 0; i < 8; i++)
		next(&p, i % 2 ? u64_type : pointer, 1, 11 + i, ALL);
}

TEST(a_struct_of_two_words)
{
	const struct pair two = {21, 22};
	struct passing p;

	types_make();
	((void (*)(long, struct pair, long))words_function)(11, two, 12);
	passing_begin(&p, btf, u64_type);
	next(&p, u64_type, 1, 11, ALL);
	next(&p, pair, 2, 21, ALL);
	next(&p, u64_type, 1, 12, ALL);
}

TEST(a_struct_that_finds_one_register)
{
	const struct pair two = {21, 22};
	struct passing p;

	types_make();
	((void (*)(long, long, long, long, long, struct pair, long,
		   long))words_function)(11, 12, 13, 14, 15, two, 16, 17);
	passing_begin(&p, btf, 0);
	for (unsigned long i = 0; i < 5; i++)
		next(&p, u64_type, 1, 11 + i, ALL);
	next(&p, pair, 2, 21, ALL);
	next(&p, u64_type, 1, 16, ALL);
	next(&p, u64_type, 1, 17, ALL);
}

TEST(structs_on_the_stack)
{
	const struct large three = {31, {32, 33}};
	const struct packed odd = {41, 42};
	struct passing p;

	types_make();
	((void (*)(long, struct large, long, struct packed,
		   long))words_function)(11, three, 12, odd, 13);
	passing_begin(&p, btf, 0);
	next(&p, u64_type, 1, 11, ALL);
	next(&p, large, 3, 31, ALL);
	next(&p, u64_type, 1, 12, ALL);
	next(&p, packed, 1, 41 | 42 << 8, 0xffffffffff);
	next(&p, u64_type, 1, 13, ALL);
}

TEST(a_struct_of_nothing)
{
	struct passing p;

	types_make();
	((void (*)(long, struct nothing, long))words_function)(
		11, (struct nothing){}, 12);
	passing_begin(&p, btf, 0);
	next(&p, u64_type, 1, 11, ALL);
	next(&p, nothing, 0, 0, ALL);
	next(&p, u64_type, 1, 12, ALL);
}

TEST(a_large_result)
{
	struct passing p;

	types_make();
	passing_begin(&p, btf, large);
	CHECK_EQ(p.registers, 1);
	passing_begin(&p, btf, pair);
	CHECK_EQ(p.registers, 0);
	passing_begin(&p, btf, packed);
	CHECK_EQ(p.registers, 1);
}

TEST(what_is_not_known_hides_what_follows)
{
	const int unknown[] = {floating, wide};
	struct passing p;
	unsigned int word, nr;

	types_make();
	for (int i = 0; i < 2; i++) {
		passing_begin(&p, btf, 0);
		next(&p, u64_type, 1, words[0], ALL);
		CHECK(!passing_next(&p, btf, unknown[i], &word, &nr));
		CHECK(!passing_next(&p, btf, u64_type, &word, &nr));
	}
}

CHECK_MAIN
