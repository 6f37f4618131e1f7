/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reads a stream of branches (include/uapi/ktrace_branch.h).  Its bytes are untrusted. */
#ifndef KT_LIB_READ_BRANCH_STREAM_H
#define KT_LIB_READ_BRANCH_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "branches.h"

/* How much is read of all streams of a trace: bytes that are left. */
struct branch_room {
	uint64_t entries, others;
	bool used_up; /* there was more */
};

#define BRANCH_ROOM ((struct branch_room){2ull << 30, 1ull << 30, false})

/*
 * Adds the threads of the stream in the file @fd.  *@end: behind the last byte that could be read; if
 * this is not the file's size, it is damaged there, or the room is used up.  0 or -ENOMEM.
 */
int branch_stream_threads(struct ktrace_branches *branches, int fd,
			  struct branch_room *room, uint64_t *end);
/* Calls @take with each entry KT_STACK_NAME of the stream, until it fails.  0, -ENOMEM or what @take said. */
int branch_stream_names(int fd,
			int (*take)(void *data, const void *bytes, size_t size),
			void *data);

#endif /* KT_LIB_READ_BRANCH_STREAM_H */
