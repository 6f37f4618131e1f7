/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What time lines for viewers, other people's and that of show/html, have in common: they are made of
 * the time line (<ktrace/timeline.h>), begin with something, end with something, and are no text for
 * people.
 */
#ifndef KT_SHOW_VIEWER_H
#define KT_SHOW_VIEWER_H

#include <ktrace/timeline.h>

#include "argument.h"
#include "output.h"
#include "show.h"

struct viewer {
	struct ktrace_output show;
	struct output output;
	struct arguments arguments;
	struct ktrace_timeline *timeline;
	const struct viewer_ops *ops;
	/* The time of the first event or loss; 0: there was none. */
	uint64_t begin;
	uint64_t end;	  /* of the last one: what is told ends there */
	uint64_t written; /* bytes, without those in @output */
	uint64_t told;	  /* events */
	bool begun, finished;
	bool stopped;		/* it is full: the rest is left out */
	uint64_t left_out_lost; /* lost events in the rest */
};

struct viewer_ops {
	/* Its data is the viewer. */
	struct ktrace_timeline_calls calls;
	/* viewer->begin is known.  May be NULL. */
	int (*begin)(struct viewer *viewer);
	/* All has been told.  @begin was called.  May be NULL. */
	int (*end)(struct viewer *viewer);
	/* No viewer reads more bytes; 0: any number. */
	uint64_t limit;
	/* It takes no more: what follows is left out.  May be NULL: it takes all. */
	bool (*full)(const struct viewer *viewer);
};

int viewer_open(struct ktrace_output *show, const struct viewer_ops *ops);
void viewer_close(struct viewer *viewer);

/* For struct show_ops of an output that begins with a struct viewer. */
int viewer_event(struct ktrace_output *show, const struct ktrace_event *event);
int viewer_hidden(struct ktrace_output *show, const struct ktrace_event *event);
int viewer_loss(struct ktrace_output *show, const struct ktrace_loss *loss);
int viewer_hidden_loss(struct ktrace_output *show,
		       const struct ktrace_loss *loss);
int viewer_finish(struct ktrace_output *show);
int viewer_pause(struct ktrace_output *show);

/* -EFBIG: no viewer reads so many bytes. */
int viewer_limit(const struct viewer *viewer, uint64_t bytes);
/* What people call a track: "functions" and so on, beside the name of its thread. */
const char *viewer_track_name(const struct ktrace_timeline_track *track);
/* "irq" and so on. */
const char *viewer_category(const struct ktrace_span *span);
/* What is said of a slice whose end is not known; NULL: it is. */
const char *viewer_end_text(enum ktrace_timeline_end how);

#endif /* KT_SHOW_VIEWER_H */
