/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How often each system call was made, and how long it took: a table as strace -c. */
#ifndef KT_SHOW_STRACE_COUNTS_H
#define KT_SHOW_STRACE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output.h"

struct count;

/* Zero is empty. */
struct counts {
	struct count *counts;
	size_t nr;
};

/* A call that took @ns; 0 or -ENOMEM. */
int counts_add(struct counts *counts, const char *name, uint64_t ns,
	       bool failed);
/* The longest first: sorts them. */
void counts_write(struct counts *counts, struct output *output);
void counts_destroy(struct counts *counts);

#endif /* KT_SHOW_STRACE_COUNTS_H */
