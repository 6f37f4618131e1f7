// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads what a buffer of a context has. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/error.h"
#include "contexts.h"

/* If the thread has overwritten more than this share while its buffer was copied, it is copied again. */
#define SKIPPED_SHARE 16

int entries_read(const struct contexts *contexts, int context, uint32_t number,
		 struct branch_thread *thread)
{
	struct kt_branches read = {.max = contexts->max, .thread = number};
	struct kt_branch *less;
	int tries = 5, err;

	thread->entries = malloc(contexts->max * sizeof(*thread->entries));
	if (!thread->entries)
		return branches_out_of_memory();
	read.entries = (uintptr_t)thread->entries;
	do {
		if (ioctl(context, KT_READ_BRANCHES, &read)) {
			err = errno == ENOENT ? 0 : -errno;
			return err ? error_set(err, "branches of %s %u: %s",
					       contexts->branches.of_cpus
						       ? "CPU"
						       : "thread",
					       number, strerror(-err))
				   : 0;
		}
	} while (read.skip > read.nr / SKIPPED_SHARE && --tries);
	less = realloc(thread->entries, (read.nr + 1) * sizeof(*less));
	if (less)
		thread->entries = less;
	thread->begin = read.skip;
	thread->read_at = read.time;
	thread->first = read.first + read.skip;
	thread->shown = (struct ktrace_branch_thread){
		.tid = read.tid,
		.ended = read.ended,
		.nr = read.nr - read.skip,
		.lost = thread->first,
		.unread = read.unread,
		.unfollowed = read.unfollowed,
	};
	return 1;
}
