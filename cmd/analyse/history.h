/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What threads did lately: their states, and who has ended those in which they waited.
 *
 * Nobody needs what is older than the horizon: the begin of the oldest interval of which the path
 * is still to be found.  A thread's states are a ring, which grows while it has no state that is
 * older.  Rings together have at most HISTORY_MAX states; then each forgets its oldest one when
 * a new one comes.  Threads that have ended are kept until the horizon has passed their end,
 * and no interval of theirs is to be told.
 */
#ifndef KT_CMD_ANALYSE_HISTORY_H
#define KT_CMD_ANALYSE_HISTORY_H

#include <stdbool.h>

#include <ktrace/timeline.h>

#include "base/table.h"
#include "doing.h"
#include "runs.h"

struct interval;

#define HISTORY_MAX (1u << 20)
#define RING_MIN    16

/* A string with as many owners as it says. */
struct text {
	unsigned int owners;
	char *s;
};

/* NULL: out of memory. */
struct text *text_create(const char *s);
/* May be NULL. */
struct text *text_get(struct text *text);
void text_put(struct text *text);
/* For all owners.  0 or -ENOMEM. */
int text_set(struct text *text, const char *s);

/* How a wait ended. */
enum past_end {
	PAST_UNSEEN, /* nobody's wake of it is in the trace */
	PAST_WOKEN,
	PAST_AMBIGUOUS, /* by @waker, or by an interrupt that came upon it */
	PAST_EARLY, /* woken before it slept, so it did not wait for @waker */
	PAST_CUT, /* it has lasted until then at least: the rest is not known */
	PAST_OPEN,    /* the trace ends in it */
	PAST_UNKNOWN, /* the state is not known: events are missing */
};

/* A state of a thread that has ended; "it" is the thread. */
struct past {
	uint64_t begin;
	uint64_t end;
	enum ktrace_timeline_states state;
	enum past_end how;
	/* Of a wait.  Texts belong to the state, and may be NULL. */
	struct text *reason;
	struct text *by;    /* the name of who has woken it */
	uint64_t waker;	    /* that thread in the time line; 0: an interrupt */
	uint32_t waker_tid; /* with this number */
	uint32_t waker_tgid;
	uint32_t
		disk; /* of the request that the interrupt has completed; 0: none */
	uint32_t cpu; /* running: where; waiting for a CPU: where it ran then */
	bool runs;    /* @cpu is that CPU */
};

/* What is kept with a thread or a slice of a time line begins with what it is. */
enum kept {
	KEPT_RECORD,
	KEPT_INTERVAL,
};

/* A thread. */
struct record {
	enum kept kept;
	uint64_t id;				     /* in the time line */
	const struct ktrace_timeline_thread *thread; /* NULL: it has ended */
	uint32_t tid;
	uint32_t tgid;
	struct text *name;
	bool again;    /* another one had this number before */
	uint64_t born; /* 0: not known; by: */
	uint64_t creator;

	struct past *ring;
	size_t room; /* a power of two, or 0 */
	size_t nr;
	uint64_t
		next; /* index of the next one, counted from the first one ever */
	uint64_t asked; /* @next, when the horizon was asked for */
	uint64_t told;	/* the end of the last one; 0: there was none */

	/* Why it waits. */
	struct doing doing;
	struct text *call;   /* of doing.slice, if it has waited in it */
	struct text *reason; /* of the wait that may follow */

	/* A wake that came while it ran, and is not complete yet. */
	struct past early; /* the waker only */
	bool is_early;

	struct interval *intervals; /* that are open: see path.h */
	unsigned int
		ended; /* those that are closed, but are still to be told */
	bool lives;    /* one of them was all that it does */
	struct record *next_dead;
};

struct history {
	struct table by_id, by_tid; /* records; the last one with each number */
	struct record *dead, **last_dead; /* in the order of their ends */
	size_t nr_dead, many_dead;
	uint64_t total;	  /* states in memory */
	uint64_t horizon; /* at least */
	/* Asked when memory is needed: nothing before that time is. */
	uint64_t (*horizon_find)(void *data);
	void *data;
};

/* That of a thread, with its name.  NULL: out of memory. */
struct record *history_get(struct history *h,
			   struct ktrace_timeline_thread *thread);
/* The thread of this record is no more. */
void history_gone(struct history *h, struct record *record);
/* A state has ended: takes its texts.  0 or -ENOMEM. */
int history_add(struct history *h, struct record *record, struct past *past);
/* The last state, if it ended then and the thread waited in it; NULL: it did not. */
struct past *history_wait(struct record *record, uint64_t end);
bool past_is_wait(const struct past *past);
/*
 * In which state it was right before @time.  The texts are not the caller's.  False: nothing is
 * known of then: @past has @begin, from which on that is so (0: always), and @end.
 */
bool history_at(const struct record *record, uint64_t time, struct past *past);
void history_free(struct history *h);

#endif /* KT_CMD_ANALYSE_HISTORY_H */
