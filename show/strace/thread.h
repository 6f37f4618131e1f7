/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Threads, by number, and the call that each is in.
 *
 * One that has ended is kept for a while: others of its process end after it, and
 * ask what it said.  It is forgotten when many have ended after it.
 */
#ifndef KT_SHOW_STRACE_THREAD_H
#define KT_SHOW_STRACE_THREAD_H

#include "base/table.h"
#include "call.h"

#define THREADS_ENDED 1024 /* are kept */

struct thread {
	uint32_t tid;
	uint32_t tgid;	    /* when the call began, */
	uint64_t time;	    /* and that */
	bool inside;	    /* a call: it has not returned */
	bool ended;	    /* unless its number is used again */
	bool replaced;	    /* killed for another one that execs, as it seems */
	bool exiting;	    /* of a process: its threads end, */
	int status;	    /* with this */
	bool begun;	    /* its first part is shown */
	unsigned int shown; /* arguments in the first part */
	struct call_view view;
};

/* Zero is empty. */
struct threads {
	struct table by_tid;
	uint32_t ended[THREADS_ENDED];
	size_t nr_ended;
};

/* Makes it if it is not there; NULL: out of memory. */
struct thread *threads_get(struct threads *threads, uint32_t tid);
/* All of them, in no order, beginning with NULL; NULL: no more. */
struct thread *threads_next(const struct threads *threads,
			    const struct thread *thread);
/* May free others that have ended, not @thread. */
void threads_ended(struct threads *threads, struct thread *thread);
void threads_destroy(struct threads *threads);

/* Keeps what @event says; 0 or -ENOMEM. */
int thread_side(struct call_side *side, const struct ktrace_event *event);

#endif /* KT_SHOW_STRACE_THREAD_H */
