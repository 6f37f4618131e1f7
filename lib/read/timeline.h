/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The time line: timeline.c takes events apart, timeline_state.c follows who runs,
 * timeline_slice.c what begins and ends, on the tracks of timeline_thread.c.
 *
 * Slices are the spans of span.c; each has one of these as the span's data.  Spans may end in
 * another order than that of a stack, if the outermost of very many is given up, say.  Then the
 * slice stays open until those inside it have ended: so slices of a track are always nested.
 *
 * If ends are missing, that may never be.  So a track that is too deep gives up all of its slices:
 * they are told as unended, and wait only for their spans, of which there is a limit.
 */
#ifndef KT_LIB_READ_TIMELINE_H
#define KT_LIB_READ_TIMELINE_H

#include <ktrace/timeline.h>

#include "base/table.h"
#include "span_owner.h"

/* The begins of so many gaps are remembered; before that, nothing is known. */
#define GAPS_MAX 1024

/* Slices in each other on a track: Perfetto does not draw more (see ktrace/timeline.h). */
#define SLICES_MAX KTRACE_TIMELINE_DEPTH

struct slice {
	struct ktrace_timeline_slice public;
	struct slice *outer; /* on its track */
	uint32_t tid;	     /* that ran when it began */
	bool shown;
	bool over; /* it ends as soon as it is the innermost one */
	/* It is on no track any more, but in timeline->given_up. */
	bool given_up;
	struct slice *older, *newer;
};

struct track {
	struct ktrace_timeline_track public;
	struct track *next; /* of its thread, or that requests are on */
	struct track *free; /* the next one without a request */
	struct slice *top;
	uint32_t nr; /* slices */
};

struct thread {
	struct ktrace_timeline_thread public;
	/* All of them, also those that have ended. */
	struct thread *older, *newer;
	struct track *tracks;
	uint32_t nr_open; /* slices */
	/* The begin of this one was the last event of a call; NULL: it was an end. */
	struct slice *call;
	bool gone;     /* it has ended: it waits for its slices */
	uint64_t task; /* of the event that had the name */
	char comm[KT_COMM_LEN + 1];

	/* The state that it is in. */
	enum ktrace_timeline_states state;
	bool doubted; /* it was in this state, but how long is not known */
	bool cut;     /* it ran until then at least */
	bool known;   /* false: nothing is known of what was before */
	bool told;    /* a state of it */
	bool shown;   /* so was the event that has begun it */
	bool unbegun; /* as in struct ktrace_timeline_state */
	uint64_t since;
	uint64_t gaps; /* timeline->gaps of that time */
	uint32_t cpu;
	bool runs;	   /* it begins to run ... */
	uint32_t next_cpu; /* ... here */
	int32_t priority;
	uint64_t wake;
};

struct cpu {
	uint32_t cpu;
	struct thread *current; /* NULL: not known */
	uint64_t last;		/* when it was known to run */
	struct track *track;
};

/* What an event is, besides the begin or the end of a span. */
enum part {
	PART_NONE,
	PART_SWITCH,
	PART_WAKING,   /* the wake itself */
	PART_WAKEUP,   /* behind it: the thread is in the queue of a CPU */
	PART_WAKE_NEW, /* the thread is new */
};

struct role {
	const struct ktrace_type *type;
	enum part part;
	/* prev_pid and so on, or pid and so on. */
	const struct ktrace_field *state, *priority, *comm, *pid, *cpu,
		*new_priority;
};

struct ktrace_timeline {
	struct ktrace_timeline_calls calls;
	const struct ktrace_cursor *cursor;
	struct ktrace_spans *spans;
	struct role *roles; /* by the type's number */
	size_t nr_roles;
	bool states;	 /* there was a context switch */
	bool wakings;	 /* the trace has sched:sched_waking */
	size_t nr_types; /* of its types that were looked at for that */
	bool shown;	 /* the event that is being taken */
	uint64_t now;	 /* its time */
	uint64_t begin;	 /* of what is shown; 0: nothing yet */
	uint64_t split;	 /* while states are split: when; else 0 */
	uint64_t
		split_gap; /* since when events are missing then; 0: none are */
	/* While a loss is being taken: the begin of the gap. */
	uint64_t lost_at;
	int err; /* of a call in the midst of spans */

