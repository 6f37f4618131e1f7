/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The parts of a recording. */
#ifndef KT_LIB_RECORD_RECORDING_H
#define KT_LIB_RECORD_RECORDING_H

#include <stdbool.h>

#include <ktrace/recording.h>

#include "feed.h"
#include "metadata.h"
#include "misses.h"

struct ktrace_recording {
	struct ktrace_session *session; /* NULL: without the kernel */
	struct metadata metadata;	/* and where the events go */
	struct metadata
		left; /* of the trace before, if a feed may still use it */
	struct feed *feeds[FEEDS_MAX + 1];	 /* ends with a NULL */
	struct ktrace_recording_options options; /* for further traces */
	struct ktrace_recording_status parted;	 /* in the traces before */
	bool made; /* the sink was created, and has no events yet */
	bool running;
	bool on;	 /* the session is on: switching it off has failed */
	bool fresh;	 /* events were enabled since the last sync */
	bool pointed;	 /* the sink gets sync() calls */
	uint64_t synced; /* clock: when the last sync began */
	bool keep;
	struct misses start;  /* before it, if there was another trace since */
	struct misses before; /* before the newest trace */
	struct misses misses; /* since then; after stop: since the start */
	int failed;	      /* epoll: readable after a feed's error */
};

/* The first error, because later ones may follow from it. */
struct first {
	int err;
	char why[512];
};

/* Keeps @err with its message, if it is the first one.  Is it none? */
bool first_keep(struct first *first, int err);
/* Sets the message once more. */
int first_error(const struct first *first);

/* Adds the counts of a stream. */
void status_add(struct ktrace_recording_status *status,
		const struct feed_count *count);
/*
 * Writes what was missed since @before; *@all: since the session exists, at the same moment.
 * Sets the error message.
 */
int misses_write(struct ktrace_recording *r, struct ktrace_writer *writer,
		 struct misses *all);

#endif /* KT_LIB_RECORD_RECORDING_H */
