/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * One stream: the packets of a CPU, in a file or in memory.
 *
 * stream_next() goes from item to item: the begin of a packet, losses before
 * it, its records.  Packets are read through a window of limited size; an
 * item's payload is in the window until the next call.  The file is not mapped,
 * so it does no harm if it changes or shrinks meanwhile.
 *
 * In a live stream of programs the last packet is read as far as it is written.
 * When it has become longer, reading continues in it: see packet_resume().
 *
 * A damaged packet ends where the damage begins.  After the damage the next
 * packet is searched, if necessary in what is written later.  If the numbering of
 * events has a gap, the events in the gap are counted as lost.
 */
#ifndef KT_LIB_READ_STREAM_H
#define KT_LIB_READ_STREAM_H

#include <ktrace/trace.h>

#include "packet.h"

/* Sizes of payloads, for kt_walk_next(). */
struct stream_sizes {
	const uint32_t *fixed; /* by id: payload size, or KT_SIZE_* */
	const uint32_t *least; /* by id: smallest valid size of a payload */
	/* Of the events that the stream may have. */
	uint32_t first_id;
	uint32_t nr_ids;
};

/* Where the bytes of a stream are; shared by all cursors. */
struct stream_source {
	uint32_t cpu;
	uint32_t number; /* in the file's name */
	bool programs;	 /* markers of programs, not events of the kernel */
	bool woven;	 /* nobody has recorded it: woven.h */
	/* Of programs: their user, and the ids of his markers. */
	uint32_t user;
	uint32_t first_id;
	uint32_t nr_ids;
	int fd; /* -1: in memory */
	const uint8_t *data;
	uint64_t size; /* for a live trace: bytes that are complete */
	/* Live markers of programs: the last packet may become longer. */
	bool open;
	uint64_t grown; /* how often it has become longer */
	struct stream_sizes sizes;
	/* The recorder's counts at the end; NULL: it did not end properly. */
	const struct ktrace_cpu *end;
};

enum stream_item {
	STREAM_END,    /* for a live trace: of what is written so far */
	STREAM_PACKET, /* stream->walk.packet begins */
	STREAM_LOSS,   /* stream->cause, stream->count, stream->from */
	STREAM_RECORD, /* stream->walk */
};

enum stream_state {
	STREAM_BETWEEN, /* before a packet */
	STREAM_OPENED,	/* the header was read, but not yet returned */
	STREAM_INSIDE,	/* a packet */
	STREAM_GROWING, /* at the written end of a packet that may grow */
	STREAM_ENDED,
};

struct ktrace;

struct stream {
	/* The last item: */
	uint64_t clock;
	uint32_t cpu;
	enum stream_item item;
	struct kt_walk walk;
	bool uncertain; /* PACKET: task records before it are missing */
	enum ktrace_lost cause;
	uint64_t count;
	uint64_t from; /* clock */

	struct ktrace *trace; /* for warnings */
	const struct stream_source *source;
	const struct stream_sizes *sizes;
	bool discard; /* discard mode: no packet is overwritten */

	uint8_t *window; /* NULL: in memory */
	uint32_t window_size;
	uint64_t window_begin; /* its position in the source */
	uint32_t window_used;  /* bytes in it */

	uint64_t position; /* of the next packet */
	bool searching; /* for it: no packet begins at @damage, where it should */
	int why;
	uint64_t damage;
	uint64_t packets;
	enum stream_state state;
	bool tentative;	       /* the packet being read may become longer */
	uint64_t seen;	       /* source->grown when the window was filled */
	uint64_t records;      /* events seen in this packet */
	uint64_t damaged;      /* events that are known here, but unreadable */
	struct kt_packet last; /* the previous packet, if packets > 0 */
	uint64_t before;       /* the number of the packet before that */
	uint64_t accounted;    /* events of the packets so far */
	uint64_t last_end;     /* where the previous packet ended */
	uint64_t last_record;  /* where its records ended */
	uint64_t lost[KTRACE_LOST_NR]; /* to be returned next */
	uint64_t overwritten;	       /* returned so far */
	uint64_t unwritten;
};

/* The window must hold at least one packet. */
#define STREAM_WINDOW_MIN (2 * KT_PACKET_SIZE)
#define STREAM_WINDOW_MAX (16 * KT_PACKET_SIZE)

int stream_init(struct stream *stream, struct ktrace *trace,
		const struct stream_source *source, bool discard,
		uint32_t window_size);
void stream_destroy(struct stream *stream);
/* The first part of the file's name; the stream's number follows. */
const char *stream_kind(const struct stream *stream);

/* Instead of reading the packet at the position, takes what its header tells of all before. */
void stream_pass_by(struct stream *stream, const struct kt_packet *packet);

/* Handles all cases except the next record of an intact packet. */
int stream_next_slow(struct stream *stream, int walked);

static inline uint32_t stream_size_of(const void *arg, u32 id)
{
	const struct stream_sizes *sizes = arg;

	return likely(id - sizes->first_id < sizes->nr_ids) || id < KT_ID_FIRST
		       ? sizes->fixed[id]
		       : KT_SIZE_UNKNOWN;
}

/* Finds the next item.  Returns its kind, or a negative errno. */
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
