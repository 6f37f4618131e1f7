/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A tar file that is compressed with zstd while it is written. */
#ifndef KT_LIB_ARCHIVE_PACK_H
#define KT_LIB_ARCHIVE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <zstd.h>

#include "base/tar.h"

struct pack {
	int fd;
	ZSTD_CStream *stream;
	void *out;
	size_t room;
	uint64_t bytes; /* written to @fd */
	/* Progress: see ktrace_archive_options. */
	uint64_t done, all;
	bool (*progress)(void *data, uint64_t done, uint64_t all);
	void *data;
};

/* All set the error message.  0 or -errno; -ECANCELED: progress() said so. */
int pack_begin(struct pack *pack, int fd);
int pack_folder(struct pack *pack, const char *name, const struct stat *like);
int pack_text(struct pack *pack, const char *name, const struct stat *like,
	      const void *text, size_t size);
/*
 * The first @like->st_size bytes of the file.  If it has less of them by now, zeros take their
 * place, and *@whole is false.
 */
int pack_file(struct pack *pack, const char *name, const struct stat *like,
	      unsigned int mode, int fd, bool *whole);
/* What was packed so far gets a checksum, up to which it can be read alone. */
int pack_part_end(struct pack *pack);
int pack_end(struct pack *pack);
void pack_free(struct pack *pack);

#endif /* KT_LIB_ARCHIVE_PACK_H */
