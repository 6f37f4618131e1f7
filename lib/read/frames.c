// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reads a trace that comes as a stream (frame.h), as a live trace with files in
 * memory.
 *
 * Packets are put into a file in memory, one for each stream, until a
 * FRAME_SYNC says up to which clock all streams are complete.  The cursor reads
 * these files as if they were on disk, merges the CPUs up to that clock, and
 * frees the memory of what it has read.  So memory is needed for the data
 * between two such frames, and for data that is later than the clock of the
 * first one.
 *
 * The bytes are untrusted.  If a stream is cut off or damaged, it ends before
 * the first incomplete frame.  All that is kept of it is limited in sum: packets
 * that were not read yet (HELD_MIN), metadata and symbols (TEXT_MAX).
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "frame.h"
#include "trace.h"

/* Limit of all metadata and symbols, and how much of them is read at once. */
#define TEXT_MAX (256u << 20)
/* Of streams that are none of packets: a context of branches may have a gigabyte, and names. */
#define SIDE_BYTES_MAX (2ull << 30)
#define TEXT_STEP      (1u << 20)
/*
 * Limits of the packets that are kept.  Between them it is a share of the memory, because
 * a large machine has large buffers.
 */
#define HELD_MIN   (1ull << 30)
#define HELD_MAX   (16ull << 30)
#define HELD_SHARE 4

/* Belongs to the source with the same index in trace->sources[]. */
struct frames_stream {
	uint64_t bytes; /* in complete packets */
	uint32_t shown; /* after those: of a packet that is being filled */
	bool changed;
};

struct frames {
	int fd;
	bool over;	   /* no more frames follow */
	bool ended;	   /* the trace has been told that it is over */
	uint64_t position; /* in the stream of frames */
	uint64_t taken;	   /* bytes of packets */
	uint64_t text;	   /* bytes of metadata and symbols */
	uint64_t side;	   /* bytes of streams that are none of packets */
	uint8_t *buffer;
	size_t room;
	struct frames_stream streams[STREAMS_MAX];
};

static uint64_t held_most(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t share =
		pages > 0 && size > 0 ? (uint64_t)pages * size / HELD_SHARE : 0;

	if (share < HELD_MIN)
		return HELD_MIN;
	return share < HELD_MAX ? share : HELD_MAX;
}

/*
 * Reads up to @size bytes, fewer only if the stream ends.  Returns their number or
 * -errno.
 */
static int64_t bytes_read(struct frames *f, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(f->fd, (char *)to + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd more = {.fd = f->fd, .events = POLLIN};

			poll(&more, 1, -1);
			continue;
		}
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	f->position += done;
	return done;
}

/* 1: the frame's data, if any, and a NUL are in the buffer; 0: the stream is cut off. */
static int frame_take(struct frames *f, uint32_t size)
{
	uint32_t done = 0;

	/* The size may be wrong, so memory grows only as the bytes arrive. */
	do {
		uint32_t step =
			size - done < TEXT_STEP ? size - done : TEXT_STEP;
		int64_t n;

		if (f->room < (size_t)done + step + 1) {
			size_t room = f->room * 2 + step + 1;
			uint8_t *more = realloc(f->buffer, room);

			if (!more)
				return -ENOMEM;
			f->buffer = more;
			f->room = room;
		}
		n = bytes_read(f, f->buffer + done, step);
		if (n < 0)
			return n;
		done += n;
		if (n < step)
			return 0;
	} while (done < size);
	f->buffer[done] = '\0';
	return 1;
}

/* ---- what is in a frame ---------------------------------------------------------- */

