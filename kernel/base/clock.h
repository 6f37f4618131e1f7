/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace's clock: which one, and how it relates to the clocks of programs. */
#ifndef KT_KERNEL_BASE_CLOCK_H
#define KT_KERNEL_BASE_CLOCK_H

struct seq_file;

int kt_clock_init(void);
void kt_clock_exit(void);
/*
 * Lines for who reads a trace: the clock's name and frequency, if it is trusted, what is
 * added to the TSC, "sync CLOCK MONOTONIC REALTIME", and for each of the newest sleeps
 * "slept" with such three at its begin and such three at its end.
 */
void kt_clock_show(struct seq_file *m);

#endif /* KT_KERNEL_BASE_CLOCK_H */
