/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring of programs.  Packets and records are as in the kernel's ring
 * (uapi/ktrace.h), but processes share the memory, and any of them may be
 * killed between two instructions, or lose its CPU to another.
 *
 * Writers do not reserve.  A writer puts its record together on its stack,
 * copies it to where head points, and moves head behind it with the last
 * instruction.  Until then nothing has happened.  The kernel's restartable
 * sequences (rseq(2)) guarantee that nothing disturbs this: if the thread is
 * preempted, migrated or gets a signal before that last instruction, it starts
 * again.  So there are no commits and no holes, and a killed writer has written
 * either all of a record or nothing.
 *
 *	head	epoch and position, as in core/ring.h
 *	events	the number of events before it, the lower half
 *	tid	the thread that wrote the last of them
 *
 * change together, by one store of 16 bytes.  An instruction is executed or
 * not, so the next writer on this CPU finds all of it or nothing.  While there
 * are writers, other CPUs read only head, which has 8 bytes.
 *
 * A writer that finds the tid of another thread first writes a record
 * KT_ID_SWITCH with its own.
 *
 * A writer opens a packet if the one before it has no room: the header is a
 * part of what it copies.  The length of a packet is stored in the next packet
 * (in @lost_recursion, which programs do not need).  When packets are copied to
 * a file, it is put where it belongs.  The open packet can be copied too, up to
 * head.
 *
 * If the kernel or the C library has no rseq, a lock takes its place, in
 * separate rings.  If a holder died before it moved head, it has changed
 * nothing, so another writer takes the lock from it.  A signal handler that
 * finds its own thread in the ring takes the next ring.  Times in such a ring
 * are read on different CPUs, and the processor may read them before the lock
 * is taken.  A time before that of the last record is set to that time.
 *
 * Writer and reader: the reader moves consumed, in overwrite mode writers too, by a
 * cmpxchg; what the writer stores is ordered by the processor (x86: stores are seen
 * in order), head last.
 *
 * model/shared.pml is a model of all this.
 */
#ifndef KT_MARKER_SHARED_H
#define KT_MARKER_SHARED_H

#include "ring.h"

/* Changes as a whole: see above. */
struct marker_end {
	u64 head;
	u32 tid; /* 0: nobody has written yet */
	u32 events;
} __attribute__((aligned(16)));

/* A page of its own; the packets follow it. */
struct marker_ring {
	struct kt_control control;
	struct marker_end end;
	u32 lock; /* the holder's tid; 0: free, or not used */
	u32 bare; /* its memory is not there yet: see marker_rings.furnish */
	u64 time; /* of the last record, if there is a lock, or if time stands
		   * still */
	u8 pad2[32];
};

_Static_assert(sizeof(struct marker_ring) == 256, "shared layout");

/* Room in front of a payload for what a writer may have to put there. */
#define MARKER_PREFIX                                                  \
	(sizeof(struct kt_packet) + KT_HEADER_EXTENDED + sizeof(u32) + \
	 KT_HEADER_EXTENDED + sizeof(u32))
#define MARKER_PREFIX_ROOM ((MARKER_PREFIX + 7) & ~7ul)

/* All rings of a recorder, one after the other. */
struct marker_rings {
	u8 *base;
	size_t stride;
	u64 mask;   /* of a position in bytes */
	u32 cpus;   /* rings of CPUs, */
	u32 locked; /* and those with locks, after them */
	/*
	 * Allocates the memory of ring @number.  Few programs need a lock, so a
	 * recorder leaves this to them; touching the ring without memory could
	 * end a program.  NULL: all rings have memory.
	 */
	int (*furnish)(const struct marker_rings *rings, u32 number);
	/* The clock is CLOCK_MONOTONIC; else it is the time stamp counter. */
	bool monotonic;
	/* Ticks to be added to the counter, as the recorder says; NULL: none. */
	const u64 *missing;
};

enum marker_flags {
	MARKER_DYNAMIC = 1,
	MARKER_TASK = 2, /* a task record: no event */
};

static inline struct marker_ring *marker_ring(const struct marker_rings *rings,
					      u32 number)
{
	return (void *)(rings->base + number * rings->stride);
}

static inline size_t marker_ring_size(u32 packets)
{
	return KT_CONTROL_SIZE + ((size_t)packets << KT_PACKET_SHIFT);
}

static inline struct marker_rings marker_rings(u8 *base, u32 packets, u32 cpus,
					       u32 locked)
{
	return (struct marker_rings){
		.base = base,
		.stride = marker_ring_size(packets),
		.mask = (packets << KT_PACKET_SHIFT) - 1,
		.cpus = cpus,
		.locked = locked,
	};
}

/*
 * Writes a record of @size bytes at @payload.  In front of it
 * MARKER_PREFIX_ROOM bytes are free to use.  False: it is lost, and counted.
 */
bool marker_ring_write(const struct marker_rings *rings, u32 id, void *payload,
		       u32 size, unsigned int flags);

/* Can threads of this process do without locks? */
bool marker_rseq_works(void);

/* The calling thread's id.  The child of a fork forgets the cached id. */
u32 marker_tid(void);
void marker_tid_forget(void);

void marker_ring_init(const struct marker_rings *rings, u32 number,
		      enum kt_mode mode, u64 trace_id);

/*
 * For one reader.  Its copy has the form that it has on disk: @packet has
 * KT_PACKET_SIZE bytes, of which @size are used.
 * 1: the oldest unread packet was read and given back.
 * 0: there is none.
 * -ESTALE: it was overwritten meanwhile; there is a newer one.
 */
int marker_ring_read(const struct marker_rings *rings, u32 number, void *packet,
		     u32 *size);
/*
 * The same for the open packet, which stays as it is.  Only when there are no
 * writers any more.
 */
int marker_ring_read_open(const struct marker_rings *rings, u32 number,
			  void *packet, u32 *size);
/* The number of the open packet. */
u64 marker_ring_open(const struct marker_rings *rings, u32 number);

#endif /* KT_MARKER_SHARED_H */
