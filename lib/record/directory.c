// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The sink that is a trace on disk: a directory with a file for the metadata
 * and one for each stream.
 *
 * Files grow only by whole lines and whole packets.  If a full disk takes only
 * a part of one, that part is cut off again.
 *
 * Whoever owns the parent directory may replace this directory at any time.  So
 * all files are opened relative to the directory that was created, never
 * through a link, and never if the file exists.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "read/follow.h"
#include "read/names.h"
#include "sink.h"

/* Reserved for the end of the metadata, so that it fits on a full disk. */
#define METADATA_RESERVE (256 * 1024)
/*
 * Packets per call.  With many of them a file system allocates larger pieces of
 * memory. A tmpfs allocates single pages; on 6.12 it touches, before each page,
 * all pages that the call still has to write (6.1 and 7.3 do not).
 */
#define BATCH	     16
#define BATCH_MEMORY 1

#define FILE_FLAGS   (O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)

struct directory {
	struct sink sink;
	char *path;
	int metadata; /* -1: not created yet */
	off_t size;   /* of its complete lines */
	off_t point;  /* where the line `point' is; 0: nowhere yet */
	bool made;    /* created here, not by the caller */
	bool symbols; /* were written */
};

struct file {
	struct sink_stream stream;
	enum ktrace_file kind;
	uint32_t number;
	int fd;
	int batch; /* packets per call */
};

/* ---- metadata and symbols -------------------------------------------------------- */

/* Is the owner of the new directory the one that our files get? */
static int directory_check(const struct directory *d)
{
	struct stat dir, file;

	if (d->made && (fstat(d->sink.directory, &dir) ||
			fstat(d->metadata, &file) || dir.st_uid != file.st_uid))
		return error_set(
			-EPERM,
			"%s: somebody has replaced it since it was made",
			d->path);
	return 0;
}

static int metadata_write(struct directory *d, const char *text, size_t size)
{
	int err = file_write(d->metadata, text, size);

	if (!err) {
		d->size += size;
		return 0;
	}
	error_set(err, "metadata: cannot write: %s", strerror(-err));
	/*
	 * If this fails too, the part of a line stays, and no complete line
	 * follows.
	 */
	if (ftruncate(d->metadata, d->size) ||
	    lseek(d->metadata, d->size, SEEK_SET) < 0)
		error_set(err, "metadata: cannot write: %s", strerror(errno));
	return err;
}

/*
 * The first line.  A file without it is no metadata, so it is removed on
 * failure.
 */
static int metadata_begin(struct directory *d, const char *text, size_t size)
{
	int err;

	d->metadata = openat(d->sink.directory, "metadata", FILE_FLAGS, 0644);
	if (d->metadata < 0)
		return error_set(-errno, "%s/metadata: %s", d->path,
				 strerror(errno));
	/* On file systems without locks nobody can follow. */
	follow_hold(d->metadata, FOLLOW_RECORDER);
	err = directory_check(d);
	if (!err)
		err = metadata_write(d, text, size);
	if (err) {
		unlinkat(d->sink.directory, "metadata", 0);
		close(d->metadata);
		d->metadata = -1;
	}
	return err;
}

static int directory_lines(struct sink *sink, const char *text, size_t size)
{
	struct directory *d = (struct directory *)sink;

	return d->metadata < 0 ? metadata_begin(d, text, size)
			       : metadata_write(d, text, size);
}

static int directory_point(struct sink *sink, const char *line, size_t size)
{
	struct directory *d = (struct directory *)sink;
	off_t at = d->size;
	ssize_t n;
	int err;

	if (!d->point) {
		err = metadata_write(d, line, size);
		d->point = err ? 0 : at;
		return err;
	}
	n = pwrite(d->metadata, line, size, d->point);
	if (n == (ssize_t)size)
		return 0;
	err = n < 0 ? -errno : -ENOSPC;
	return error_set(err, "metadata: cannot write: %s", strerror(-err));
}

