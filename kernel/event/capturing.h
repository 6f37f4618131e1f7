/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capture programs (core/capture.h) that sessions have attached to events.  In such a
 * session, the event has the fields of its program too.
 */
#ifndef KT_KERNEL_EVENT_CAPTURING_H
#define KT_KERNEL_EVENT_CAPTURING_H

#include "buffer.h"
#include "capture.h"
#include "event.h"
#include "gate.h"
#include "base/memory.h"
#include "base/unwind.h"

/* Does not change once it is made. */
struct kt_capturing {
	struct kt_class class; /* the event's, with the program's fields */
	u32 own_size;	       /* of the event's own part of a payload */
	u32 frame_size;	       /* scratch area that a run needs */
	char *text;	       /* as written */
	struct kt_capture program;
};

/*
 * A run of a program.  It lies on the CPU's scratch area, because the size of the record is
 * known only at the end, and the stack is too small for it.
 */
struct kt_capture_frame {
	struct kt_ring *ring;
	const struct kt_gate *gate;
	u32 reader; /* who was reading when this run began: see below */
	u64 arguments[KT_CAPTURE_ARGUMENTS]; /* for probes that copy them */
	struct kt_caller caller;	     /* kt_stack_caller() */
	u8 payload[];
};
static_assert(offsetof(struct kt_capture_frame, payload) ==
	      offsetofend(struct kt_capture_frame, caller));

/*
 * Reading memory may fault, and the page fault has tracepoints (page_fault_kernel) that
 * fire before it is handled.  If a program there read the same address, it would fault
 * again, and so on until the stack overflows.  Therefore only one program, of all sessions,
 * reads in each context (task, softirq, hardirq, NMI) at a time.  Hits that its reads cause
 * are lost (KT_LOST_RECURSION).  An interrupt of a higher context may read meanwhile.
 *
 * Other probes need no such guard and save its instructions.  They only store arguments of
 * the tracepoint into memory that is always mapped.  The only function that they call is
 * irq_work_queue(), once for each packet; a second call does nothing.
 *
 * The value is the preempt_count() of the reader on this CPU, with bit 0 set; 0: no reader.
 */
DECLARE_PER_CPU(u32, kt_capture_reader);

bool kt_capture_interrupts(u32 reader);

/* Above this size the compiler's memcpy() is faster. */
#define KT_CAPTURE_COPY_MAX 256

/* Copies whole units.  Zeroes the bytes behind @from + @size first, up to the next unit. */
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
			 const struct kt_capturing *capturing,
			 struct kt_capture_frame *frame, u32 size);

/*
 * Called by a probe with preemption off (kt_probe_enter).  False: there is nothing to
 * record.  Otherwise the caller stores the event's own part of the payload, and then must
 * call kt_capturing_end().  It may write up to sizeof(u64) bytes behind its own part.
 * kt_capturing_end() takes the arguments: the words that the class names or, if it names
 * none, a copy of all, for which the frame has room.  It returns a bit for each field that
 * could not be read.
 */
static __always_inline bool kt_capturing_begin(
	struct kt_enabled *enabled, const struct kt_capturing *capturing,
	struct kt_capture_frame **begun)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);
	struct kt_ring *ring = kt_ring_here(enabled);
	u32 reader = this_cpu_read(kt_capture_reader);
	struct kt_capture_frame *frame;

	if (gate && !kt_gate_admits(gate))
		return false;
	if (unlikely(reader) && !kt_capture_interrupts(reader)) {
		env_add_local(&ring->control->lost[KT_LOST_RECURSION], 1);
		return false;
	}
	frame = kt_scratch_take(ring->owner, capturing->frame_size);
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

static __always_inline u16 kt_capturing_end(
	struct kt_enabled *enabled, const struct kt_capturing *capturing,
	struct kt_capture_frame *frame, const u64 *arguments)
{
	u32 own_size = capturing->own_size, size;
	struct kt_record record;
	struct kt_ring *ring;
	void *slot;
	u16 unread;
	u64 head;

	this_cpu_write(kt_capture_reader, preempt_count() | 1);
	size = kt_capture_run(&capturing->program, arguments, frame->payload,
			      own_size);
	this_cpu_write(kt_capture_reader, frame->reader);
	/* Not later: who writes a stack gives the payload back. */
	unread = kt_capture_unread(frame->payload, own_size);
	ring = frame->ring;
	head = READ_ONCE(ring->head); /* before the clock */
	if (likely(!frame->gate) && static_branch_likely(&kt_clock_tsc) &&
	    likely(kt_ring_try_reserve(ring, &record, head, kt_stamp_tsc(),
				       enabled->id, size, KT_RECORD_DYNAMIC,
				       &slot))) {
		kt_capture_copy(slot, frame->payload, size);
		kt_ring_commit(ring, &record);
	} else {
		kt_capture_end_slow(enabled, capturing, frame, size);
	}
	kt_scratch_give(ring->owner, frame);
	return unread;
}

/* The same, for the program that the session has for the event. */
static __always_inline bool kt_capture_begin(struct kt_enabled *enabled,
					     struct kt_capture_frame **begun)
{
	return kt_capturing_begin(enabled, enabled->capturing, begun);
}

static __always_inline u16 kt_capture_end(struct kt_enabled *enabled,
					  struct kt_capture_frame *frame,
					  const u64 *arguments)
{
	return kt_capturing_end(enabled, enabled->capturing, frame, arguments);
}

/*
 * The common case in a system call: the program captures one string, and the string can be
 * read completely.  Only the string passes through the scratch area, because its length
 * must be known before the record is reserved.  False: nothing has happened, and the caller
 * falls back to kt_capture_begin(), which reads again.
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
	/* The reader is a task, and no interrupt: preempt_count() without context bits. */
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

/* @capturing: NULL, or made by kt_capturing_make() (session/captures.h). */
void kt_capturing_free(struct kt_capturing *capturing);

/* The fields that the event has in a session; @enabled may be NULL. */
const struct kt_class *kt_capture_class(const struct kt_entry *entry,
					const struct kt_enabled *enabled);

#endif /* KT_KERNEL_EVENT_CAPTURING_H */
