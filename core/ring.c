// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ring's slow paths: packet switch, completion, and the reader's side.
 * ring.h tells how it all fits together.
 */
#include "ring.h"

static struct kt_packet *ring_packet(const struct kt_ring *ring, u64 seq)
{
	return (void *)(ring->data +
			((seq & (ring->packets - 1)) << KT_PACKET_SHIFT));
}

/*
 * The full sequence number of the packet that holds @pos.  Not yet published,
 * it is less than one lap of positions ahead of produced.
 */
static u64 ring_seq(const struct kt_ring *ring, u32 pos)
{
	u64 produced = READ_ONCE(ring->control->produced);
	u32 ahead = (pos - ((u32)produced << KT_PACKET_UNITS_SHIFT)) >>
		    KT_PACKET_UNITS_SHIFT;

	return produced + ahead;
}

static void ring_lose(struct kt_ring *ring, enum kt_lost cause, u64 events)
{
	env_add_local(&ring->control->lost[cause], events);
}

static void *ring_lose_record(struct kt_ring *ring, enum kt_lost cause,
			      unsigned int flags)
{
	ring_lose(ring, flags & KT_RECORD_TASK ? KT_LOST_TASK : cause, 1);
	return NULL;
}

/*
 * Publishes complete packets in order.  An interrupt that completes a packet
 * meanwhile only leaves its mark: the loop finds it, because the mark is set
 * before publishing is counted up.
 */
static void ring_publish(struct kt_ring *ring)
{
	u32 seen = env_add_return_local(&ring->publishing, 1);

	if (seen != 1)
		return;
	do {
		u64 seq = ring->control->produced;

		seen = READ_ONCE(ring->publishing);
		while (READ_ONCE(kt_ring_slot(ring,
					      (u32)seq << KT_PACKET_UNITS_SHIFT)
					 ->done) == seq + 1) {
			struct kt_packet *packet = ring_packet(ring, seq);

			packet->events_before = ring->events;
			ring->events += packet->events;
			WRITE_ONCE(ring->control->events, ring->events);
			/* Pair A: all of the packet before its publication. */
			smp_store_release(&ring->control->produced, ++seq);
		}
	} while (env_add_return_local(&ring->publishing, -seen));
	env_wake(ring);
}

/* The packet that holds @pos is committed to its last unit; called once. */
noinline void kt_ring_complete(struct kt_ring *ring, u32 pos)
{
	struct kt_ring_slot *slot = kt_ring_slot(ring, pos);
	u64 seq = ring_seq(ring, pos);
	u64 events = READ_ONCE(slot->commit) & KT_COMMIT_EVENTS;

	ring_packet(ring, seq)->events =
		(events - slot->events) & KT_COMMIT_EVENTS;
	slot->events = events;
	WRITE_ONCE(slot->done, seq + 1);
	ring_publish(ring);
}

static void ring_commit_units(struct kt_ring *ring, u32 pos, u32 units)
{
	struct kt_record rec = {.pos = pos, .units = units};

	kt_ring_commit(ring, &rec, KT_RECORD_TASK);
}

/* Ends the packet before @pos, where the next record would have gone. */
static void ring_close(struct kt_ring *ring, u32 pos, u64 now)
{
	u32 used = pos & (KT_PACKET_UNITS - 1);
	struct kt_packet *packet = kt_ring_at(ring, pos - used);

	packet->used = used << KT_UNIT_SHIFT;
	packet->end = now;
	ring_commit_units(ring, pos, KT_PACKET_UNITS - used);
}

/*
 * Writes the header of the packet at @pos.  Interrupts may have traced into the
 * packet and even closed it already: fields that closing and completing set are
 * not touched.
 */
