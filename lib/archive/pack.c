// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "pack.h"

/* Higher levels take several times longer, for some percent of the size. */
#define LEVEL 3
#define PART  (256u << 10)

static int memory_short(void)
{
	return error_set(-ENOMEM, "out of memory");
}

int pack_begin(struct pack *p, int fd)
{
	p->fd = fd;
	p->stream = ZSTD_createCStream();
	p->room = ZSTD_CStreamOutSize();
	p->out = malloc(p->room);
	if (!p->stream || !p->out ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(
		    p->stream, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(
		    ZSTD_CCtx_setParameter(p->stream, ZSTD_c_checksumFlag, 1)))
		return memory_short();
	return 0;
}

static int out_write(struct pack *p, size_t size)
{
	int err = file_write(p->fd, p->out, size);

	if (err)
		return error_set(err, "cannot write the archive: %s",
				 strerror(-err));
	p->bytes += size;
	return 0;
}

static int compress(struct pack *p, const void *bytes, size_t size,
		    ZSTD_EndDirective what)
{
	ZSTD_inBuffer in = {bytes, size, 0};
	ZSTD_outBuffer out;
	size_t left;
	int err;

	do {
		out = (ZSTD_outBuffer){p->out, p->room, 0};
		left = ZSTD_compressStream2(p->stream, &out, &in, what);
		if (ZSTD_isError(left))
			return error_set(-EIO, "cannot compress: %s",
					 ZSTD_getErrorName(left));
		err = out.pos ? out_write(p, out.pos) : 0;
	} while (!err && (in.pos < in.size || (what == ZSTD_e_end && left)));
	p->done += size;
	if (!err && p->progress && p->progress(p->data, p->done, p->all))
		err = error_set(-ECANCELED, "interrupted");
	return err;
}

static int header_write(struct pack *p, const char *name,
			const struct stat *like, unsigned int mode,
			uint64_t size, char kind)
{
	struct tar_entry entry = {.size = size, .mode = mode, .kind = kind};
	char block[TAR_BLOCK];
	int err;

	entry.time = like->st_mtime;
	snprintf(entry.name, sizeof(entry.name), "%s", name);
	err = tar_write(&entry, block);
	if (err)
		return error_set(err, "%s: the name is too long", name);
	return compress(p, block, sizeof(block), ZSTD_e_continue);
}

static int rest_write(struct pack *p, uint64_t size)
{
	static const char zeros[TAR_BLOCK];

	return compress(p, zeros, tar_rest(size), ZSTD_e_continue);
}

int pack_folder(struct pack *p, const char *name, const struct stat *like)
{
	return header_write(p, name, like, 0700, 0, TAR_FOLDER);
}

int pack_text(struct pack *p, const char *name, const struct stat *like,
	      const void *text, size_t size)
{
	int err = header_write(p, name, like, 0600, size, TAR_FILE);

	if (!err)
		err = compress(p, text, size, ZSTD_e_continue);
	return err ?: rest_write(p, size);
}

/* Fills the part; if the file is shorter by now, with zeros, and *@whole is false. */
static int part_read(int fd, char *part, size_t size, off_t at, bool *whole)
{
	size_t done = 0;
	ssize_t n = 1;

	while (done < size && n) {
		n = pread(fd, part + done, size - done, at + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += n;
	}
	*whole &= done == size;
	memset(part + done, 0, size - done);
	return 0;
}

int pack_file(struct pack *p, const char *name, const struct stat *like,
	      unsigned int mode, int fd, bool *whole)
{
	uint64_t size = like->st_size, done = 0;
	char *part = malloc(PART);
	int err = part ? header_write(p, name, like, mode, size, TAR_FILE)
		       : memory_short();

	*whole = true;
	while (!err && done < size) {
		size_t n = size - done < PART ? size - done : PART;

		err = part_read(fd, part, n, done, whole);
		if (err)
			error_set(err, "%s: cannot read: %s", name,
				  strerror(-err));
		else
			err = compress(p, part, n, ZSTD_e_continue);
		done += n;
	}
	free(part);
	return err ?: rest_write(p, size);
}

int pack_part_end(struct pack *p)
{
	return compress(p, NULL, 0, ZSTD_e_end);
}

int pack_end(struct pack *p)
{
	static const char zeros[2 * TAR_BLOCK];

	return compress(p, zeros, sizeof(zeros), ZSTD_e_end);
}

void pack_free(struct pack *p)
{
	ZSTD_freeCStream(p->stream);
	free(p->out);
}
