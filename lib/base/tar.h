/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The headers of tar files: those that POSIX calls ustar, and of the others only what looks the
 * same.  A tar file is a header of one block for each file, the file's bytes behind it up to a
 * whole block, and blocks of zeros at its end.
 *
 * It is so little that it is no reason to link a library of archives, which brings a dozen of
 * others with it, and code for twenty formats that foreign bytes could reach.
 */
#ifndef KT_LIB_BASE_TAR_H
#define KT_LIB_BASE_TAR_H

#include <stdint.h>

#define TAR_BLOCK    512
#define TAR_NAME_MAX 257

enum tar_kind {
	TAR_FILE = '0',
	TAR_FOLDER = '5',
	/* Others have other letters: links, devices, longer names. */
};

struct tar_entry {
	char name[TAR_NAME_MAX]; /* with a NUL */
	uint64_t size;
	uint32_t mode;
	int64_t time; /* of the last change, in seconds since 1970 */
	char kind;
};

/* 0, or -ENAMETOOLONG: the name's last part has at most 100 bytes, all before it 155. */
int tar_write(const struct tar_entry *entry, char block[TAR_BLOCK]);
/* 1; 0: the end of the files; -EBADMSG: it is no header. */
int tar_read(const char block[TAR_BLOCK], struct tar_entry *entry);

/* The bytes behind a file of this size, up to a whole block. */
static inline unsigned int tar_rest(uint64_t size)
{
	return -size % TAR_BLOCK;
}

#endif /* KT_LIB_BASE_TAR_H */
