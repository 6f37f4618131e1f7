/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of events: what a session records of who called, and of the branches before.
 * session/stacks.c has the file by which users ask for them.
 *
 * An event with a stack has a gate, also if it has no conditions: so probes of events
 * without one do not ask.  When a hit has passed the gate, the id of the stack is put behind
 * the fixed part of the payload.
 */
#ifndef KT_KERNEL_EVENT_STACK_H
#define KT_KERNEL_EVENT_STACK_H

#include "base/unwind.h"
#include "event.h"

struct kt_depot;
struct predicate;

/* Of one event in a session. */
struct kt_stacking {
	struct kt_depot *depot;
	struct predicate *predicate; /* which hits have a stack; NULL: all */
	char *condition;	     /* its text */
	struct kt_hidden hidden;     /* ktrace's own frames */
	struct kt_class class; /* the event's fields with that of the stack */
	u16 own_size;	       /* the payload's fixed part */
	u16 offset; /* of the ids, behind it: branches, the kernel's, the program's */
	u16 grow;	 /* so much longer is the payload */
	u8 kinds;	 /* of enum kt_stack_kind */
	u8 branches;	 /* how many at most; 0: none */
	bool behind;	 /* in the entry of a system call */
	bool hooks_code; /* the probe tells where the kernel's begins */
	/* Not 0: the kernel's begins with what was stopped. */
	enum {
		KT_STOPPED_NOTHING,
		KT_STOPPED_ANY, /* by an interrupt */
		KT_STOPPED_PROGRAM,
	} stopped : 8;
	u8 kernel_kind; /* of those that do not */
	u16 nr_locations;
	u16 *locations; /* fields that say where in the payload data is */
};

/*
 * @class: the fields without the stack.  @kinds: KT_STACK_KERNEL, KT_STACK_USER.  @branches: how
 * many of the program's last branches, 0 to KT_BRANCHES_MAX.
 * An error pointer: -ENOMEM; -EOPNOTSUPP: there are no stacks of programs here.  It has no
 * condition; kt_stacking_free() frees one that it gets.
 */
struct kt_stacking *kt_stacking_make(struct kt_depot *depot,
				     const struct kt_class *class,
				     unsigned int kinds, unsigned int branches);
/* Can it be recorded with stacks at all? */
bool kt_stacks_are_possible(const struct kt_event *event);

/* May be NULL. */
void kt_stacking_free(struct kt_stacking *stacking);

/* To be called before the event is attached, when it has a point. */
void kt_stacking_attach(struct kt_stacking *stacking,
			const struct kt_event *event);

/*
 * Where the kernel's stack begins, if the source hooks code by itself (kt_source.hooks_code): in
 * front of the payload, which must have this room there.
 */
static __always_inline struct kt_caller *kt_stack_caller(void *payload)
{
	return (struct kt_caller *)payload - 1;
}

/*
 * For a payload that has further locations behind its fixed part, which the class does not know:
 * makes them those of the record with the stack.
 */
void kt_stack_locations_move(const struct kt_stacking *stacking, u32 *locations,
			     u16 nr);

/*
 * Writes the payload with the stack, and gives it back to the scratch area.  Probes call this
 * after the gate.  False: the record is lost.
 */
bool kt_stack_write(const struct kt_stacking *stacking, struct kt_ring *ring,
		    u32 id, void *payload, u32 size, unsigned int flags);

#endif /* KT_KERNEL_EVENT_STACK_H */