/* The index of a stream.  -ENOSPC: there are too many. */
static int stream_index(struct ktrace *trace, uint32_t number, bool programs)
{
	struct stream_source *source;
	int fd;

	for (size_t i = 0; i < trace->nr_sources; i++)
		if (trace->sources[i].number == number &&
		    trace->sources[i].programs == programs)
			return i;
	if (trace->nr_sources == STREAMS_MAX || number >= CPUS_MAX)
		return -ENOSPC;
	if (trace->nr_sources >= MANY_STREAMS)
		raise_file_limit();
	fd = memfd_create("ktrace-stream", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	source = trace_source(trace,
			      programs ? KTRACE_FILE_PROGRAMS : KTRACE_FILE_CPU,
			      number, fd);
	return source - trace->sources;
}

static int packet_take(struct ktrace *trace, const struct frame *frame)
{
	bool programs = frame->kind != KTRACE_FILE_CPU;
	int index = stream_index(trace, frame->number, programs);
	struct frames *f = trace->frames;
	struct frames_stream *s;
	uint32_t done = 0;

	if (index == -ENOSPC) {
		trace_warn(trace, "there are more streams than are read");
		return 0;
	}
	if (index < 0)
		return index;
	s = &f->streams[index];
	while (done < frame->size) {
		ssize_t n = pwrite(trace->sources[index].fd, f->buffer + done,
				   frame->size - done, s->bytes + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		done += n;
	}
	f->taken += frame->size;
	f->taken -= s->shown;
	s->shown = frame->kind == FRAME_SHOWN ? frame->size : 0;
	if (!s->shown)
		s->bytes += frame->size;
	s->changed |= frame->size;
	return f->taken - trace->forgotten > trace->held_max ? -E2BIG : 0;
}

static int text_count(struct ktrace *trace, const struct frame *frame)
{
	trace->frames->text += frame->size;
	return trace->frames->text > trace->text_max ? -EFBIG : 0;
}

/* It is read when the trace is complete. */
static int side_take(struct ktrace *trace, const struct frame *frame)
{
	const struct side_stream *side = side_find(trace, frame->number);
	int err, fd;

	if (!side && (trace->nr_sides == SIDES_MAX ||
		      !side_is_known(trace, frame->number)))
		return 0;
	if (frame->size > SIDE_BYTES_MAX - trace->frames->side) {
		trace_warn(trace,
			   "stream%u: it is longer than what is read of such a "
			   "stream: its end is left out",
			   frame->number);
		/* Nothing behind a hole would be right. */
		trace->frames->side = SIDE_BYTES_MAX;
		return 0;
	}
	trace->frames->side += frame->size;
	if (!side) {
		fd = memfd_create("ktrace-side", MFD_CLOEXEC);
		err = fd < 0 ? -errno : side_add(trace, frame->number, fd);
		if (err)
			return err;
		side = side_find(trace, frame->number);
	}
	return side ? file_write(side->fd, trace->frames->buffer, frame->size)
		    : 0;
}

static void symbols_take(struct ktrace *trace, uint32_t size)
{
	struct frames *f = trace->frames;

	if (trace->symbols_read)
		return;
	trace->symbols_read = true;
	symbols_parse(trace, (char *)f->buffer, size);
	f->buffer = NULL;
	f->room = 0;
}

/* Adds the new data to the trace.  @open: packets may still be filled. */
static void streams_grow(struct ktrace *trace, bool open)
{
	for (size_t i = 0; i < trace->nr_sources; i++) {
		struct stream_source *source = &trace->sources[i];
		struct frames_stream *s = &trace->frames->streams[i];

		if (!s->changed && open)
			continue;
		s->changed = false;
		trace_grow(trace, source->number, source->programs,
			   s->bytes + s->shown, open && source->programs);
	}
}

/*
 * 1: the trace has grown; 0: more frames are needed; else why it cannot be
 * read.
 */
static int frame_use(struct ktrace *trace, const struct frame *frame)
{
	const struct frames *f = trace->frames;
	uint64_t until;
	int err;

	switch (frame->kind) {
	case KTRACE_FILE_METADATA:
		err = text_count(trace, frame);
		return err
			       ?: metadata_read(trace, (const char *)f->buffer,
						frame->size);
	case KTRACE_FILE_SYMBOLS:
		err = text_count(trace, frame);
		if (!err)
			symbols_take(trace, frame->size);
		return err;
	case KTRACE_FILE_STACKS:
		err = text_count(trace, frame);
		return err
			       ?: stacks_add(&trace->stacks, f->buffer,
					     frame->size);
	case KTRACE_FILE_CPU:
	case KTRACE_FILE_PROGRAMS:
	case FRAME_SHOWN:
		return packet_take(trace, frame);
	case KTRACE_FILE_STREAM:
		return side_take(trace, frame);
	case FRAME_SYNC:
		if (frame->size != sizeof(until))
			return 0;
		memcpy(&until, f->buffer, sizeof(until));
		streams_grow(trace, true);
		trace_advance(trace,
			      until > trace->until ? until : trace->until);
		return 1;
	default:
		trace_warn(trace,
			   "this ktrace does not know frames of the kind %u: "
			   "left out, all else is shown",
			   frame->kind);
		return 0;
	}
}

static uint32_t size_max(uint32_t kind)
{
	return kind == KTRACE_FILE_CPU || kind == KTRACE_FILE_PROGRAMS ||
			       kind == FRAME_SHOWN
		       ? KT_PACKET_SIZE
		       : TEXT_MAX;
}

/* Reads a frame.  1, or 0 if no complete frame follows, or -errno. */
static int frame_read(struct ktrace *trace, struct frame *frame)
{
	struct frames *f = trace->frames;
	uint64_t begin = f->position;
	int64_t n = bytes_read(f, frame, sizeof(*frame));

	if (n <= 0)
		return n;
	if (n == sizeof(*frame) && (frame->magic != FRAME_MAGIC ||
				    frame->size > size_max(frame->kind))) {
		if (!begin)
			return -EBADMSG;
		trace_warn(trace,
			   "the stream is damaged at byte %" PRIu64
			   ": what follows is not read",
			   begin);
		return 0;
	}
	n = n == sizeof(*frame) ? frame_take(f, frame->size) : 0;
	if (!n)
		trace_warn(trace, "the stream is cut off at byte %" PRIu64,
			   f->position);
	return n;
}

static int frame_next(struct ktrace *trace, struct frame *frame)
{
	int found = trace->frames->over ? 0 : frame_read(trace, frame);

	trace->frames->over |= found <= 0;
	return found;
}

static int frames_explain(const struct ktrace *trace, int err)
{
	switch (err) {
	case -EBADMSG:
		return error_set(err, "this is no stream of `ktrace record -o "
				      "-'");
	case -E2BIG:
		return error_set(
			err,
			"more than %" PRIu64
			" MiB of the stream would be needed in memory to bring "
			"its events into order: record with smaller buffers "
			"(--size), or into a directory",
			trace->held_max >> 20);
	case -EFBIG:
		return error_set(err,
				 "the stream's metadata is larger than %u MiB: "
				 "it is none that a recorder writes",
				 (unsigned int)(trace->text_max >> 20));
	case -EPROTONOSUPPORT:
		return err; /* the metadata has explained it */
	default:
		return error_set(err, "cannot read the stream: %s",
				 strerror(-err));
	}
}

/*
 * Reads frames up to the next FRAME_SYNC, which says up to where the trace is
 * complete.
 */
static int frames_pump(struct ktrace *trace)
{
	struct frames *f = trace->frames;
	struct frame frame;
	int err;

	if (f->ended)
		return 0;
	do {
		err = frame_next(trace, &frame);
		if (!err) {
			f->ended = true;
			streams_grow(trace, false);
			err = trace_over(trace);
			return err ?: 1;
		}
		err = err < 0 ? err : frame_use(trace, &frame);
	} while (!err);
	if (err > 0)
		err = trace_update(trace);
	if (err < 0) {
		f->ended = true;
		return frames_explain(trace, err);
	}
	return 1;
}

/* Reads up to the first FRAME_SYNC: then the initial streams are known. */
static int frames_begin(struct ktrace *trace)
{
	struct frame frame;
	int err;

	do {
		err = frame_next(trace, &frame);
		if (err <= 0)
			break;
		err = frame_use(trace, &frame);
		if (!err && !trace->have_head)
			err = -EBADMSG;
	} while (!err);
	/* A stream that ends before FRAME_SYNC is valid, but short. */
	if (err >= 0 && !trace->have_head)
		err = -EBADMSG;
	return err < 0 ? frames_explain(trace, err) : 0;
}

static void frames_close(struct ktrace *trace)
{
	free(trace->frames->buffer);
	free(trace->frames);
	trace->frames = NULL;
}

static int frames_open(struct ktrace *trace, int fd)
{
	struct frames *f = calloc(1, sizeof(*f));

	if (!f)
		return error_set(-ENOMEM, "out of memory");
	f->fd = fd;
	trace->frames = f;
	trace->pump = frames_pump;
	trace->release = frames_close;
	return frames_begin(trace);
}

int ktrace_open_stream(int fd, struct ktrace **result)
{
	struct ktrace *trace = trace_create(NULL);
	int err;

	if (!trace)
		return error_set(-ENOMEM, "out of memory");
	trace->info.live = true;
	trace->forget = true;
	trace->until = 0;
	trace->held_max = held_most();
	trace->text_max = TEXT_MAX;
	trace->sources = calloc(STREAMS_MAX, sizeof(*trace->sources));
	trace->cpus = calloc(STREAMS_MAX, sizeof(*trace->cpus));
	err = trace->sources && trace->cpus
		      ? frames_open(trace, fd)
		      : error_set(-ENOMEM, "out of memory");
	if (!err)
		err = trace_sizes(trace);
	if (!err)
		err = trace_clock(trace);
	if (err) {
		ktrace_close(trace);
		return err;
	}
	*result = trace;
	return 0;
}
