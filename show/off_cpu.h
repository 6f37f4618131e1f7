/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How long threads are off the CPU: from the event sched_switch that takes it from them to the
 * one that gives them one again.  They sleep meanwhile, or wait for a CPU.
 *
 * Memory is needed only for threads that are off now.
 */
#ifndef KT_SHOW_OFF_CPU_H
#define KT_SHOW_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/trace.h>

#include "base/table.h"

/* All zero: no thread is known. */
struct off_cpu {
	struct table threads;
	/* Times that are not known, because events were lost meanwhile. */
	uint64_t unknown;
};

/* A time that has ended. */
struct off_cpu_time {
	uint64_t ns;
	void *data; /* that of off_cpu_leave() */
};

bool off_cpu_type(const struct ktrace_type *type);
/* Has the event, a sched_switch, given a CPU back to a thread that is known? */
bool off_cpu_return(struct off_cpu *off, const struct ktrace_event *event,
		    struct off_cpu_time *time);
/* The thread that the event, a sched_switch, takes the CPU from.  0 or -ENOMEM. */
int off_cpu_leave(struct off_cpu *off, const struct ktrace_event *event,
		  void *data);
/* Events were lost: any thread may have had a CPU meanwhile. */
void off_cpu_loss(struct off_cpu *off, const struct ktrace_loss *loss);
void off_cpu_free(struct off_cpu *off);

#endif /* KT_SHOW_OFF_CPU_H */
