/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where programs and recorders meet: a directory in memory (/dev/shm/ktrace-UID, or
 * what KTRACE_MARKERS says) with
 *
 *	hub		a byte for each possible id of a marker; bit N:
 *			recorder N may want it.  Every program with markers maps it,
 *			and each marker tests its byte: this is how markers are
 *			switched on and off in programs that run.
 *	recorder-N	what recorder N wants, what markers it has met, and the rings
 *	recorder-7	what is to be printed: like what a recorder wants, but without
 *			rings and without a process: it exists until it is removed
 *
 * Neither file has a list of processes: they come and go and leave nothing
 * behind. When a program starts, it tells every recorder about those of its
 * markers that the recorder wants.
 *
 * Two markers may share a byte; then one of them looks into its recorder's
 * table and finds nothing.  The table gives out ids of events: an entry is
 * claimed by a cmpxchg of the marker's id, then filled, then accepted or
 * refused.  All programs that fill it write the same, so it does not matter
 * which one does, or whether one was killed.
 *
 * In a trace a marker is identified by its system and name.  Markers with the
 * same system and name are one event.  If the format or the arguments of one
 * differ from those of the first, it is refused, and the recorder says so.
 *
 * A recorder that ends gives its memory back (a hole in the file), but programs
 * keep their mapping: a program that is writing at that time writes into the
 * hole.
 */
#ifndef KT_MARKER_HUB_H
#define KT_MARKER_HUB_H

#include "env.h"
#include "pattern.h"
#include <ktrace.h>
#include <ktrace/marker_types.h>

#define HUB_MAGIC 0x4255484bu /* "KHUB" */
/*
 * The version of everything that is shared here, including struct marker_ring.
 */
#define HUB_VERSION   3
#define HUB_SLOTS     8
#define HUB_RECORDERS 7
/* The slot for printing: like a recorder, but without rings. */
#define HUB_PRINTER 7
/* A bit of a byte: the marker has handlers, or is to be printed. */
#define HUB_HANDLED (1u << HUB_PRINTER)
#define HUB_FLAGS   65536

struct hub {
	u32 magic;
	u32 version;
	/* Odd: recorder-N exists.  Changes with each recorder. */
	u32 generations[HUB_SLOTS];
	/* Events for recorder-N that threads without a clock have not written. */
	u32 timeless[HUB_SLOTS];
	u8 pad[4096 - 8 - 8 * HUB_SLOTS];
	u8 flags[HUB_FLAGS];
};

#define RECORDER_MAGIC	  0x4352544bu /* "KTRC" */
#define RECORDER_MARKERS  4096u
#define RECORDER_PATTERNS 3072
#define RECORDER_TEXT	  448
#define RECORDER_PIDS	  127

enum recorder_state {
	RECORDER_OPEN, /* claimed: being filled */
	RECORDER_WANTED,
	RECORDER_REFUSED, /* another marker of this name is not like it */
	RECORDER_OFF,	  /* was wanted */
	RECORDER_FILE, /* no marker: a file that has some; its path is the text */
};

/* A marker that a recorder wants, as the recorder sees it. */
struct recorder_marker {
	u64 id;	    /* 0: free */
	u32 state;  /* enum recorder_state */
	u32 number; /* among all that this recorder has met, from 1 on */
	u32 line;
	u16 order; /* in its function */
	u16 nr_arguments;
	struct ktrace_argument arguments[10];
	/* System, name, format, file, function, each with a NUL. */
	char text[RECORDER_TEXT];
};

_Static_assert(sizeof(struct recorder_marker) == 512, "shared layout");

