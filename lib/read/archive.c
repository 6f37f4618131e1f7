// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reads a trace out of an archive: a tar file that is compressed with zstd
 * (ktrace-archive(1)).
 *
 * The trace comes first: its files, all in one folder.  What follows are files of programs,
 * which nobody needs here.  The trace has a compressed frame of its own, so that its checksum can
 * be compared without reading these.  If it has none, because somebody has packed it again, the
 * frame is read to its end.
 *
 * The bytes are untrusted.  No name in the archive becomes the name of a file: streams go to
 * files without a name in the folder for temporary files, the rest to memory.  So nothing is
 * left behind, however the program ends.  Whatever `ktrace archive' would not have written is
 * refused: tar can unpack it.
 *
 * A small archive may become very large.  Before a file is taken, and then again and again,
 * there must be room for it, and some room must stay for others.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

#include "archive.h"
#include "base/error.h"
#include "base/file.h"
#include "base/tar.h"

/*
 * Limits of what is kept in memory.  Symbols are some 10 MB, and take up to four times of that when
 * they are read.
 */
#define METADATA_MAX (256u << 20)
#define SYMBOLS_MAX  (64u << 20)
#define STACKS_MAX   (1u << 30)

/* How often it is asked whether there is still room. */
#define ROOM_STEP (64u << 20)
/* What stays for others: this share of the file system, but no more than that. */
#define ROOM_SHARE 16
#define ROOM_KEPT  (256u << 20)

/* How far a file is read that is refused anyway, to see whether it is damaged. */
#define REFUSED_MAX (64u << 20)
/* Behind the trace, if it has no frame of its own: bytes that take some seconds. */
#define CHECKED_MAX (8ull << 30)
/* Unknown streams, as they are unpacked.  A small archive may claim terabytes. */
#define SKIPPED_MAX (64ull << 30)

#define FOLDER_MAX  256

struct archive {
	struct ktrace *trace;
	int fd;
	const char *path;
	const char *temporary; /* the folder for files without a name */

	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	void *in_bytes;
	size_t in_room;
	bool frame_ended; /* nothing of a compressed frame is missing */
	bool frame_begun; /* what was read last begins a frame */
	bool broken;	  /* no more can be read */

	char folder[FOLDER_MAX];	/* of the trace; empty: not known yet */
	bool stacks, symbols, metadata; /* were there */
	uint8_t seen[3][CPUS_MAX / 8];	/* streams, by kind and number */
	uint64_t skipped;		/* bytes of streams */
};

/* ---- decompression ----------------------------------------------------------- */

/* 1; 0: the file has no more. */
static int input_read(struct archive *a)
{
	ssize_t n;

	do
		n = read(a->fd, a->in_bytes, a->in_room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_set(-errno, "%s: %s", a->path, strerror(errno));
	a->in = (ZSTD_inBuffer){a->in_bytes, n, 0};
	return n > 0;
}

/* Fills @to, except at the end.  Returns how many bytes there are, or -errno. */
static int64_t bytes_read(struct archive *a, void *to, size_t size)
{
	ZSTD_outBuffer out = {to, size, 0};
	size_t left;
	int more;

	a->frame_begun = a->frame_ended;
	while (out.pos < size) {
		if (a->in.pos == a->in.size) {
			more = input_read(a);
			if (more < 0) {
				a->broken = true;
				return more;
			}
			/* It may still have some bytes that it has read before. */
			if (!more && a->frame_ended)
				break;
		} else {
			more = 1;
		}
		left = out.pos;
		size_t result = ZSTD_decompressStream(a->stream, &out, &a->in);

		a->broken = ZSTD_isError(result);
		if (a->broken)
			return error_set(-EBADMSG,
					 "%s: the archive is damaged: %s",
					 a->path, ZSTD_getErrorName(result));
		a->frame_ended = !result;
		a->frame_begun |= !result && !out.pos;
		if (!more && out.pos == left)
			break;
	}
	return out.pos;
}

static int cut_explain(const struct archive *a)
{
	return error_set(
		-EBADMSG,
		"%s: the archive is cut off: copy or make it once more",
		a->path);
}

static int all_read(struct archive *a, void *to, size_t size)
{
	int64_t n = bytes_read(a, to, size);

	if (n < 0)
		return n;
	return (size_t)n < size ? cut_explain(a) : 0;
}

static int rest_skip(struct archive *a, uint64_t size)
{
	char rest[TAR_BLOCK];

	return all_read(a, rest, tar_rest(size));
}

/* ---- files without a name ---------------------------------------------------- */

static int unnamed_open(struct archive *a)
{
	int fd = open(a->temporary, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC,
		      0600);
	char *name;

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	/* This file system has no such files. */
	if (asprintf(&name, "%s/ktrace-XXXXXX", a->temporary) < 0)
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

static int room_check(const struct archive *a, int fd, uint64_t size)
{
	struct statvfs fs;
	uint64_t unit, kept, available;

	if (fstatvfs(fd, &fs))
		return 0;
	unit = fs.f_frsize ? fs.f_frsize : fs.f_bsize;
	kept = fs.f_blocks / ROOM_SHARE * unit;
	kept = kept < ROOM_KEPT ? kept : ROOM_KEPT;
	available = fs.f_bavail * unit;
	/* Some have no end, and tell no size. */
	if (!fs.f_blocks || (available > kept && size <= available - kept))
		return 0;
	return error_set(
		-ENOSPC,
		"%s: a file of its trace needs %" PRIu64
		" MiB, for which %s has no room: set TMPDIR to a folder that has",
		a->path, (size >> 20) + 1, a->temporary);
}

static int part_copy(struct archive *a, int fd, uint64_t size)
{
	char part[65536];
	size_t n = size < sizeof(part) ? size : sizeof(part);
	int err = all_read(a, part, n);

	if (err)
		return err;
	err = file_write(fd, part, n);
	return err ? error_set(err, "%s: cannot unpack into %s: %s", a->path,
			       a->temporary, strerror(-err))
		   : (int)n;
}

static int bytes_copy(struct archive *a, int fd, uint64_t size)
{
	uint64_t done = 0, asked = 0;
	int n = room_check(a, fd, size);

	while (n >= 0 && done < size) {
		if (done - asked >= ROOM_STEP) {
			asked = done;
			n = room_check(a, fd, size - done);
			if (n < 0)
				break;
		}
		n = part_copy(a, fd, size - done);
		done += n < 0 ? 0 : n;
	}
	return n < 0 ? n : 0;
}

/* ---- the trace's files ------------------------------------------------------- */

/* A stream that nobody here reads takes no room, and not for ever. */
static int stream_skip(struct archive *a, uint64_t size)
{
	char part[65536];
	int err = 0;

	if (size > SKIPPED_MAX - a->skipped)
		return error_set(
			-EFBIG,
			"%s: it has more than %llu GiB of streams that "
			"this ktrace does not know",
			a->path, SKIPPED_MAX >> 30);
	a->skipped += size;
	while (!err && size) {
		size_t n = size < sizeof(part) ? size : sizeof(part);

		err = all_read(a, part, n);
		size -= n;
	}
	return err;
}

static int stream_take(struct archive *a, const struct tar_entry *entry,
		       enum ktrace_file kind, uint32_t number)
{
	struct stream_source *source;
	int fd, err;

	if (kind == KTRACE_FILE_STREAM &&
	    (a->trace->nr_sides == SIDES_MAX ||
	     (a->metadata && !side_is_known(a->trace, number))))
		return stream_skip(a, entry->size);
	if (a->trace->nr_sources == MANY_STREAMS)
		raise_file_limit();
	fd = unnamed_open(a);
	if (fd < 0)
		return error_set(-errno, "%s: cannot unpack into %s: %s",
				 a->path, a->temporary, strerror(errno));
	err = bytes_copy(a, fd, entry->size);
	if (!err && kind == KTRACE_FILE_STREAM) {
		err = side_add(a->trace, number, fd);
		return err ? error_set(err, "out of memory") : 0;
	}
	source = err ? NULL : trace_source_new(a->trace);
	if (!source) {
		close(fd);
		if (!err)
			err = error_set(-ENOMEM, "out of memory");
		return err;
	}
	source->number = number;
	source->programs = kind == KTRACE_FILE_PROGRAMS;
	source->fd = fd;
	source->size = entry->size;
	return 0;
}

static int text_use(struct archive *a, enum ktrace_file kind, char *text,
		    size_t size)
{
	struct ktrace *trace = a->trace;
	int err = 0;

	switch (kind) {
	case KTRACE_FILE_METADATA:
		a->metadata = true;
		err = metadata_read(trace, text, size);
		break;
	case KTRACE_FILE_SYMBOLS:
		a->symbols = true;
		/* It takes over the text. */
		symbols_parse(trace, text, size);
		return 0;
	default:
		a->stacks = true;
		err = stacks_add(&trace->stacks, text, size);
		if (err)
			error_set(err, "out of memory");
	}
	free(text);
	return err;
}

static int text_take(struct archive *a, const struct tar_entry *entry,
		     enum ktrace_file kind, uint64_t max)
{
	char *text;
	int err;

	if (entry->size > max)
		return error_set(-EFBIG, "%s: %s in it is far too large",
				 a->path, entry->name);
	text = malloc(entry->size + 1);
	if (!text)
		return error_set(-ENOMEM, "out of memory");
	text[entry->size] = '\0';
	err = all_read(a, text, entry->size);
	if (!err)
		return text_use(a, kind, text, entry->size);
	free(text);
	return err;
}

/* Was there a file of this name before?  From now on there was. */
static bool seen_before(struct archive *a, enum ktrace_file kind,
			uint32_t number)
{
	uint8_t *byte, bit = 1u << number % 8;
	bool before;

	switch (kind) {
	case KTRACE_FILE_METADATA:
		return a->metadata;
	case KTRACE_FILE_SYMBOLS:
		return a->symbols;
	case KTRACE_FILE_STACKS:
		return a->stacks;
	default:
		byte = &a->seen[kind - KTRACE_FILE_CPU][number / 8];
		before = *byte & bit;
		*byte |= bit;
		return before;
	}
}

static int file_take(struct archive *a, const struct tar_entry *entry,
		     enum ktrace_file kind, uint32_t number)
{
	int err;

	switch (kind) {
	case KTRACE_FILE_METADATA:
		err = text_take(a, entry, kind, METADATA_MAX);
		break;
	case KTRACE_FILE_SYMBOLS:
		err = text_take(a, entry, kind, SYMBOLS_MAX);
		break;
	case KTRACE_FILE_STACKS:
		err = text_take(a, entry, kind, STACKS_MAX);
		break;
	default:
		err = stream_take(a, entry, kind, number);
	}
	return err ?: rest_skip(a, entry->size);
}

/* ---- the archive ------------------------------------------------------------- */

static int strange(const struct archive *a, const char *name, const char *why)
{
	return error_set(
		-EINVAL,
		"%s: in this archive is `%s', %s, which `ktrace archive' does not write: "
		"unpack it with tar if you trust it, and name the trace's folder",
		a->path, name, why);
}

