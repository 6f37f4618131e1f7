/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The world of stacks that a test makes up: words at MEMORY_BASE, and nothing elsewhere.
 * Registers that a walk asks for are MEMORY_BASE + 8 * their number.
 */
#ifndef KT_TESTS_UNWIND_MEMORY_H
#define KT_TESTS_UNWIND_MEMORY_H

#include "unwind.h"

#define MEMORY_BASE  0x7fff00000000ull
#define MEMORY_WORDS 4096u

extern u64 memory_words[MEMORY_WORDS];
extern u64 memory_base;	   /* MEMORY_BASE, or where a test wants the words */
extern u32 memory_reads;   /* of words, successful or not */
extern bool memory_closed; /* the stack cannot be read at all */

#endif /* KT_TESTS_UNWIND_MEMORY_H */
