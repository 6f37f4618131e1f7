/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The tape: all that the time line has told, in this order; but states of a thread that are not known
 * and touch are one, which comes before the thread's next one.
 *
 * Each step has an operation and a time, and what more it needs, in columns of its own:
 *
 *	TAPE_STATE	thread, state, begin		a state of a thread has ended
 *	TAPE_SLICE	track, shape, length, end, CPU	a slice has ended
 *	TAPE_POINT	track, shape, CPU		an event that is nothing else
 *	TAPE_WAKE	track, shape, CPU, thread	that was woken
 *	TAPE_LOSS	CPU, length, count, cause, of programs
 *
 * Times are ns, each as what it is more than the one before it: events in a row share a time or
 * nearly so, and most states begin where the one before ended.
 */
#ifndef KT_SHOW_HTML_TAPE_H
#define KT_SHOW_HTML_TAPE_H

#include <stdbool.h>

#include "html/column.h"

enum tape_step {
	TAPE_STATE,
	TAPE_SLICE,
	TAPE_POINT,
	TAPE_WAKE,
	TAPE_LOSS,
};

/* In the order in which the page has them (page/data.js). */
enum tape_column {
	COLUMN_STEP,
	COLUMN_TIME, /* signed, split */
	COLUMN_TIME_LOW,
	COLUMN_STATE_THREAD,
	COLUMN_STATE, /* see tape_state_bits() */
	COLUMN_STATE_BEGIN, /* 0: at the end of the thread's last one; else the length + 1 */
	COLUMN_SLICE_TRACK,
	COLUMN_SLICE_SHAPE,
	COLUMN_SLICE_LENGTH, /* split */
	COLUMN_SLICE_LENGTH_LOW,
	COLUMN_SLICE_END, /* enum ktrace_timeline_end */
	COLUMN_SLICE_CPU, /* on which it began */
	COLUMN_POINT_TRACK,
	COLUMN_POINT_SHAPE,
	COLUMN_POINT_CPU,
	COLUMN_WAKE_TRACK,
	COLUMN_WAKE_SHAPE,
	COLUMN_WAKE_CPU,
	COLUMN_WAKE_THREAD,
	COLUMN_LOSS_CPU,
	COLUMN_LOSS_LENGTH,
	COLUMN_LOSS_COUNT,
	COLUMN_LOSS_CAUSE, /* a word */
	COLUMN_LOSS_PROGRAMS, /* 1: markers are missing, and no events of the kernel */
	COLUMNS_NR,
};

struct tape {
	struct column columns[COLUMNS_NR];
	uint64_t time; /* of the last step */
	bool failed;   /* there was no memory */
};

static inline void tape_put(struct tape *tape, enum tape_column column,
			    uint64_t value)
{
	tape->failed |= column_put(&tape->columns[column], value) != 0;
}

static inline void tape_put_split(struct tape *tape, enum tape_column column,
				  uint64_t value)
{
	tape->failed |= column_put_split(&tape->columns[column], value) != 0;
}

static inline void tape_step(struct tape *tape, enum tape_step step,
			     uint64_t time)
{
	tape_put(tape, COLUMN_STEP, step);
	tape->failed |=
		column_put_split_signed(&tape->columns[COLUMN_TIME],
					(int64_t)(time - tape->time)) != 0;
	tape->time = time;
}

static inline uint64_t tape_size(const struct tape *tape)
{
	uint64_t size = 0;

	for (int i = 0; i < COLUMNS_NR; i++)
		size += tape->columns[i].size;
	return size;
}

/*
 * @open: the trace ends in it.  @woken: it runs because of the last wake of its thread.  @cut: it has lasted
 * until then at least, because events are missing.
 */
static inline uint64_t tape_state_bits(unsigned int state, bool open,
				       bool woken, bool cut, uint32_t cpu)
{
	return state | open << 3 | woken << 4 | cut << 5 | (uint64_t)cpu << 6;
}

static inline void tape_free(struct tape *tape)
{
	for (int i = 0; i < COLUMNS_NR; i++)
		column_free(&tape->columns[i]);
}

#endif /* KT_SHOW_HTML_TAPE_H */
