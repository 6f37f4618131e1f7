/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as sources see them: what an event is, and how it is registered.  write.h says how
 * a probe writes one.
 *
 *	kt_event	what an event is: name, fields, probe.  Static in a probe
 *			module, or made at run time.
 *	kt_enabled	an event that a session has enabled: the probe's data.
 *			A probe is attached once for each session, so it never
 *			loops over sessions.
 *	kt_capturing	what a session copies from the memory that the arguments
 *			point to (capturing.h)
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

struct kt_capturing;
struct kt_enabled;
struct kt_entry;
struct kt_gate;
struct kt_session;

/*
 * One field, as tracefs describes it: @type is the C type as written ("char[16]",
 * "__data_loc char[]"), @offset counts from the start of the payload.
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
	u16 size; /* of the fixed part of the payload */
	u16 short_size; /* of its short form, which has an id of its own; 0: has none */
	bool dynamic;	/* the fixed part is followed by __data_loc data */
	bool captures;	/* its probe runs capture programs */
	bool unlocked;	/* its probe runs without any lock held */
	bool raw;	/* its fields are the raw arguments */
	bool stackless; /* its probe cannot record stacks */
	bool returned;	/* its stacks begin with a function that has returned */
	bool program; /* its probe is in programs: nothing of the kernel is read for it */
	/*
	 * Where its probe has the arguments of capture programs: see
	 * kt_capture_place().  NULL: the probe copies them.
	 */
	const u8 *arguments;
	void *probe; /* void (*)(struct kt_enabled *, tracepoint's arguments) */
	const char *print;
};

/*
 * The source fills it in; it must not change while it is registered.  Only the last field
 * belongs to the registry (kernel/event/registry.c).
 */
struct kt_event {
	const char *system;
	const char *name;
	const char *
		point; /* one of its source's points; NULL: the source has none */
	const char *module; /* of the point; NULL: any of the kernel's own */
	const struct kt_class *class;
	const char *print; /* NULL: the class's */
	struct kt_source *source;
	struct module *owner;
	bool stops; /* at an instruction: its stacks begin there, not behind a call */
	bool program; /* in a program: the kernel's stack has no frames */

	struct kt_entry *entry; /* NULL: not registered, or refused */
};

/*
 * A set of events that come and go together; embedded in a probe module.  Registering
 * checks names and layouts; a bad event is logged and skipped.
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
 * An event that has an id in a session, because it was enabled there or got a filter or a
 * capture program.  It is the data of its probe, so it is freed only when no probe can run
 * any more (tracepoint_synchronize_unregister).
 *
 * Probes read rings, id, direct, gate, capturing and state.  rings changes under kt_mutex while
 * probes run (kt_ring_here()).  gate is replaced under kt_mutex and freed after an RCU grace
 * period; probes read it with preemption off.  capturing changes only while the event is not
 * wanted, state only before it is attached.  All other fields are protected by kt_mutex.
 */
struct kt_enabled {
	struct kt_ring __percpu *rings;
	u32 id;
	bool wanted;   /* in its enabled file; pins the probe's module */
	bool attached; /* wanted, and the session is enabled */
	u8 direct; /* true: no gate, and an id for compact headers (gate.h) */
	struct kt_gate *gate;		/* NULL: record every hit */
	struct kt_capturing *capturing; /* NULL: nothing */

	void *state; /* what the source keeps for this session */

	struct kt_event *event;
	struct kt_session *session;
	char *filter_text; /* the gate's filter; NULL: none */
};

/*
 * Most records of some events have zeros behind their first bytes.  They are written without
 * these, in the event's short form, with the id that follows the event's own.
 */
static inline u32 kt_class_ids(const struct kt_class *class)
{
	return class->short_size ? 2 : 1;
}

/*
 * The ring for a hit of the event; with preemption off.  The next call may return another one: until
 * all events of a batch are attached, they have rings that take nothing.  So what is taken from a
 * ring, or its buffer, must be given back to that one.
 */
static __always_inline struct kt_ring *kt_ring_here(
	const struct kt_enabled *enabled)
{
	return this_cpu_ptr(READ_ONCE(enabled->rings));
}

/* A probe reads nothing else of a session.  kmalloc() aligns it to a cache line. */
static_assert(sizeof(struct kt_enabled) <= 64);

#endif /* KT_KERNEL_EVENT_H */
