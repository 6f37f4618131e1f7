/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring: where events of one CPU go.
 *
 * A writer reserves room, stores the payload in place, and commits.  Writers
 * of one ring run on one CPU with preemption off, and interrupt each other in
 * stack order: task, softirq, hardirq, NMI.  Nobody waits or allocates.
 *
 * head, the one word that is fought for, holds the position of the next free
 * unit (4 bytes) in its low half and the upper bits of the newest time (its
 * "epoch") in its high half.  Both change together, so that times in a ring
 * never go back, and a writer knows whether its truncated time can be
 * completed from the record before it.
 *
 *	reserve		read head, then the clock; compute the new head;
 *cmpxchg. An interrupt that reserved in between made the cmpxchg fail.  Common
 *case: same packet, same epoch. commit		add the record's units to its
 *packet's commit counter. The counter is scaled so that a full packet carries
 *out of the 64 bits: the addition itself tells who is last.
 *
 *			  63            50 49                               0
 *			 | units mod P    | events since the ring was made  |
 *
 *	packet switch	the writer that does not fit moves head into the next
 *			packet.  Having won the cmpxchg, it closes the old
 *			packet (committing its unused rest) and writes the
 *			header of the new one.  A packet is never filled to the
 *			last unit, so there is always a rest and a closer.
 *	completion	whoever commits last sets the packet's done mark, then
 *			publishes packets in order.  If that interrupts another
 *			publisher, the outer one does it all.
 *
 * A packet may be opened only when the one a lap before it is published, and
 * consumed: in discard mode by the reader (else the event is lost as FULL), in
 * overwrite mode the writer itself consumes it (and its events are lost as
 * OVERWRITTEN).  Reader and writer settle who takes a packet by a cmpxchg on
 * consumed, so that each event is either read or lost, never both.
 *
 * Invariants
 *	consumed <= produced <= open packet < consumed + packets
 *	times of the records of a ring never decrease
 *	reserved = in produced packets + in packets still open
 *	attempts = reserved + lost FULL + lost NESTED + lost LARGE
 *
 * Who may call what, when (x: safe, -: not)
 *				writer's CPU:			other
 *				task	irq	NMI		CPU
 *	reserve, commit		x	x	x		-
 *	flush			x	x	x		-  (1)
 *	consume			x	x	-		x  (2)
 *	init, reset		x	-	-		x  (3)
 * (1) from another CPU only when the ring's CPU is offline
 * (2) one consumer at a time
 * (3) no writer and no consumer
 *
 * Pairs of ordering
 *	A  release store of produced (publish) / acquire load (consumer)
 *	B  cmpxchg of consumed by the consumer, after it has read the packet /
 *	   acquire load, or cmpxchg, of consumed by the writer, before it
 *	   writes to the packet's slot
 * All else is between contexts of one CPU, where program order is enough.
 */
#ifndef KT_CORE_RING_H
#define KT_CORE_RING_H

#include "env.h"
#include <ktrace.h>

#define KT_UNIT_SHIFT	       2
#define KT_UNIT		       (1u << KT_UNIT_SHIFT)
#define KT_PACKET_UNITS	       (KT_PACKET_SIZE >> KT_UNIT_SHIFT)
#define KT_PACKET_UNITS_SHIFT  (KT_PACKET_SHIFT - KT_UNIT_SHIFT)
#define KT_PACKET_HEADER_UNITS (sizeof(struct kt_packet) >> KT_UNIT_SHIFT)
#define KT_COMMIT_SHIFT	       (64 - KT_PACKET_UNITS_SHIFT)
#define KT_COMMIT_EVENTS       ((1ull << KT_COMMIT_SHIFT) - 1)

/* Positions in packets have 32 - KT_PACKET_UNITS_SHIFT bits, one lap to spare.
 */
#define KT_RING_PACKETS_MIN 2u
#define KT_RING_PACKETS_MAX (1u << (31 - KT_PACKET_UNITS_SHIFT))

/* Payload that always fits, whatever kind of header is needed. */
#define KT_PAYLOAD_MAX                                                    \
	(KT_PACKET_SIZE - sizeof(struct kt_packet) - KT_HEADER_EXTENDED - \
	 2 * KT_UNIT)

/* What the ring keeps of a packet outside of it, where no reader sees it. */
struct kt_ring_slot {
	u64 commit; /* see above */
	u64 events; /* commit's events when the slot's last packet was done */
	u64 done;   /* sequence number + 1 of the last complete packet */
};

