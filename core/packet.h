/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Walking through the records of a packet.
 *
 * The bytes are untrusted: a damaged file, or memory that a writer overwrites
 * at the same time.  Whatever they are, nothing outside of them is read, each
 * byte that matters is loaded once, and every walk ends.
 *
 *	struct kt_walk walk;
 *	int err = kt_walk_begin(&walk, bytes, len);
 *
 *	while (!err && (err = kt_walk_next(&walk, size_of, arg)) > 0)
 *		use(walk.id, walk.time, walk.payload, walk.size);
 *
 * If the compiler sees size_of(), all of kt_walk_next() is inlined: it is the
 * inner loop of every reader.
 */
#ifndef KT_CORE_PACKET_H
#define KT_CORE_PACKET_H

#include "env.h"
#include <ktrace.h>

/* What size_of() returns for events that have no fixed payload size. */
#define KT_SIZE_DYNAMIC 0xffffffffu /* the size is in the record */
#define KT_SIZE_UNKNOWN 0xfffffffeu /* no such event */

struct kt_walk {
	/* The record found last. */
	u64 time;
	const u8 *payload; /* aligned to 4 if the packet is */
	u32 size;	   /* of the payload */
	u32 id;

	const u8 *next;
	const u8 *end;
	struct kt_packet packet; /* a copy: checked values stay */
};

/*
 * 0, or why the packet cannot be read:
 * -EBADMSG: these bytes are no packet, or a damaged one.
 * -ENODATA: a packet begins here, but @len ends before it does.
 * -EPROTONOSUPPORT: a packet of another version.
 */
int kt_walk_begin(struct kt_walk *walk, const void *bytes, size_t len);

/* How many bytes the packet takes in a trace file; after kt_walk_begin(). */
static inline u32 kt_packet_stored(const struct kt_packet *packet)
{
	return (packet->used + 7) & ~7u;
}

/* Payload size of the records that are no events. */
static inline u32 kt_task_size(u32 id)
{
	switch (id) {
	case KT_ID_SWITCH:
		return sizeof(struct kt_task_switch);
	case KT_ID_TASK:
	case KT_ID_EXIT:
		return sizeof(struct kt_task);
	case KT_ID_NONE:
		return KT_SIZE_UNKNOWN;
	default:
		/* Of a later version: the record has its size. */
		return id < KT_ID_FIRST ? KT_SIZE_DYNAMIC : KT_SIZE_UNKNOWN;
	}
}

/*
 * Goes to the next record.  @size_of tells the payload size of an id.
 * 1: there is one, and the walk describes it.  0: the packet ends.
 * -ENOENT: walk->id is unknown, so where its record ends is, too.
 * -EBADMSG: the packet is damaged from here on.
 */
static __always_inline int kt_walk_next(struct kt_walk *walk,
					u32 (*size_of)(const void *arg, u32 id),
					const void *arg)
{
	const u8 *p = walk->next;
	/* A multiple of 4 all the way. */
	size_t left = walk->end - p;
	u32 word, size;

	if (!left)
		return 0;
	memcpy(&word, p, sizeof(word));
	walk->id = word & KT_ID_EXTENDED;
	if (likely(walk->id != KT_ID_EXTENDED)) {
		walk->time = (walk->time >> KT_TIME_BITS << KT_TIME_BITS) |
			     word >> KT_ID_BITS;
		p += KT_HEADER_COMPACT;
		left -= KT_HEADER_COMPACT;
	} else {
		if (word != KT_ID_EXTENDED || left < KT_HEADER_EXTENDED)
			return -EBADMSG;
		memcpy(&walk->id, p + 4, sizeof(walk->id));
		memcpy(&walk->time, p + 8, sizeof(walk->time));
		p += KT_HEADER_EXTENDED;
		left -= KT_HEADER_EXTENDED;
	}

	size = size_of(arg, walk->id);
	if (size == KT_SIZE_DYNAMIC) {
		if (!left)
			return -EBADMSG;
		memcpy(&size, p, sizeof(size));
		p += sizeof(size);
		left -= sizeof(size);
	} else if (unlikely(size == KT_SIZE_UNKNOWN)) {
		return -ENOENT;
	}
	if (unlikely(size > left))
		return -EBADMSG;
	walk->payload = p;
	walk->size = size;
	walk->next = p + (((size_t)size + 3) & ~(size_t)3);
	return 1;
}

#endif /* KT_CORE_PACKET_H */
