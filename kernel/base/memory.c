// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads memory that may not be there, in any context in which a probe runs.  It does not
 * wait for a page that is not resident, but treats it as missing.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "env.h"
#include "memory.h"

/* clang-format off */
#define load_number(type, to, from, fault)				\
	do {								\
		type number;						\
		unsafe_get_user(number, (type __user *)(from), fault);	\
		*(type *)(to) = number;					\
	} while (0)
/* clang-format on */

/* Reads a number of the program.  Loops over lists mostly read numbers. */
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
 * Is the memory map on this CPU that of the current task?  A kernel thread has none, and
 * the CPU keeps the map of the program before it.  In the middle of a context switch, where
 * interrupts are off, the CPU may have the map of either task.
 */
static __always_inline bool user_is_here(void)
{
	return in_task() && likely(current->mm) && likely(!irqs_disabled());
}

/* Works also if the CPU may have another task's memory map: the kernel checks that. */
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
EXPORT_SYMBOL_GPL(env_copy);

/*
 * Reads blocks aligned to their size, a power of two up to a page.  So a block never
 * reaches into a next page, which may be missing.  It begins small, because most strings
 * are short.
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

/* A string may end right before the last address of programs, but not behind it. */
static long user_string(void *to, u64 from, u32 max)
{
	u64 end = TASK_SIZE_MAX;
	u32 room = max;
	long length;

	if (unlikely(from + max > end)) {
		if (from >= end)
			return -EFAULT;
		room = end - from;
	}
	length = kt_user_words(to, from, room);
	return likely(length < (long)room) || room == max ? length : -EFAULT;
}

long env_copy_string(void *to, u64 from, u32 max, bool kernel)
{
	if (kernel)
		return parts_string(to, from, max, true);
	/* An interrupt cannot know whose memory it would read. */
	if (unlikely(!user_is_here()))
		return in_task() ? parts_string(to, from, max, false) : -EFAULT;
	return user_string(to, from, max);
}
EXPORT_SYMBOL_GPL(env_copy_string);
