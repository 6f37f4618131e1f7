/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Connects sets with what sessions and recorders of markers enable. */
#ifndef KT_CMD_SET_SET_STATE_H
#define KT_CMD_SET_SET_STATE_H

#include <stdio.h>

#include "set_file.h"

/* What to do with items that do not exist on this machine. */
enum set_unknown {
	SET_REFUSE,
	SET_LEAVE_OUT,
};

struct set_counts {
	size_t events;
	size_t markers; /* of running programs */
	size_t kernel_markers;
	size_t unknown; /* patterns that were left out */
};

/*
 * Enables the items of the set in addition to what is enabled: all of them, or
 * none. @session may be NULL if the set has no events.  Returns an exit status,
 * after a message if it fails.
 */
int set_enable(struct set *set, struct ktrace_session *session,
	       enum set_unknown unknown, struct set_counts *counts);

/*
 * Writes what is enabled in @session (may be NULL) as items, and the patterns
 * of running recorders of markers.  Returns an exit status.
 */
int set_print_enabled(FILE *f, struct ktrace_session *session,
		      size_t *nr_items);

/* Writes the comment at the begin of a set; @note may be NULL. */
void set_print_head(FILE *f, const char *name, const char *note);

#endif /* KT_CMD_SET_SET_STATE_H */