/* The name without the trace's folder, which is that of the first entry.  NULL: not in it. */
static const char *name_inside(struct archive *a, const char *name)
{
	const char *slash;
	size_t size;

	while (!strncmp(name, "./", 2))
		name += 2;
	slash = strchrnul(name, '/');
	size = slash - name;
	if (!size || (size == 2 && !memcmp(name, "..", 2)))
		return NULL;
	if (!*a->folder && size < sizeof(a->folder))
		memcpy(a->folder, name, size);
	if (strlen(a->folder) != size || memcmp(a->folder, name, size))
		return NULL;
	return *slash ? slash + 1 : slash;
}

static int entry_take(struct archive *a, const struct tar_entry *entry)
{
	const char *inside = name_inside(a, entry->name);
	enum ktrace_file kind;
	uint32_t number = 0;

	if (!inside)
		return strange(a, entry->name, "outside of one folder");
	if (entry->kind == TAR_FOLDER && !*inside && !entry->size)
		return 0;
	if (entry->kind != TAR_FILE)
		return strange(a, entry->name, "which is no file");
	kind = ktrace_file_kind(inside, &number);
	if (kind == KTRACE_FILE_OTHER)
		return strange(a, entry->name, "no file of a trace");
	if (seen_before(a, kind, number))
		return strange(a, entry->name, "for the second time");
	return file_take(a, entry, kind, number);
}

