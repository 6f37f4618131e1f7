/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reads a stream of branches (include/uapi/ktrace_branch.h).  Its bytes are untrusted. */
#ifndef KT_LIB_READ_BRANCH_STREAM_H
#define KT_LIB_READ_BRANCH_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "branches.h"

/*
 * Adds the threads of the stream in the file @fd.  *@end: behind the last byte that could be read; if
 * this is not the file's size, it is damaged there, unless *@room is 0: there are more entries than these
 * bytes, which become fewer by those that were read.  0 or -ENOMEM.
 */
int branch_stream_threads(struct ktrace_branches *branches, int fd,
			  uint64_t *room, uint64_t *end);
/* Calls @take with each entry KT_STACK_NAME of the stream, until it fails.  0, -ENOMEM or what @take said. */
int branch_stream_names(int fd,
			int (*take)(void *data, const void *bytes, size_t size),
			void *data);

#endif /* KT_LIB_READ_BRANCH_STREAM_H */
