/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Who has woken a thread: another one, or an interrupt. */
#ifndef KT_CMD_ANALYSE_WAKER_H
#define KT_CMD_ANALYSE_WAKER_H

#include <ktrace/timeline.h>

#include "base/table.h"

struct waker {
	uint32_t tid; /* 0: an interrupt, or nobody is known */
	uint32_t tgid;
	char name[64]; /* "" : nobody is known */
};

/* What interrupts each CPU now.  All zero: nothing does. */
struct interrupts {
	struct table cpus;
};

/* A slice of a CPU begins or ends.  0 or -ENOMEM. */
int interrupts_change(struct interrupts *interrupts,
		      const struct ktrace_timeline_slice *slice, bool begins);
void interrupts_waker(const struct interrupts *interrupts,
		      const struct ktrace_timeline_wake *wake,
		      const struct ktrace_event *event, struct waker *waker);
void interrupts_free(struct interrupts *interrupts);

#endif /* KT_CMD_ANALYSE_WAKER_H */
