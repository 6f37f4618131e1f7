/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last branch records (LBR): registers of the processor that have the last 16 or 32 branches that were
 * taken.  Nothing is written to memory for them.
 *
 * perf owns the hardware.  It records on a CPU while one of perf's events there asks for it, and says of which
 * branches.  Its function perf_snapshot_branch_stack copies them.
 *
 * Branches of programs alone are recorded: the way of the kernel from there to the event would push them out.
 *
 * What follows is all that is said to the hardware besides (hardware.h).  perf's driver is records_perf.c.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_RECORDS_H
#define KT_KERNEL_SOURCE_BRANCH_RECORDS_H

#include <linux/types.h>

#include "hardware.h"

struct kt_branch;
struct mm_struct;

/* One of the processor's. */
struct branch_register {
	u64 from, to; /* canonical addresses, without flags */
	u64 reach; /* perf's entry may have a place up to so many bytes behind `from' */
};

struct branch_registers {
	struct branch_driver driver;

	/* On this CPU, with interrupts off, also if it has not begun. */

	/* Are branches recorded for us, and is perf not in the midst of a change?  Has no events. */
	bool (*here)(void);
	/*
	 * Those that the processor has, newest first; perf has copied @nr, which are at most as many as there
	 * are.  Returns how many; those that were never written, or wrongly, are left out.  Negative: they are
	 * not known.  Has no events.
	 */
	int (*read)(struct branch_register *to, unsigned int nr);
	/* What was recorded is forgotten. */
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
