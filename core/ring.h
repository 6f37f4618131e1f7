/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring: where events of one CPU go.
 *
 * A writer reserves room, stores the payload in place, and commits.  Writers
 * of one ring run on one CPU with preemption off, and interrupt each other in
 * stack order: task, softirq, hardirq, NMI.  Nobody waits or allocates.
 *
 * head, the one word for which writers compete, holds the position of the next
 * free unit (4 bytes) in its low half and the upper bits of the newest time
 * (its "epoch") in its high half.  Both change together, so that times in a
 * ring never go back, and a writer knows whether its truncated time can be
 * completed from the record before it.
 *
 *	  63                          32 31               14 13             0
 *	 | time >> 21                   | packet            | unit           |
 *
 *	reserve		read head, then the clock; compute the new head;
 *			cmpxchg, which fails if an interrupt has reserved since.
 *			Common case: nothing above bit 13 changes.
 *	commit		add the record's units to its packet's commit counter.
 *			The counter is scaled so that a full packet carries out
 *			of the 64 bits: the carry of the addition shows the last one.
 *
 *	  63            50 49                                               0
 *	 | units          | events                                           |
 *
 *	packet switch	the writer that does not fit moves head into the next
 *			packet.  Having won the cmpxchg, it closes the old
 *			packet (committing its unused rest) and writes the
 *			header of the new one.  A packet is never filled to the
 *			last unit, so there is always a rest and a closer.
 *	completion	the writer that commits last sets the packet's done
 *			mark, then publishes packets in order.  If that interrupts another
 *			publisher, the outer one does it all.
 *
 * A packet may be opened only if the packet one lap before it is published and
 * consumed.  In discard mode the reader consumes it (else the event is lost as
 * FULL).  In overwrite mode the writer itself consumes it (and its events are
 * lost as OVERWRITTEN).  A cmpxchg on consumed decides whether reader or writer
 * takes a packet, so that each event is either read or lost, never both.
 *
 * Invariants
 *	consumed <= produced <= open packet < consumed + packets
 *	times of the records of a ring never decrease (if the clock does not, or
 *	falls out of its epoch: then they stand still until it has caught up)
 *	no packet's lost_* are less than those of a packet before it
 *	reserved = in produced packets + in packets still open
 *	attempts = reserved + lost FULL + lost NESTED + lost LARGE
 *	(RECURSION is counted before the ring is called: kernel/event/capturing.h)
 *
 * Assumptions
 *	Between two steps of a writer its interrupts write less than 2^17
 *	packets (8 GiB).  More would fool the 32 bits of a position.
 *	If a ring sees no event for 2^53 ticks (41 days at 2.5 GHz), and the
 *	next one then falls into the very epoch of the last (1 in 2^32), that
 *	event and those after it in the packet appear 2^53 ticks early.
 *
 * Who may call what, when (x: safe, -: not)
 *				writer's CPU:			other
 *				task	irq	NMI		CPU
 *	reserve, commit		x	x	x		-
 *	flush			x	x	x		-  (1)
 *	consume			x	x	-		x  (2)
 *	init*, begin, reset	x	-	-		x  (3)
 * (1) from another CPU only when the ring's CPU is offline
 * (2) one consumer at a time
 * (3) no writer and no consumer
 *
 * Pairs of ordering
 *	A  release store of produced (publish) / acquire load (consumer)
 *		tested by: model/order.pml (PUBLISH), mutations ORDER and UNDONE of
 *		model/ring.pml
 *	B  cmpxchg of consumed by the consumer, after it has read the packet /
 *	   acquire load, or cmpxchg, of consumed by the writer, before it
 *	   writes to the packet's slot
 *		tested by: model/order.pml (GIVE for discard, TAKE for
 *		overwrite), mutations GREEDY and BLIND of model/ring.pml
 *	C  release store of done (complete) / acquire load (publish).  Both run
 *	   on one CPU: only the compiler must keep the order.
 *		tested by: mutation MARK of model/ring.pml
 * Everything else is between contexts of one CPU.  There program order is
 * enough, and the local operations keep the compiler from changing it.
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
#define KT_EPOCH_SHIFT	       32
#define KT_COMMIT_SHIFT	       (64 - KT_PACKET_UNITS_SHIFT)
#define KT_COMMIT_EVENTS       ((1ull << KT_COMMIT_SHIFT) - 1)

