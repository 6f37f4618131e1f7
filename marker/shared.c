// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Writing to the rings of programs, and reading them; shared.h explains how. */
#include "publish.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* A debugger that steps through a sequence restarts it for ever. */
#define TRIES 1000

/* The part of a time below its epoch. */
#define TIME_MASK ((1u << KT_TIME_BITS) - 1)

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

/*
 * The complete count, of which the ring has the lower half; the count starts
 * from @packet.
 */
static u64 events_extend(const struct kt_packet *packet, u32 events)
{
	u64 before = READ_ONCE(packet->events_before);

	return before + (u32)(events - (u32)before);
}

/* ---- publishing ------------------------------------------------------------ */

/* The end of a ring as it is stored. */
typedef u64 marker_pair __attribute__((vector_size(16), may_alias));

/* What a record changes when it becomes visible. */
struct change {
	struct marker_ring *ring;
	u64 old; /* head */
	u64 time;
	marker_pair end;
	u8 *to; /* where the record goes */
	/*
	 * The first word and the rest apart, so that each load meets one store.
	 */
	u32 word;
	u32 size;
	const void *rest;
};

#ifdef MARKER_RSEQ

ptrdiff_t marker_rseq_offset;

static __attribute__((constructor(101))) void rseq_begin(void)
{
	marker_rseq_offset = __rseq_offset;
}

bool marker_rseq_works(void)
{
	return __rseq_size && marker_rseq_cpu() <= INT32_MAX;
}

/* Fails if the thread is not on @cpu, or if head has moved since. */
static __always_inline bool publish_rseq(u32 cpu, const struct change *change)
{
	u64 words = (change->size + 7) / 8;

	asm goto(MARKER_SEQUENCE_BEGIN
		 "	cmpl	%[cpu], %%fs:%c[cpu_id](%%rcx)\n"
		 "	jne	%l[again]\n"
		 "	cmpq	%[old], %c[end](%[ring])\n"
		 "	jne	%l[again]\n"
		 "	movl	%[word], (%[to])\n"
		 "	movq	%[words], %%rdx\n"
		 "	testq	%%rdx, %%rdx\n"
		 "	je	6f\n"
		 "5:	movq	-8(%[from], %%rdx, 8), %%xmm0\n"
		 "	movq	%%xmm0, 4-8(%[to], %%rdx, 8)\n"
		 "	decq	%%rdx\n"
		 "	jne	5b\n"
		 "6:	movaps	%[new], %c[end](%[ring])\n" MARKER_SEQUENCE_END
		 :
		 : MARKER_SEQUENCE_OPERANDS, [cpu] "r"(cpu),
		   [ring] "r"(change->ring), [old] "r"(change->old),
		   [new] "x"(change->end), [to] "r"(change->to),
		   [word] "r"(change->word), [from] "r"(change->rest),
		   [words] "m"(words)
		 : "memory", "cc", "rcx", "rdx", "xmm0"
		 : again);
	return true;
again:
	return false;
}

#else

bool marker_rseq_works(void)
{
	return false;
}

static u32 marker_rseq_cpu(void)
{
	return UINT32_MAX;
}

static bool publish_rseq(u32 cpu, const struct change *change)
{
	return false;
}

#endif

/* The same for the holder of the ring's lock. */
static void publish_locked(const struct change *change)
{
	memcpy(change->to, &change->word, sizeof(change->word));
	memcpy(change->to + sizeof(change->word), change->rest, change->size);
	/* This comes first: a time without an event does no harm. */
	WRITE_ONCE(change->ring->time, change->time);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	*(volatile marker_pair *)&change->ring->end = change->end;
}

/*
 * True if the thread is gone, or killed and not waited for yet: then it has no
 * memory any more.  For memory that exists but belongs to another user, the
 * answer is that it may not be read.
 */
static bool is_dead(u32 tid)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {NULL, 1};

	return process_vm_readv(tid, &here, 1, &there, 1, 0) < 0 &&
	       errno == ESRCH;
}

/*
 * Unless @patient, takes the lock from a dead holder, which has left the ring
 * as it was.
 */
