// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdlib.h>

#include "memory.h"

u64 memory_words[MEMORY_WORDS];
u64 memory_base = MEMORY_BASE;
u32 memory_reads;
bool memory_closed;
static bool window; /* between begin and end */

bool env_stack_begin(u64 *limit)
{
	if (memory_closed)
		return false;
	if (window)
		abort();
	window = true;
	*limit = 1ull << 47;
	return true;
}

bool env_stack_word(u64 from, u64 *word)
{
	u64 at = from - memory_base;

	if (!window)
		abort();
	memory_reads++;
	if (at > sizeof(memory_words) - sizeof(*word))
		return false;
	memcpy(word, (const char *)memory_words + at, sizeof(*word));
	return true;
}

void env_stack_end(void)
{
	if (!window)
		abort();
	window = false;
}

u64 env_register(const void *registers, u32 number)
{
	if (number >= KT_UNWIND_REGISTERS)
		abort();
	return MEMORY_BASE + 8 * number;
}
