/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the page is written of: all that the time line has told. */
#ifndef KT_SHOW_HTML_HTML_H
#define KT_SHOW_HTML_HTML_H

#include "html/callers.h"
#include "html/density.h"
#include "html/embed.h"
#include "html/shape.h"
#include "html/tape.h"
#include "viewer.h"

/* Names that a thread had: those after these replace the last one. */
#define NAMES_MAX 8

/* What the data of the time line's things is. */
enum owner {
	OWNER_THREAD,
	OWNER_TRACK,
	OWNER_SLICE,
};

struct lane {
	enum owner owner;
	uint32_t number;
	uint32_t tid, tgid, cpu;
	uint32_t names[NAMES_MAX]; /* words */
	uint32_t nr_names;
	uint64_t end;  /* of its last state */
	uint64_t wake; /* the last one of it; 0: none */
	/* A state that is not known, which those that follow may continue; begin == end: none. */
	struct unknown {
		uint64_t begin, end;
		uint32_t cpu;
		bool open;
	} unknown;
};

struct strip {
	enum owner owner;
	uint32_t number;
	enum ktrace_timeline_kind kind;
	uint32_t of;	   /* the track's number */
	struct lane *lane; /* NULL: of no thread */
};

struct html {
	struct viewer viewer;
	struct tape tape;
	struct shapes shapes;
	struct callers callers;
	struct row row;
	struct density density;
	struct lane **lanes;
	struct strip **strips;
	uint32_t nr_lanes, nr_strips;
	struct table threads; /* lanes, by tid: the last thread that had it */
	bool part; /* of the trace: there are events that are not shown */
	struct output json; /* into @embed */
	struct embed embed;
};

/* Times of the tape; those before the begin are negative, modulo 2^64. */
static inline uint64_t html_time(const struct html *h, uint64_t time)
{
	return time - h->viewer.begin;
}

/* Writes the page.  0 or a negative errno. */
int html_write(struct html *h);
/* Takes what is written into h->json: it becomes a part of the page. */
int html_embed(void *data, const char *text, size_t size);

#endif /* KT_SHOW_HTML_HTML_H */
