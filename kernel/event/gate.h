/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions: which hits of an event a session records.
 *
 *	filter		an expression over the event's fields (core/filter.h)
 *	pids		processes, for all events of a session; children that
 *			they fork are added
 *
 * An event without conditions has no gate, and its probe writes straight into the ring.  An
 * event that is recorded with its stack (stack.h) has one, because the record is longer.
 * session/condition.c has the files by which users set them.
 */
#ifndef KT_KERNEL_EVENT_GATE_H
#define KT_KERNEL_EVENT_GATE_H

#include <linux/sched.h>

#include "buffer.h"
#include "compat/compat.h"
#include "event.h"
#include "filter.h"

struct kt_stacking;

struct predicate {
	struct rcu_head rcu;
	struct kt_filter filter;
};

/*
 * What must hold for a hit to be recorded (gate.c).  The process is checked first, because
 * that needs no payload.  pids has one bit for each possible process.
 */
struct kt_gate {
	struct rcu_head rcu;
	struct kt_enabled *enabled;
	const unsigned long *pids;   /* NULL: all; bits may change */
	struct predicate *predicate; /* NULL: all */
	struct kt_stacking
		*stacking; /* NULL: no stack; changes while not attached */
};

/* Are there hits that it refuses? */
static inline bool kt_gate_refuses_any(const struct kt_gate *gate)
{
	return gate && (gate->pids || gate->predicate);
}

static __always_inline bool kt_gate_admits(const struct kt_gate *gate)
{
	const unsigned long *pids = READ_ONCE(gate->pids);

	return !pids || test_bit(current->tgid, pids);
}

/*
 * If the process is admitted, the payload is built in the scratch area.  Then it is checked
 * against the filter, and copied if it passes.  kt_gate_count_loss() counts a loss
 * and returns NULL.
 */
void *kt_gate_count_loss(struct kt_ring *ring, u32 size);
void kt_gate_end(const struct kt_gate *gate, struct kt_buffer *buffer,
		 void *payload, u32 size, unsigned int flags);

static __always_inline void *kt_gate_begin(struct kt_ring *ring, u32 size)
{
	void *payload = NULL;

	if (likely(size <= KT_PAYLOAD_MAX))
		payload =
			kt_scratch_take(ring->owner, ALIGN(size, sizeof(u64)));
	return likely(payload) ? payload : kt_gate_count_loss(ring, size);
}

/* The common case, which calls no function.  False: nothing has happened. */
static __always_inline bool kt_gate_try_begin(struct kt_buffer *buffer,
					      u32 size, void **payload)
{
	return !static_branch_unlikely(&kt_poison_on) &&
	       likely(size <= KT_PAYLOAD_MAX) &&
	       kt_scratch_try_take(buffer, ALIGN(size, sizeof(u64)), payload);
}

/*
 * Does the filter refuse the event because of numbers alone, all of which are in the fixed
 * part of the payload?  False: kt_gate_end() says.
 */
static __always_inline bool kt_gate_refuses(const struct kt_gate *gate,
					    const void *payload)
{
	return gate->predicate &&
	       kt_filter_run_numbers(&gate->predicate->filter, payload) ==
		       KT_FILTER_NO;
}

/* For probes that do not use kt_write_begin(): does the payload pass the filter? */
bool kt_gate_judges(const struct kt_gate *gate, const void *payload, u32 size,
		    unsigned int cpu);

/*
 * The functions below are called under kt_mutex.
 *
 * Makes a filter over the fields of @class.  It is freed by kfree(), unless a gate owns it.
 */
int kt_predicate_make(struct predicate **made, const struct kt_class *class,
		      const char *text, struct kt_filter_error *error);
/*
 * Replaces the event's gate; both NULL: by none, unless it has stacks.  The gate owns
 * @predicate.
 */
int kt_gate_replace(struct kt_enabled *enabled, const unsigned long *pids,
		    struct predicate *predicate);
/*
 * To be called when the event's id or gate has changed.  Sets `direct', so that a probe asks
 * only once whether it may write straight into the ring with a compact header.
 */
void kt_enabled_direct(struct kt_enabled *enabled);
/* Makes a gate that admits everything. */
int kt_gate_create(struct kt_enabled *enabled);
/*
 * The event has a gate and is not attached.  The gate owns @stacking; NULL: records no
 * stacks any more.
 */
void kt_gate_stack(struct kt_enabled *enabled, struct kt_stacking *stacking);
/* Frees the gate.  The event must not be attached any more. */
void kt_gate_drop(struct kt_enabled *enabled);

#endif /* KT_KERNEL_EVENT_GATE_H */
