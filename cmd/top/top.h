/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ktrace top: what threads do, live or of a trace, as a table for each interval.
 *
 *	tally.c			what a time line tells becomes sums of an interval
 *	rows.c, fields.c	these become rows, with columns
 *	cgroups.c		the control groups of processes that run
 *	show.c			lines and JSON
 *	intervals.c		what the cursor has becomes intervals
 *	top.c			options; traces
 *	top_live.c		what happens now
 *	top_screen.c		the table on a terminal, and keys
 */
#ifndef KT_CMD_TOP_H
#define KT_CMD_TOP_H

#include <stdio.h>

#include "cgroups.h"
#include "common/family.h"
#include "common/patterns.h"
#include "common/query.h"
#include "rows.h"
#include "run/live.h"
#include "tally.h"

struct screen;

struct top {
	/* The command line. */
	struct rows_wish wish;
	struct query query;
	struct who who;
	struct patterns pids;
	const char *input; /* a trace; NULL: what happens now */
	uint64_t interval; /* ns; 0: one table for all */
	uint64_t count;	   /* of tables; 0: no limit */
	uint64_t head;
	bool json;
	bool batch;
	/* Which options were given: */
	const char *sort;
	bool interval_given;
	bool head_given;
	int is_live; /* one for what happens now only */
	int is_part; /* one for traces only */
	bool waits;  /* calls and the like are recorded, too */
	struct live live;

	/* What is counted. */
	struct ktrace *trace;
	const struct ktrace_cursor *cursor;
	int item; /* of the cursor, that was not taken yet; KTRACE_END: none */
	struct tally tally;
	bool counting; /* there is a tally */
	struct need_seen calls_seen;
	struct family family;
	struct cgroups cgroups;
	uint64_t now;	     /* time of the last item */
	uint64_t shown;	     /* tables */
	uint64_t lost_shown; /* in tables before this one */
	struct rows
		rows[BY_NR]; /* the last table; of the screen: of each kind */
	FILE *out;
	struct screen *screen; /* NULL: lines */
	bool paused;	       /* no new rows are shown */
	uint64_t lost_paused;  /* meanwhile */
	/* Records calls and the like, or does not any more.  Returns an exit status; if it fails, nothing changes. */
	int (*waits_switch)(struct top *top, bool on);
	int error;	/* negative errno */
	bool unwritten; /* that is of @out, not of the library */
};

/* Any event that begins a system call: see needs.h. */
#define ALL_CALLS                                           \
	"syscalls:sys_enter_*|compat_syscalls:sys_enter_*|" \
	"raw_syscalls:sys_enter"

/* intervals.c */

/* Counts from @begin on; 0: from the first item on.  0 or a negative errno, as the next ones. */
int top_begin(struct top *top, struct ktrace *trace,
	      const struct ktrace_cursor *cursor, uint64_t begin);
/* Takes an item that the cursor has found. */
int top_item(struct top *top, struct ktrace_cursor *cursor, int item);
/* Takes all that the cursor has now, and shows intervals that end there. */
int top_read(struct top *top, struct ktrace_cursor *cursor);
/* All events before @time were read: shows intervals that have ended then. */
int top_pass(struct top *top, uint64_t time);
/* Shows what has begun, up to @time. */
int top_end(struct top *top, uint64_t time);
bool top_is_over(const struct top *top);
void top_done(struct top *top);
/* Says what has failed: 0, or the error of one of these.  Returns an exit status. */
int top_status(const struct top *top, int err);

/* top_live.c: returns an exit status. */
int top_live(struct top *top);
/* top_screen.c, or top_lines.c, if there is no ncurses */

bool screen_exists(void);
/* Returns an exit status. */
int screen_begin(struct top *top);
/* The rows have changed, or keys may have come.  False: quit. */
bool screen_more(struct top *top);
void screen_end(struct top *top);
#endif /* KT_CMD_TOP_H */
