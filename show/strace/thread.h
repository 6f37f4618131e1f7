/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Threads by tid, and the call in which each one is.
 *
 * A thread that has ended is kept for a while, because other threads of its
 * process end after it and need its data.  It is removed after many others have
 * ended.
 */
#ifndef KT_SHOW_STRACE_THREAD_H
#define KT_SHOW_STRACE_THREAD_H

#include "base/table.h"
#include "call.h"
#include "signal_pairs.h"

#define THREADS_ENDED 1024 /* number of ended threads that are kept */

struct thread {
	uint32_t tid;
	uint32_t tgid;	    /* at the begin of the call */
	uint64_t time;	    /* at the begin of the call */
	bool inside;	    /* in a call that has not returned */
	bool ended;	    /* unless its tid is in use again */
	bool replaced;	    /* killed by an exec of another thread */
	bool told;	    /* its end was shown with that of another one */
	bool begun;	    /* the first part of the line was printed */
	uint64_t task;	    /* changes with @comm */
	char comm[16];	    /* empty: not known, or not wanted */
	unsigned int shown; /* number of arguments in the first part */
	struct signal_last signal;
	struct call_view view;
};

/* All zero: empty. */
struct threads {
	struct table by_tid;
	uint32_t ended[THREADS_ENDED];
	size_t nr_ended;
};

/* Adds the thread if it is new.  NULL: out of memory. */
struct thread *threads_get(struct threads *threads, uint32_t tid);
/* The thread after @thread (NULL: the first), in no order.  NULL: no more. */
struct thread *threads_next(const struct threads *threads,
			    const struct thread *thread);
/* Marks the thread as ended.  May free other ended threads. */
void threads_ended(struct threads *threads, struct thread *thread);
void threads_destroy(struct threads *threads);

/* Stores the name that the event's thread has. */
void thread_name(struct thread *thread, const struct ktrace_event *event);
/* For struct line: @threads is a struct threads. */
const char *threads_comm(void *threads, uint32_t tid);

/* Stores the data of @event.  0 or -ENOMEM. */
int thread_side(struct call_side *side, const struct ktrace_event *event);

#endif /* KT_SHOW_STRACE_THREAD_H */
