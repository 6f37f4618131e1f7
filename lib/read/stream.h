/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * One CPU's stream: a file of packets, or the same in memory.
 *
 * stream_next() goes from item to item: the begin of a packet, what was lost
 * before it, its records.  Packets are read through a window of bounded size;
 * an item's payload lies in it until the next call.  A file that changes or
 * shrinks meanwhile does no harm: nothing is mapped.
 *
 * The last packet of a live stream of programs is read as far as it is written, and
 * gone on with when it has become longer: see packet_resume().
 *
 * A damaged packet ends where the damage begins.  Behind damaged bytes the next
 * packet is searched for, and what the gap in the numbering tells is counted as
 * lost.
 */
#ifndef KT_LIB_READ_STREAM_H
#define KT_LIB_READ_STREAM_H

#include <ktrace/trace.h>

#include "packet.h"

/* What walking needs to know of an event: see kt_walk_next(). */
struct stream_sizes {
	const uint32_t *fixed; /* by id: payload size, or KT_SIZE_* */
	const uint32_t *least; /* by id: least size of a payload */
	uint32_t count;
};

/* Where a stream's bytes are; shared by all cursors. */
struct stream_source {
	uint32_t cpu;
	uint32_t number; /* in the file's name */
	bool programs; /* the markers of programs on it, not the kernel's events */
	int fd;	       /* -1: in memory */
	const uint8_t *data;
	uint64_t size; /* of a live trace: as far as it is whole */
	/* Of a live trace, markers of programs: the last packet may become longer. */
	bool open;
	uint64_t grown; /* how many times it has become longer */
	/* What the recorder counted in the end, if it came to that. */
	const struct ktrace_cpu *end;
};

enum stream_item {
	STREAM_END,    /* of a live trace: of what is written yet */
	STREAM_PACKET, /* stream->walk.packet begins */
	STREAM_LOSS,   /* stream->cause, stream->count, stream->from */
	STREAM_RECORD, /* stream->walk */
};

enum stream_state {
	STREAM_BETWEEN, /* packets */
	STREAM_OPENED,	/* the header is read, but not yet an item */
	STREAM_INSIDE,	/* a packet */
	STREAM_GROWING, /* the end of a packet, as far as it is written */
	STREAM_ENDED,
};

struct ktrace;

struct stream {
	/* The item found last: */
	uint64_t clock;
	uint32_t cpu;
	enum stream_item item;
	struct kt_walk walk;
	bool uncertain; /* PACKET: task records are missing before it */
	enum ktrace_lost cause;
	uint64_t count;
	uint64_t from; /* clock */

	struct ktrace *trace; /* for warnings */
	const struct stream_source *source;
	const struct stream_sizes *sizes;
	bool discard; /* the trace's mode: nothing is overwritten */

	uint8_t *window; /* NULL: in memory */
	uint32_t window_size;
	uint64_t window_begin; /* its place in the source, and */
	uint32_t window_used;  /* how much of it is filled */

	uint64_t position; /* of the next packet */
	uint64_t packets;
	enum stream_state state;
	bool tentative;	  /* the packet that is read may become longer */
	uint64_t seen;	  /* source->grown, when the window was filled */
	uint64_t records; /* events seen in this packet */
	uint64_t damaged; /* events known to be in this packet, unreadable */
	struct kt_packet last;	       /* the packet before, if packets > 0 */
	uint64_t last_end;	       /* its end, and */
	uint64_t last_record;	       /* that of its records */
	uint64_t lost[KTRACE_LOST_NR]; /* to be told next */
	uint64_t overwritten;	       /* told so far */
	uint64_t unwritten;
};

/* The window holds a packet at least. */
#define STREAM_WINDOW_MIN (2 * KT_PACKET_SIZE)
#define STREAM_WINDOW_MAX (16 * KT_PACKET_SIZE)

int stream_init(struct stream *stream, struct ktrace *trace,
		const struct stream_source *source,
		const struct stream_sizes *sizes, bool discard,
		uint32_t window_size);
void stream_destroy(struct stream *stream);

/* Everything but the next record of an undamaged packet. */
int stream_next_slow(struct stream *stream, int walked);

static inline uint32_t stream_size_of(const void *arg, u32 id)
{
	const struct stream_sizes *sizes = arg;

	return likely(id < sizes->count) ? sizes->fixed[id] : KT_SIZE_UNKNOWN;
}

/* The next item; returns its kind, or a negative errno. */
static inline int stream_next(struct stream *stream)
{
	int walked = 0;

	if (likely(stream->state == STREAM_INSIDE)) {
		walked = kt_walk_next(&stream->walk, stream_size_of,
				      stream->sizes);
		if (likely(walked > 0 && stream->walk.time >= stream->clock &&
			   stream->walk.time <= stream->walk.packet.end &&
			   stream->walk.size >=
				   stream->sizes->least[stream->walk.id])) {
			stream->clock = stream->walk.time;
			stream->records += stream->walk.id >= KT_ID_FIRST;
			stream->item = STREAM_RECORD;
			return STREAM_RECORD;
		}
	}
	return stream_next_slow(stream, walked);
}

#endif /* KT_LIB_READ_STREAM_H */
