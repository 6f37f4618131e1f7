// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Writing to the rings of programs, and reading them; shared.h tells how it works.
 */
#include "publish.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A debugger that steps through a sequence restarts it for ever. */
#define TRIES 1000

static __thread u32 thread_tid __attribute__((tls_model("initial-exec")));

u32 marker_tid(void)
{
	if (unlikely(!thread_tid))
		thread_tid = syscall(SYS_gettid);
	return thread_tid;
}

void marker_tid_forget(void)
{
	thread_tid = 0;
}

/* ---- tails ------------------------------------------------------------------- */

static u64 *tail_of(struct marker_ring *ring, u64 head)
{
	return &ring->tails[(u32)READ_ONCE(ring->tails[0]) != (u32)head];
}

/* All of a count, of which a tail has the lower half; it began with @packet. */
static u64 events_extend(const struct kt_packet *packet, u32 events)
{
	u64 before = READ_ONCE(packet->events_before);

	return before + (u32)(events - (u32)before);
}

/* ---- publishing ------------------------------------------------------------ */

/* What a record changes when it becomes visible. */
struct change {
	struct marker_ring *ring;
	u64 old, new; /* head */
	u64 *tail;    /* to be changed, */
	u64 state;    /* to this */
	u32 position; /* in bytes; where the record goes */
	/* Its first word, and what follows: so that each load meets one store. */
	u32 word;
	u32 size;
	const void *rest;
};

#ifdef MARKER_RSEQ

static bool rseq_works(void)
{
	return __rseq_size && rseq_cpu() <= INT32_MAX;
}

static __always_inline bool publish_rseq(u32 cpu, const struct change *change)
{
	const void *from = change->rest;
	void *to = marker_ring_data(change->ring, change->position);
	u64 words = (change->size + 7) / 8;

	marker_publish("	movq	%[words], %%rax\n"
		       "	testq	%%rax, %%rax\n"
		       "	je	6f\n"
		       "5:	movq	-8(%[from], %%rax, 8), %%xmm0\n"
		       "	movq	%%xmm0, 4-8(%[to], %%rax, 8)\n"
		       "	decq	%%rax\n"
		       "	jne	5b\n"
		       "6:\n",
		       again, cpu, change->ring, change->old, change->new, to,
		       change->word, change->tail,
		       change->state, [from] "r"(from), [words] "m"(words));
	return true;
again:
	return false;
}

#else

static bool rseq_works(void)
{
	return false;
}

static u32 rseq_cpu(void)
{
	return 0;
}

static bool publish_rseq(u32 cpu, const struct change *change)
{
	return false;
}

#endif

/* The same for who holds the ring's lock. */
static void publish_locked(const struct change *change)
{
	u8 *to = marker_ring_data(change->ring, change->position);

	memcpy(to, &change->word, sizeof(change->word));
	memcpy(to + sizeof(change->word), change->rest, change->size);
	*change->tail = change->state;
	smp_store_release(&change->ring->head, change->new);
}