static bool is_program(const struct tar_entry *entry)
{
	const char *name = entry->name;

	while (!strncmp(name, "./", 2))
		name += 2;
	return !strncmp(name, ARCHIVE_ID_FOLDER, strlen(ARCHIVE_ID_FOLDER));
}

/* 1: there was one of the trace; 0: there are no more. */
static int entry_read(struct archive *a)
{
	struct tar_entry entry;
	char block[TAR_BLOCK];
	int err = all_read(a, block, sizeof(block));

	if (err)
		return err;
	err = tar_read(block, &entry);
	if (err < 0)
		return error_set(
			err,
			*a->folder
				? "%s: the archive is damaged"
				: "%s: it is compressed, but no archive of a trace",
			a->path);
	if (!err || is_program(&entry))
		return 0;
	err = entry_take(a, &entry);
	return err ?: 1;
}

/* Reads on to the end of the frame, whose checksum is compared there; but no more than that. */
static int end_check(struct archive *a, uint64_t max)
{
	char rest[65536];
	uint64_t done = 0;
	int64_t n = 0;

	while (!a->frame_ended && done < max) {
		n = bytes_read(a, rest, sizeof(rest));
		if (n <= 0)
			break;
		done += n;
	}
	if (n < 0)
		return n;
	return a->frame_ended || done >= max ? 0 : cut_explain(a);
}

