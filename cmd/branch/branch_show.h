/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Shows the branches of ktrace branch. */
#ifndef KT_CMD_BRANCH_SHOW_H
#define KT_CMD_BRANCH_SHOW_H

#include <ktrace/branches.h>
#include <ktrace/session.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct branch_show {
	FILE *file;
	struct ktrace_branches *branches;
	const struct ktrace
		*trace; /* NULL: they are of now, and have this clock: */
	struct ktrace_clock clock;
	uint64_t last; /* only so many of each thread; 0: all */
};

/* Each branch of each thread, in order; what repeats itself once, with a count. */
void branch_show_text(const struct branch_show *show);
/* A line of JSON for each entry. */
void branch_show_json(const struct branch_show *show);
/* How often each branch was taken, most often first.  An exit status. */
int branch_show_flat(const struct branch_show *show);
/* Calls, each below its caller.  An exit status. */
int branch_show_calls(const struct branch_show *show);

/* Which lines have run; @name: of the file, for messages.  An exit status. */
int branch_show_coverage(const struct branch_show *show, const char *name);

/* Says what is missing of branches that were decoded from packets of a processor. */
void branch_decoded_tell(const struct branch_show *show);
/* Why there is none: ": ..."; "": it is not known. */
const char *branch_decoded_reason(const struct branch_show *show);

/* ---- for these ------------------------------------------------------------ */

/* The first entry of a thread that is shown. */
size_t branch_show_first(const struct branch_show *show,
			 const struct ktrace_branch_thread *thread);
/* Prints where a branch comes from, or goes @to: "parse+0x1c a.c:12". */
void branch_place_print(const struct branch_show *show, size_t thread,
			size_t entry, bool to);
/* The same without the distance from the function's first byte, and without the line. */
void branch_function_print(const struct branch_show *show, size_t thread,
			   size_t entry, bool to);
/* How many older entries were overwritten, of all. */
uint64_t branch_show_lost(const struct branch_show *show);
/* What stands above the entries of a thread, and below them. */
void branch_head_print(const struct branch_show *show, size_t thread);
void branch_end_print(const struct branch_show *show, size_t thread);
/* The signal that has killed a thread, 0: none has; @entry has the place. */
int branch_signal(const struct branch_show *show, size_t thread, size_t *entry);

struct branch_at {
	struct ktrace_branch branch;
	size_t thread, entry; /* where it is */
};

/* Do they go from the same place to the same place?  Each process has others at an address. */
bool branch_is_same(const struct branch_show *show, const struct branch_at *a,
		    const struct branch_at *b);

/* The time of a stamp: s since the machine was started. */
double branch_show_time(const struct branch_show *show, uint64_t stamp);

#endif /* KT_CMD_BRANCH_SHOW_H */
