// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ring's slow paths: packet switch, completion, and the reader's side.
 * ring.h explains the whole.
 */
#include "ring.h"

static u32 ring_packets(const struct kt_ring *ring)
{
	return (ring->mask >> KT_PACKET_UNITS_SHIFT) + 1;
}

/* The unit where the packet with number @seq begins. */
static u32 ring_unit(const struct kt_ring *ring, u64 seq)
{
	return (u32)seq << KT_PACKET_UNITS_SHIFT & ring->mask;
}

/*
 * The full number of the packet that holds @pos, a recent position of head:
 * less than one lap of positions ahead of produced.  If an interrupt has moved
 * head and produced beyond it since, the result is too large by a whole lap,
 * more than ring_make_room() ever grants.
 */
static u64 ring_seq(const struct kt_ring *ring, u32 pos)
{
	u64 produced = READ_ONCE(ring->control->produced);
	u32 ahead = (pos - ((u32)produced << KT_PACKET_UNITS_SHIFT)) >>
		    KT_PACKET_UNITS_SHIFT;

	return produced + ahead;
}

/*
 * The time of the next record, with @old read from head.  The clock may fall,
 * for example under a guest that is moved to another machine. Then there would
 * be packets that end before they begin, and records that no reader could
 * merge.  So time stands still instead, at the start of the epoch after head's:
 * more of the newest time is not known, and the fast path, which compares
 * epochs only, does not go back within it.  A fall within an epoch is noticed
 * only if it leads before the packet's begin.
 *
 * If an interrupt has opened a packet since @old was read, the result is nonsense, and
 * the caller's cmpxchg of head fails.
 */
static u64 ring_clock(const struct kt_ring *ring, u64 old)
{
	u64 since = READ_ONCE(ring->since);
	u64 epoch = since >> KT_TIME_BITS;
	u64 now = env_clock();

	epoch += (u32)((old >> KT_EPOCH_SHIFT) - epoch);
	if (unlikely(now >> KT_TIME_BITS < epoch))
		/* Standing there already?  Else one epoch on, once. */
		return since == epoch << KT_TIME_BITS
			       ? since
			       : (epoch + 1) << KT_TIME_BITS;
	return unlikely(now < since) ? since : now;
}

static void ring_lose(struct kt_ring *ring, enum kt_lost cause, u64 events)
{
	env_add_local(&ring->control->lost[cause], events);
}

static void *ring_lose_record(struct kt_ring *ring, struct kt_record *rec,
			      enum kt_lost cause, unsigned int flags)
{
	ring_lose(ring, flags & KT_RECORD_TASK ? KT_LOST_TASK : cause, 1);
	*rec = (struct kt_record){0};
	return NULL;
}

/*
 * Publishes complete packets in order.  If an interrupt completes a packet
 * during this, it only sets the done mark: the loop finds it, because the mark
 * is set before publishing is counted up.
 */
static void ring_publish(struct kt_ring *ring)
{
	struct kt_control *control = ring->control;
	bool wake = false;
	u32 seen = env_add_return_local(&ring->publishing, 1);

	if (seen != 1)
		return;
	do {
		u64 seq = control->produced;

		seen = READ_ONCE(ring->publishing);
		for (;;) {
			u32 unit = ring_unit(ring, seq);
			struct kt_packet *packet = kt_ring_at(ring, unit);
			u64 *done = &ring->done[unit >> KT_PACKET_UNITS_SHIFT];

			/* Pair C. */
			if (smp_load_acquire(done) != seq + 1)
				break;
			packet->events_before = control->events;
			WRITE_ONCE(control->events,
				   control->events + packet->events);
			/* Pair A: all of the packet before its publication. */
			smp_store_release(&control->produced, ++seq);
			wake = true;
		}
	} while (env_add_return_local(&ring->publishing, -seen));
	if (wake)
		env_wake(ring);
}

/*
 * The packet with the index @index is committed to its last unit.  Called once:
 * the packet's marks are the caller's until the done mark lets others go on.
 */
