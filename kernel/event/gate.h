/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions: which hits of an event a session records.
 *
 *	filter		an expression over the event's fields (core/filter.h)
 *	pids		processes, for all events of a session; children that
 *			they fork are added
 *
 * An event without any has no gate, and its probe writes straight into the ring.
 * session/condition.c has the files that say which they are.
 */
#ifndef KT_KERNEL_EVENT_GATE_H
#define KT_KERNEL_EVENT_GATE_H

#include <linux/sched.h>

#include "buffer.h"
#include "compat/compat.h"
#include "event.h"

struct kt_filter_error;
struct predicate;

/*
 * What is asked before an event is recorded (gate.c).  First who runs: that needs no
 * payload.  pids has one bit for each process there can be.
 */
struct kt_gate {
	struct rcu_head rcu;
	struct kt_enabled *enabled;
	const unsigned long *pids;   /* NULL: all; may change */
	struct predicate *predicate; /* NULL: all */
};

static __always_inline bool kt_gate_admits(const struct kt_gate *gate)
{
	const unsigned long *pids = READ_ONCE(gate->pids);

	return !pids || test_bit(current->tgid, pids);
}

/*
 * The way of an event with conditions that admit who runs: the payload is put together
 * on the scratch area, judged, and copied if it passes.  NULL: there is no room.
 */
void *kt_gate_lose(struct kt_ring *ring, u32 size);
void kt_gate_end(const struct kt_gate *gate, struct kt_buffer *buffer,
		 void *payload, u32 size, unsigned int flags);

static __always_inline void *kt_gate_begin(struct kt_ring *ring, u32 size)
{
	void *payload = NULL;

	if (likely(size <= KT_PAYLOAD_MAX))
		payload =
			kt_scratch_take(ring->owner, ALIGN(size, sizeof(u64)));
	return likely(payload) ? payload : kt_gate_lose(ring, size);
}

/* Its common case, which calls nobody.  False: nothing has happened. */
static __always_inline bool kt_gate_try_begin(struct kt_buffer *buffer,
					      u32 size, void **payload)
{
	return !static_branch_unlikely(&kt_poison_on) &&
	       likely(size <= KT_PAYLOAD_MAX) &&
	       kt_scratch_try_take(buffer, ALIGN(size, sizeof(u64)), payload);
}

/* For who does not write by way of kt_write_begin(): does the payload pass? */
bool kt_gate_judges(const struct kt_gate *gate, const void *payload, u32 size,
		    unsigned int cpu);

/*
 * What follows is called under kt_mutex.
 *
 * A filter over the fields of @class; freed by kfree(), unless a gate took it over.
 */
int kt_predicate_make(struct predicate **made, const struct kt_class *class,
		      const char *text, struct kt_filter_error *error);
/* Replaces the event's gate by one of these, or none; takes @predicate over. */
int kt_gate_replace(struct kt_enabled *enabled, const unsigned long *pids,
		    struct predicate *predicate);
/* One that lets all pass. */
int kt_gate_create(struct kt_enabled *enabled);
/* The event is not attached any more. */
void kt_gate_drop(struct kt_enabled *enabled);

#endif /* KT_KERNEL_EVENT_GATE_H */