/*
 * Memory belongs to the owner: data and slots live as long as the ring, control
 * may be shared with a reader.
 */
struct kt_ring {
	u64 head;
	u8 *data;
	struct kt_ring_slot *slots;
	u32 packets; /* a power of two */
	u32 publishing;
	struct kt_control *control;
	u64 events;  /* in published packets */
	void *owner; /* for env_wake() */
};

/* A record between reserve and commit. */
struct kt_record {
	u32 pos;
	u32 units;
};

/* Flags of a reservation; the caller's constants. */
#define KT_RECORD_TASK	  1u /* a task record: not counted as an event */
#define KT_RECORD_DYNAMIC 2u /* store the payload's size in front of it */

int kt_ring_init(struct kt_ring *ring, struct kt_control *control, void *data,
		 struct kt_ring_slot *slots, u32 packets, enum kt_mode mode,
		 u32 cpu, u64 trace_id);
void kt_ring_reset(struct kt_ring *ring);
int kt_ring_flush(struct kt_ring *ring);
int kt_ring_consume(struct kt_ring *ring, u64 seq);

void *kt_ring_reserve_slow(struct kt_ring *ring, struct kt_record *rec, u32 id,
			   u32 size, unsigned int flags);
void kt_ring_complete(struct kt_ring *ring, u32 pos);

static __always_inline void *kt_ring_at(const struct kt_ring *ring, u32 pos)
{
	u32 unit = pos & (ring->packets * KT_PACKET_UNITS - 1);

	return ring->data + ((size_t)unit << KT_UNIT_SHIFT);
}

static __always_inline struct kt_ring_slot *kt_ring_slot(
	const struct kt_ring *ring, u32 pos)
{
	return &ring->slots[(pos >> KT_PACKET_UNITS_SHIFT) &
			    (ring->packets - 1)];
}

static __always_inline u32 kt_units(u32 bytes)
{
	return (bytes + KT_UNIT - 1) >> KT_UNIT_SHIFT;
}

/* Stores the size of a dynamic payload; returns where the payload goes. */
static __always_inline void *kt_record_payload(u32 *p, u32 size,
					       unsigned int flags)
{
	if (flags & KT_RECORD_DYNAMIC)
		*p++ = size;
	return p;
}

/*
 * Makes room for a payload of @size bytes.  NULL: no room, the loss is counted.
 * Otherwise the caller stores the payload and then calls kt_ring_commit() with
 * the same @flags, on the same CPU, come what may.
 */
static __always_inline void *kt_ring_reserve(struct kt_ring *ring,
					     struct kt_record *rec, u32 id,
					     u32 size, unsigned int flags)
{
	u32 prefix = KT_HEADER_COMPACT +
		     (flags & KT_RECORD_DYNAMIC ? sizeof(u32) : 0);
	u32 units = kt_units(prefix + size);
	u64 old = READ_ONCE(ring->head);
	u64 now = env_clock();
	u64 new = old + units;
	u32 *p;

	/*
	 * Slow when the record crosses into the next packet or touches its
	 * begin, the time is of another epoch, the id needs more bits, the size
	 * would overflow the sum, or an interrupt was faster.
	 */
	if (unlikely(((u32)(old ^ new) >> KT_PACKET_UNITS_SHIFT) |
		     ((u32)(old >> 32) ^ (u32)(now >> KT_TIME_BITS))) ||
	    unlikely(id >= KT_ID_EXTENDED || size > KT_PAYLOAD_MAX) ||
	    unlikely(!env_cmpxchg_local(&ring->head, &old, new)))
		return kt_ring_reserve_slow(ring, rec, id, size, flags);

	rec->pos = old;
	rec->units = units;
	p = kt_ring_at(ring, rec->pos);
	*p++ = id | (u32)now << KT_ID_BITS;
	return kt_record_payload(p, size, flags);
}

static __always_inline void kt_ring_commit(struct kt_ring *ring,
					   const struct kt_record *rec,
					   unsigned int flags)
{
	u64 count =
		(u64)rec->units << KT_COMMIT_SHIFT | !(flags & KT_RECORD_TASK);

	if (unlikely(env_add_carry_local(&kt_ring_slot(ring, rec->pos)->commit,
					 count)))
		kt_ring_complete(ring, rec->pos);
}

#endif /* KT_CORE_RING_H */
