// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs capture programs in probes, and describes the fields that they add to an event.
 * session/captures.c makes the programs.
 */
#include <linux/export.h>
#include <linux/slab.h>

#include "buffer.h"
#include "capturing.h"
#include "gate.h"
#include "registry.h"
#include "stack.h"

/* ---- what probes call ----------------------------------------------------- */

DEFINE_PER_CPU(u32, kt_capture_reader);
EXPORT_PER_CPU_SYMBOL_GPL(kt_capture_reader);

/* A context can interrupt those with lower numbers. */
static unsigned int context_of(u32 count)
{
	if (count & NMI_MASK)
		return 3;
	if (count & HARDIRQ_MASK)
		return 2;
	/* This bit is set in a softirq, but not where softirqs are only disabled. */
	return count & SOFTIRQ_MASK & SOFTIRQ_OFFSET ? 1 : 0;
}

/* Has this context interrupted that of @reader?  If not, the reader itself caused this hit. */
bool kt_capture_interrupts(u32 reader)
{
	return context_of(preempt_count()) > context_of(reader);
}
EXPORT_SYMBOL_GPL(kt_capture_interrupts);

/* The locations are behind the two masks (core/capture.h). */
static void locations_move(const struct kt_stacking *stacking,
			   const struct kt_capturing *capturing, void *payload)
{
	kt_stack_locations_move(stacking,
				payload + capturing->own_size + 2 * sizeof(u16),
				capturing->program.nr_fields);
}

/* All but the common case: checks the gate, if there is one, and records. */
void kt_capture_end_slow(struct kt_enabled *enabled,
			 const struct kt_capturing *capturing,
			 struct kt_capture_frame *frame, u32 size)
{
	struct kt_ring *ring = frame->ring;
	const struct kt_buffer *buffer = ring->owner;
	struct kt_record record;
	void *slot;

	if (frame->gate &&
	    !kt_gate_judges(frame->gate, frame->payload, size, buffer->cpu))
		return;
	if (frame->gate && frame->gate->stacking) {
		/* Those of the event's own program are fields of its class. */
		if (capturing != enabled->capturing)
			locations_move(frame->gate->stacking, capturing,
				       frame->payload);
		kt_stack_write(frame->gate->stacking, ring, enabled->id,
			       frame->payload, size, KT_RECORD_DYNAMIC);
		return;
	}
	slot = kt_ring_reserve(ring, &record, enabled->id, size,
			       KT_RECORD_DYNAMIC);
	if (slot) {
		kt_capture_copy(slot, frame->payload, size);
		kt_ring_commit(ring, &record);
	}
}
EXPORT_SYMBOL_GPL(kt_capture_end_slow);

/* core/capture.c */
EXPORT_SYMBOL_GPL(kt_capture_run_any);

/* ---- fields --------------------------------------------------------------- */

const struct kt_class *kt_capture_class(const struct kt_entry *entry,
					const struct kt_enabled *enabled)
{
	return enabled && enabled->capturing ? &enabled->capturing->class
					     : entry->event->class;
}

/* The event's own fields come first and are not ours: free only those behind them. */
void kt_capturing_free(struct kt_capturing *capturing)
{
	const struct kt_class *class;
	u16 i;

	if (!capturing)
		return;
	class = &capturing->class;
	for (i = class->nr_fields - capturing->program.nr_fields;
	     class->fields && i < class->nr_fields; i++) {
		kfree(class->fields[i].type);
		kfree(class->fields[i].name);
	}
	kfree(class->fields);
	kfree(capturing->text);
	kfree(capturing);
}
EXPORT_SYMBOL_GPL(kt_capturing_free);
