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
	struct ktrace_session *session;	   /* NULL: without the kernel */
	struct metadata metadata;	   /* and where the events go */
	struct feed *feeds[FEEDS_MAX + 1]; /* ends with a NULL */
	bool made; /* the sink was created, and has no events yet */
	bool running;
	bool on;	 /* the session is on: switching it off has failed */
	bool fresh;	 /* events were enabled since the last sync */
	bool pointed;	 /* the sink gets sync() calls */
	uint64_t synced; /* clock: when the last sync began */
	bool keep;
	struct misses before; /* the start */
	struct misses misses; /* since then */
	int failed;	      /* epoll: readable after a feed's error */
};

#endif /* KT_LIB_RECORD_RECORDING_H */
