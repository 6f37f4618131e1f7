// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Why the kernel cannot put a jump at a place: lib/probe/code_view.c, on code that is written here. */
#include "check.h"
#include "probe/code_view.h"

/* The reason at +@place; "": a jump can be there. */
static const char *why(const uint8_t *code, size_t size, uint64_t place)
{
	static char room[200];
	const struct code_part part = {
		.begin = 0x1000,
		.size = size,
		.place = 0x1000 + place,
	};

	CHECK(instructions_known());
	return code_jump_obstacle(code, &part, room, sizeof(room)) ?: "";
}

#define WHY(code, place) why(code, sizeof(code), place)

TEST(where_a_jump_can_be)
{
	/* push %rbx; mov %rdi, %rbx; nopl; ret */
	static const uint8_t code[] = {0x53, 0x48, 0x89, 0xfb, 0x0f,
				       0x1f, 0x44, 0x00, 0x00, 0xc3};

	CHECK_STR(WHY(code, 0), "");
	CHECK_STR(WHY(code, 4), "");
}

TEST(the_function_ends)
{
	static const uint8_t code[] = {0x90, 0x90, 0x90, 0x90, 0x90, 0xc3};

	CHECK_STR(WHY(code, 0), "");
	CHECK_STR(WHY(code, 1), "");
	CHECK_STR(WHY(code, 2),
		  "the function ends before the 5 bytes of a jump do");
}

TEST(a_jump_goes_into_it)
{
	/* Seven nops, then a jump to +4. */
	static const uint8_t code[] = {0x90, 0x90, 0x90, 0x90, 0x90,
				       0x90, 0x90, 0xeb, 0xfb, 0x90,
				       0x90, 0x90, 0x90, 0xc3};

	CHECK_STR(WHY(code, 0),
		  "+0x7 goes to +0x4, into the 5 bytes of a jump");
	/* It may go to where the jump begins, or behind it. */
	CHECK_STR(WHY(code, 4), "");
	CHECK_STR(WHY(code, 9), "");
}

TEST(a_call_cannot_be_moved)
{
	/* push %rbx; call; nops */
	static const uint8_t code[] = {0x53, 0xe8, 0x00, 0x01, 0x00, 0x00,
				       0x90, 0x90, 0x90, 0x90, 0x90, 0xc3};

	CHECK_STR(WHY(code, 0), "the instruction at +0x1 can run nowhere else, "
				"and a jump of 5 bytes takes its place");
	CHECK_STR(WHY(code, 6), "");
}

TEST(a_jump_by_a_register)
{
	/* nops; jmp *%rax */
	static const uint8_t code[] = {0x90, 0x90, 0x90, 0x90,
				       0x90, 0xff, 0xe0};

	CHECK_STR(WHY(code, 0),
		  "the function has a jump that may go anywhere in it");
}

CHECK_MAIN
