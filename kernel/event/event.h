/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as sources see them: what an event looks like, and how it is made known.  How a
 * probe writes one is in write.h.
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

struct kt_capturing;
struct kt_enabled;
struct kt_entry;
struct kt_gate;
struct kt_session;

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
	bool wanted;   /* the event's enabled file; pins the probe's module */
	bool attached; /* wanted, and the session is enabled */
	struct kt_gate *gate;		/* NULL: record every hit */
	struct kt_capturing *capturing; /* NULL: nothing */

	void *state; /* its source's, for this session */

	struct kt_event *event;
	struct kt_session *session;
	char *filter_text; /* of the gate; NULL: no filter */
};

/* One cache line, as kmalloc() aligns it: it is all that a probe reads of a session. */
static_assert(sizeof(struct kt_enabled) <= 64);

#endif /* KT_KERNEL_EVENT_H */
