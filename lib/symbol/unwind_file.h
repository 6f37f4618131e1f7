/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The unwind tables (core/unwind_table.h) of programs and libraries.
 */
#ifndef KT_LIB_SYMBOL_UNWIND_FILE_H
#define KT_LIB_SYMBOL_UNWIND_FILE_H

#include <stddef.h>

#include "unwind_table.h"

/* Bytes that have been checked; unwind_bytes_free() frees them. */
struct unwind_bytes {
	void *bytes;
	size_t size;
};

/*
 * Makes the table of a file, which may be anything.
 * 0 or -errno.  -ENOEXEC: it is not for this processor.  -ENODATA: it says nothing about its
 * functions.
 */
int unwind_make(int fd, struct unwind_bytes *table);
/* The same from memory: of the vDSO. */
int unwind_make_image(const void *image, size_t size,
		      struct unwind_bytes *table);

/*
 * Makes the addresses of a table offsets in its file, which the kernel knows without looking
 * into it.  0 or -errno; -ENOEXEC: the file is no program.
 */
int unwind_by_offset(int fd, struct unwind_bytes *table);

/*
 * The build id of a file.  Returns its size; 0: it has none, or one that is too large for a
 * table.
 */
size_t unwind_build_id(int fd, unsigned char id[KT_UNWIND_ID_MAX]);

/* The same from memory: of the vDSO. */
size_t unwind_build_id_image(const void *image, size_t size,
			     unsigned char id[KT_UNWIND_ID_MAX]);

/*
 * Reads a table that unwind_write() has written.  0 or -errno; -EBADMSG, -EPROTONOSUPPORT:
 * see kt_unwind_table_open().
 */
int unwind_read(int fd, struct unwind_bytes *table);
int unwind_write(int fd, const struct unwind_bytes *table);

void unwind_bytes_free(struct unwind_bytes *table);

#endif /* KT_LIB_SYMBOL_UNWIND_FILE_H */
