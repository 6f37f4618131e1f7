/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A file for each thread: PATH.TID.
 *
 * Only some are open at a time, so there may be more threads than a process may have files.  A
 * number that is used again, by a later thread, adds to the file of the earlier one.
 */
#ifndef KT_CMD_RUN_THREAD_FILES_H
#define KT_CMD_RUN_THREAD_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

#define THREAD_FILES_OPEN 64

struct thread_file {
	uint32_t tid; /* 0: none */
	int fd;
};

/* All zero, but for @path: no files. */
struct thread_files {
	const char *path;
	bool append; /* to files that are there before */
	struct table made;
	struct thread_file open[THREAD_FILES_OPEN];
};

/* Can there be such files?  Returns an exit status; says why not. */
int thread_files_check(const struct thread_files *files);
/* 0 or a negative errno. */
int thread_files_write(struct thread_files *files, uint32_t tid,
		       const char *text, size_t size);
void thread_files_free(struct thread_files *files);

#endif /* KT_CMD_RUN_THREAD_FILES_H */
