/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Who has woken a thread: another one, or an interrupt. */
#ifndef KT_CMD_ANALYSE_WAKER_H
#define KT_CMD_ANALYSE_WAKER_H

#include <stdbool.h>

#include <ktrace/timeline.h>

#include "base/table.h"

struct waker {
	uint32_t tid; /* 0: an interrupt, or nobody is known */
	uint32_t tgid;
	char name[64]; /* "" : nobody is known */
	/* The device of the request that the interrupt has completed last; 0: none. */
	uint32_t disk;
	/* It may have been an interrupt that came upon this thread: see below. */
	bool ambiguous;
};

/* What interrupts each CPU now.  All zero: nothing does. */
struct interrupts {
	struct table cpus;
};

/* A slice of a CPU begins or ends.  0 or -ENOMEM. */
int interrupts_change(struct interrupts *interrupts,
		      const struct ktrace_timeline_slice *slice, bool begins);
/*
 * An interrupt whose begin is not in the trace is not seen.  So it is not known whether one
 * interrupts a CPU, from the begin of the trace and from a loss on, until
 * something happens there that no interrupt does.  0 or -ENOMEM.
 */
int interrupts_none(struct interrupts *interrupts, uint32_t cpu);
void interrupts_lost(struct interrupts *interrupts, uint32_t cpu);
/* A request to this disk has been completed. */
void interrupts_disk(struct interrupts *interrupts, uint32_t cpu,
		     uint32_t disk);
/* @track: on which the event has woken. */
void interrupts_waker(const struct interrupts *interrupts,
		      const struct ktrace_timeline_track *track,
		      const struct ktrace_event *event, struct waker *waker);
void interrupts_free(struct interrupts *interrupts);

#endif /* KT_CMD_ANALYSE_WAKER_H */