/* Returns @err, or why its bytes are not those that were packed. */
static int damage_look(struct archive *a, int err)
{
	char *why = a->broken ? NULL : strdup(ktrace_last_error());
	int damage = why ? end_check(a, REFUSED_MAX) : 0;

	if (!damage && why)
		error_set(err, "%s", why);
	free(why);
	return damage ?: err;
}

/* The metadata, which describes the streams, may have come behind them. */
static void streams_finish(struct archive *a)
{
	struct ktrace *trace = a->trace;
	for (size_t i = 0; i < trace->nr_sources; i++)
		trace_describe(trace, &trace->sources[i]);
	sides_check(trace);
	if (!trace->nr_sources)
		trace_warn(trace, "%s holds no streams (cpu0 …)", a->path);
}

static int entries_read(struct archive *a)
{
	int err;

	do
		err = entry_read(a);
	while (err > 0);
	/* What looks wrong may be damaged, and that says more. */
	if (err && err != -ENOMEM)
		err = damage_look(a, err);
	/* If a frame begins behind the trace, that of the trace has been compared. */
	if (!err && !a->frame_begun) {
		err = end_check(a, CHECKED_MAX);
		if (!err && !a->frame_ended)
			trace_warn(a->trace,
				   "%s: its checksum was not compared, as much "
				   "follows the trace: zstd -t does it",
				   a->path);
	}
	if (!err && !a->metadata)
		err = error_set(
			-EINVAL,
			"%s: there is no trace at the archive's beginning: "
			"unpack it with tar, and name the trace's folder",
			a->path);
	return err;
}

int archive_read(struct ktrace *trace, int fd, const char *path)
{
	struct archive *a = calloc(1, sizeof(*a));
	const char *temporary = secure_getenv("TMPDIR");
	int err = -ENOMEM;

	if (!a)
		return error_set(-ENOMEM, "out of memory");
	a->trace = trace;
	a->fd = fd;
	a->path = path;
	a->temporary = temporary && *temporary ? temporary : "/tmp";
	a->in_room = ZSTD_DStreamInSize();
	a->in_bytes = malloc(a->in_room);
	a->stream = ZSTD_createDStream();
	trace->symbols_read = true;
	trace->stacks.whole = true;
	if (a->in_bytes && a->stream)
		err = entries_read(a);
	else
		error_set(err, "out of memory");
	if (!err)
		streams_finish(a);
	ZSTD_freeDStream(a->stream);
	free(a->in_bytes);
	free(a);
	return err;
}
