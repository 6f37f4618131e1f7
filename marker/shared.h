/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring of programs: packets and records as in the kernel's (uapi/ktrace.h), but
 * in memory that processes share, any of which may be killed between two
 * instructions, or lose its CPU to another.
 *
 * Nobody reserves.  A writer puts its record together on its stack, copies it to
 * where head points, and moves head behind it with the last instruction; until then
 * nothing has happened.  That this is not disturbed is a promise of the kernel's
 * restartable sequences (rseq(2)): if the thread is preempted, migrated or gets a
 * signal before that last instruction, it goes back to the begin.  So there are no
 * commits, no holes, and whoever is killed has written either all of a record or
 * nothing.
 *
 *	head	epoch and position, as in core/ring.h
 *	events	how many there are in front of it, the lower half
 *	tid	who wrote the last of them
 *
 * change together, by one store of 16 bytes.  An instruction is executed or not, so
 * that whoever comes next on this CPU finds all of it or nothing.  Other CPUs look at
 * head alone, which is 8 bytes, while there are writers.
 *
 * A writer that finds another's tid writes a record KT_ID_SWITCH first, with its own.
 *
 * A packet is opened by a writer for which there is no room in the one before it:
 * the header is just a part of what it copies.  How long a packet is, is in the one
 * after it (@lost_recursion, of which programs have none), and who copies packets to a
 * file puts it where it belongs.
 * The open packet can be copied as well, up to head.
 *
 * Where the kernel or the C library has no rseq, a lock takes its place, in rings
 * of their own.  A holder that died before it moved head has changed nothing, so
 * its lock is taken from it.  A signal handler that finds its own thread in the ring
 * takes the next one.  Times in such a ring are read on different CPUs, and before the
 * lock is taken, as far as the processor is concerned: one that lies before that of the
 * last record is set to it.
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

/* Changes as one: see above. */
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
	u64 time; /* of the last record: with a lock; or where time stands still */
	u8 pad2[32];
};

_Static_assert(sizeof(struct marker_ring) == 256, "shared layout");

/* In front of a payload: what a writer may have to put there. */
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
	 * Gets ring @number its memory.  Few programs need a lock, so a recorder leaves
	 * that to them; touching it without could end a program.  NULL: all have it.
	 */
	int (*furnish)(const struct marker_rings *rings, u32 number);
	/* The clock: CLOCK_MONOTONIC, else the time stamp counter. */
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
 * Writes a record of @size bytes at @payload, in front of which there are
 * MARKER_PREFIX_ROOM bytes to use.  False: it is lost, and counted.
 */
bool marker_ring_write(const struct marker_rings *rings, u32 id, void *payload,
		       u32 size, unsigned int flags);

/* Can threads here do without locks? */
bool marker_rseq_works(void);

/* Of the thread that calls.  The child of a fork forgets it. */
u32 marker_tid(void);
void marker_tid_forget(void);

void marker_ring_init(const struct marker_rings *rings, u32 number,
		      enum kt_mode mode, u64 trace_id);

/*
 * For one reader, whose copy of a packet is as it shall be on disk: @packet has
 * KT_PACKET_SIZE bytes, of which @size are used.
 * 1: the oldest unread packet was read and given back.
 * 0: there is none.
 * -ESTALE: it was overwritten meanwhile; there is a newer one.
 */
int marker_ring_read(const struct marker_rings *rings, u32 number, void *packet,
		     u32 *size);
/* The same with the open packet, which stays as it is; when nobody writes any more. */
int marker_ring_read_open(const struct marker_rings *rings, u32 number,
			  void *packet, u32 *size);
/* The number of the open packet. */
u64 marker_ring_open(const struct marker_rings *rings, u32 number);

#endif /* KT_MARKER_SHARED_H */