	struct table threads; /* by thread_number() */
	struct thread *oldest, *newest;
	uint64_t nr_threads; /* that there were */
	struct table cpus;
	struct cpu *cpu; /* of the last event */
	struct track *requests, *requests_free;
	uint32_t nr_requests;
	struct slice *given_up; /* the newest */
	uint64_t wakes;

	uint64_t gaps; /* that there were */
	/* A ring: since when what follows is not known, so never earlier than the one before. */
	uint64_t gap_of[GAPS_MAX];
};

/* All that return a pointer: NULL: out of memory. */

/* timeline_thread.c */

/* @cpu: on which it is, for idle threads. */
struct thread *thread_get(struct ktrace_timeline *t, uint32_t tid,
			  uint32_t cpu);
/* NULL: there is none.  Not an idle thread. */
struct thread *thread_find(struct ktrace_timeline *t, uint32_t tid);
/* That of the event, with its name. */
struct thread *thread_of(struct ktrace_timeline *t,
			 const struct ktrace_event *event);
/* It has ended, or another one has its number. */
void thread_remove(struct ktrace_timeline *t, struct thread *thread);
void thread_free(struct ktrace_timeline *t, struct thread *thread);
/* Frees it if it has ended and has nothing open. */
void thread_put(struct ktrace_timeline *t, struct thread *thread);
void thread_rename(struct thread *thread, const uint8_t *name, size_t size);
struct cpu *cpu_get(struct ktrace_timeline *t, uint32_t cpu);
void slice_free(struct ktrace_timeline *t, struct slice *slice);
void track_free(struct ktrace_timeline *t, struct track *track);
/* On which a span begins with the event. */
struct track *track_of_span(struct ktrace_timeline *t,
			    const struct ktrace_event *event,
			    const struct ktrace_span *span);
/* On which the event is if it is nothing else. */
struct track *track_of_event(struct ktrace_timeline *t,
			     const struct ktrace_event *event);

/* timeline_state.c */

/* An event of the kernel: its thread runs on its CPU. */
int state_runs(struct ktrace_timeline *t, const struct ktrace_event *event);
int state_switch(struct ktrace_timeline *t, const struct role *role,
		 const struct ktrace_event *event);
/* *@wakes: it has made the thread ready to run, which is told then. */
int state_wake(struct ktrace_timeline *t, const struct role *role,
	       const struct ktrace_event *event, bool *wakes);
void state_loss(struct ktrace_timeline *t, const struct ktrace_loss *loss);
/* The thread is no more, and the events do not say since when.  It is to be removed. */
int state_vanish(struct ktrace_timeline *t, struct thread *thread);
/* Before state_split() of each thread. */
void state_split_begin(struct ktrace_timeline *t, uint64_t time);
/* Tells the state that the thread is in, up to timeline->split; what follows is told later. */
int state_split(struct ktrace_timeline *t, struct thread *thread);
/* Tells the state that the thread is in. */
int state_finish(struct ktrace_timeline *t, struct thread *thread);

/* timeline_slice.c */

/* What the last event, which is @step to the spans, has begun and ended.  *@taken: something. */
int slices_step(struct ktrace_timeline *t, const struct ktrace_event *event,
		int step, bool *taken);
/* For spans->dropped. */
void slices_drop(void *timeline, const struct open_span *open,
		 const uint64_t *count);
/* Frees what is given up. */
void slices_forget(struct ktrace_timeline *t);
/* Tells the ends of what is open on the track. */
int slices_finish(struct ktrace_timeline *t, struct track *track);

#endif /* KT_LIB_READ_TIMELINE_H */
