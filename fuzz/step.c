// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: any code, and a program that stops at any of its places.  The first byte says how
 * far each stop is from the one before, and whether the code is of 32 bits; the rest is the code.
 */
#include <stdint.h>
#include <stdlib.h>

#include "step.h"

#define BASE 0x7ffff7ff0000ull

static const uint8_t *code;
static size_t code_size;

static void check(int good)
{
	if (!good)
		abort();
}

int env_copy(void *to, u64 from, u32 size, bool kernel)
{
	u64 offset = from - BASE;

	check(!kernel);
	if (offset >= code_size || code_size - offset < size)
		return -EFAULT;
	memcpy(to, code + offset, size);
	return 0;
}

/* Bytes behind an instruction do not matter, and no instruction is the beginning of another one. */
static void try_decode(const uint8_t *bytes, size_t size, bool narrow)
{
	struct kt_instruction whole, exact;

	if (!kt_instruction_decode(&whole, bytes, size, narrow))
		return;
	check(whole.length && whole.length <= size &&
	      whole.length <= KT_INSTRUCTION_MAX);
	check(whole.kind <= KT_BRANCH_SYSCALL ||
	      whole.kind == KT_BRANCH_UNKNOWN);
	check(kt_instruction_decode(&exact, bytes, whole.length, narrow));
	check(exact.length == whole.length && exact.kind == whole.kind &&
	      exact.offset == whole.offset);
	check(!kt_instruction_decode(&exact, bytes, whole.length - 1, narrow));
	if (whole.kind == KT_BRANCH_CONDITIONAL)
		kt_instruction_taken(&whole, size, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_step step = {.ip = BASE};
	struct kt_step_stop stop = {.ip = BASE};
	struct kt_step_done done;
	size_t i;

	if (size < 2)
		return 0;
	stop.narrow = data[0] & 1;
	code = data + 1;
	code_size = size - 1;
	for (i = 0; i < code_size && i < 4096; i++)
		try_decode(code + i, code_size - i, stop.narrow);
	for (i = 0; i < 64; i++) {
		stop.ip = BASE + (data[0] * i) % (code_size + 32);
		stop.flags = stop.cx = i;
		kt_step(&step, &stop, &done);
		check(done.nr <= KT_STEP_MAX && step.ip == stop.ip);
		while (done.nr--)
			check(done.branches[done.nr].kind > KT_BRANCH_NONE &&
			      done.branches[done.nr].kind < KT_BRANCH_KINDS);
	}
	return 0;
}