static bool lock_try(struct marker_ring *ring, u32 tid, bool patient)
{
	u32 holder = 0;

	if (__atomic_compare_exchange_n(&ring->lock, &holder, tid, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	return !patient && holder != tid && is_dead(holder) &&
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

/* The packet that contains @head. */
static const struct kt_packet *packet_at(const struct marker_rings *rings,
					 struct marker_ring *ring, u64 head)
{
	return marker_ring_at(rings, ring,
			      (u32)head >> KT_PACKET_UNITS_SHIFT
						   << KT_PACKET_UNITS_SHIFT);
}

/*
 * Makes room for opening the packet with the number @seq; see ring_make_room()
 * in core.
 */
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
		.lost_recursion = used,
	};

	packet.tid = marker_tid();
	packet.tgid = getpid();
	prctl(PR_GET_NAME, packet.comm);
	at -= sizeof(packet);
	memcpy(at, &packet, sizeof(packet));
	return at;
}

/*
 * A record under construction: its payload, and its size before it if that
 * varies.
 */
struct draft {
	u8 *payload;
	u32 size;
	u32 id;
	unsigned int flags;
};

/*
 * Not within a sequence: if the kernel does not trust the counter this is a
 * syscall.
 */
static noinline u64 clock_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static u64 clock_read(const struct marker_rings *rings)
{
	if (unlikely(rings->monotonic))
		return clock_monotonic();
	return env_clock() + (rings->missing ? READ_ONCE(*rings->missing) : 0);
}

/*
 * The time of the next record, with @head read from the ring.  It is not before
 * the time of the last record.  A ring with a lock knows that time.  In the
 * other rings a clock may fall too, if the machine slept.  Then time stands
 * still at the start of the epoch after head's, because more of the last
 * record's time is not known, until the clock has caught up.
 *
 * If others have written since, the result is wrong, and is not published.
 */
static u64 ring_clock(const struct marker_rings *rings,
		      struct marker_ring *ring, u64 head)
{
	u64 now = clock_read(rings), last = READ_ONCE(ring->time);
	u64 epoch =
		READ_ONCE(packet_at(rings, ring, head)->begin) >> KT_TIME_BITS;

	if (now < last)
		now = last;
	epoch += (u32)((head >> KT_EPOCH_SHIFT) - epoch);
	return likely(now >> KT_TIME_BITS >= epoch)
		       ? now
		       : (epoch + 1) << KT_TIME_BITS;
}

/*
 * Puts in front of the payload what is needed at head's position.  -ENOSPC:
 * there is no room.
 */
static int change_prepare(struct change *change,
			  const struct marker_rings *rings,
			  struct marker_ring *ring, const struct draft *draft)
{
	u64 old = smp_load_acquire(&ring->end.head);
	u64 now = ring_clock(rings, ring, old);
	u32 events = READ_ONCE(ring->end.events), tid = marker_tid();
	bool extended = draft->id >= KT_ID_EXTENDED;
	bool switched = READ_ONCE(ring->end.tid) != tid;
	bool epoch =
		(old >> KT_EPOCH_SHIFT) != (now >> KT_TIME_BITS & 0xffffffff);
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
		const struct kt_packet *packet = packet_at(rings, ring, old);
		u64 seq = READ_ONCE(packet->seq) + 1;

		if (!make_room(ring, seq))
			return READ_ONCE(ring->end.head) == old ? -ENOSPC
								: -EAGAIN;
		at = prefix_record(draft->payload, extended, draft->id, now);
		/*
		 * In consecutive packets, readers use this and not the header.
		 */
		if (switched) {
			at -= sizeof(tid);
			memcpy(at, &tid, sizeof(tid));
			at = prefix_record(at, false, KT_ID_SWITCH, now);
		}
		at = prefix_packet(at, ring, seq, now, used,
				   events_extend(packet, events));
		position = (u32)seq << KT_PACKET_UNITS_SHIFT;
		size = draft->payload + draft->size - at;
	}
	size = (size + KT_UNIT - 1) & ~(KT_UNIT - 1);
	change->ring = ring;
	change->old = old;
	change->time = now;
	change->to = marker_ring_at(rings, ring, position);
	memcpy(&change->word, at, sizeof(change->word));
	change->rest = at + sizeof(change->word);
	change->size = size - sizeof(change->word);
	position += size >> KT_UNIT_SHIFT;
	events += !(draft->flags & MARKER_TASK);
	change->end =
		(marker_pair){now >> KT_TIME_BITS << KT_EPOCH_SHIFT | position,
			      tid | (u64)events << 32};
	return 0;
}