noinline void kt_ring_complete(struct kt_ring *ring, u32 index)
{
	struct kt_packet *packet =
		kt_ring_at(ring, (u64)index << KT_PACKET_UNITS_SHIFT);

	packet->events = ring->commits[index];
	ring->commits[index] = 0;
	/* Pair C. */
	smp_store_release(&ring->done[index], packet->seq + 1);
	ring_publish(ring);
}

/* Commits the parts of a packet that are not records. */
static void ring_commit_units(struct kt_ring *ring, u32 unit, u32 units)
{
	struct kt_record rec = {
		.count = kt_record_count(units, KT_RECORD_TASK),
		.unit = unit,
	};

	kt_ring_commit(ring, &rec);
}

/* Ends the packet before @pos, where the next record would have gone. */
static void ring_close(struct kt_ring *ring, u32 pos, u64 now)
{
	u32 unit = pos & ring->mask;
	u32 used = pos & (KT_PACKET_UNITS - 1);
	struct kt_packet *packet = kt_ring_at(ring, unit - used);

	packet->used = used << KT_UNIT_SHIFT;
	packet->end = now;
	/*
	 * There is always a rest.  Its first unit rounds the packet up to 8
	 * bytes in a file.
	 */
	*(u32 *)kt_ring_at(ring, unit) = 0;
	ring_commit_units(ring, unit, KT_PACKET_UNITS - used);
}

/*
 * Writes the header of a packet.  Interrupts may have traced into the packet
 * and even closed it already: fields that closing and completing set are not
 * touched, and @lost was read before head moved, so that what they have lost
 * since appears in their packets first.
 */
static void ring_open(struct kt_ring *ring, u64 seq, u64 now, const u64 *lost)
{
	const struct kt_control *control = ring->control;
	u32 unit = ring_unit(ring, seq);
	struct kt_packet *packet = kt_ring_at(ring, unit);

	packet->magic = KT_PACKET_MAGIC;
	packet->version = KT_ABI_VERSION;
	packet->header_size = sizeof(*packet);
	packet->packet_size = KT_PACKET_SIZE;
	packet->seq = seq;
	packet->begin = now;
	WRITE_ONCE(ring->since, now);
	packet->cpu = control->cpu;
	packet->lost_full = lost[KT_LOST_FULL];
	packet->lost_nested = lost[KT_LOST_NESTED];
	packet->lost_large = lost[KT_LOST_LARGE];
	packet->lost_task = lost[KT_LOST_TASK];
	packet->lost_recursion = lost[KT_LOST_RECURSION];
	packet->trace_id = control->trace_id;
	env_current_task(&packet->tid, &packet->tgid, packet->comm);
	ring_commit_units(ring, unit, KT_PACKET_HEADER_UNITS);
}

/*
 * May the packet with number @seq be opened?  In overwrite mode takes the
 * packet a lap before it from the reader.
 *
 * Interrupts may have opened @seq and gone far beyond, even before the first
 * line here.  Then any answer is good, because the caller's cmpxchg of head
 * fails.  But no packet may be taken: hence the signed difference.
 */
static bool ring_make_room(struct kt_ring *ring, u64 seq, enum kt_lost *cause)
{
	struct kt_control *control = ring->control;
	s64 packets = ring_packets(ring);
	u64 consumed;

	if ((s64)(seq - READ_ONCE(control->produced)) >= packets) {
		*cause = KT_LOST_NESTED;
		return false;
	}
	/* Pair B. */
	consumed = smp_load_acquire(&control->consumed);
	while ((s64)(seq - consumed) >= packets) {
		struct kt_packet *packet;
		u64 events;

		if (control->mode != KT_MODE_OVERWRITE) {
			*cause = KT_LOST_FULL;
			return false;
		}
		/*
		 * It is published, because it is at least one lap before @seq.
		 */
		packet = kt_ring_at(ring, ring_unit(ring, consumed));
		events = READ_ONCE(packet->events);
		/* Pair B.  If it failed, another was faster: look again. */
		if (env_cmpxchg(&control->consumed, &consumed, consumed + 1)) {
			ring_lose(ring, KT_LOST_OVERWRITTEN, events);
			consumed++;
		}
	}
	return true;
}

