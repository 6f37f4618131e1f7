/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counts system calls and their time: a table as that of strace -c. */
#ifndef KT_SHOW_STRACE_COUNTS_H
#define KT_SHOW_STRACE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/output.h>

#include "output.h"

struct count;

/* All zero: empty. */
struct counts {
	struct count *counts;
	size_t nr;
};

/* Adds a call that took @ns.  0 or -ENOMEM. */
int counts_add(struct counts *counts, const char *name, uint64_t ns,
	       bool failed);
/* Sorts the calls, and prints them. */
void counts_write(struct counts *counts, enum ktrace_output_sort sort,
		  struct output *output);
void counts_destroy(struct counts *counts);

#endif /* KT_SHOW_STRACE_COUNTS_H */
