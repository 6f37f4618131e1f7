/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Who called: which events had which stacks.
 *
 * Stacks are a tree of frames.  A frame is a function, called by its parent; those without a parent
 * are programs, by name.  A program has called the kernel.  What is not known of a stack is
 * a frame in brackets.  Frames and calls are counted from 0:
 *
 *	frame	parent, name
 *	call	when, thread, CPU, what event it was, innermost frame
 *
 * When it was is told by the tape: how many of its steps came before the call, and how much later
 * than the last one of these it was.  Most events are such a step themselves.
 */
#ifndef KT_SHOW_HTML_CALLERS_H
#define KT_SHOW_HTML_CALLERS_H

#include <ktrace/trace.h>

#include "base/table.h"
#include "fold_path.h"
#include "html/tape.h"
#include "html/words.h"

/* In the order in which the page has them (page/callers.js). */
enum callers_column {
	CALLERS_PARENT, /* so many frames before it; 0: it has none */
	CALLERS_NAME,	/* a text */
	CALLERS_STEPS,	/* of the tape, since the call before */
	CALLERS_TIME,	/* since the last step; signed, split */
	CALLERS_TIME_LOW,
	CALLERS_THREAD, /* its number + 1; 0: an idle thread, or not known */
	CALLERS_CPU,
	CALLERS_WHAT, /* a word: "sched:sched_switch" */
	CALLERS_FRAME,
	CALLERS_NR,
};

/* All zero, then callers_init(). */
struct callers {
	struct fold_paths paths;
	struct table frames; /* numbers + 1, by those of parent and name */
	struct table
		stacks; /* the same, by those of the caller and the stack's id */
	uint32_t nr_frames;
	struct column columns[CALLERS_NR];
	uint64_t steps; /* before the last call */
	/* Those of the paths' names that are counted, and their bytes. */
	uint32_t nr_names;
	uint64_t names_size;
	/* The last type that an event had, by its fields, and how it is called. */
	const struct ktrace_field *type;
	uint32_t what;
};

/* 0 or -ENOMEM. */
int callers_init(struct callers *callers);
/*
 * An event whose type has stacks, and which the tape has.  @time: as there.  @thread: see CALLERS_THREAD.
 * @form: of frames (stack.h).
 */
int callers_add(struct callers *callers, const struct ktrace *trace,
		const struct ktrace_event *event, unsigned int form,
		const struct tape *tape, uint64_t time, uint32_t thread,
		struct words *words, struct words *texts);
/* Bytes of all that grows. */
uint64_t callers_size(const struct callers *callers);
void callers_free(struct callers *callers);

#endif /* KT_SHOW_HTML_CALLERS_H */
