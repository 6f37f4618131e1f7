/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The branches that a trace has, among its events.
 *
 * Each branch becomes an event, `branch:call' say, in a stream of its CPU that nobody has recorded.  A
 * branch has no time of its own, but there are stamps between them: its time is that of the stamp
 * before it; a system call, and where the kernel has sent the program, have the one behind it.  So each
 * stands behind all that the kernel did before it.
 */
#ifndef KT_LIB_READ_WOVEN_H
#define KT_LIB_READ_WOVEN_H

#include <ktrace/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "branch_stream.h"

struct stream_source;

/* All zero: the trace has no branches. */
struct woven {
	uint32_t first_id; /* of their events; 0: there are none */
	bool made;	   /* sources are there, unless there is an error */
	int error;
	struct stream_source *sources;
	size_t nr_sources;
	struct ktrace_branches *branches; /* NULL: not read yet */
	int unread;			  /* why not all of them could be */
	bool named;
	int unnamed;
	struct branch_room room;
	uint64_t words[3]; /* of the branch that was asked for last */
};

/* Adds the types of events.  Called when the trace has all others.  -ENOMEM. */
int woven_types(struct ktrace *trace);
/* Makes the streams, if they are not there yet.  0 or -errno, with a message. */
int woven_make(struct ktrace *trace);
void woven_free(struct ktrace *trace);

#endif /* KT_LIB_READ_WOVEN_H */
