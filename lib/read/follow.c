// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A trace on disk that is read while another process records it.
 *
 * The recorder sees by a lock (follow.h) that there is a reader.  From then on it closes the packets of all
 * CPUs some times in a second, writes them, and then the line `point' with a clock: all events before it are in
 * the files.  An idle CPU has no events to wait for, and the point says so.  So the reader looks at the
 * point first, then at what else the metadata says, then at the sizes of the files; it lets the cursor merge
 * up to the point, and waits for the next one.
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
#include "side.h"
#include "trace.h"

#define REST_NS	    50000000 /* between two looks at the metadata */
#define CLOCK_RESTS 20	     /* so long the clock is waited for */

struct follow {
	int metadata; /* with the lock */
	bool over;
	uint64_t news; /* how often the point was another one */
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

/*
 * The line `programs' is written before its file is made, but maybe behind what was read of the metadata.
 * Events before the point are in no such file.
 */
static bool is_too_new(const struct ktrace *trace, enum ktrace_file kind,
		       uint32_t number)
{
	return kind == KTRACE_FILE_PROGRAMS && !trace->follow->over &&
	       (number >= trace->nr_programs || !trace->programs[number].known);
}

/* What cannot be opened now is tried again. */
static void stream_find(struct ktrace *trace, const char *name)
{
	uint32_t number;
	enum ktrace_file kind = ktrace_file_kind(name, &number);
	int fd;

	if (kind == KTRACE_FILE_STREAM &&
	    (trace->follow->over ||
	     (number < trace->nr_kinds && trace->kinds[number])) &&
	    side_is_known(trace, number))
		trace_warn(trace, "the trace has branches: they are not shown "
				  "while it is recorded, but afterwards");
	if ((kind != KTRACE_FILE_CPU && kind != KTRACE_FILE_PROGRAMS) ||
	    source_is_known(trace, number, kind == KTRACE_FILE_PROGRAMS) ||
	    is_too_new(trace, kind, number))
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
	else if (trace->follow->over)
		trace_warn(trace, "%s: %s", name,
			   errno == EINVAL ? "not a file: left out"
					   : strerror(errno));
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

/* The end of the whole packets.  Damage between them is left to who reads it. */
static uint64_t packets_end(const struct stream_source *source, uint64_t *last,
			    uint64_t size)
{
	struct kt_packet header;
	struct kt_walk walk;
	uint64_t at = *last, end = at;
	int why = 0;

	while (why != -ENODATA && at < size && size - at >= sizeof(header) &&
	       source_read(source, at, &header, sizeof(header)) ==
		       sizeof(header)) {
		why = kt_walk_begin(&walk, &header, size - at);
		/* Packets are at multiples of 8. */
		at += why ? 8 : 0;
		if (why)
			continue;
		*last = at;
		at += kt_packet_stored(&walk.packet);
		end = at;
	}
	return end;
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

/* A signal ends it early, and then this is not 0. */
static int rest(void)
{
	static const struct timespec time = {.tv_nsec = REST_NS};

	return nanosleep(&time, NULL);
}

/* The recording has ended, or its recorder has. */
static int follow_end(struct ktrace *trace)
{
	int err;

	trace->follow->over = true;
	err = streams_find(trace);
	if (err)
		return err;
	streams_grow(trace, true);
	return trace_missing(trace) ?: trace_over(trace) ?: 1;
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

static void point_look(struct ktrace *trace)
{
	char line[POINT_SIZE + 1] = "";
	uint64_t clock;

	if (!trace->point_at ||
	    pread(trace->follow->metadata, line, POINT_SIZE, trace->point_at) !=
		    POINT_SIZE ||
	    !point_parse(line, &clock) || clock <= trace->point)
		return;
	trace->point = clock;
	trace->follow->news++;
}

static int follow_pump(struct ktrace *trace)
{
	struct follow *f = trace->follow;
	/* Asked first: what it has written before its end is read below. */
	bool recorded = follow_is_held(f->metadata, FOLLOW_RECORDER);
	int err;

	if (f->over)
		return 0;
	point_look(trace);
	err = trace_refresh(trace);
	if (err)
		return err;
	if (trace->info.reason || !recorded)
		return follow_end(trace);
	if (trace->point > trace->until)
		return follow_advance(trace);
	rest();
	return 1;
}

bool trace_is_past(const struct ktrace *trace, uint64_t time)
{
	return trace->follow && !trace->follow->over && trace->until &&
	       ktrace_clock_time(trace, trace->until) > time;
}

int ktrace_follow_now(struct ktrace *trace, bool (*stop)(void *data),
		      void *data, uint64_t *until)
{
	struct follow *f = trace->follow;
	int more = 1;

	/* The next point may be of a sync that began before; the one behind it is not. */
	for (uint64_t first = f ? f->news : 0;
	     f && !f->over && f->news < first + 2 && more > 0;)
		more = stop && stop(data) ? 0 : trace->pump(trace);
	if (more < 0)
		return more;
	*until = UINT64_MAX;
	if (f && !f->over && trace->until)
		*until = ktrace_clock_time(trace, trace->until) - 1;
	return 0;
}

/* ---- opening ---------------------------------------------------------------- */

static void follow_close(struct ktrace *trace)
{
	close(trace->follow->metadata);
	free(trace->follow);
	trace->follow = NULL;
}

/*
 * The recorder may have made the file, but not written its begin yet: the first line, and behind it the
 * clock.
 */
static int begin_wait(struct ktrace *trace)
{
	unsigned int rests = 0;
	bool recorded;
	int err;

	do {
		recorded = follow_is_held(trace->follow->metadata,
					  FOLLOW_RECORDER);
		err = trace_refresh(trace);
		if (err || (trace->have_head &&
			    (trace->nr_sync || rests == CLOCK_RESTS)))
			return err;
		rests += trace->have_head;
		if (rest())
			return error_set(-EINTR, "interrupted");
	} while (recorded);
	return trace->have_head
		       ? 0
		       : error_set(-EBADMSG, "the metadata is empty: the "
					     "recording ended before it began");
}

/* Takes over both descriptors. */
static int follow_open(struct ktrace *trace, int directory, int metadata)
{
	struct follow *f = calloc(1, sizeof(*f));
	int err;

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
	err = begin_wait(trace);
	point_look(trace);
	err = err ?: trace_sizes(trace);
	/* Without a point of calibration, trace_update() has not made it. */
	if (!err && !trace->nr_sync)
		err = trace_clock(trace);
	return err ?: streams_find(trace);
}

/* Takes over @directory. */
static int directory_follow(int directory, const char *path,
			    struct ktrace **result)
{
	struct ktrace *trace = trace_create(NULL);
	int metadata, err;

	if (!trace) {
		close(directory);
		return error_set(-ENOMEM, "out of memory");
	}
	metadata = file_open_plain(directory, "metadata", O_RDONLY);
	if (metadata < 0 || !follow_is_held(metadata, FOLLOW_RECORDER)) {
		bool unknown = metadata >= 0 && !follow_is_possible(metadata);

		if (metadata >= 0)
			close(metadata);
		err = trace_open_directory(trace, directory, path, result);
		if (!err && unknown && !trace->info.reason)
			trace_warn(trace,
				   "%s: this file system has no locks, so "
				   "nobody knows whether the trace is still "
				   "recorded: what is there now is shown",
				   path);
		return err;
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

int ktrace_open_follow(int directory, const char *path, struct ktrace **result)
{
	int fd = directory < 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			       : fcntl(directory, F_DUPFD_CLOEXEC, 0);

	if (fd < 0 && directory >= 0)
		return error_set(-errno, "%s: %m", path);
	/* An archive, or the reason why it cannot be opened. */
	return fd < 0 ? ktrace_open(path, result)
		      : directory_follow(fd, path, result);
}