/*
 * Moves head from @old, which the caller read before @now, to the packet after
 * it, leaving room for @units behind the header.
 * -EAGAIN: head has moved.
 * -ENOSPC: no packet is free, because of @cause; nothing was changed.
 */
static int ring_switch(struct kt_ring *ring, u64 old, u64 now, u32 units,
		       enum kt_lost *cause)
{
	u64 seq = ring_seq(ring, old) + 1;
	u32 pos = (u32)seq << KT_PACKET_UNITS_SHIFT;
	u64 new = now >> KT_TIME_BITS << KT_EPOCH_SHIFT |
		  (u32)(pos + KT_PACKET_HEADER_UNITS + units);
	u64 lost[KT_LOST_NR];
	int i;

	if (!ring_make_room(ring, seq, cause))
		return READ_ONCE(ring->head) == old ? -ENOSPC : -EAGAIN;
	for (i = 0; i < KT_LOST_NR; i++)
		lost[i] = READ_ONCE(ring->control->lost[i]);
	if (!env_cmpxchg_local(&ring->head, &old, new))
		return -EAGAIN;
	ring_close(ring, old, now);
	ring_open(ring, seq, now, lost);
	return 0;
}

/*
 * Reserves if kt_ring_try_reserve() could not: in a new packet, with an
 * extended header, or again after an interrupt.  Each further round of the loop
 * is caused by an interrupt that has reserved in between.
 */
noinline void *kt_ring_reserve_slow(struct kt_ring *ring, struct kt_record *rec,
				    u32 id, u32 size, unsigned int flags)
{
	u32 prefix = flags & KT_RECORD_DYNAMIC ? sizeof(u32) : 0;
	bool extended;
	u32 units, pos;
	u64 now;
	u32 *p;

	if (size > KT_PAYLOAD_MAX)
		return ring_lose_record(ring, rec, KT_LOST_LARGE, flags);
	/* A closed one, which hits come to by thousands while code is patched: as below, but soon. */
	if (!ring->data)
		return ring_lose_record(ring, rec, KT_LOST_NESTED, flags);

	for (;;) {
		u64 old = READ_ONCE(ring->head);
		u64 new;
		u32 used = old & (KT_PACKET_UNITS - 1);
		enum kt_lost cause;
		int err;

		now = ring_clock(ring, old);
		new = now >> KT_TIME_BITS << KT_EPOCH_SHIFT;
		extended =
			id >= KT_ID_EXTENDED || (old ^ new) >> KT_EPOCH_SHIFT;
		units = kt_units(
			(extended ? KT_HEADER_EXTENDED : KT_HEADER_COMPACT) +
			prefix + size);
		if (used + units < KT_PACKET_UNITS) {
			pos = old;
			if (env_cmpxchg_local(&ring->head, &old,
					      new | (pos + units)))
				break;
			continue;
		}

		/*
		 * The packet's begin has the epoch, so no extended header is
		 * needed.
		 */
		extended = id >= KT_ID_EXTENDED;
		units = kt_units(
			(extended ? KT_HEADER_EXTENDED : KT_HEADER_COMPACT) +
			prefix + size);
		err = ring_switch(ring, old, now, units, &cause);
		if (!err) {
			pos = ((u32)old | (KT_PACKET_UNITS - 1)) + 1 +
			      KT_PACKET_HEADER_UNITS;
			break;
		}
		if (err != -EAGAIN)
			return ring_lose_record(ring, rec, cause, flags);
	}

	/*
	 * Time stands still here; a writer that interrupts us goes one epoch
	 * on.
	 */
	if (unlikely(!(now & ((1u << KT_TIME_BITS) - 1))))
		WRITE_ONCE(ring->since, now);
	rec->count = kt_record_count(units, flags);
	rec->unit = pos & ring->mask;
	p = kt_ring_at(ring, rec->unit);
	if (flags & KT_RECORD_TAIL)
		p[units - 1] = 0;
	if (extended) {
		*p++ = KT_ID_EXTENDED;
		*p++ = id;
		memcpy(p, &now, sizeof(now));
		p += 2;
	} else {
		*p++ = id | (u32)now << KT_ID_BITS;
	}
	return kt_record_payload(p, size, flags);
}

