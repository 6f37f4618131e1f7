/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The time line of a trace: what viewers draw, and what analyses measure.
 *
 *	states	what each thread did at any time: it ran (and where), waited for a CPU or slept.
 *		So who ran on each CPU
 *	slices	calls, functions, markers, interrupts and requests, on tracks on which they nest
 *	wakes	who has made whom ready to run
 *	points	all other events
 *	losses	where events are missing
 *
 * Each event is in exactly one of these: it is a context switch, begins or ends a slice, wakes,
 * or is a point.  They are told by calls while events come, so memory is needed only for what
 * is open and for the threads: those that exist, or without sched:sched_switch all that there were.
 *
 *	ktrace_timeline_create(cursor, &calls, &timeline);
 *	while ((item = ktrace_cursor_next(cursor)) > 0)
 *		err = item == KTRACE_LOSS
 *			? ktrace_timeline_loss(timeline, ktrace_cursor_loss(cursor), true)
 *			: ktrace_timeline_event(timeline, ktrace_cursor_event(cursor), true);
 *	ktrace_timeline_finish(timeline);
 *
 * Events must come in order of time, of all CPUs, with all those that ktrace_timeline_type() wants;
 * those that the user does not want, with @shown false.  So must losses: else what follows a gap
 * would be taken for the end of what was before it.  A state or a slice is told if one of the
 * events at its two ends is shown.
 *
 * What is not known is not guessed.  Threads that may have done something while events were lost
 * are in the state KTRACE_STATE_UNKNOWN from the begin of the gap until something is known of
 * them again; so are those whose context switch is missing.  There are no states before the first
 * sched:sched_switch, but for those that end there.
 *
 * All times are nanoseconds of CLOCK_MONOTONIC.  Functions return 0 or a negative errno; what a
 * call returns ends the function with the same value.  A time line is used by one thread at a
 * time.
 */
#ifndef KTRACE_TIMELINE_H
#define KTRACE_TIMELINE_H

#include <ktrace/span.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ktrace_timeline_states {
	KTRACE_STATE_UNKNOWN,
	KTRACE_STATE_RUNNING,
	KTRACE_STATE_RUNNABLE,	/* woken, and waits for a CPU */
	KTRACE_STATE_PREEMPTED, /* waits for a CPU that was taken from it */
	KTRACE_STATE_SLEEPING, /* signals wake it; or a thread of the kernel is idle */
	KTRACE_STATE_BLOCKED, /* signals do not wake it */
	KTRACE_STATE_STOPPED, /* by a signal, a debugger, or parked */
	KTRACE_STATE_DEAD,    /* it has no more states */
	KTRACE_STATE_NR,
};

/* A thread from its first event to its end: the same number may be used again. */
struct ktrace_timeline_thread {
	uint64_t id; /* from 1; no other thread of this time line has it */
	uint32_t tid;
	uint32_t tgid;	  /* its process; 0: not known */
	uint32_t cpu;	  /* if @tid is 0: whose idle thread it is */
	const char *comm; /* its name now; "<...>": not known */
	void *data;	  /* the caller's; NULL at first */
	/* When it was new (sched:sched_wakeup_new), ns; 0: the trace does not have that. */
	uint64_t born;
	/*
	 * What is known of it until the last event: it is in this state since then, and runs here or
	 * ran here last.  @since 0: nothing is known.  If it does not run, a loss of which
	 * is to be told may change that.
	 */
	enum ktrace_timeline_states state;
	uint64_t since;
	uint32_t last_cpu;
};

enum ktrace_timeline_kind {
	KTRACE_TRACK_CPU, /* interrupts; points in these and of the idle thread */
	KTRACE_TRACK_CALLS,	/* a thread's system calls, and its points */
	KTRACE_TRACK_RAW_CALLS, /* the same as raw_syscalls tells them */
	KTRACE_TRACK_FUNCTIONS, /* of the kernel, that a thread has called */
	KTRACE_TRACK_MARKERS,	/* a thread's markers, and points of programs */
	KTRACE_TRACK_REQUESTS,	/* requests to disks, one at a time */
	KTRACE_TRACK_NR,
};

/*
 * Slices of a track are inside of each other or apart, and so many are in each other at most: it is
 * what Perfetto's trace processor draws.  If one more begins, those that are open end as
 * KTRACE_SLICE_UNENDED, and their ends are points.
 */
#define KTRACE_TIMELINE_DEPTH 255

struct ktrace_timeline_track {
	uint64_t id; /* no other track of this time line has it */
	enum ktrace_timeline_kind kind;
	/*
	 * KTRACE_TRACK_CPU: the CPU.  KTRACE_TRACK_REQUESTS: the requests that are under way at
	 * once are on tracks 0, 1, 2 ... KTRACE_TRACK_MARKERS: 0: of the kernel; else of
	 * programs, a number for each user whose programs have said so.
	 */
	uint32_t number;
	struct ktrace_timeline_thread *thread; /* NULL: of no thread */
	/* Nothing on it is told later that is older, but for whole slices. */
	uint64_t time;
	void *data; /* the caller's; NULL at first */
};

enum ktrace_timeline_end {
	KTRACE_SLICE_ENDED,
	KTRACE_SLICE_LOST,    /* the end may be among lost events */
	KTRACE_SLICE_UNENDED, /* its end is missing without a loss */
	KTRACE_SLICE_DIED,    /* its thread ended in it */
	KTRACE_SLICE_OPEN,    /* at the end of the trace */
};

