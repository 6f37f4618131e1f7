/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How a line begins: for all outputs that people read. */
#ifndef KT_SHOW_LINE_H
#define KT_SHOW_LINE_H

#include <ktrace/span.h>
#include <ktrace/trace.h>

#include "output.h"
#include "times.h"

/* The text "dbench-812     [001] " of the task that a CPU runs. */
#define LINE_HEAD_MAX 160

struct line_head {
	uint64_t task;
	uint32_t len;
	bool made;
	char text[LINE_HEAD_MAX];
};

/* All zero: no heads yet, and lines have all parts, with times in seconds. */
struct line_heads {
	struct times times;
	struct line_head *by_cpu;
	uint32_t nr_cpus;
	/* Parts that lines do not have; set before the first line. */
	bool no_task, no_cpu, no_time;
	bool pid; /* a part more: the process */
	bool colors;
};

/* Writes task, CPU and time.  Returns 0 or -ENOMEM. */
int line_head(struct line_heads *heads, struct output *output,
	      const struct ktrace_event *event);
/* Writes " <0.000000111>", as strace does. */
void line_duration(struct output *output, const struct ktrace_span *span);
void line_loss(struct output *output, const struct ktrace_loss *loss,
	       bool colors);
void line_heads_destroy(struct line_heads *heads);

#endif /* KT_SHOW_LINE_H */
