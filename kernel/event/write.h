/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a probe writes an event: straight into the ring or, if the event has conditions
 * or a stack, through the scratch area (gate.h).
 */
#ifndef KT_KERNEL_EVENT_WRITE_H
#define KT_KERNEL_EVENT_WRITE_H

#include <linux/percpu.h>

#include "buffer.h"
#include "compat/compat.h"
#include "event.h"
#include "gate.h"
#include "ring.h"

/* One run of a probe. */
struct kt_write {
	struct kt_ring *ring;
	const struct kt_gate *gate;
	struct kt_record record;
	/* Used only with a gate. */
	void *payload;
	u32 size;
};

/*
 * Called by a probe with preemption off (kt_probe_enter).  Returns where to store @size
 * bytes.  NULL: there is nothing to record, and kt_write_end() is not called.
 */
static __always_inline void *kt_write_begin(struct kt_write *w,
					    struct kt_enabled *enabled,
					    u32 size, unsigned int flags)
{
	w->gate = READ_ONCE(enabled->gate);
	w->ring = kt_ring_here(enabled);
	if (likely(!w->gate))
		return kt_ring_reserve(w->ring, &w->record, enabled->id, size,
				       flags);
	w->payload = NULL;
	w->size = size;
	if (kt_gate_admits(w->gate))
		w->payload = kt_gate_begin(w->ring, size);
	return w->payload;
}

static __always_inline void kt_write_end(struct kt_write *w, unsigned int flags)
{
	if (unlikely(w->gate))
		kt_gate_end(w->gate, w->ring->owner, w->payload, w->size,
			    flags);
	else
		kt_ring_commit(w->ring, &w->record);
}

/*
 * May hits of the event go straight into the ring?  Without READ_ONCE(), the compiler
 * compares the byte in memory.
 */
static __always_inline bool kt_write_is_direct(const struct kt_enabled *enabled)
{
	return likely(data_race(enabled->direct));
}

/* Can kt_write_try_begin() be used?  To be asked before anything is computed for it. */
static __always_inline bool kt_write_may_try(const struct kt_enabled *enabled)
{
	return kt_write_is_direct(enabled) &&
	       static_branch_likely(&kt_clock_tsc);
}

/* Is the running process not admitted?  Then there is nothing to do. */
static __always_inline bool kt_write_refused(const struct kt_enabled *enabled)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);

	return gate && !kt_gate_admits(gate);
}

/*
 * What the fast path needs to its end goes to registers that have no argument of a probe.
 * Left to itself, the compiler takes those of the first arguments, and moves these away.
 */
#define kt_keep_in(name, value)                                    \
	({                                                         \
		typeof(value) __value = (value);                   \
		register typeof(value) __kept asm(name) = __value; \
                                                                   \
		asm("" : "+r"(__kept));                            \
		__kept;                                            \
	})

/*
 * The common case of kt_write_begin(), which calls no function.  To be called only after
 * kt_write_may_try().  False: the record does not fit into the packet, and nothing has
 * happened.
 */
static __always_inline bool kt_write_try_begin(struct kt_write *w,
					       struct kt_enabled *enabled,
					       u64 size, unsigned int flags,
					       void **payload)
{
	u64 head;

	w->ring = kt_keep_in("r11", kt_ring_here(enabled));
	head = kt_keep_in("r10", READ_ONCE(w->ring->head));
	/* The id does not change while probes run. */
	return kt_ring_try_reserve_compact(w->ring, &w->record, head,
					   kt_stamp_tsc(), &enabled->id, size,
					   flags, payload);
}

/* The same for the event's short form, of @size bytes. */
static __always_inline bool kt_write_try_begin_short(struct kt_write *w,
						     struct kt_enabled *enabled,
						     u32 size, void **payload)
{
	if (!kt_write_try_begin(w, enabled, size, 0, payload))
		return false;
	((u32 *)*payload)[-1]++; /* the header: its low bits are the id */
	return true;
}

static __always_inline void kt_write_try_end(struct kt_write *w)
{
	kt_ring_commit(w->ring, &w->record);
}

/*
 * To be called before the payload is stored.  Records begin at multiples of a unit; this
 * zeroes the bytes between two records, which would otherwise show old data.
 */
static __always_inline void kt_tail_zero(void *payload, u32 size)
{
	if (size % KT_UNIT)
		*(u32 *)(payload + (size & ~(KT_UNIT - 1))) = 0;
}

#endif /* KT_KERNEL_EVENT_WRITE_H */
