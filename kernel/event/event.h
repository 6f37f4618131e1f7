/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as sources see them: what an event looks like, how it is made known,
 * and how a probe writes one.
 *
 *	kt_event	what an event is: name, fields, probe.  Static in a probe
 *			module, or made at run time.
 *	kt_enabled	an event that a session has enabled: the probe's data.
 *			A probe is attached once for each session, so it never
 *			loops over sessions.
 *	kt_capturing	what a session copies, beside the arguments, from the
 *			memory that they point to (capture.c)
 */
#ifndef KT_KERNEL_EVENT_H
#define KT_KERNEL_EVENT_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/tracepoint.h>

#include "buffer.h"
#include "compat/compat.h"
#include "ring.h"
#include "source.h"

/* Not to be zeroed by the compiler, as the kernel otherwise has it do. */
#if __has_attribute(__uninitialized__)
#define __kt_uninitialized __attribute__((__uninitialized__))
#else
#define __kt_uninitialized
#endif

struct kt_capturing;
struct kt_enabled;
struct kt_entry;
struct kt_session;
struct predicate;

/*
 * One field, as tracefs would describe it: @type is the C type as written
 * ("char[16]", "__data_loc char[]"), @offset counts from the payload's begin.
 */
struct kt_field {
	const char *type;
	const char *name;
	u16 offset;
	u16 size;
	u16 len; /* elements, if it is an array: tracefs shows this number */
	bool is_signed;
};

/* A name that a print format uses for a constant (TRACE_DEFINE_ENUM). */
struct kt_constant {
	const char *system;
	const char *name;
	s64 value;
};

/* What events of one TRACE_EVENT class share. */
struct kt_class {
	const struct kt_field *fields;
	u16 nr_fields;
	u16 size;      /* of the fixed part of the payload */
	bool dynamic;  /* the fixed part is followed by __data_loc data */
	bool captures; /* its probe runs capture programs */
	bool unlocked; /* nobody holds a lock where its probe runs */
	bool raw; /* its fields are arguments, as whoever defined it has them */
	void *probe; /* void (*)(struct kt_enabled *, tracepoint's arguments) */
	const char *print;
};

/*
 * All is the source's and constant while registered, but for the last field,
 * which belongs to the registry (kernel/event/registry.c).
 */
struct kt_event {
	const char *system;
	const char *name;
	const char *tracepoint; /* its name; NULL: the source's have none */
	const char
		*module; /* that has it, "vmlinux"; NULL: one of the kernel's */
	const struct kt_class *class;
	const char *print; /* NULL: the class's */
	struct kt_source *source;
	struct module *owner;

	struct kt_entry *entry; /* NULL: not registered, or refused */
};

/*
 * A set of events that comes and goes together; embedded in a probe module.
 * Registering checks names and layouts; a bad event is logged and skipped.
 */
struct kt_event_set {
	struct module *owner;
	struct kt_event *const *events;
	size_t nr_events;
	const struct kt_constant *const *constants;
	size_t nr_constants;
};

int kt_events_register(struct kt_event_set *set);
void kt_events_unregister(struct kt_event_set *set);

/*
 * Address of a kernel symbol that is not exported, 0 if there is none.  Text
 * addresses are for static_call_update() only: calling them indirectly faults
 * where IBT is on.
 */
unsigned long kt_symbol(const char *name);

/*
 * An event that a session knows by an id, because it was enabled there or got a
 * filter.  A probe has it as its data: it is freed only after no probe can run
 * any more (tracepoint_synchronize_unregister).
 *
 * The first five fields are for probes.  gate is replaced under kt_mutex and
 * freed after an RCU grace period; probes read it with preemption off.  capturing
 * changes only while the event is not wanted, state only before it is attached.  All
 * other fields are protected by kt_mutex.
 */
struct kt_enabled {
	struct kt_ring __percpu *rings;
	u32 id;
	struct kt_gate *gate;		/* NULL: record every hit */
	struct kt_capturing *capturing; /* NULL: nothing */

	void *state; /* its source's, for this session */

	struct kt_event *event;
	struct kt_session *session;
	char *filter_text; /* of the gate; NULL: no filter */
	bool wanted;   /* the event's enabled file; pins the probe's module */
	bool attached; /* wanted, and the session is enabled */
};

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

/* A probe's run. */
struct kt_write {
	struct kt_ring *ring;
	const struct kt_gate *gate;
	struct kt_record record;
	/* With a gate. */
	void *payload;
	u32 size;
};

/*
 * Called by a probe with preemption off (kt_probe_enter).  Returns where to
 * store @size bytes, or NULL: nothing more to do.
 */
static __always_inline void *kt_write_begin(struct kt_write *w,
					    struct kt_enabled *enabled,
					    u32 size, unsigned int flags)
{
	w->gate = READ_ONCE(enabled->gate);
	w->ring = this_cpu_ptr(enabled->rings);
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
 * Before anything is computed for kt_write_try_begin(), whether it can do: else it is
 * for nothing.
 */
static __always_inline bool kt_write_may_try(const struct kt_enabled *enabled)
{
	return likely(!READ_ONCE(enabled->gate)) &&
	       static_branch_likely(&kt_clock_tsc);
}

/* Who runs is none of those that are wanted: there is nothing to do. */
static __always_inline bool kt_write_refused(const struct kt_enabled *enabled)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);

	return gate && !kt_gate_admits(gate);
}

/*
 * The common case of kt_write_begin(), as far as it can be had without calling
 * anybody: no conditions and the TSC for a clock (kt_write_may_try), room in the packet.
 * False: nothing has happened.
 */
static __always_inline bool kt_write_try_begin(struct kt_write *w,
					       struct kt_enabled *enabled,
					       u32 size, unsigned int flags,
					       void **payload)
{
	u64 head;

	w->ring = this_cpu_ptr(enabled->rings);
	head = READ_ONCE(w->ring->head);
	return kt_ring_try_reserve(w->ring, &w->record, head, rdtsc(),
				   enabled->id, size, flags, payload);
}

static __always_inline void kt_write_try_end(struct kt_write *w)
{
	kt_ring_commit(w->ring, &w->record);
}

/*
 * Before the payload is stored: records begin at multiples of a unit, and what is
 * between two must not be of an older one.
 */
static __always_inline void kt_tail_zero(void *payload, u32 size)
{
	if (size % KT_UNIT)
		*(u32 *)(payload + (size & ~(KT_UNIT - 1))) = 0;
}

#endif /* KT_KERNEL_EVENT_H */