static bool directory_followed(const struct sink *sink)
{
	const struct directory *d = (const struct directory *)sink;

	return d->metadata >= 0 && follow_is_held(d->metadata, FOLLOW_READER);
}

static int directory_flush(struct sink *sink)
{
	const struct directory *d = (struct directory *)sink;

	if (fsync(d->metadata) && errno != EINVAL)
		return error_set(-errno, "metadata: %s", strerror(errno));
	return 0;
}

static int directory_symbols(struct sink *sink, const char *text, size_t size)
{
	struct directory *d = (struct directory *)sink;
	/* The old ones stay until the new ones are whole. */
	const char *name = d->symbols ? "symbols.new" : "symbols";
	int fd = openat(sink->directory, name, FILE_FLAGS, 0644), err;

	if (fd < 0)
		return error_set(-errno, "symbols: %s", strerror(errno));
	err = file_write(fd, text, size);
	if (err) {
		error_set(err, "symbols: cannot write: %s", strerror(-err));
		unlinkat(sink->directory, name, 0);
	} else if (d->symbols && renameat(sink->directory, name,
					  sink->directory, "symbols")) {
		err = error_set(-errno, "symbols: %s", strerror(errno));
		unlinkat(sink->directory, name, 0);
	}
	d->symbols |= !err;
	close(fd);
	return err;
}

/* Reserves space after the file's end, if the file system can do it. */
static void directory_reserve(struct sink *sink)
{
	const struct directory *d = (struct directory *)sink;

	fallocate(d->metadata, FALLOC_FL_KEEP_SIZE, d->size, METADATA_RESERVE);
}

static void directory_release(struct sink *sink)
{
	const struct directory *d = (struct directory *)sink;

	if (ftruncate(d->metadata, d->size))
		errno = 0; /* the space stays reserved: no harm */
}

/* ---- streams --------------------------------------------------------------------- */

static int directory_open(struct sink *sink, enum ktrace_file kind,
			  uint32_t number, struct sink_stream **stream)
{
	struct file *f = calloc(1, sizeof(*f));
	char name[FILE_NAME_MAX];
	struct statfs fs;
	int err;

	if (!f)
		return -ENOMEM;
	file_name(kind, number, name);
	f->fd = openat(sink->directory, name, FILE_FLAGS, 0644);
	if (f->fd < 0) {
		err = -errno;
		free(f);
		return err;
	}
	f->stream.sink = sink;
	f->kind = kind;
	f->number = number;
	f->batch = !fstatfs(f->fd, &fs) && fs.f_type == TMPFS_MAGIC
			   ? BATCH_MEMORY
			   : BATCH;
	*stream = &f->stream;
	return 0;
}

/* Writes a packet after the stream's end, which does not move. */
static int packet_write(const struct file *f, const void *packet, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(f->fd, (const char *)packet + done,
				   size - done, f->stream.bytes + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		done += n;
	}
	return 0;
}

/*
 * Writes several packets with one call.  Returns their number, at least 1, or
 * -errno.
 */
static int packets_write(const struct file *f, const struct iovec *packets,
			 int nr)
{
	int done = 0, err;
	ssize_t n;

	do
		n = pwritev(f->fd, packets, nr, f->stream.bytes);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	for (; done < nr && (size_t)n >= packets[done].iov_len; done++)
		n -= packets[done].iov_len;
	if (done)
		return done;
	/* Not even one: writing a single packet returns the error. */
	err = packet_write(f, packets->iov_base, packets->iov_len);
	return err ?: 1;
}

/* Cuts off an incomplete packet. */
static void stream_cut(struct file *f)
{
	if (ftruncate(f->fd, f->stream.bytes))
		errno = 0; /* readers ignore an incomplete packet */
	f->stream.open = 0;
}

