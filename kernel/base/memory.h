/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a string of the program that runs, where it is certain whose memory that is: in
 * a system call.  Inlined, because there it is most of what a probe does.
 */
#ifndef KT_KERNEL_BASE_MEMORY_H
#define KT_KERNEL_BASE_MEMORY_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "env.h"

#define KT_USER_WORD(address) ((u64 __user *)u64_to_user_ptr(address))

/* The lowest bit that is set is the highest one of the lowest byte that is zero. */
static __always_inline u64 kt_zero_bytes(u64 word, u64 minus_low, u64 high)
{
	return (word + minus_low) & ~word & high;
}

/*
 * Copies a word of the program to @to, or goes to @fault.  unsafe_get_user() takes
 * three instructions more where the compiler lacks asm goto with output.
 */
/* clang-format off */
#define kt_copy_word(to, from, fault)					\
	asm goto("1: movq %[word], %%rax\n"				\
		 "   movq %%rax, %[place]\n"				\
		 _ASM_EXTABLE_UA(1b, %l2)				\
		 :							\
		 : [word] "m"(*(const u64 *)(uintptr_t)(from)),		\
		   [place] "m"(*(u64 *)(to))				\
		 : "rax", "memory"					\
		 : fault)
/* clang-format on */

/*
 * By words that are aligned, and thus are there as a whole, or not at all.  Bytes of
 * the first that lie before the string are shifted out; of the last, some behind the
 * NUL, or behind @max, get to @to.
 *
 * The compiler must call nobody between begin and end: there the kernel may touch the
 * program's memory.
 */
static __always_inline long kt_user_words(u8 *to, u64 from, u32 max)
{
	u64 minus_low = -0x0101010101010101ull, high = 0x8080808080808080ull;
	long at = -(long)(from % sizeof(u64));
	u32 before = -8 * at;
	u64 word, zeros;

	/* Else they are loaded anew for each word. */
	OPTIMIZER_HIDE_VAR(minus_low);
	OPTIMIZER_HIDE_VAR(high);
	pagefault_disable();
	if (unlikely(!user_access_begin(KT_USER_WORD(from + at), sizeof(word))))
		goto err_access;
	unsafe_get_user(word, KT_USER_WORD(from + at), err_fault);
	zeros = kt_zero_bytes(word | ((1ull << before) - 1), minus_low, high);
	word >>= before;
	memcpy(to, &word, sizeof(word));
	while (!zeros) {
		at += sizeof(word);
		if (unlikely(at >= (long)max))
			break;
		kt_copy_word(to + at, from + at, err_fault);
		memcpy(&word, to + at, sizeof(word));
		zeros = kt_zero_bytes(word, minus_low, high);
	}
	user_access_end();
	pagefault_enable();
	at += __ffs(zeros) / 8;
	/* Unsigned, so that a caller's comparison with @max is this one. */
	return likely(zeros) && likely((unsigned long)at < max) ? at : max;

err_fault:
	user_access_end();
err_access:
	pagefault_enable();
	return -EFAULT;
}

/*
 * Where it is certain whose memory that is: in a system call.  -EFAULT, too, if @max bytes
 * would pass the end of a program's addresses; env_copy_string() can read such a string.
 */
static __always_inline long kt_user_string(void *to, u64 from, u32 max)
{
	/* If this sum wraps, user_access_begin() refuses. */
	if (unlikely(from + max > TASK_SIZE_MAX))
		return -EFAULT;
	return kt_user_words(to, from, max);
}

#endif /* KT_KERNEL_BASE_MEMORY_H */