static void ring_open(struct kt_ring *ring, u32 pos, u64 now)
{
	struct kt_packet *packet = kt_ring_at(ring, pos);
	const struct kt_control *control = ring->control;

	packet->magic = KT_PACKET_MAGIC;
	packet->version = KT_ABI_VERSION;
	packet->header_size = sizeof(*packet);
	packet->packet_size = KT_PACKET_SIZE;
	packet->seq = ring_seq(ring, pos);
	packet->begin = now;
	packet->cpu = control->cpu;
	packet->lost_full = READ_ONCE(control->lost[KT_LOST_FULL]);
	packet->lost_nested = READ_ONCE(control->lost[KT_LOST_NESTED]);
	packet->lost_large = READ_ONCE(control->lost[KT_LOST_LARGE]);
	packet->lost_task = READ_ONCE(control->lost[KT_LOST_TASK]);
	packet->trace_id = control->trace_id;
	packet->reserved = 0;
	env_current_task(&packet->tid, &packet->tgid, packet->comm);
	ring_commit_units(ring, pos, KT_PACKET_HEADER_UNITS);
}

/*
 * May the packet with number @seq be opened?  In overwrite mode takes the
 * packet a lap before it from the reader.
 */
static bool ring_make_room(struct kt_ring *ring, u64 seq, enum kt_lost *cause)
{
	struct kt_control *control = ring->control;
	u64 consumed;

	if (seq - READ_ONCE(control->produced) >= ring->packets) {
		*cause = KT_LOST_NESTED;
		return false;
	}
	/* Pair B. */
	consumed = smp_load_acquire(&control->consumed);
	while (seq - consumed >= ring->packets) {
		u64 events;

		if (control->mode != KT_MODE_OVERWRITE) {
			*cause = KT_LOST_FULL;
			return false;
		}
		events = ring_packet(ring, consumed)->events;
		/* Pair B.  Failed: the reader was faster, look again. */
		if (env_cmpxchg(&control->consumed, &consumed, consumed + 1)) {
			ring_lose(ring, KT_LOST_OVERWRITTEN, events);
			consumed++;
		}
	}
	return true;
}

/*
 * Moves head from @old, which the caller read before @now, to the packet after
 * it, leaving room for @units behind the header.  False: head has moved.
 */
static bool ring_switch(struct kt_ring *ring, u64 old, u64 now, u32 units,
			u32 *pos)
{
	u32 next = ((u32)old | (KT_PACKET_UNITS - 1)) + 1;
	u64 new = (now >> KT_TIME_BITS) << 32 |
		  (u32)(next + KT_PACKET_HEADER_UNITS + units);

	if (!env_cmpxchg_local(&ring->head, &old, new))
		return false;
	ring_close(ring, old, now);
	ring_open(ring, next, now);
	*pos = next + KT_PACKET_HEADER_UNITS;
	return true;
}

/*
 * Reserves when kt_ring_reserve() could not: in a new packet, with an extended
 * header, or again after an interrupt.
 */
noinline void *kt_ring_reserve_slow(struct kt_ring *ring, struct kt_record *rec,
				    u32 id, u32 size, unsigned int flags)
{
	enum kt_lost cause;
	bool extended;
	u64 old, now;
	u32 *p;

	if (size > KT_PAYLOAD_MAX)
		return ring_lose_record(ring, KT_LOST_LARGE, flags);
	if (flags & KT_RECORD_DYNAMIC)
		size += sizeof(u32);

	for (;;) {
		u64 epoch;

		old = READ_ONCE(ring->head);
		now = env_clock();
		epoch = now >> KT_TIME_BITS;
		extended =
			id >= KT_ID_EXTENDED || (u32)(old >> 32) != (u32)epoch;
		rec->units = kt_units(size + (extended ? KT_HEADER_EXTENDED
						       : KT_HEADER_COMPACT));
		if ((old & (KT_PACKET_UNITS - 1)) + rec->units <
		    KT_PACKET_UNITS) {
			u64 new = epoch << 32 | (u32)((u32)old + rec->units);

			rec->pos = old;
			if (env_cmpxchg_local(&ring->head, &old, new))
				break;
			continue;
		}
		/* A packet's begin has the epoch: no need to extend for that.
		 */
		extended = id >= KT_ID_EXTENDED;
		rec->units = kt_units(size + (extended ? KT_HEADER_EXTENDED
						       : KT_HEADER_COMPACT));
		if (!ring_make_room(ring, ring_seq(ring, old) + 1, &cause)) {
			/* An interrupt may have made the room. */
			if (READ_ONCE(ring->head) != old)
				continue;
			return ring_lose_record(ring, cause, flags);
		}
		if (ring_switch(ring, old, now, rec->units, &rec->pos))
			break;
	}

	p = kt_ring_at(ring, rec->pos);
	if (extended) {
		*p++ = KT_ID_EXTENDED;
		*p++ = id;
		memcpy(p, &now, sizeof(now));
		p += 2;
	} else {
		*p++ = id | (u32)now << KT_ID_BITS;
	}
	if (flags & KT_RECORD_DYNAMIC)
		size -= sizeof(u32);
	return kt_record_payload(p, size, flags);
}