/* The start of recorder-N; the rings follow. */
struct recorder {
	u32 magic;
	u32 version;
	u32 generation; /* as in the hub; another one: not this recorder */
	u32 cpus;
	u32 locked;
	u32 packets; /* of a ring */
	u32 nr_markers;
	u32 nr_homeless; /* the table was full */
	u32 first_id;	 /* of events; markers follow by their numbers */
	u64 size;	 /* of all */
	u64 trace_id;
	u64 begun; /* when it was made: ticks, as in /proc/PID/stat */
	/*
	 * Only these processes and those that they start later; none: all
	 * processes.
	 */
	u32 nr_pids;
	u32 pids[RECORDER_PIDS];
	/*
	 * Ticks that the time stamp counter lacks since it restarted in a
	 * sleep. While this is not zero, programs take the slow path, which
	 * adds it.
	 */
	u64 missing;
	/*
	 * 1: the clock is CLOCK_MONOTONIC, because the kernel does not trust
	 * the counter.  Then programs take the slow path too.
	 */
	u32 monotonic;
	u8 pad[4096 - 56 - 24 - 4 * RECORDER_PIDS - RECORDER_PATTERNS];
	/*
	 * Patterns, each with a NUL; a "!" in front excludes; "" ends the list.
	 */
	char patterns[RECORDER_PATTERNS];
	struct recorder_marker markers[RECORDER_MARKERS];
};

_Static_assert(sizeof(struct recorder) == 4096 + 512 * 4096, "shared layout");

/* Where the rings begin. */
#define RECORDER_RINGS sizeof(struct recorder)

/*
 * Opens the directory of @uid, and makes it if it does not exist.  0, or
 * -errno: -EPERM if it belongs to another user.
 */
int hub_directory(u32 uid, char *path, size_t size);
/*
 * Maps the hub of @uid in this open directory; our own is made if it does not
 * exist. Touches nothing in it, because another user may take the memory away
 * at any time.
 */
int hub_map(int directory, u32 uid, struct hub **hub);
/*
 * Makes it ready for use; call it once a fault does no harm.  -EPROTONOSUPPORT
 */
int hub_begin(struct hub *hub);
/* The same with our own directory, by its name. */
int hub_open(const char *directory, struct hub **hub);

static inline u8 *hub_flag(struct hub *hub, u64 id)
{
	return &hub->flags[(id ^ id >> 32) % HUB_FLAGS];
}

/*
 * Stores patterns one behind the other, with an empty one at the end: first
 * those that include, then those that exclude.  -E2BIG: they do not fit.
 */
int patterns_pack(char packed[RECORDER_PATTERNS], const char *const *patterns,
		  size_t nr);

/*
 * Is the marker wanted?  The last pattern that matches decides (core/pattern.h
 * says what a pattern is).
 */
bool marker_wanted(const char *patterns, const struct kt_marker_name *name);

/* Everything that a recorder learns about a marker. */
struct marker_description {
	struct kt_marker_name name;
	const char *format;
	const struct ktrace_argument *arguments; /* KTRACE_ARG_END ends them */
	u32 line;
	u64 address;	  /* in the file; 0: not known */
	const char *path; /* of the file; NULL: not known */
};

/*
 * Does the recorder want this process?  If one of its parents, up to a listed
 * one, has ended before it asks, it is not found.  (In programs only.)
 */
bool process_meant(const struct recorder *recorder);

/*
 * The upper half is a hash (FNV-1a) of system and name.  The lower half is a
 * hash of what distinguishes markers of the same name.  Never 0.
 */
u64 marker_id(const struct marker_description *description);

/*
 * Its entry in the recorder's table, or with @claim a free one; NULL: there is
 * none.
 */
struct recorder_marker *recorder_find(struct recorder *recorder, u64 id,
				      bool claim);
/* Describes it to the recorder of @slot, and switches it on. */
void recorder_add(struct recorder *recorder, struct hub *hub, unsigned int slot,
		  u64 id, const struct marker_description *description);
/* Switches it off again. */
void recorder_drop(struct recorder *recorder, struct hub *hub,
		   unsigned int slot, u64 id);

#endif /* KT_MARKER_HUB_H */
