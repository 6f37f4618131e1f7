// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A trace on disk that is read while another process records it.
 *
 * The recorder sees by a lock (follow.h) that there is a reader.  From then on it closes the packets of all
 * CPUs some times in a second, writes them, and then a line `point' with a clock: all events before it are in
 * the files.  An idle CPU has no events to wait for, and the point says so.  So the reader looks at the
 * metadata first and at the sizes of the files behind it, lets the cursor merge up to the point, and waits
 * for the next one.
 *
 * A file may end in the middle of a packet that is being written: only whole packets count.  The last packet
 * of a stream of programs may still be filled; then it is written again, with more in it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "follow.h"
#include "packets.h"
#include "trace.h"

#define REST_NS 50000000 /* between two looks at the metadata */

struct follow {
	int metadata; /* with the lock */
	bool over;
	/* Of the source with the same index in trace->sources[]: where its last whole packet begins. */
	uint64_t last[STREAMS_MAX];
};

/* ---- streams ---------------------------------------------------------------- */

static bool source_is_known(const struct ktrace *trace, uint32_t number,
			    bool programs)
{
	for (size_t i = 0; i < trace->nr_sources; i++)
		if (trace->sources[i].number == number &&
		    trace->sources[i].programs == programs)
			return true;
	return false;
}

/* What cannot be opened now is tried again. */
static void stream_find(struct ktrace *trace, const char *name)
{
	uint32_t number;
	enum ktrace_file kind = ktrace_file_kind(name, &number);
	int fd;

	if ((kind != KTRACE_FILE_CPU && kind != KTRACE_FILE_PROGRAMS) ||
	    source_is_known(trace, number, kind == KTRACE_FILE_PROGRAMS))
		return;
	if (trace->nr_sources == STREAMS_MAX) {
		trace_warn(trace, "there are more streams than are read");
		return;
	}
	if (trace->nr_sources >= MANY_STREAMS)
		raise_file_limit();
	fd = file_open_plain(trace->directory, name, O_RDONLY);
	if (fd >= 0)
		trace_source(trace, kind, number, fd);
}

static int streams_find(struct ktrace *trace)
{
	int fd = openat(trace->directory, ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	if (!dir)
		return error_set(-errno, "the trace: %m");
	while ((entry = readdir(dir)))
		stream_find(trace, entry->d_name);
	closedir(dir);
	return 0;
}

/* The end of the whole packets.  Damage is left to who reads it. */
static uint64_t packets_end(const struct stream_source *source, uint64_t *last,
			    uint64_t size)
{
	struct kt_packet header;
	struct kt_walk walk;
	uint64_t at = *last;
	int why = 0;

	while (!why && at < size && size - at >= sizeof(header) &&
	       source_read(source, at, &header, sizeof(header)) ==
		       sizeof(header)) {
		why = kt_walk_begin(&walk, &header, size - at);
		if (why)
			break;
		*last = at;
		at += kt_packet_stored(&walk.packet);
	}
	return why && why != -ENODATA ? size : at;
}

/* @whole: nobody writes any more, and all that is there counts. */
static void streams_grow(struct ktrace *trace, bool whole)
{
	for (size_t i = 0; i < trace->nr_sources; i++) {
		struct stream_source *source = &trace->sources[i];
		struct stat st;
		uint64_t size;

		if (fstat(source->fd, &st))
			continue;
		size = whole ? (uint64_t)st.st_size
			     : packets_end(source, &trace->follow->last[i],
					   st.st_size);
		if (size < source->size)
			size = source->size;
		if (size != source->size || source->programs)
			trace_grow(trace, source->number, source->programs,
				   size, source->programs && !whole);
	}
}

/* ---- waiting ---------------------------------------------------------------- */

/* The recording has ended, or its recorder has. */
static int follow_end(struct ktrace *trace)
{
	int err = streams_find(trace);

	trace->follow->over = true;
	if (err)
		return err;
	streams_grow(trace, true);
	return trace_over(trace) ?: 1;
}

static int follow_advance(struct ktrace *trace)
{
	int err = streams_find(trace);

	if (err)
		return err;
	streams_grow(trace, false);
	trace_advance(trace, trace->point);
	return 1;
}

static int follow_pump(struct ktrace *trace)
{
	static const struct timespec rest = {.tv_nsec = REST_NS};
	struct follow *f = trace->follow;
	/* Asked first: what it has written before its end is read below. */
	bool recorded = follow_is_held(f->metadata, FOLLOW_RECORDER);
	int err;

	if (f->over)
		return 0;
	err = trace_refresh(trace);
	if (err)
		return err;
	if (trace->info.reason || !recorded)
		return follow_end(trace);
	if (trace->point > trace->until)
		return follow_advance(trace);
	/* A signal ends it early. */
	nanosleep(&rest, NULL);
	return 1;
}

/* ---- opening ---------------------------------------------------------------- */

static void follow_close(struct ktrace *trace)
{
	close(trace->follow->metadata);
	free(trace->follow);
	trace->follow = NULL;
}

/* Takes over both descriptors. */
static int follow_open(struct ktrace *trace, int directory, int metadata)
{
	struct follow *f = calloc(1, sizeof(*f));

	trace->directory = directory;
	if (!f) {
		close(metadata);
		return error_set(-ENOMEM, "out of memory");
	}
	f->metadata = metadata;
	trace->follow = f;
	trace->release = follow_close;
	trace->pump = follow_pump;
	trace->info.live = true;
	trace->until = 0;
	trace->sources = calloc(STREAMS_MAX, sizeof(*trace->sources));
	trace->cpus = calloc(STREAMS_MAX, sizeof(*trace->cpus));
	if (!trace->sources || !trace->cpus)
		return error_set(-ENOMEM, "out of memory");
	if (!follow_hold(metadata, FOLLOW_READER))
		return error_set(-errno,
				 "the trace cannot be followed: no lock on its "
				 "file metadata is possible: %m");
	return trace_refresh(trace) ?: streams_find(trace);
}

int ktrace_open_follow(const char *path, struct ktrace **result)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int metadata = -1, err;
	struct ktrace *trace;

	/* An archive, or the reason why it cannot be opened. */
	if (directory < 0)
		return ktrace_open(path, result);
	trace = trace_create(NULL);
	if (!trace) {
		close(directory);
		return error_set(-ENOMEM, "out of memory");
	}
	metadata = file_open_plain(directory, "metadata", O_RDONLY);
	if (metadata < 0 || !follow_is_held(metadata, FOLLOW_RECORDER)) {
		if (metadata >= 0)
			close(metadata);
		return trace_open_directory(trace, directory, path, result);
	}
	err = follow_open(trace, directory, metadata);
	if (err) {
		ktrace_close(trace);
		return err;
	}
	streams_grow(trace, false);
	*result = trace;
	return 0;
}
