/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ktrace top: what has happened in an interval.
 *
 * A time line tells states, calls and events, which are summed up by thread and by name until the
 * interval is closed.  States that last longer than it are split there (ktrace_timeline_split()), so
 * the sums of an interval are exact: of a thread, its states and the time in which nothing is known of it
 * are the interval; of all threads, the time in which they ran, with idle and unknown time, is the
 * interval times the number of CPUs.
 *
 * Memory depends on the number of threads and names, not on that of events.
 */
#ifndef KT_CMD_TOP_TALLY_H
#define KT_CMD_TOP_TALLY_H

#include <ktrace/timeline.h>

#include "analyse/doing.h"
#include "analyse/needs.h"
#include "analyse/runs.h"
#include "base/table.h"
#include "common/span_rows.h"
#include "common/who.h"

struct sums {
	uint64_t states[KTRACE_STATE_NR]; /* ns */
	uint64_t switches;		  /* that it left a CPU ... */
	uint64_t preemptions;		  /* ... and wanted to run on */
	uint64_t calls;			  /* system calls that returned ... */
	uint64_t errors;		  /* ... an error */
	uint64_t events;
};

struct tally_thread {
	struct tally_thread *next, **link;
	uint64_t id; /* from 1; no other one has it */
	uint32_t tid;
	uint32_t tgid;
	char comm[COMM_ROOM];
	bool known; /* the time line knows it */
	bool gone;  /* the time line has forgotten it */
	bool dead;
	bool orphan; /* the first thread of its process has ended before; only with a family */
	bool wanted; /* now: its calls and events count for rows */
	bool shown; /* it was wanted some time in this interval: it has a row */
	bool least; /* in this interval something of it was lost, or may have been */
	uint64_t upto; /* all up to here is in @sums */
	struct sums sums;
	struct doing doing;
};

struct tally {
	/* Set by the caller: */
	const struct ktrace_types *types;
	const struct who *who;
	/* Processes whose children count, too; NULL: all do. */
	struct family *family;
	uint64_t
		begin; /* of the interval, ns; what was before does not count */

	/*
	 * Set by the caller: when calls and the like began or ceased to be recorded (ns), in the middle; 0: that
	 * did not happen.  What threads did before says nothing of later waits.
	 */
	uint64_t calls_changed;

	/* The interval. */
	uint64_t end;	 /* set by tally_close() */
	struct sums all; /* of all threads, also those that nobody wants */
	uint64_t idle;	 /* ns, of all CPUs */
	uint64_t lost;	 /* events */
	bool unplaced; /* set by the caller: some of these are nobody knows where */
	/*
	 * Set by the caller: since then events are missing at its end, whose number is told later; 0: none
	 * are.
	 */
	uint64_t losing;
	bool doubts;	   /* there was a gap, whose loss may be told later */
	uint64_t lost_all; /* in this and all intervals before */
	/*
	 * Waits are those of all threads, see tally_thread_id(): one may be wanted later, in the middle of
	 * the interval.  The others are of threads that were wanted then.
	 */
	struct span_rows waits, calls, functions;
	uint64_t *events; /* by number of their type */
	size_t nr_events;

	struct tally_thread *threads;
	size_t nr_threads;
	uint64_t ids;
	struct table by_tid; /* that is alive */
	struct ktrace_timeline *timeline;
	struct need_seen locks_end;
	const struct ktrace_type *switch_type, *fork_type;
	const struct ktrace_field *prev_state, *child;
	bool ending; /* it is being freed */
};

/* @cursor: where the items come from.  0 or a negative errno, as all of these. */
int tally_create(struct tally *t, const struct ktrace_cursor *cursor);
int tally_event(struct tally *t, const struct ktrace_event *event);
int tally_loss(struct tally *t, const struct ktrace_loss *loss);
/* The interval ends at @time, which no item that was told is behind. */
int tally_close(struct tally *t, uint64_t time);
/* After tally_close(): the next interval begins there.  Forgets threads that have ended. */
void tally_next(struct tally *t);
void tally_free(struct tally *t);

/* A row of waits has a state as kind, and in place of the tid and the process the thread's id. */
static inline uint64_t tally_thread_id(const struct span_row *row)
{
	return (uint64_t)row->tgid << 32 | row->tid;
}

/* How long it was there in the interval, ns. */
uint64_t sums_wall(const struct sums *sums);
void sums_add(struct sums *sums, const struct sums *more);

#endif /* KT_CMD_TOP_TALLY_H */
