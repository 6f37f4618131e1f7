/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The recorder of programs' markers: its table and rings, from which events go to
 * the streams of a trace.
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
	uint64_t buffer; /* bytes for each CPU; 0: some */
	bool overwrite;
	uint64_t trace_id;
	bool monotonic;	  /* the clock: CLOCK_MONOTONIC, not the counter */
	uint64_t missing; /* see markers_missing() */
	/* Whose clock they have; NULL: their own. */
	struct ktrace_session *session;
	uint32_t first_id; /* of the events; those before it are the kernel's */
	bool other;	   /* not our own programs, but those of the user */
	uint32_t uid;	   /* with this number: as root */
	const pid_t *pids; /* only these, and what they start; none: all */
	size_t nr_pids;
	void (*warn)(void *data, const char *text);
	void *data;
};

/* Why a hub cannot be used, and what to do. */
const char *markers_why(int err);

/*
 * -EBUSY: there are as many recorders as there can be.  -ENOENT: another user has no
 * programs with markers.
 */
int markers_create(const struct markers_options *options,
		   struct markers **markers);
/*
 * Switches wanted markers on, also in running programs.  In programs of another
 * user this happens a little later, unless @wait.
 */
int markers_start(struct markers *markers, bool wait);
/* Off again. */
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

/*
 * Of ring @index: the next packet, to @packet, which has KT_PACKET_SIZE bytes.
 * 1, or 0: there is none now.  With @all also the one that is not full yet; only
 * after markers_stop(), and once.
 */
size_t markers_nr_rings(const struct markers *markers);
/* How many packets a ring has; how many events there can be. */
size_t markers_packets(const struct markers *markers);
uint32_t markers_max(void);
/* The number of the packet that is being filled. */
uint64_t markers_open_packet(const struct markers *markers, size_t index);
int markers_read(struct markers *markers, size_t index, bool all, void *packet,
		 uint32_t *size);
/* A copy of the packet that is being filled, as far as it is; discard mode only. */
int markers_peek(const struct markers *m, size_t index, void *packet,
		 uint32_t *size);

/* Counts what writers could not write. */
void markers_lost(const struct markers *markers, size_t index,
		  uint64_t lost[KTRACE_LOST_NR]);
/*
 * The number of events that programs without a clock did not write, for all
 * rings.
 */
uint32_t markers_timeless(const struct markers *markers);

#endif /* KT_LIB_MARKER_RECORDER_H */
