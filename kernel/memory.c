// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading memory that may not be there, from wherever a probe runs.  A page that is
 * not resident is not waited for: it is as if it did not exist.
 */
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "env.h"

int env_copy(void *to, u64 from, u32 size, bool kernel)
{
	if (kernel)
		return copy_from_kernel_nofault(to, (void *)(uintptr_t)from,
						size)
			       ? -EFAULT
			       : 0;
	return copy_from_user_nofault(to, u64_to_user_ptr(from), size) ? -EFAULT
								       : 0;
}

/* No further than to the end of a page at once, as the next may not be there. */
static long kernel_string(char *to, u64 from, u32 max)
{
	u32 done = 0;

	while (done < max) {
		u32 part = min_t(u32, max - done,
				 PAGE_SIZE - offset_in_page(from + done));
		size_t length;

		if (env_copy(to + done, from + done, part, true))
			return -EFAULT;
		length = strnlen(to + done, part);
		done += length;
		if (length < part)
			return done;
	}
	return max;
}

long env_copy_string(void *to, u64 from, u32 max, bool kernel)
{
	long length;

	if (kernel)
		return kernel_string(to, from, max);
	/* Whose memory it would be is not certain in an interrupt. */
	if (unlikely(!in_task()))
		return -EFAULT;
	pagefault_disable();
	length = strncpy_from_user(to, u64_to_user_ptr(from), max);
	pagefault_enable();
	return length;
}