static bool lock_try(struct marker_ring *ring, u32 tid)
{
	u32 holder = 0;

	if (__atomic_compare_exchange_n(&ring->lock, &holder, tid, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	/* Killed?  Then it has left the ring as it was. */
	return holder != tid && kill(holder, 0) && errno == ESRCH &&
	       __atomic_compare_exchange_n(&ring->lock, &holder, tid, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* ---- records ---------------------------------------------------------------- */

/* Puts words in front of a payload. */
static void *prefix_record(u8 *at, bool extended, u32 id, u64 now)
{
	u32 words[4] = {id | (u32)now << KT_ID_BITS};

	if (!extended) {
		at -= KT_HEADER_COMPACT;
		memcpy(at, words, KT_HEADER_COMPACT);
	} else {
		words[0] = KT_ID_EXTENDED;
		words[1] = id;
		memcpy(words + 2, &now, sizeof(now));
		at -= KT_HEADER_EXTENDED;
		memcpy(at, words, KT_HEADER_EXTENDED);
	}
	return at;
}

/* Lets the packet with the number @seq be opened; see ring_make_room() in core. */
static bool make_room(struct marker_ring *ring, u64 seq)
{
	struct kt_control *control = &ring->control;
	u64 consumed = smp_load_acquire(&control->consumed);

	while ((s64)(seq - consumed) >= (s64)control->packets) {
		if (control->mode != KT_MODE_OVERWRITE)
			return false;
		if (env_cmpxchg(&control->consumed, &consumed, consumed + 1))
			consumed++;
	}
	return true;
}

static void *prefix_packet(u8 *at, const struct marker_ring *ring, u64 seq,
			   u64 now, u32 used, u64 events)
{
	const struct kt_control *control = &ring->control;
	struct kt_packet packet = {
		.magic = KT_PACKET_MAGIC,
		.version = KT_ABI_VERSION,
		.header_size = sizeof(packet),
		.packet_size = KT_PACKET_SIZE,
		.seq = seq,
		.begin = now,
		.events_before = events,
		.cpu = control->cpu,
		.lost_full = READ_ONCE(control->lost[KT_LOST_FULL]),
		.lost_nested = READ_ONCE(control->lost[KT_LOST_NESTED]),
		.lost_large = READ_ONCE(control->lost[KT_LOST_LARGE]),
		.lost_task = READ_ONCE(control->lost[KT_LOST_TASK]),
		.trace_id = control->trace_id,
		.reserved = used,
	};

	packet.tid = marker_tid();
	packet.tgid = getpid();
	prctl(PR_GET_NAME, packet.comm);
	at -= sizeof(packet);
	memcpy(at, &packet, sizeof(packet));
	return at;
}

/* A record in the making: its payload, its size before it if that varies. */
struct draft {
	u8 *payload;
	u32 size;
	u32 id;
	unsigned int flags;
};

/*
 * Puts in front of the payload what head's position asks for.  -ENOSPC: there is
 * no room.
 */
static int change_prepare(struct change *change, struct marker_ring *ring,
			  const struct marker_writer *writer,
			  const struct draft *draft)
{
	u64 old = smp_load_acquire(&ring->head), now = env_clock();
	u64 *tail = tail_of(ring, old);
	u32 tid = marker_tid();
	bool extended = draft->id >= KT_ID_EXTENDED;
	bool switched = writer->ring != ring || writer->head != old;
	bool epoch =
		(old >> KT_EPOCH_SHIFT) != (now >> KT_TIME_BITS & 0xffffffff);
	u32 events = READ_ONCE(*tail) >> 32;
	u32 used = (u32)old << KT_UNIT_SHIFT & (KT_PACKET_SIZE - 1);
	u32 size, position = (u32)old;
	u8 *at = draft->payload;

	at = prefix_record(at, extended || (epoch && !switched), draft->id,
			   now);
	if (switched) {
		at -= sizeof(tid);
		memcpy(at, &tid, sizeof(tid));
		at = prefix_record(at, epoch, KT_ID_SWITCH, now);
	}
	size = draft->payload + draft->size - at;
	if (used + size + KT_UNIT > KT_PACKET_SIZE) {
		const struct kt_packet *packet = marker_ring_data(
			ring, ((u32)old << KT_UNIT_SHIFT) - used);
		u64 seq = READ_ONCE(packet->seq) + 1;

		if (!make_room(ring, seq))
			return READ_ONCE(ring->head) == old ? -ENOSPC : -EAGAIN;
		at = prefix_record(draft->payload, extended, draft->id, now);
		at = prefix_packet(at, ring, seq, now, used,
				   events_extend(packet, events));
		position = (u32)seq << KT_PACKET_UNITS_SHIFT;
		size = draft->payload + draft->size - at;
	}
	size = (size + KT_UNIT - 1) & ~(KT_UNIT - 1);
	change->ring = ring;
	change->old = old;
	change->position = position << KT_UNIT_SHIFT;
	memcpy(&change->word, at, sizeof(change->word));
	change->rest = at + sizeof(change->word);
	change->size = size - sizeof(change->word);
	position += size >> KT_UNIT_SHIFT;
	change->new = now >> KT_TIME_BITS << KT_EPOCH_SHIFT | position;
	events += !(draft->flags & MARKER_TASK);
	change->tail = &ring->tails[tail == ring->tails];
	change->state = position | (u64)events << 32;
	return 0;
}

/* The record is written: the next one may follow it directly. */
static void writer_set(struct marker_writer *writer,
		       const struct change *change, u32 cpu)
{
	struct marker_ring *ring = change->ring;

	writer->head = 0;
	barrier();
	writer->ring = ring;
	writer->data = (u8 *)ring + KT_CONTROL_SIZE;
	writer->mask = (ring->control.packets << KT_PACKET_SHIFT) - 1;
	writer->cpu = cpu;
	writer->tail = change->tail;
	writer->events = change->state >> 32;
	barrier();
	writer->head = change->new;
}

static bool lose(struct marker_ring *ring, enum kt_lost cause,
		 unsigned int flags)
{
	if (flags & MARKER_TASK)
		cause = KT_LOST_TASK;
	__atomic_add_fetch(&ring->control.lost[cause], 1, __ATOMIC_RELAXED);
	return false;
}

static bool write_locked(const struct marker_rings *rings,
			 struct marker_writer *writer,
			 const struct draft *draft)
{
	u32 tid = marker_tid(), i = 0, tries;
	struct marker_ring *ring = NULL;
	struct change change;
	int err;

	for (tries = 0; tries < 64 * TRIES; tries++) {
		ring = marker_ring(rings,
				   rings->cpus + (tid + tries) % rings->locked);
		if (lock_try(ring, tid))
			break;
		if (++i % rings->locked == 0)
			sched_yield();
	}
	if (tries == 64 * TRIES)
		return lose(ring, KT_LOST_NESTED, draft->flags);
	err = change_prepare(&change, ring, writer, draft);
	if (!err)
		publish_locked(&change);
	else
		lose(ring, KT_LOST_FULL, draft->flags);
	smp_store_release(&ring->lock, 0);
	/* No CPU has this number: nobody takes the short way. */
	if (!err)
		writer_set(writer, &change, UINT32_MAX);
	return !err;
}

static bool write_any(const struct marker_rings *rings,
		      struct marker_writer *writer, const struct draft *draft)
{
	struct marker_ring *ring = NULL;
	struct change change;
	u32 cpu, tries;
	int err;

	if (!rseq_works())
		return write_locked(rings, writer, draft);
	for (tries = 0; tries < TRIES; tries++) {
		cpu = rseq_cpu();
		ring = marker_ring(rings, cpu);
		err = change_prepare(&change, ring, writer, draft);
		if (err == -ENOSPC)
			return lose(ring, KT_LOST_FULL, draft->flags);
		if (!err && publish_rseq(cpu, &change)) {
			writer_set(writer, &change, cpu);
			return true;
		}
	}
	return lose(ring, KT_LOST_NESTED, draft->flags);
}

bool marker_ring_write(const struct marker_rings *rings,
		       struct marker_writer *writer, u32 id, void *payload,
		       u32 size, unsigned int flags)
{
	struct draft draft = {payload, size, id, flags};

	if (flags & MARKER_DYNAMIC) {
		draft.payload -= sizeof(size);
		draft.size += sizeof(size);
		memcpy(draft.payload, &size, sizeof(size));
	}
	return write_any(rings, writer, &draft);
}

/* ---- reading ----------------------------------------------------------------- */

/* How many packets lie between the oldest unread one and the open one. */
static u32 packets_ahead(u64 head, u64 consumed)
{
	u32 mask = (1u << (32 - KT_PACKET_UNITS_SHIFT)) - 1;

	return (((u32)head >> KT_PACKET_UNITS_SHIFT) - (u32)consumed) & mask;
}

static const void *ring_packet(struct marker_ring *ring, u64 seq)
{
	return marker_ring_data(ring, (u32)(seq << KT_PACKET_SHIFT));
}

int marker_ring_read(struct marker_ring *ring, void *to, u32 *size)
{
	u64 consumed = smp_load_acquire(&ring->control.consumed);
	u64 head = smp_load_acquire(&ring->head);
	struct kt_packet *packet = to, next;
	u32 ahead = packets_ahead(head, consumed);

	if (!ahead)
		return 0;
	memcpy(packet, ring_packet(ring, consumed), KT_PACKET_SIZE);
	memcpy(&next, ring_packet(ring, consumed + 1), sizeof(next));
	if (!env_cmpxchg(&ring->control.consumed, &consumed, consumed + 1))
		return -ESTALE;
	packet->used = next.reserved;
	packet->end = next.begin;
	packet->events = next.events_before - packet->events_before;
	packet->reserved = 0;
	*size = packet->used;
	return 1;
}

int marker_ring_read_open(struct marker_ring *ring, void *to, u32 *size)
{
	u64 head = smp_load_acquire(&ring->head);
	u32 used = (u32)head << KT_UNIT_SHIFT & (KT_PACKET_SIZE - 1);
	u32 events = *tail_of(ring, head) >> 32;
	struct kt_packet *packet = to;

	if (used == sizeof(*packet))
		return 0;
	memcpy(packet,
	       marker_ring_data(ring, ((u32)head << KT_UNIT_SHIFT) - used),
	       used);
	packet->used = used;
	packet->end = env_clock();
	packet->events = events - (u32)packet->events_before;
	packet->reserved = 0;
	*size = used;
	return 1;
}

u64 marker_ring_open(const struct marker_ring *ring)
{
	u64 consumed = smp_load_acquire(&ring->control.consumed);

	return consumed +
	       packets_ahead(smp_load_acquire(&ring->head), consumed);
}

u64 marker_ring_events(struct marker_ring *ring)
{
	u64 head = smp_load_acquire(&ring->head);
	u32 used = (u32)head << KT_UNIT_SHIFT & (KT_PACKET_SIZE - 1);

	return events_extend(
		marker_ring_data(ring, ((u32)head << KT_UNIT_SHIFT) - used),
		*tail_of(ring, head) >> 32);
}

void marker_ring_init(struct marker_ring *ring, u32 cpu, u32 packets,
		      enum kt_mode mode, u64 trace_id)
{
	struct kt_packet *packet;
	u64 now = env_clock();

	*ring = (struct marker_ring){
		.control =
			{
				.magic = KT_CONTROL_MAGIC,
				.version = KT_ABI_VERSION,
				.packet_size = KT_PACKET_SIZE,
				.packets = packets,
				.cpu = cpu,
				.mode = mode,
				.trace_id = trace_id,
			},
	};
	packet = marker_ring_data(ring, 0);
	*packet = (struct kt_packet){
		.magic = KT_PACKET_MAGIC,
		.version = KT_ABI_VERSION,
		.header_size = sizeof(*packet),
		.packet_size = KT_PACKET_SIZE,
		.begin = now,
		.cpu = cpu,
		.trace_id = trace_id,
	};
	ring->head =
		now >> KT_TIME_BITS << KT_EPOCH_SHIFT | KT_PACKET_HEADER_UNITS;
	ring->tails[0] = KT_PACKET_HEADER_UNITS;
}
