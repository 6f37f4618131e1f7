/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace's clock: which it is, and how it relates to the clocks of programs. */
#ifndef KT_KERNEL_BASE_CLOCK_H
#define KT_KERNEL_BASE_CLOCK_H

#include <linux/types.h>

struct seq_file;

int kt_clock_init(void);
void kt_clock_exit(void);
/*
 * Do times come from the TSC?  Ticks may be added to it.  If not, reading the clock calls
 * functions of the kernel.
 */
bool kt_clock_is_tsc(void);
/*
 * Shows lines for readers of a trace: the clock's name and frequency, whether it is
 * trusted, what is to be added to the TSC, and "sync CLOCK MONOTONIC REALTIME".  For each
 * of the newest sleeps, a line "slept" has three such values at its begin and three at its
 * end.
 */
void kt_clock_show(struct seq_file *m);

#endif /* KT_KERNEL_BASE_CLOCK_H */