/*
 * Closes the open packet if it holds anything, so that the reader gets it: at
 * once, or as soon as the writers that this call has interrupted have
 * committed.
 * -ENOSPC: no packet is free to go on with; nothing was changed or lost.
 */
int kt_ring_flush(struct kt_ring *ring)
{
	enum kt_lost cause;
	int err;

	do {
		u64 old = READ_ONCE(ring->head);
		u64 now = ring_clock(ring, old);

		if ((old & (KT_PACKET_UNITS - 1)) == KT_PACKET_HEADER_UNITS)
			return 0;
		err = ring_switch(ring, old, now, 0, &cause);
	} while (err == -EAGAIN);
	return err;
}

/*
 * Gives the oldest unread packet back.  @seq is untrusted.
 * -EINVAL: it is not the oldest, or not yet produced.
 * -ESTALE: overwrite mode, and the writer has taken it; it counts as lost.
 */
int kt_ring_consume(struct kt_ring *ring, u64 seq)
{
	struct kt_control *control = ring->control;
	u64 consumed = READ_ONCE(control->consumed);

	if (seq < consumed && control->mode == KT_MODE_OVERWRITE)
		return -ESTALE;
	if (seq != consumed || seq >= smp_load_acquire(&control->produced))
		return -EINVAL;
	/* In overwrite mode a writer may have it already. */
	if (control->mode == KT_MODE_DISCARD)
		env_poison(kt_ring_at(ring, ring_unit(ring, seq)),
			   KT_PACKET_SIZE);
	/* Pair B. */
	if (!env_cmpxchg(&control->consumed, &consumed, seq + 1))
		return -ESTALE;
	return 0;
}

/*
 * Empties the ring; its first packet, which has the number @seq, is open at
 * once, so that every later reservation finds one.  The data need not be zero:
 * no reader is shown a byte that was not written.
 */
void kt_ring_begin(struct kt_ring *ring, u64 seq)
{
	struct kt_control *control = ring->control;
	u64 now = env_clock();
	u32 i;

	for (i = 0; i < ring_packets(ring); i++)
		ring->commits[i] = ring->done[i] = 0;
	env_poison(ring->data, (size_t)ring_packets(ring) << KT_PACKET_SHIFT);
	for (i = 0; i < KT_LOST_NR; i++)
		WRITE_ONCE(control->lost[i], 0);
	WRITE_ONCE(control->events, 0);
	WRITE_ONCE(control->consumed, seq);
	WRITE_ONCE(control->produced, seq);
	ring->publishing = 0;
	ring->head = now >> KT_TIME_BITS << KT_EPOCH_SHIFT |
		     (u32)(((u32)seq << KT_PACKET_UNITS_SHIFT) +
			   KT_PACKET_HEADER_UNITS);
	ring_open(ring, seq, now, control->lost);
}

void kt_ring_reset(struct kt_ring *ring)
{
	kt_ring_begin(ring, 0);
}

int kt_ring_init(struct kt_ring *ring, struct kt_control *control, void *data,
		 u64 *marks, u32 packets, enum kt_mode mode, u32 cpu,
		 u64 trace_id)
{
	if (packets < KT_RING_PACKETS_MIN || packets > KT_RING_PACKETS_MAX ||
	    (packets & (packets - 1)))
		return -EINVAL;

	*ring = (struct kt_ring){
		.data = data,
		.commits = marks,
		.done = marks + packets,
		.mask = (packets << KT_PACKET_UNITS_SHIFT) - 1,
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

/*
 * A ring without memory: each record that somebody wants to write is lost.  It seems to have two
 * packets.  Head is at the last unit of the second one, where no record fits, and the packet after
 * it cannot be opened, because the first was never produced.
 */
void kt_ring_init_closed(struct kt_ring *ring, struct kt_control *control)
{
	*control = (struct kt_control){.mode = KT_MODE_DISCARD};
	*ring = (struct kt_ring){
		.head = 2 * KT_PACKET_UNITS - 1,
		.mask = 2 * KT_PACKET_UNITS - 1,
		.control = control,
	};
}
