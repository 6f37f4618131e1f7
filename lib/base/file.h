/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Whole files: read into memory, and written without leaving off in the middle. */
#ifndef KT_LIB_BASE_FILE_H
#define KT_LIB_BASE_FILE_H

#include <stddef.h>

/*
 * The rest of a file, behind it a NUL that *@size does not count; @size may be NULL.
 * Files of the kernel have no size, so it is read until it ends.  *@text is to be freed.
 * 0, or -errno; -EFBIG: there are more than @max bytes.
 */
int file_read_fd(int fd, size_t max, char **text, size_t *size);
/* The same of all of a file by its name, as openat() takes it; of any size. */
int file_read(int dir, const char *path, char **text, size_t *size);

/* All of @data; 0 or -errno, and then a part of it may be written. */
int file_write(int fd, const void *data, size_t size);

#endif /* KT_LIB_BASE_FILE_H */