struct ktrace_timeline_slice {
	struct ktrace_timeline_track *track;
	const struct ktrace_span *span; /* NULL: its end is not known */
	uint64_t begin;
	/* 0 at the begin.  If the end is not known: when this was noticed. */
	uint64_t end;
	enum ktrace_timeline_end how;
	void *data; /* the caller's; NULL at first */
	/*
	 * On KTRACE_TRACK_RAW_CALLS: the same call is on KTRACE_TRACK_CALLS, too.  If the event of
	 * all calls comes first, this is known when the other slice begins.
	 */
	bool twin;
};

struct ktrace_timeline_state {
	struct ktrace_timeline_thread *thread;
	enum ktrace_timeline_states state;
	uint64_t begin;
	uint64_t end;
	/*
	 * KTRACE_STATE_RUNNING: where; KTRACE_STATE_RUNNABLE: where it was to run, or who woke it
	 * if there were no events of that CPU; else where it ran last.
	 */
	uint32_t cpu;
	int32_t priority; /* as the kernel has it; KTRACE_STATE_RUNNING only */
	bool open; /* the trace, or what ktrace_timeline_split() tells, ends in it */
	/* KTRACE_STATE_RUNNING: the wake that has made it run; 0: not known. */
	uint64_t wake;
	/* It has lasted until @end at least: what the thread did then is not known. */
	bool cut;
	bool runs; /* the thread runs from @end on, on @next_cpu */
	uint32_t next_cpu;
	/*
	 * KTRACE_STATE_RUNNABLE: the event that has begun it (sched:sched_wakeup) comes later than
	 * the wake, and that of the wake (sched:sched_waking) is missing: it was ready to run
	 * before @begin, and since when is not known.
	 */
	bool unbegun;
};

/* An event has made a thread ready to run. */
struct ktrace_timeline_wake {
	uint64_t id; /* from 1; no other wake has it */
	uint64_t time;
	struct ktrace_timeline_track *track;   /* on which it happened */
	struct ktrace_timeline_thread *thread; /* that was woken */
};

/* NULL: it is not wanted.  Pointers are valid during the call, unless said otherwise. */
struct ktrace_timeline_calls {
	size_t size; /* of this struct */
	void *data;
	/* When it has ended: so states do not come in order of their begins. */
	int (*state)(void *data, const struct ktrace_timeline_state *state);
	/* Who has this CPU is not known from @time on, until a thread is running there again. */
	int (*unknown)(void *data, uint32_t cpu, uint64_t time);
	/*
	 * A slice, its track and their data are the same in both calls.  @event of an end: NULL
	 * if there is none.  Each slice that was begun is ended.
	 */
	int (*begin)(void *data, struct ktrace_timeline_slice *slice,
		     const struct ktrace_event *event);
	int (*end)(void *data, struct ktrace_timeline_slice *slice,
		   const struct ktrace_event *event);
	/*
	 * A slice of which only the end is told: a call that was recorded when it returned, or
	 * whose begin was not to be shown.  It may have begun before all that is shown.
	 */
	int (*whole)(void *data, struct ktrace_timeline_slice *slice,
		     const struct ktrace_event *event);
	int (*wake)(void *data, const struct ktrace_timeline_wake *wake,
		    const struct ktrace_event *event);
	int (*point)(void *data, struct ktrace_timeline_track *track,
		     const struct ktrace_event *event);
	int (*loss)(void *data, const struct ktrace_loss *loss);
	/* Frees the data of a thread, a track or a slice, which is no more. */
	void (*gone)(void *data, void *theirs);
};

struct ktrace_timeline;

/*
 * @cursor: where the events come from; NULL: not from a cursor (see ktrace_spans_create()).
 * It must outlive the time line.
 */
KTRACE_API int ktrace_timeline_create(const struct ktrace_cursor *cursor,
				      const struct ktrace_timeline_calls *calls,
				      struct ktrace_timeline **timeline);
/* True: without these events, states and slices would be wrong. */
KTRACE_API bool ktrace_timeline_type(const struct ktrace_type *type);
KTRACE_API int ktrace_timeline_event(struct ktrace_timeline *timeline,
				     const struct ktrace_event *event,
				     bool shown);
KTRACE_API int ktrace_timeline_loss(struct ktrace_timeline *timeline,
				    const struct ktrace_loss *loss, bool shown);
/*
 * For sums of intervals: tells the states that threads are in at @time (ns) up to then, as open.  What
 * follows of them is told later, with @time as its begin.  To be called when all items before @time
 * were told, before the cursor's item at or behind it is; and of items that have come late, states
 * may begin before @time once more.
 */
KTRACE_API int ktrace_timeline_split(struct ktrace_timeline *timeline,
				     uint64_t time);
/* Tells what is open.  Nothing may follow. */
KTRACE_API int ktrace_timeline_finish(struct ktrace_timeline *timeline);
KTRACE_API void ktrace_timeline_destroy(struct ktrace_timeline *timeline);

/* "running" and so on; NULL: there is no such state. */
KTRACE_API const char *ktrace_timeline_state_name(unsigned int state);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_TIMELINE_H */
