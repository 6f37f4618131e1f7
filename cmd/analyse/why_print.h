/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What `ktrace why' prints in the same way with and without --chain. */
#ifndef KT_CMD_ANALYSE_WHY_PRINT_H
#define KT_CMD_ANALYSE_WHY_PRINT_H

#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

#include "common/span_rows.h"

struct why;

double why_percent(uint64_t part, uint64_t all);
/* Seconds, with all digits. */
void why_time_print(uint64_t ns);
void why_thread_print(const char *comm, uint32_t tid);

/* A table of sums. */
struct why_sums {
	const char *title; /* of the columns of numbers */
	/* Which row is first; as for qsort_r(). */
	int (*compare)(const void *a, const void *b, void *data);
	void (*numbers)(const struct span_row *row, uint64_t all);
};

/* At most @head rows, 0: all.  @all: of which they have a share.  0 or -ENOMEM. */
int why_sums_print(const struct why_sums *sums, const struct span_rows *rows,
		   size_t head, uint64_t all, const char *what,
		   void (*name)(const struct span_row *row));
/* An array, behind something; @row prints the members of its object. */
int why_sums_json(const struct why_sums *sums, const struct span_rows *rows,
		  const char *name, void (*row)(const struct span_row *row));

/* Behind all else: which events are missing, and what was lost. */
void why_end_print(const struct why *w, const struct ktrace_info *info);
void why_end_json(const struct why *w, const struct ktrace_info *info);

#endif /* KT_CMD_ANALYSE_WHY_PRINT_H */