static bool lose(struct marker_ring *ring, enum kt_lost cause,
		 unsigned int flags)
{
	if (flags & MARKER_TASK)
		cause = KT_LOST_TASK;
	__atomic_add_fetch(&ring->control.lost[cause], 1, __ATOMIC_RELAXED);
	return false;
}

/* Called by the holder of the lock. */
static int ring_furnish(const struct marker_rings *rings,
			struct marker_ring *ring)
{
	u32 number = ((u8 *)ring - rings->base) / rings->stride;
	int err;

	if (likely(!READ_ONCE(ring->bare)) || !rings->furnish)
		return 0;
	err = rings->furnish(rings, number);
	if (!err)
		WRITE_ONCE(ring->bare, 0);
	return err;
}

static bool write_locked(const struct marker_rings *rings,
			 const struct draft *draft)
{
	u32 tid = marker_tid(), i = 0, tries;
	struct marker_ring *ring = NULL;
	struct change change;
	sigset_t all, before;
	int err;

	/*
	 * No signal handler may interrupt a holder: it would wait for a lock whose
	 * holder may wait in a handler as well, until all locks are held so.
	 */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (tries = 0; tries < 64 * TRIES; tries++) {
		ring = marker_ring(rings,
				   rings->cpus + (tid + tries) % rings->locked);
		/* One of the others may be free. */
		if (lock_try(ring, tid, tries < rings->locked))
			break;
		if (++i % rings->locked == 0)
			sched_yield();
	}
	if (tries == 64 * TRIES) {
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		return lose(ring, KT_LOST_NESTED, draft->flags);
	}
	err = ring_furnish(rings, ring);
	if (!err)
		err = change_prepare(&change, rings, ring, draft);
	if (!err)
		publish_locked(&change);
	else
		lose(ring, KT_LOST_FULL, draft->flags);
	smp_store_release(&ring->lock, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !err;
}

static bool write_any(const struct marker_rings *rings,
		      const struct draft *draft)
{
	struct marker_ring *ring = NULL;
	struct change change;
	u32 cpu, tries;
	int err;

	if (!marker_rseq_works())
		return write_locked(rings, draft);
	for (tries = 0; tries < TRIES; tries++) {
		cpu = marker_rseq_cpu();
		/* The CPU did not exist when the recorder started. */
		if (unlikely(cpu >= rings->cpus))
			return write_locked(rings, draft);
		ring = marker_ring(rings, cpu);
		err = change_prepare(&change, rings, ring, draft);
		if (err == -ENOSPC)
			return lose(ring, KT_LOST_FULL, draft->flags);
		if (!err && publish_rseq(cpu, &change)) {
			/* A faster writer goes one epoch on. */
			if (unlikely(!(change.time & TIME_MASK)))
				WRITE_ONCE(ring->time, change.time);
			return true;
		}
	}
	return lose(ring, KT_LOST_NESTED, draft->flags);
}

bool marker_ring_write(const struct marker_rings *rings, u32 id, void *payload,
		       u32 size, unsigned int flags)
{
	struct draft draft = {payload, size, id, flags};

	if (flags & MARKER_DYNAMIC) {
		draft.payload -= sizeof(size);
		draft.size += sizeof(size);
		memcpy(draft.payload, &size, sizeof(size));
	}
	return write_any(rings, &draft);
}

/* ---- reading ----------------------------------------------------------------- */

/* The number of packets between the oldest unread one and the open one. */
static u32 packets_ahead(u64 head, u64 consumed)
{
	u32 mask = (1u << (32 - KT_PACKET_UNITS_SHIFT)) - 1;

	return (((u32)head >> KT_PACKET_UNITS_SHIFT) - (u32)consumed) & mask;
}

/* A program may lie about the length of its packet. */
static u32 used_valid(u32 used)
{
	if (used < sizeof(struct kt_packet))
		return sizeof(struct kt_packet);
	return used < KT_PACKET_SIZE ? used : KT_PACKET_SIZE;
}

int marker_ring_read(const struct marker_rings *rings, u32 number, void *to,
		     u32 *size)
{
	struct marker_ring *ring = marker_ring(rings, number);
	u64 consumed = smp_load_acquire(&ring->control.consumed);
	u64 head = smp_load_acquire(&ring->end.head);
	u32 position = (u32)consumed << KT_PACKET_UNITS_SHIFT;
	struct kt_packet *packet = to, next;

	if (!packets_ahead(head, consumed))
		return 0;
	memcpy(packet, marker_ring_at(rings, ring, position), KT_PACKET_SIZE);
	position += 1u << KT_PACKET_UNITS_SHIFT;
	memcpy(&next, marker_ring_at(rings, ring, position), sizeof(next));
	if (!env_cmpxchg(&ring->control.consumed, &consumed, consumed + 1))
		return -ESTALE;
	packet->used = used_valid(next.lost_recursion);
	packet->end = next.begin;
	packet->events = next.events_before - packet->events_before;
	packet->lost_recursion = 0;
	*size = packet->used;
	return 1;
}

int marker_ring_read_open(const struct marker_rings *rings, u32 number,
			  void *to, u32 *size)
{
	struct marker_ring *ring = marker_ring(rings, number);
	struct kt_packet *packet = to;
	u64 head, again = smp_load_acquire(&ring->end.head);
	u32 used, events;
	int tries = 0;

	/*
	 * A thread that was about to write when the markers were switched off
	 * may be late.
	 */
	do {
		head = again;
		events = READ_ONCE(ring->end.events);
		again = smp_load_acquire(&ring->end.head);
	} while (head != again && ++tries < 1000);
	used = (u32)head << KT_UNIT_SHIFT & (KT_PACKET_SIZE - 1);
	if (used <= sizeof(*packet))
		return 0;
	memcpy(packet, packet_at(rings, ring, head), used);
	packet->used = used;
	packet->end = ring_clock(rings, ring, head);
	packet->events = events - (u32)packet->events_before;
	packet->lost_recursion = 0;
	*size = used;
	return 1;
}

u64 marker_ring_open(const struct marker_rings *rings, u32 number)
{
	struct marker_ring *ring = marker_ring(rings, number);
	u64 consumed = smp_load_acquire(&ring->control.consumed);

	return consumed +
	       packets_ahead(smp_load_acquire(&ring->end.head), consumed);
}

void marker_ring_init(const struct marker_rings *rings, u32 number,
		      enum kt_mode mode, u64 trace_id)
{
	struct marker_ring *ring = marker_ring(rings, number);
	struct kt_packet *packet = marker_ring_at(rings, ring, 0);
	u64 now = clock_read(rings);

	*ring = (struct marker_ring){
		.control =
			{
				.magic = KT_CONTROL_MAGIC,
				.version = KT_ABI_VERSION,
				.packet_size = KT_PACKET_SIZE,
				.packets = (rings->mask + 1) >> KT_PACKET_SHIFT,
				.cpu = number,
				.mode = mode,
				.trace_id = trace_id,
			},
		.end.head = now >> KT_TIME_BITS << KT_EPOCH_SHIFT |
			    KT_PACKET_HEADER_UNITS,
	};
	*packet = (struct kt_packet){
		.magic = KT_PACKET_MAGIC,
		.version = KT_ABI_VERSION,
		.header_size = sizeof(*packet),
		.packet_size = KT_PACKET_SIZE,
		.begin = now,
		.cpu = number,
		.trace_id = trace_id,
	};
}
