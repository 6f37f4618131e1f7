/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that lines mean.  To find one may take as long as a server of files likes, and the
 * control tree's own are found under kt_mutex: so all are found before that is taken.
 */
#ifndef KT_KERNEL_SOURCE_PROGRAM_FILE_H
#define KT_KERNEL_SOURCE_PROGRAM_FILE_H

#include <linux/path.h>
#include <linux/stat.h>

struct file;

struct program_file {
	int err; /* 0, or why it was not found */
	struct path path;
	struct kstat stat;
};

/*
 * Those of a text of lines that is about to be written to @file; none, if who has opened that may have
 * no probes in programs: then there is nothing that he could make last.  -EINTR, -ENOMEM, -E2BIG:
 * program_files_put() is not called.
 */
int program_files_find(const struct file *file, const char *text);
void program_files_put(void);
/* One of them, by the @length bytes that the line has of its path.  NULL: none. */
const struct program_file *program_file_of(const char *path, size_t length);

#endif /* KT_KERNEL_SOURCE_PROGRAM_FILE_H */
