/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Lines in order of time, some of which wait.
 *
 * Whether a call calls something is known later than its line begins.  So its line waits,
 * and all lines behind it wait with it: until the next event of its thread, or until too
 * much waits.
 *
 *	lines_begin(lines)	begins a line, which takes text from lines->text
 *	lines_took(lines, ...)	the durations go here
 *	lines_wait(lines, ...)	leaves the line to be completed later, or
 *	lines_end(lines)	ends it
 *	lines_put(lines)	writes those that wait for nothing
 */
#ifndef KT_SHOW_GRAPH_LINES_H
#define KT_SHOW_GRAPH_LINES_H

#include <ktrace/trace.h>

#include "output.h"

#define LINES_MAX   1024 /* a power of two */

#define NO_DURATION UINT64_MAX

/* What the column of durations has in front. */
enum line_mark {
	LINE_CALL,    /* how long it took, as ftrace marks it */
	LINE_ENTERED, /* an interrupt begins */
	LINE_LEFT,    /* it ends */
};

/* Durations in ns, or NO_DURATION. */
struct took {
	enum line_mark mark;
	uint64_t all;
	uint64_t self; /* without that of what was called */
};

struct line {
	char *text;
	size_t size, room;
	size_t head; /* the durations go behind so many bytes */
	struct took took;
};

/* A line whose call may prove to call nothing. */
struct waiting {
	uint64_t line;
	uint64_t time;
	uint32_t tid, cpu;
	uint32_t depth;
	bool paused; /* it waited when the output paused */
};

struct lines {
	struct output output;
	struct output text; /* goes to the line @written */
	uint64_t written;
	bool durations, selves;	     /* are there such columns? */
	struct line ring[LINES_MAX]; /* [first, next), by number */
	uint64_t first, next;
	size_t bytes;			   /* of these lines */
	struct waiting waiting[LINES_MAX]; /* in order of lines */
	uint32_t nr_waiting;
};

/* Functions return 0, or a negative errno after error_set(). */

int lines_init(struct lines *lines,
	       int (*write)(void *data, const char *text, size_t size),
	       void *data);
void lines_destroy(struct lines *lines);

/* Makes room for one more line, if necessary at the cost of the oldest that wait. */
int lines_room(struct lines *lines);
void lines_begin(struct lines *lines);
int lines_took(struct lines *lines, struct took took);
int lines_end(struct lines *lines);

/* The new line is that of a call which began with the event. */
int lines_wait(struct lines *lines, const struct ktrace_event *event,
	       uint32_t depth);
/* The call of the event's thread that waits; NULL: there is none. */
struct waiting *lines_waiting(struct lines *lines,
			      const struct ktrace_event *event);
/* It calls something, or may do so. */
int lines_open(struct lines *lines, struct waiting *waiting);
/* It has called nothing that is shown: more text comes, and lines_end(). */
void lines_resume(struct lines *lines, struct waiting *waiting,
		  struct took took);

int lines_put(struct lines *lines);
/* More events follow: only calls that waited at the last pause, too, wait no longer. */
int lines_pause(struct lines *lines);
/* No line waits any more. */
int lines_open_all(struct lines *lines);

#endif /* KT_SHOW_GRAPH_LINES_H */
