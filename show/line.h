/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the outputs for people have in common: how a line begins. */
#ifndef KT_SHOW_LINE_H
#define KT_SHOW_LINE_H

#include <ktrace/span.h>
#include <ktrace/trace.h>

#include "output.h"

/* "dbench-812     [001] " of the task that a CPU runs, ready to be copied. */
#define LINE_HEAD_MAX 128

struct line_head {
	uint64_t task;
	uint32_t len; /* 0: not made yet */
	char text[LINE_HEAD_MAX];
};

/* Zero is empty. */
struct line_heads {
	struct line_head *by_cpu;
	uint32_t nr_cpus;
};

/* Task, CPU and time; -ENOMEM. */
int line_head(struct line_heads *heads, struct output *output,
	      const struct ktrace_event *event);
/* " <0.000000111>", as strace does. */
void line_duration(struct output *output, const struct ktrace_span *span);
void line_loss(struct output *output, const struct ktrace_loss *loss);
void line_heads_destroy(struct line_heads *heads);

#endif /* KT_SHOW_LINE_H */
