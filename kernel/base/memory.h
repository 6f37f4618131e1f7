/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads strings a word at a time: of the kernel and, in a system call, where the memory map
 * is certainly its own, of the program.  Inlined, because this is most of what some probes
 * do, and because a probe that calls no function needs no stack frame.
 */
#ifndef KT_KERNEL_BASE_MEMORY_H
#define KT_KERNEL_BASE_MEMORY_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/word-at-a-time.h>

#include "env.h"

#define KT_USER_WORD(address) ((u64 __user *)u64_to_user_ptr(address))

/* The lowest bit that is set in the result is the highest bit of the first zero byte. */
static __always_inline u64 kt_zero_bytes(u64 word, u64 minus_low, u64 high)
{
	return (word + minus_low) & ~word & high;
}

/*
 * strlen().  The last word may reach into the next page.  If that page is missing, its bytes
 * are read as zeros.  *@tail: the bytes from the last multiple of 8 on, then zeros.
 */
static __always_inline size_t kt_string_measure(const char *s, u64 *tail)
{
	u64 minus_low = -0x0101010101010101ull, high = 0x8080808080808080ull;
	size_t at = -sizeof(u64);
	u64 word, zeros;

	/* The inner test is shorter: it also stops at bytes that are not ASCII. */
	do {
		do {
			at += sizeof(u64);
			word = load_unaligned_zeropad(s + at);
		} while (!((word + minus_low) & high));
		zeros = kt_zero_bytes(word, minus_low, high);
	} while (unlikely(!zeros));
	/* All bits up to the lowest one, which is in the NUL. */
	*tail = word & (zeros ^ (zeros - 1));
	return at + __ffs(zeros) / 8;
}

/*
 * Stores a string of @length bytes and its NUL, and zeros up to a multiple of 4; @to is one.
 * @tail: of kt_string_measure().
 */
static __always_inline void kt_string_store_whole(char *to, const char *from,
						  size_t length, u64 tail)
{
	size_t words = length & ~(sizeof(u64) - 1), at = words;

	while (at) {
		at -= sizeof(u64);
		*(u64 *)(to + at) = *(const u64 *)(from + at);
	}
	if (length & sizeof(u32))
		*(u64 *)(to + words) = tail;
	else
		*(u32 *)(to + words) = tail;
}

/* memcpy() for short texts.  Words may overlap, and need not be aligned. */
static __always_inline void kt_string_copy(char *to, const char *from,
					   size_t size)
{
	size_t last;
	long at;

	if (size >= sizeof(u64)) {
		/* From the end, because a comparison with zero is for free. */
		for (at = size - sizeof(u64); at > 0; at -= sizeof(u64))
			*(u64 *)(to + at) = *(const u64 *)(from + at);
		*(u64 *)to = *(const u64 *)from;
	} else if (size >= sizeof(u32)) {
		last = size - sizeof(u32);
		*(u32 *)to = *(const u32 *)from;
		*(u32 *)(to + last) = *(const u32 *)(from + last);
	} else if (size) {
		*to = *from;
		if (size & 2)
			*(u16 *)(to + size - 2) =
				*(const u16 *)(from + size - 2);
	}
}

/*
 * Copies a word of the program to @to, or goes to @fault.  unsafe_get_user() would take
 * three more instructions if the compiler lacks asm goto with outputs.
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
 * Reads aligned words, because such a word is never half missing.  Bytes of the first word
 * that lie before the string are shifted out.  Of the last word, bytes behind the NUL or
 * behind @max are written to @to too.
 *
 * Between user_access_begin() and _end() the kernel may access the program's memory, so the
 * compiler must not call a function there.
 */
static __always_inline long kt_user_words(u8 *to, u64 from, u32 max)
{
	u64 minus_low = -0x0101010101010101ull, high = 0x8080808080808080ull;
	long at = -(long)(from % sizeof(u64));
	u32 before = -8 * at;
	u64 word, zeros;

	/* Otherwise the compiler loads the constants for each word. */
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
	/*
	 * Unsigned, so that the compiler can merge it with the caller's comparison with
	 * @max.
	 */
	return likely(zeros) && likely((unsigned long)at < max) ? at : max;

err_fault:
	user_access_end();
err_access:
	pagefault_enable();
	return -EFAULT;
}

/*
 * To be called only in a system call.  -EFAULT also if @max bytes would reach beyond the
 * addresses of programs; env_copy_string() can read such a string.
 */
static __always_inline long kt_user_string(void *to, u64 from, u32 max)
{
	/* If this sum wraps, user_access_begin() refuses. */
	if (unlikely(from + max > TASK_SIZE_MAX))
		return -EFAULT;
	return kt_user_words(to, from, max);
}

#endif /* KT_KERNEL_BASE_MEMORY_H */
