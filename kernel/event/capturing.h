/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sessions capture: the programs (core/capture.h) that they have attached to
 * events.  An event with a program has fields of its own in that session.
 */
#ifndef KT_KERNEL_EVENT_CAPTURING_H
#define KT_KERNEL_EVENT_CAPTURING_H

#include "buffer.h"
#include "capture.h"
#include "event.h"
#include "gate.h"
#include "base/memory.h"

/* Constant once it is made. */
struct kt_capturing {
	struct kt_class class; /* the event's, with the program's fields */
	u32 own_size;	       /* of the event's own part of a payload */
	u32 frame_size;	       /* that a run may need */
	char *text;	       /* as written */
	struct kt_capture program;
};

/*
 * A run of a program, on the scratch area of the CPU: how much is to be recorded is
 * known only at the end, and the stack has no room for it.
 */
struct kt_capture_frame {
	struct kt_ring *ring;
	const struct kt_gate *gate;
	u32 reader; /* who was interrupted */
	u64 arguments[KT_CAPTURE_ARGUMENTS];
	u8 payload[];
};

/*
 * Reading memory may fault, and the fault has tracepoints (page_fault_kernel) before
 * anybody mends it.  A program there that reads the same address would fault again, and
 * so on to the end of the stack.  So in each context only one program reads at a time,
 * of all sessions: what is hit by its doing is lost (KT_LOST_RECURSION).  Interrupts of
 * another kind may read meanwhile.
 *
 * Other probes need no such guard, and do without its instructions: they store what the
 * tracepoint was given, into memory that is always mapped, and call nobody but
 * irq_work_queue() once for each packet, which does nothing the second time.
 *
 * preempt_count() of who reads on this CPU, with bit 0 set; 0: nobody.
 */
DECLARE_PER_CPU(u32, kt_capture_reader);

bool kt_capture_interrupts(u32 reader);

/* More than this the compiler's memcpy() does better. */
#define KT_CAPTURE_COPY_MAX 256

/* By units of the ring: up to the next one, bytes behind @from + @size are zeroed. */
static __always_inline void kt_capture_copy(void *to, void *from, u32 size)
{
	size_t left = ALIGN(size, KT_UNIT);

	memset(from + size, 0, KT_UNIT);
	if (unlikely(size > KT_CAPTURE_COPY_MAX)) {
		memcpy(to, from, left);
		return;
	}
	if (left & 4) {
		left -= 4;
		*(u32 *)(to + left) = *(u32 *)(from + left);
	}
	if (left & 8) {
		left -= 8;
		*(u64 *)(to + left) = *(u64 *)(from + left);
	}
	while (left) {
		left -= 16;
		*(u64 *)(to + left) = *(u64 *)(from + left);
		*(u64 *)(to + left + 8) = *(u64 *)(from + left + 8);
	}
}

void kt_capture_end_slow(struct kt_enabled *enabled,
			 struct kt_capture_frame *frame, u32 size);

/*
 * What a probe calls, with preemption off (kt_probe_enter).  False: nothing is to be
 * recorded.  Otherwise the caller fills in the arguments, all of them, and the
 * payload as far as it is the event's own, and ends it, come what may; of the bytes
 * behind, sizeof(u64) may be written too.  The end returns which fields could not be
 * read, a bit for each.
 */
static __always_inline bool kt_capture_begin(struct kt_enabled *enabled,
					     struct kt_capture_frame **begun)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);
	struct kt_ring *ring = this_cpu_ptr(enabled->rings);
	u32 reader = this_cpu_read(kt_capture_reader);
	struct kt_capture_frame *frame;

	if (gate && !kt_gate_admits(gate))
		return false;
	if (unlikely(reader) && !kt_capture_interrupts(reader)) {
		env_add_local(&ring->control->lost[KT_LOST_RECURSION], 1);
		return false;
	}
	frame = kt_scratch_take(ring->owner, enabled->capturing->frame_size);
	if (unlikely(!frame)) {
		env_add_local(&ring->control->lost[KT_LOST_NESTED], 1);
		return false;
	}
	frame->ring = ring;
	frame->gate = gate;
	frame->reader = reader;
	*begun = frame;
	return true;
}

static __always_inline u16 kt_capture_end(struct kt_enabled *enabled,
					  struct kt_capture_frame *frame)
{
	u32 own_size = enabled->capturing->own_size, size;
	struct kt_record record;
	struct kt_ring *ring;
	void *slot;
	u16 unread;
	u64 head;

	this_cpu_write(kt_capture_reader, preempt_count() | 1);
	size = kt_capture_run(&enabled->capturing->program, frame->arguments,
			      frame->payload, own_size);
	this_cpu_write(kt_capture_reader, frame->reader);
	ring = frame->ring;
	head = READ_ONCE(ring->head); /* before the clock */
	if (likely(!frame->gate) && static_branch_likely(&kt_clock_tsc) &&
	    likely(kt_ring_try_reserve(ring, &record, head, rdtsc(),
				       enabled->id, size, KT_RECORD_DYNAMIC,
				       &slot))) {
		kt_capture_copy(slot, frame->payload, size);
		kt_ring_commit(ring, &record);
	} else {
		kt_capture_end_slow(enabled, frame, size);
	}
	unread = kt_capture_unread(frame->payload, own_size);
	kt_scratch_give(ring->owner, frame);
	return unread;
}

/*
 * The common case in a system call: all there is to capture is a string of the program,
 * and it is there as a whole.  Only the string takes the way over the scratch area, because
 * how long it is must be known before there is a record.  False: nothing has happened, and
 * kt_capture_begin() reads what there is anew.
 */
static __always_inline bool kt_capture_try_string(
	const struct kt_capturing *capturing, struct kt_buffer *buffer,
	u64 address, void **text, u32 *size)
{
	u32 max = capturing->program.string_max;
	long length;

	if (unlikely(!address) || unlikely(this_cpu_read(kt_capture_reader)))
		return false;
	if (unlikely(!kt_scratch_try_take(buffer, capturing->frame_size, text)))
		return false;
	env_poison(*text, capturing->frame_size);
	/* A task's, with nothing above it. */
	this_cpu_write(kt_capture_reader, 1);
	length = kt_user_string(*text, address, max);
	this_cpu_write(kt_capture_reader, 0);
	if (unlikely((unsigned long)length >= max)) {
		kt_scratch_give(buffer, *text);
		return false;
	}
	*size = length + 1;
	return true;
}

void kt_capturing_free(struct kt_capturing *capturing);

/* The fields that the event has in a session; @enabled may be NULL. */
const struct kt_class *kt_capture_class(const struct kt_entry *entry,
					const struct kt_enabled *enabled);

#endif /* KT_KERNEL_EVENT_CAPTURING_H */
