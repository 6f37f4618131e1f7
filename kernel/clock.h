/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace's clock: which one, and how it relates to the clocks of programs. */
#ifndef KT_KERNEL_CLOCK_H
#define KT_KERNEL_CLOCK_H

#include <linux/types.h>

/* The three clocks at one moment. */
struct kt_clock_sync {
	u64 clock;
	u64 monotonic;
	u64 realtime;
};

int kt_clock_init(void);
void kt_clock_exit(void);
const char *kt_clock_name(void);
/* Does the kernel still take it for one that all CPUs agree on? */
bool kt_clock_trusted(void);
u64 kt_clock_frequency(void);
/* What the TSC lacks: ticks to be added to it as it is; modulo 2^64. */
u64 kt_clock_missing(void);
void kt_clock_read(struct kt_clock_sync *sync);

#endif /* KT_KERNEL_CLOCK_H */
