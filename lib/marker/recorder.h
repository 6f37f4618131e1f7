/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The recorder of programs' markers: has the table and the rings, and moves
 * events to the streams of a trace.
 */
#ifndef KT_LIB_MARKER_RECORDER_H
#define KT_LIB_MARKER_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ktrace/session.h>

struct ktrace_session;
struct markers;

struct markers_options {
	const char *const *patterns; /* see marker_wanted() */
	size_t nr_patterns;
	uint64_t buffer; /* bytes for each CPU; 0: the default */
	bool overwrite;
	uint64_t trace_id;
	bool monotonic;	  /* the clock is CLOCK_MONOTONIC, not the counter */
	uint64_t missing; /* see markers_missing() */
	/* The session whose clock is used; NULL: none. */
	struct ktrace_session *session;
	uint32_t first_id; /* of the events; lower ids are the kernel's */
	bool other;	   /* record programs of the user @uid, not our own; */
	uint32_t uid;	   /* needs root */
	const pid_t *pids; /* only these and their children; NULL: all */
	size_t nr_pids;
	void (*warn)(void *data, const char *text);
	void *data;
};

/* Says why a hub cannot be used, and what to do. */
const char *markers_why(int err);

/*
 * -EBUSY: too many recorders.  -ENOENT: another user has no programs with
 * markers.
 */
int markers_create(const struct markers_options *options,
		   struct markers **markers);
/*
 * Switches wanted markers on, also in running programs.  In programs of another
 * user this happens a little later, unless @wait.
 */
int markers_start(struct markers *markers, bool wait);
/* Switches them off again. */
void markers_stop(struct markers *markers);
void markers_destroy(struct markers *markers);

/*
 * Adds those types again whose fields have names in debug information.  Call it
 * in another thread than the other functions, because it may wait for files.
 */
int markers_names(struct markers *markers, struct ktrace_types *types);

/* Sets what is added to the time stamp counter from now on. */
void markers_missing(struct markers *markers, uint64_t ticks);

/* Adds the types that programs have made known since the last time. */
int markers_types(struct markers *markers, struct ktrace_types *types);
/* The next call adds all of them again. */
void markers_types_again(struct markers *markers);

/*
 * markers_read() copies the next packet of ring @index to @packet, which has
 * KT_PACKET_SIZE bytes.  1, or 0 if there is none now.  @all: also the one that
 * is not full yet; only after markers_stop(), and once.
 */
size_t markers_nr_rings(const struct markers *markers);
/* The packets of a ring; the highest number of events. */
size_t markers_packets(const struct markers *markers);
uint32_t markers_max(void);
/* The number of the packet that is being filled. */
uint64_t markers_open_packet(const struct markers *markers, size_t index);
int markers_read(struct markers *markers, size_t index, bool all, void *packet,
		 uint32_t *size);
/*
 * Copies the written part of the packet that is being filled.  Discard mode
 * only.
 */
int markers_peek(const struct markers *m, size_t index, void *packet,
		 uint32_t *size);

/* Reads the counts of events that writers could not write. */
void markers_lost(const struct markers *markers, size_t index,
		  uint64_t lost[KTRACE_LOST_NR]);
/*
 * The number of events that programs without a clock did not write, for all
 * rings.
 */
uint32_t markers_timeless(const struct markers *markers);

#endif /* KT_LIB_MARKER_RECORDER_H */
