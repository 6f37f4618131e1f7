// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading memory that may not be there, from wherever a probe runs.  A page that is
 * not resident is not waited for: it is as if it did not exist.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "env.h"

#define USER_WORD(address) ((u64 __user *)u64_to_user_ptr(address))

/* clang-format off */
#define load_number(type, to, from, fault)				\
	do {								\
		type number;						\
		unsafe_get_user(number, (type __user *)(from), fault);	\
		*(type *)(to) = number;					\
	} while (0)
/* clang-format on */

/* A number that a program has somewhere: what loops over lists read most. */
static noinline int user_number(void *to, u64 from, u32 size)
{
	const void __user *place = u64_to_user_ptr(from);

	pagefault_disable();
	if (unlikely(!user_access_begin(place, size)))
		goto err_access;
	switch (size) {
	case 2:
		load_number(u16, to, place, err_fault);
		break;
	case 4:
		load_number(u32, to, place, err_fault);
		break;
	default:
		load_number(u64, to, place, err_fault);
		break;
	}
	user_access_end();
	pagefault_enable();
	return 0;

err_fault:
	user_access_end();
err_access:
	pagefault_enable();
	return -EFAULT;
}

/*
 * A kernel thread has no memory of its own, and the CPU keeps that of the program before
 * it.  In the middle of a switch from one program to another, interrupts are off, and
 * the CPU may have the memory of either.
 */
static __always_inline bool user_is_here(void)
{
	return in_task() && likely(current->mm) && likely(!irqs_disabled());
}

/* Also where the CPU may have the memory of another: the kernel looks for that. */
static noinline int user_copy(void *to, u64 from, u32 size)
{
	if (!current->mm ||
	    copy_from_user_nofault(to, u64_to_user_ptr(from), size))
		return -EFAULT;
	return 0;
}

int env_copy(void *to, u64 from, u32 size, bool kernel)
{
	if (kernel)
		return copy_from_kernel_nofault(to, (void *)(uintptr_t)from,
						size)
			       ? -EFAULT
			       : 0;
	if ((size == 2 || size == 4 || size == 8) && user_is_here())
		return user_number(to, from, size);
	return user_copy(to, from, size);
}

/*
 * What is aligned to its size, a power of two up to a page, does not reach into
 * another page, which may not be there.  Most strings are short.
 */
static noinline long parts_string(char *to, u64 from, u32 max, bool kernel)
{
	u32 size = 64, done = 0;

	while (done < max) {
		u32 part = min_t(u32, max - done,
				 size - ((from + done) & (size - 1)));
		size_t length;

		if (env_copy(to + done, from + done, part, kernel))
			return -EFAULT;
		length = strnlen(to + done, part);
		done += length;
		if (length < part)
			return done;
		size = min_t(u32, 2 * size, PAGE_SIZE);
	}
	return max;
}

/* The lowest bit that is set is the highest one of the lowest byte that is zero. */
static __always_inline u64 zero_bytes(u64 word, u64 minus_low, u64 high)
{
	return (word + minus_low) & ~word & high;
}

/*
 * Copies a word of the program to @to, or goes to @fault.  unsafe_get_user() takes
 * three instructions more where the compiler lacks asm goto with output.
 */
/* clang-format off */
#define copy_word(to, from, fault)					\
	asm goto("1: movq %[word], %%rax\n"				\
		 "   movq %%rax, %[place]\n"				\
		 _ASM_EXTABLE_UA(1b, %l2)				\
		 :							\
		 : [word] "m"(*(const u64 *)(uintptr_t)(from)),		\
		   [place] "m"(*(u64 *)(to))				\
		 : "rax", "memory"					\
		 : fault)
/* clang-format on */

static __always_inline void store_word(u8 *to, u64 word)
{
	memcpy(to, &word, sizeof(word));
}

/* Where there is no room for all of it. */
static __always_inline void store_part(u8 *to, u64 word, u32 room)
{
	for (; room--; word >>= 8)
		*to++ = word;
}

/*
 * By words that are aligned, and thus are there as a whole, or not at all.  Bytes of
 * the first that lie before the string are shifted out; of the last, some behind the
 * NUL may get to @to, but none beyond @max.
 *
 * The compiler must call nobody between begin and end: there the kernel may touch the
 * program's memory.
 */
static noinline long user_string(u8 *to, u64 from, u32 max)
{
	u64 minus_low = -0x0101010101010101ull, high = 0x8080808080808080ull;
	u64 word, zeros;
	u32 before = from % sizeof(word);
	long done = 0, last = (long)max - (long)sizeof(word);

	/* Else they are loaded anew for each word. */
	OPTIMIZER_HIDE_VAR(minus_low);
	OPTIMIZER_HIDE_VAR(high);
	pagefault_disable();
	if (unlikely(
		    !user_access_begin(USER_WORD(from - before), sizeof(word))))
		goto err_access;
	unsafe_get_user(word, USER_WORD(from - before), err_fault);
	before *= 8;
	zeros = zero_bytes(word | ((1ull << before) - 1), minus_low, high) >>
		before;
	word >>= before;
	if (likely(last >= 0))
		store_word(to, word);
	else
		store_part(to, word, max);
	if (zeros)
		goto out;
	for (done = sizeof(word) - before / 8; done <= last;
	     done += sizeof(word)) {
		copy_word(to + done, from + done, err_fault);
		memcpy(&word, to + done, sizeof(word));
		zeros = zero_bytes(word, minus_low, high);
		if (zeros)
			goto out;
	}
	if (done < (long)max) {
		unsafe_get_user(word, USER_WORD(from + done), err_fault);
		store_part(to + done, word, max - done);
		zeros = zero_bytes(word, minus_low, high);
	}
out:
	user_access_end();
	pagefault_enable();
	if (likely(zeros))
		done += __ffs(zeros) / 8;
	return likely(zeros) && likely(done < (long)max) ? done : max;

err_fault:
	user_access_end();
err_access:
	pagefault_enable();
	return -EFAULT;
}

long env_copy_string(void *to, u64 from, u32 max, bool kernel)
{
	u64 end = TASK_SIZE_MAX;
	long length;

	if (kernel)
		return parts_string(to, from, max, true);
	/* Whose memory it would be is not certain in an interrupt. */
	if (unlikely(!user_is_here()))
		return in_task() ? parts_string(to, from, max, false) : -EFAULT;
	/* If this sum wraps, user_access_begin() refuses. */
	if (likely(from + max <= end))
		return user_string(to, from, max);
	if (from >= end)
		return -EFAULT;
	/* It may end before the last address of programs, but not behind. */
	max = end - from;
	length = user_string(to, from, max);
	return length < (long)max ? length : -EFAULT;
}
EXPORT_SYMBOL_GPL(env_copy_string);
