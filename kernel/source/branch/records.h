/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last branch records (LBR): registers of the processor that have the last 16 or 32 branches that were
 * taken.  Nothing is written to memory, so programs run as fast as ever.
 *
 * perf owns the hardware.  It records on a CPU while one of perf's events there asks for it, says of which
 * branches, and wipes the registers when another task comes.  Its function perf_snapshot_branch_stack copies
 * them.
 *
 * Branches of programs alone are recorded: the way of the kernel from there to the event would push them out.
 *
 * What follows is all that is said to the hardware besides.  perf's is records_perf.c; a test may play
 * another one, because emulators have none.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_RECORDS_H
#define KT_KERNEL_SOURCE_BRANCH_RECORDS_H

#include <linux/types.h>

struct kt_branch;
struct mm_struct;
struct module;

struct branch_registers {
	struct module *owner;
	/* Why there are none; NULL: there are. */
	const char *(*lacks)(void);
	/* Around all begin() and end().  May be NULL. */
	int (*open)(void);
	/* Called on this CPU, one that is online; may sleep. */
	int (*begin)(unsigned int cpu);
	void (*end)(unsigned int cpu);

	/* On this CPU, with preemption off, also if it has not begun. */

	/* Are branches recorded for us? */
	bool (*here)(void);
	/* The processor has so many; perf copies always as many as there can be.  @nr: these. */
	unsigned int (*valid)(unsigned int nr);
	/* Interrupts are off: what was recorded is forgotten. */
	void (*wipe)(void);
};

/* records_perf.c */
extern const struct branch_registers branch_registers_perf;

/* NULL: those of perf again.  -EBUSY: a context is open.  May sleep. */
int branch_records_play(const struct branch_registers *registers);

/*
 * The newest @max branches of the running task, oldest first, for event/branches.h; @to has room for
 * KT_STACK_MAX words.  0: nobody wants them, or there are none; -EBUSY: they cannot be had here and now.
 */
int branch_records_last(struct kt_branch *to, unsigned int max,
			const struct mm_struct **mm);

#endif /* KT_KERNEL_SOURCE_BRANCH_RECORDS_H */
