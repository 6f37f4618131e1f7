/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buffers of a session: a ring for each CPU, and the files that show them.
 *
 *	kt_buffers	all of one session
 *	 rings[cpu]	what writers use; per-CPU memory that lives as long as the
 *			session
 *	 cpus[cpu]	struct kt_buffer: the ring's memory and its reader's side
 *
 * A CPU's buffer is made when the session is first enabled or the CPU's file is first
 * opened.  Once the session has started, a CPU that comes up gets its buffer before.  The
 * buffer stays if the CPU goes away, until the mode or size changes or the session ends.
 * CPUs that are not wanted have no buffer; their writers meet a ring that takes nothing.
 *
 * Locks, in this order:
 *	kt_mutex		changes of mode and size; start, reset
 *	cpu_hotplug_lock	while CPUs come and go
 *	kt_buffers.lock		cpus[], opens, owner
 *	kt_buffer.lock		the consumer; resetting; flushing
 * An open file keeps its session and all of its buffers: while opens is not zero, no memory
 * is freed, and cpus[] of an open CPU does not change.
 */
#ifndef KT_KERNEL_EVENT_BUFFER_H
#define KT_KERNEL_EVENT_BUFFER_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "ring.h"

struct seq_file;

#define KT_BUFFER_DEFAULT (4u << 20)

/*
 * The scratch area, in which records with conditions or captures are built before they are
 * written to the ring.  It is a stack, because contexts that interrupt each other nest.
 * The largest record always fits.
 */
#define KT_SCRATCH_SIZE (2 * KT_PACKET_SIZE)

struct kt_buffer {
	struct kt_ring *ring;
	void *memory; /* control page, then the packets: what is mapped */
	struct page **pages;
	unsigned long nr_pages;
	u64 *marks; /* the ring's, of each packet */
	void *scratch;
	void *scratch_next; /* the free part is from here to scratch_end */
	void *scratch_end;
	unsigned int cpu;

	struct mutex lock;
	wait_queue_head_t readers;
	struct irq_work wake;
};

/*
 * The TSC as a stamp, after a test that it is the trace's clock.  A u64 of it would have to
 * be put together first, and taken apart again.
 */
static __always_inline struct kt_stamp kt_stamp_tsc(void)
{
	struct kt_stamp stamp;

	asm volatile("rdtsc\n"
		     "	shldl %[bits], %%eax, %%edx\n"
		     "	imull %[scale], %%eax, %[low]"
		     : "=&d"(stamp.epoch), [low] "=r"(stamp.low)
		     : [bits] "i"(KT_ID_BITS), [scale] "i"(1 << KT_ID_BITS)
		     : "eax", "cc");
	return stamp;
}

/*
 * Takes the next @size bytes of the scratch area (a multiple of 8, below 4 GiB), and sets
 * *@place.  False: there is no room.  An interrupt may take what follows, but gives it back
 * before it returns, so no atomic operation is needed.
 */
static __always_inline bool kt_scratch_try_take(struct kt_buffer *buffer,
						size_t size, void **place)
{
	*place = READ_ONCE(buffer->scratch_next);
	if (unlikely(*place + size > buffer->scratch_end))
		return false;
	WRITE_ONCE(buffer->scratch_next, *place + size);
	return true;
}

/* NULL: there is no room. */
static __always_inline void *kt_scratch_take(struct kt_buffer *buffer,
					     size_t size)
{
	void *place;

	if (unlikely(!kt_scratch_try_take(buffer, size, &place)))
		return NULL;
	env_poison(place, size);
	return place;
}

static __always_inline void kt_scratch_give(struct kt_buffer *buffer,
					    void *place)
{
	/* First finish all reads of it: an interrupt may use the place at once. */
	barrier();
	WRITE_ONCE(buffer->scratch_next, place);
}

/*
 * Rings that take nothing, and have no scratch area: those of an event until all of its batch are
 * attached (session/control.c), and of CPUs that are not wanted.  They count what they lose, but
 * nobody is shown that.
 */
struct kt_ring __percpu *kt_rings_closed(void);

struct kt_buffers {
	struct kt_ring __percpu *rings;
	struct kt_buffer **cpus; /* NULL: none yet */
	/* The other CPUs have closed rings, and never a buffer. */
	cpumask_var_t wanted;
	enum kt_mode mode;
	u32 packets;
	u64 trace_id;

	struct mutex lock;
	unsigned int opens;
	pid_t owner; /* the process (tgid) that has files open */
	struct hlist_node hotplug;
	bool started; /* hotplug is linked */
};

int kt_buffer_init(void);
void kt_buffer_exit(void);

int kt_buffers_init(struct kt_buffers *buffers);
void kt_buffers_exit(struct kt_buffers *buffers);
int kt_buffers_start(struct kt_buffers *buffers);
void kt_buffers_reset(struct kt_buffers *buffers);
int kt_buffers_change(struct kt_buffers *buffers, enum kt_mode mode,
		      u32 packets, const struct cpumask *wanted);
/* Is a file open in a process other than @but (a tgid; 0: in any)? */
bool kt_buffers_busy(struct kt_buffers *buffers, pid_t but);

void kt_buffers_show(struct seq_file *m, struct kt_buffers *buffers);

/* For the files (tree/buffer_file.c). */
int kt_buffer_open(struct kt_buffers *buffers, unsigned int cpu);
void kt_buffer_release(struct kt_buffers *buffers);
/* Closes the packet that is being written, if it holds any record. */
int kt_buffer_flush(struct kt_buffer *buffer);
/* Gives back the packets before number @seq. */
int kt_buffer_consume(struct kt_buffer *buffer, u64 seq);

static inline size_t kt_buffer_bytes(const struct kt_buffers *buffers)
{
	return (size_t)buffers->packets << KT_PACKET_SHIFT;
}

#endif /* KT_KERNEL_EVENT_BUFFER_H */
