/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Between sets and what is enabled: in a session, in recorders of markers. */
#ifndef KT_CMD_SET_SET_STATE_H
#define KT_CMD_SET_SET_STATE_H

#include <stdio.h>

#include "set_file.h"

/* What is done with items that this machine does not have. */
enum set_unknown {
	SET_REFUSE,
	SET_LEAVE_OUT,
};

struct set_counts {
	size_t events;
	size_t markers; /* of programs that run */
	size_t kernel_markers;
	size_t unknown; /* patterns left out */
};

/*
 * Enables what the set has, beside what is enabled: all of it, or nothing.  @session
 * may be NULL if the set has no events.  Returns an exit status; complains.
 */
int set_enable(struct set *set, struct ktrace_session *session,
	       enum set_unknown unknown, struct set_counts *counts);

/*
 * Writes what is enabled in @session (NULL: none) as items, and the patterns of
 * recorders of markers that run.  Returns an exit status.
 */
int set_print_enabled(FILE *f, struct ktrace_session *session,
		      size_t *nr_items);

/* The comment that begins a set; @note may be NULL. */
void set_print_head(FILE *f, const char *name, const char *note);

#endif /* KT_CMD_SET_SET_STATE_H */