/* Numbers of packets in positions have 18 bits: one more than needed. */
#define KT_RING_PACKETS_MIN 2u
#define KT_RING_PACKETS_MAX (1u << (31 - KT_PACKET_UNITS_SHIFT))

/* The largest payload that fits with either kind of header. */
#define KT_PAYLOAD_MAX                                                    \
	(KT_PACKET_SIZE - sizeof(struct kt_packet) - KT_HEADER_EXTENDED - \
	 2 * KT_UNIT)

/*
 * The ring's own state of each packet, which no reader sees: two arrays, so that
 * an index into the one that every writer uses needs no shift.
 */
#define KT_RING_MARKS(packets) (2 * (packets))

/*
 * Memory belongs to the owner of the ring: data and marks live as long as the
 * ring; control may be shared with a reader, who must not write to it.
 */
struct kt_ring {
	u64 head;
	u8 *data;
	u64 *commits; /* see above; zero when the packet is complete */
	u64 *done;    /* sequence number + 1 of the last complete packet */
	u64 mask;     /* of positions: units of all packets - 1 */
	struct kt_control *control;
	void *owner; /* for env_wake(); set it after kt_ring_init() */
	u64 since;   /* a complete time, not after that of head */
	u32 publishing;
};

/* A record between reserve and commit. */
struct kt_record {
	u64 count; /* what it adds to the packet's commit counter */
	u64 unit;  /* where it is in the ring */
};

/* Flags of a reservation; the caller's constants. */
#define KT_RECORD_TASK	  1u /* a task record: not counted as an event */
#define KT_RECORD_DYNAMIC 2u /* store the payload's size in front of it */
#define KT_RECORD_TAIL	  4u /* zero the last unit, which may not be filled */

/* @marks: KT_RING_MARKS(@packets) words */
int kt_ring_init(struct kt_ring *ring, struct kt_control *control, void *data,
		 u64 *marks, u32 packets, enum kt_mode mode, u32 cpu,
		 u64 trace_id);
void kt_ring_init_closed(struct kt_ring *ring, struct kt_control *control);
void kt_ring_begin(struct kt_ring *ring, u64 seq);
void kt_ring_reset(struct kt_ring *ring);
int kt_ring_flush(struct kt_ring *ring);
int kt_ring_consume(struct kt_ring *ring, u64 seq);

void *kt_ring_reserve_slow(struct kt_ring *ring, struct kt_record *rec, u32 id,
			   u32 size, unsigned int flags);
void kt_ring_complete(struct kt_ring *ring, u32 index);

static __always_inline void *kt_ring_at(const struct kt_ring *ring, u64 unit)
{
	return ring->data + (unit << KT_UNIT_SHIFT);
}

/* The packet of a record, as an index. */
static __always_inline u64 kt_record_packet(const struct kt_record *rec)
{
	return rec->unit >> KT_PACKET_UNITS_SHIFT;
}

static __always_inline u64 kt_units(u64 bytes)
{
	return (bytes + KT_UNIT - 1) >> KT_UNIT_SHIFT;
}

static __always_inline u64 kt_record_count(u64 units, unsigned int flags)
{
	return units << KT_COMMIT_SHIFT | !(flags & KT_RECORD_TASK);
}

/* Stores the size of a dynamic payload; returns where the payload goes. */
static __always_inline void *kt_record_payload(u32 *p, u32 size,
					       unsigned int flags)
{
	if (flags & KT_RECORD_DYNAMIC)
		*p++ = size;
	return p;
}

/* A time as head and a compact header have it. */
struct kt_stamp {
	u32 epoch;
	u32 low; /* above the id, whose bits are zero */
};