static int directory_append(struct sink_stream *stream,
			    const struct iovec *packets, int nr)
{
	struct file *f = (struct file *)stream;
	int done = 0, n = 0;

	while (done < nr) {
		uint64_t bytes = stream->bytes;

		n = packets_write(f, packets + done,
				  nr - done < f->batch ? nr - done : f->batch);
		if (n < 0)
			break;
		for (int i = 0; i < n; i++)
			bytes += packets[done++].iov_len;
		__atomic_store_n(&stream->bytes, bytes, __ATOMIC_RELAXED);
	}
	if (n < 0)
		stream_cut(f);
	stream->open = 0;
	return done ? done : n;
}

static int directory_show(struct sink_stream *stream, const void *packet,
			  uint32_t size)
{
	struct file *f = (struct file *)stream;
	int err = packet_write(f, packet, size);

	if (err)
		stream_cut(f);
	else
		stream->open = size;
	return err;
}

/*
 * Removes an empty stream of programs: there is one for each user and CPU, and
 * most are empty.  Empty streams of the kernel stay: they show which CPUs
 * existed.
 */
static void directory_close(struct sink_stream *stream)
{
	struct file *f = (struct file *)stream;
	char name[FILE_NAME_MAX];

	/* The recording goes on in another trace, which gets the whole packet. */
	if (f->stream.open)
		stream_cut(f);
	file_name(f->kind, f->number, name);
	if (f->kind == KTRACE_FILE_PROGRAMS && !stream->bytes)
		unlinkat(stream->sink->directory, name, 0);
	close(f->fd);
	free(f);
}

/* ---- making and ending ----------------------------------------------------------- */

static void directory_destroy(struct sink *sink)
{
	struct directory *d = (struct directory *)sink;

	if (d->metadata >= 0)
		close(d->metadata);
	if (sink->directory >= 0)
		close(sink->directory);
	free(d->path);
	free(d);
}

static void directory_remove(struct sink *sink)
{
	files_remove(sink->directory);
	rmdir(((struct directory *)sink)->path);
}

static struct directory *directory_new(const char *path)
{
	struct directory *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->path = strdup(path);
	if (!d->path) {
		free(d);
		return NULL;
	}
	d->sink.ops = &directory_sink;
	d->sink.name = d->path;
	d->sink.directory = -1;
	d->metadata = -1;
	return d;
}

static int directory_make(struct directory *d)
{
	int err;

	/* Only for the owner: a trace of the kernel may hold private data. */
	if (mkdir(d->path, 0700))
		return error_set(-errno, "cannot make %s: %m", d->path);
	d->sink.directory =
		open(d->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d->sink.directory < 0) {
		err = error_set(-errno, "%s: %m", d->path);
		rmdir(d->path);
		return err;
	}
	/* If it has files, somebody has replaced it. */
	if (!directory_empty(d->sink.directory))
		return error_set(
			-EPERM,
			"%s: somebody has replaced it since it was made",
			d->path);
	d->made = true;
	return 0;
}

static int directory_create(const struct ktrace_recording_options *options,
			    struct sink **sink)
{
	struct directory *d;
	int err;

	if (!options->directory)
		return 0;
	d = directory_new(options->directory);
	if (!d)
		return error_set(-ENOMEM, "out of memory");
	err = directory_make(d);
	if (err) {
		directory_destroy(&d->sink);
		return err;
	}
	*sink = &d->sink;
	return 0;
}

int directory_sink_open(const char *path, struct sink **sink)
{
	struct directory *d = directory_new(path);
	int err;

	if (!d)
		return error_set(-ENOMEM, "out of memory");
	d->sink.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->sink.directory < 0) {
		err = error_set(-errno, "%s: %s", path, strerror(errno));
		directory_destroy(&d->sink);
		return err;
	}
	*sink = &d->sink;
	return 0;
}

const struct sink_ops directory_sink = {
	.create = directory_create,
	.lines = directory_lines,
	.point = directory_point,
	.flush = directory_flush,
	.symbols = directory_symbols,
	.open = directory_open,
	.append = directory_append,
	.show = directory_show,
	.close = directory_close,
	.followed = directory_followed,
	.reserve = directory_reserve,
	.release = directory_release,
	.remove = directory_remove,
	.destroy = directory_destroy,
};
