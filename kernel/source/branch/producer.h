/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who finds branches: a *producer*.
 *
 * All contexts of a machine share a producer, whatever they want: a CPU records what any of them wants of
 * the task that runs there (the union), and each gets its part of what was found.
 *
 * The stepper needs no turn(): it asks at each stop who wants that.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_PRODUCER_H
#define KT_KERNEL_SOURCE_BRANCH_PRODUCER_H

#include <linux/types.h>

#include <ktrace_branch.h>

struct task_struct;

/* Bits: whose branches. */
enum branch_mode {
	BRANCH_USER = 1,
	BRANCH_KERNEL = 2, /* also those that enter the kernel, and leave it */
	BRANCH_ALL = BRANCH_USER | BRANCH_KERNEL,
};

/* What it has found. */
struct branch_found {
	enum kt_branch_kind kind;
	unsigned int mode; /* whose; of a stamp: BRANCH_ALL */
	u64 from, to;
};

struct branch_producer {
	const char *name; /* "by NAME" asks for it */
	unsigned int modes;
	/*
	 * It finds a branch before the program does anything else: so events may have the last ones, and
	 * it is known what was mapped then.
	 */
	bool at_once;
	/* Only for events, and of whatever programs run on all CPUs: it fills no buffers. */
	bool for_events;
	/* Why this machine has none of it; NULL: it has.  May sleep.  NULL: every machine has. */
	const char *(*lacks)(void);
	/*
	 * A context begins.  0, -ENOMEM; -EBUSY: somebody else has it; or why else there is none.  May
	 * sleep.  May be NULL.
	 */
	int (*begin)(void);
	/* That context has ended.  May sleep. */
	void (*end)(void);
	/*
	 * On this CPU, with interrupts off: who wants it gets what @prev has done until now; from now on
	 * it records what is wanted of @next.  Both may be the running task: what is wanted has changed.
	 * Also while no context is there.  May be NULL.
	 */
	void (*turn)(struct task_struct *prev, struct task_struct *next);
};

extern const struct branch_producer branch_step;    /* stops.c */
extern const struct branch_producer branch_store;   /* store.c */
extern const struct branch_producer branch_records; /* records.c */

/* Number @i, from 0; NULL: there are not so many.  That which serves without being asked for comes first. */
const struct branch_producer *branch_producer_nth(unsigned int i);

/* turn() of each, with interrupts off. */
void branch_producers_turn(struct task_struct *prev, struct task_struct *next);
/* The same if what is wanted of the running task may have changed.  Any context but an NMI. */
void branch_producers_look(void);
/* Who wants it gets what was found on that CPU until now.  Interrupts are on. */
void branch_producer_flush(const struct branch_producer *producer,
			   unsigned int cpu);

#endif /* KT_KERNEL_SOURCE_BRANCH_PRODUCER_H */