static __always_inline struct kt_stamp kt_stamp(u64 now)
{
	return (struct kt_stamp){
		.epoch = now >> KT_TIME_BITS,
		.low = now << KT_ID_BITS,
	};
}

/*
 * kt_ring_try_reserve() for an id that is below KT_ID_EXTENDED.  It is read only
 * when it is needed, so until then it takes no register.
 */
static __always_inline bool kt_ring_try_reserve_compact(
	struct kt_ring *ring, struct kt_record *rec, u64 old,
	struct kt_stamp stamp, const u32 *id, u64 size, unsigned int flags,
	void **payload)
{
	u32 prefix = KT_HEADER_COMPACT +
		     (flags & KT_RECORD_DYNAMIC ? sizeof(u32) : 0);
	u64 units = kt_units(prefix + size);
	u64 new, unit;
	u32 *p;

	/* It would overflow the sum. */
	if (unlikely(size > KT_PAYLOAD_MAX))
		return false;
	/*
	 * The time is of another epoch.  If an interrupt changes the epoch after @old
	 * was read, the cmpxchg fails.
	 */
	if (unlikely(!env_upper_is(&ring->head, stamp.epoch)))
		return false;
	/* A copy for the cmpxchg; so @old can be used up by the test. */
	unit = old;
	asm("" : "+r"(unit));
	new = old + units;
	/* The record reaches the next packet, or an interrupt was faster. */
	if (unlikely((old ^ new) >> KT_PACKET_UNITS_SHIFT) ||
	    unlikely(!env_cmpxchg_local(&ring->head, &unit, new)))
		return false;

	rec->unit = unit & ring->mask;
	p = kt_ring_at(ring, rec->unit);
	if (flags & KT_RECORD_TAIL)
		p[units - 1] = 0;
	/* From here on, only the count needs a register. */
	rec->count = kt_record_count(units, flags);
	*p++ = *id | stamp.low;
	*payload = kt_record_payload(p, size, flags);
	return true;
}

/*
 * The common case of kt_ring_reserve(), with @old read from head and @stamp from
 * the clock, in this order.  It calls no function, so a caller that tail-calls
 * the slow path if this fails needs no stack frame.  False: nothing has
 * happened.
 */
static __always_inline bool kt_ring_try_reserve(struct kt_ring *ring,
						struct kt_record *rec, u64 old,
						struct kt_stamp stamp, u32 id,
						u64 size, unsigned int flags,
						void **payload)
{
	return likely(id < KT_ID_EXTENDED) &&
	       kt_ring_try_reserve_compact(ring, rec, old, stamp, &id, size,
					   flags, payload);
}

/*
 * Makes room for a payload of @size bytes.  NULL: no room, the loss is counted.
 * Otherwise the caller stores the payload and then must call kt_ring_commit(),
 * on the same CPU, in any case.
 */
static __always_inline void *kt_ring_reserve(struct kt_ring *ring,
					     struct kt_record *rec, u32 id,
					     u32 size, unsigned int flags)
{
	u64 old = READ_ONCE(ring->head);
	struct kt_stamp stamp = kt_stamp(env_clock());
	void *payload;

	if (unlikely(!kt_ring_try_reserve(ring, rec, old, stamp, id, size,
					  flags, &payload))) {
		/* A second one, so that *rec can stay in registers. */
		struct kt_record slow;

		payload = kt_ring_reserve_slow(ring, &slow, id, size, flags);
		*rec = slow;
	}
	return payload;
}

/* The same as kt_ring_commit().  If true, the caller must call kt_ring_complete(). */
static __always_inline bool kt_ring_commit_is_last(struct kt_ring *ring,
						   const struct kt_record *rec)
{
	return env_add_carry_local(&ring->commits[kt_record_packet(rec)],
				   rec->count);
}

static __always_inline void kt_ring_commit(struct kt_ring *ring,
					   const struct kt_record *rec)
{
	if (unlikely(kt_ring_commit_is_last(ring, rec)))
		kt_ring_complete(ring, kt_record_packet(rec));
}

#endif /* KT_CORE_RING_H */