/*
 * Closes the open packet if it holds anything, so that the reader gets it.
 * -ENOSPC: no packet is free to go on with; nothing was changed or lost.
 */
int kt_ring_flush(struct kt_ring *ring)
{
	enum kt_lost cause;
	u64 old, now;
	u32 pos;

	for (;;) {
		old = READ_ONCE(ring->head);
		now = env_clock();
		if ((old & (KT_PACKET_UNITS - 1)) == KT_PACKET_HEADER_UNITS)
			return 0;
		if (!ring_make_room(ring, ring_seq(ring, old) + 1, &cause)) {
			if (READ_ONCE(ring->head) != old)
				continue;
			return -ENOSPC;
		}
		if (ring_switch(ring, old, now, 0, &pos))
			return 0;
	}
}

/*
 * Gives the oldest unread packet back.  @seq is untrusted.
 * -EINVAL: it is not the oldest, or not yet produced.
 * -ESTALE: the writer has taken it; it counts as lost.
 */
int kt_ring_consume(struct kt_ring *ring, u64 seq)
{
	u64 consumed = READ_ONCE(ring->control->consumed);

	if (consumed > seq)
		return -ESTALE;
	if (seq != consumed ||
	    seq >= smp_load_acquire(&ring->control->produced))
		return -EINVAL;
	/* Pair B. */
	if (!env_cmpxchg(&ring->control->consumed, &consumed, seq + 1))
		return -ESTALE;
	return 0;
}

/*
 * Empties the ring.  Its first packet is open at once, so that every later
 * reservation finds one.  @data need not be zero: no reader is shown a byte
 * that was not written.
 */
void kt_ring_reset(struct kt_ring *ring)
{
	struct kt_control *control = ring->control;
	u64 now = env_clock();
	u32 i;

	for (i = 0; i < ring->packets; i++)
		ring->slots[i] = (struct kt_ring_slot){0};
	for (i = 0; i < KT_LOST_NR; i++)
		control->lost[i] = 0;
	control->produced = 0;
	control->consumed = 0;
	control->events = 0;
	ring->events = 0;
	ring->publishing = 0;
	ring->head = (now >> KT_TIME_BITS) << 32 | KT_PACKET_HEADER_UNITS;
	ring_open(ring, 0, now);
}

int kt_ring_init(struct kt_ring *ring, struct kt_control *control, void *data,
		 struct kt_ring_slot *slots, u32 packets, enum kt_mode mode,
		 u32 cpu, u64 trace_id)
{
	if (packets < KT_RING_PACKETS_MIN || packets > KT_RING_PACKETS_MAX ||
	    (packets & (packets - 1)))
		return -EINVAL;

	*ring = (struct kt_ring){
		.data = data,
		.slots = slots,
		.packets = packets,
		.control = control,
	};
	*control = (struct kt_control){
		.magic = KT_CONTROL_MAGIC,
		.version = KT_ABI_VERSION,
		.packet_size = KT_PACKET_SIZE,
		.packets = packets,
		.cpu = cpu,
		.mode = mode,
		.trace_id = trace_id,
	};
	kt_ring_reset(ring);
	return 0;
}
