/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The critical path of an interval of a thread's time: where the time really went.
 *
 * The path goes backwards from the end of the interval.  While the thread ran, or waited for a
 * CPU, that is the path.  If it waited until another thread woke it, the path is what that thread
 * did meanwhile, from the wake back to the begin of the wait; and where that one waited, it is what
 * its own waker did, and so on.  What a waker did before the wait began has delayed nobody.  If
 * an interrupt has woken a thread, the path is the wait itself: who was interrupted is not the cause.
 *
 * So the path has a piece for each moment of the interval, and just one.
 */
#ifndef KT_CMD_ANALYSE_PATH_H
#define KT_CMD_ANALYSE_PATH_H

#include "common/span_rows.h"
#include "history.h"
#include "instead.h"
#include "longest.h"

/* Wakers of wakers that are followed. */
#define PATH_DEPTH 64
/* Rows of sums; after that, only states are told apart. */
#define PATH_ROWS 4096

/* What there is to say of a piece. */
enum path_note {
	PATH_PLAIN,
	PATH_FOLLOWED, /* it is no piece: those in it are what the waker did */
	PATH_NEW, /* nor is this: the thread was not there yet, and the waker has made it */
	PATH_UNSEEN, /* it waited, and who has ended that is not in the trace */
	PATH_AMBIGUOUS, /* the waker may be an interrupt */
	PATH_EARLY,	/* the waker has woken it before it slept */
	PATH_CUT,	/* events are missing: the wait was not over */
	PATH_OPEN,	/* nor was it at the end */
	PATH_LOST,	/* events are missing */
	PATH_BEFORE,	/* nothing is known of the thread yet */
	PATH_FORGOTTEN, /* it is too long ago: HISTORY_MAX */
	PATH_DEEP,	/* the waker was not followed: PATH_DEPTH */
	PATH_NOTE_NR,
};

/* Is it no piece, but what pieces are in? */
static inline bool path_is_around(enum path_note note)
{
	return note == PATH_FOLLOWED || note == PATH_NEW;
}

/* NULL: there is nothing to say. */
const char *path_note_text(enum path_note note);

struct piece {
	struct longest_item item;
	uint64_t begin;
	struct text *comm;
	struct text *reason; /* of a wait; NULL: there is none */
	struct text *waker;  /* NULL: not known */
	/* Of a wait for a CPU; NULL: nobody is known to have run, and of all others. */
	struct instead *instead;
	uint32_t tid;
	uint32_t tgid;
	uint32_t cpu; /* running, runnable and preempted */
	uint32_t waker_tid;
	uint32_t disk;
	uint8_t depth; /* so many waits that were followed are around it */
	uint8_t note;  /* enum path_note */
	uint8_t state; /* enum ktrace_timeline_states */
};

static inline uint64_t piece_end(const struct piece *piece)
{
	return piece->begin + piece->item.ns;
}

struct path {
	uint32_t tid;
	uint32_t tgid;
	char comm[COMM_ROOM];
	char name[REASON_ROOM]; /* "": all that the thread did */
	uint64_t begin;
	uint64_t end;
	uint64_t *total; /* pieces and waits of all paths */
	bool likely;	 /* it is one of the longest until now */
	struct longest pieces;
	struct longest waits; /* that were followed: what pieces are in */
	uint64_t count;	      /* all pieces */
	/* After path_end(): the longest pieces, and what they are in, by time. */
	const struct piece **shown;
	size_t nr_shown;
	struct span_rows states;  /* by thread and state, which is the kind */
	struct span_rows reasons; /* by state, which is the tid, and reason */
	uint64_t notes[PATH_NOTE_NR]; /* pieces with each of them */
};

/* Of which a path is wanted. */
struct interval {
	enum kept kept;
	bool wanted; /* else it is only a wait for a lock: */
	bool lock;
	bool is_call;
	struct record *of;
	uint64_t begin;
	uint64_t done; /* the path is known up to here */
	uint64_t end;
	uint64_t states;   /* of @of that have ended since */
	struct path *path; /* NULL: nothing is known of it */
	char name[REASON_ROOM];
	struct interval *outer;		/* of the same thread */
	struct interval *older, *newer; /* of all that are open */
};

struct path_world {
	const struct history *history;
	const struct runs *runs;
	size_t pieces_max;
	uint64_t *total; /* pieces and waits of all paths: they count here */
	bool follows;	 /* false: interrupts are not known, so no wake is */
};

/* Makes the path of the interval up to @to, which was not made before.  0 or -ENOMEM. */
int path_go(const struct path_world *world, struct interval *interval,
	    uint64_t to);
/* From now on it has no more than so many of the longest pieces, which are not more than before. */
void path_limit(struct path *path, size_t max);
/* Nothing may be added after this.  0 or -ENOMEM. */
int path_end(struct path *path);
void path_free(struct path *path);

#endif /* KT_CMD_ANALYSE_PATH_H */
