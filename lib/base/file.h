/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Whole files: reads them into memory, and writes them despite short writes. */
#ifndef KT_LIB_BASE_FILE_H
#define KT_LIB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * Reads the rest of a file to *@text, which the caller frees, and adds a NUL
 * that *@size does not count; @size may be NULL.  Reads until the file ends,
 * because files of the kernel have no size.  0 or -errno; -EFBIG: more than
 * @max bytes.
 */
int file_read_fd(int fd, size_t max, char **text, size_t *size);
/*
 * Reads a file of any size by its path, which is relative to @dir as in
 * openat().
 */
int file_read(int dir, const char *path, char **text, size_t *size);

/* Are they of one file? */
bool file_is_same(const struct stat *a, const struct stat *b);

/*
 * Opens what was opened with O_PATH, and closes that.  -1 with errno, also if nothing was; EINVAL: it
 * is no regular file.
 */
int file_reopen(int seen, int flags);
/*
 * Opens a file, relative to @dir, that a stranger may have put there: no link, and no device, which
 * an open() alone could set in motion.  @flags: of open(2).  A descriptor, or -1 with errno; ELOOP:
 * it is a link, EINVAL: something else that is no regular file.
 */
int file_open_plain(int dir, const char *path, int flags);

/* Writes all of @data.  0, or -errno: a part may have been written. */
int file_write(int fd, const void *data, size_t size);

#endif /* KT_LIB_BASE_FILE_H */
