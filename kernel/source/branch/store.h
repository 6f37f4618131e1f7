/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The branch trace store (BTS): the processor writes each branch that it takes to memory, 24 bytes.
 * Intel's Software Developer's Manual, volume 3, "BTS and DS save area".
 *
 * perf owns the hardware: it gives the memory, begins and ends, and empties it (drains) when it is nearly
 * full.  ktrace is told of that by ftrace, and takes the records before perf does.
 *
 * What follows is all that is said to the hardware (hardware.h).  perf's driver is store_perf.c.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_STORE_H
#define KT_KERNEL_SOURCE_BRANCH_STORE_H

#include <linux/types.h>

#include "hardware.h"

struct debug_store; /* asm/intel_ds.h */

struct branch_machine {
	struct branch_driver driver;

	/*
	 * On this CPU, with interrupts off or in an NMI, also if it has not begun.
	 */

	/* Where the records are; NULL: they are none of ours. */
	struct debug_store *(*here)(void);
	/*
	 * Nothing is recorded between these two; then what @modes say, bits of enum branch_mode.
	 * Interrupts are off; an NMI may come in between.
	 */
	void (*pause)(void);
	void (*resume)(unsigned int modes);
};

/* store_perf.c */
extern const struct branch_machine branch_machine_perf;
void branch_machine_perf_exit(void);

/* NULL: that of perf again.  -EBUSY: a context is open.  May sleep. */
int branch_store_play(const struct branch_machine *machine);

/* The module goes. */
void branch_store_exit(void);

#endif /* KT_KERNEL_SOURCE_BRANCH_STORE_H */
