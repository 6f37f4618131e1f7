/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where programs and recorders meet: a directory in memory (/dev/shm/ktrace-UID, or
 * what KTRACE_MARKERS says) with
 *
 *	hub		a byte for each marker that there could be, by its id; bit N:
 *			recorder N may want it.  Every program with markers maps it,
 *			and each marker tests its byte: this is how markers are
 *			switched on and off in programs that run.
 *	recorder-N	what recorder N wants, what markers it has met, and the rings
 *	recorder-7	what is to be printed: as if a recorder wanted it, but without
 *			rings, and without anybody: it is there until it is taken away
 *
 * Neither knows processes: they come and go and leave nothing behind.  A program
 * that starts tells every recorder about those of its markers that it wants.
 *
 * Two markers may share a byte; then one of them looks into its recorder's table in
 * vain.  The table gives out ids of events: an entry is claimed by a cmpxchg of the
 * marker's id, then filled, then decided upon.  All who fill it write the same, so it
 * does not matter who, or whether one of them was killed.
 *
 * In a trace a marker is known by its system and name.  Others with the same count as
 * the same event, but if their format or arguments differ from those of the first one
 * they are refused, and the recorder says so.
 *
 * A recorder that ends gives its memory back (a hole in the file), but programs keep
 * their mapping: who is just writing writes into nothing.
 */
#ifndef KT_MARKER_HUB_H
#define KT_MARKER_HUB_H

#include "env.h"
#include "pattern.h"
#include <ktrace.h>
#include <ktrace/marker_types.h>

#define HUB_MAGIC 0x4255484bu /* "KHUB" */
/* Of all that is shared here, struct marker_ring included. */
#define HUB_VERSION   3
#define HUB_SLOTS     8
#define HUB_RECORDERS 7
/* The slot of what is to be printed: as a recorder, but without rings. */
#define HUB_PRINTER 7
/* Of a byte: it has handlers, or somebody wants to see it printed. */
#define HUB_HANDLED (1u << HUB_PRINTER)
#define HUB_FLAGS   65536

struct hub {
	u32 magic;
	u32 version;
	/* Odd: recorder-N is there.  Changes with each recorder. */
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

/* The begin of recorder-N; behind it the rings. */
struct recorder {
	u32 magic;
	u32 version;
	u32 generation; /* as in the hub; another one: not this recorder */
	u32 cpus;
	u32 locked;
	u32 packets; /* of a ring */
	u32 nr_markers;
	u32 nr_homeless; /* the table was full */
	u32 first_id; /* of events; those of markers follow by their numbers */
	u64 size;     /* of all */
	u64 trace_id;
	u64 begun; /* when it was made: ticks, as in /proc/PID/stat */
	/* Only these processes, and those that they start later; none: all. */
	u32 nr_pids;
	u32 pids[RECORDER_PIDS];
	/*
	 * Ticks that the time stamp counter lacks since it began anew in a sleep.  While
	 * there are any, programs go the long way, which adds them.
	 */
	u64 missing;
	/*
	 * 1: the clock is CLOCK_MONOTONIC, as the kernel does not trust the counter.  Then
	 * programs go the long way as well.
	 */
	u32 monotonic;
	u8 pad[4096 - 56 - 24 - 4 * RECORDER_PIDS - RECORDER_PATTERNS];
	/* Patterns, each with a NUL, one with a "!" in front excludes; "" ends. */
	char patterns[RECORDER_PATTERNS];
	struct recorder_marker markers[RECORDER_MARKERS];
};

_Static_assert(sizeof(struct recorder) == 4096 + 512 * 4096, "shared layout");

/* Where the rings begin. */
#define RECORDER_RINGS sizeof(struct recorder)

/*
 * The directory, for @uid; made if it is not there.  0, or -errno: -EPERM if it is
 * somebody else's.
 */
int hub_directory(u32 uid, char *path, size_t size);
/*
 * Maps the hub of @uid in this open directory; our own is made if it is not there.
 * Nothing of it is touched, as another user's may be taken away at any time.
 */
int hub_map(int directory, u32 uid, struct hub **hub);
/* Makes it ready for use, once a fault cannot harm.  -EPROTONOSUPPORT */
int hub_begin(struct hub *hub);
/* The same with our own directory, by its name. */
int hub_open(const char *directory, struct hub **hub);

static inline u8 *hub_flag(struct hub *hub, u64 id)
{
	return &hub->flags[(id ^ id >> 32) % HUB_FLAGS];
}

/*
 * Patterns one behind the other, an empty one at the end; first those that include,
 * then those that exclude.  -E2BIG: they do not fit.
 */
int patterns_pack(char packed[RECORDER_PATTERNS], const char *const *patterns,
		  size_t nr);

/*
 * Is it wanted?  The last pattern that matches decides (core/pattern.h says what a
 * pattern is).
 */
bool marker_wanted(const char *patterns, const struct kt_marker_name *name);

/* All that a recorder is told of a marker. */
struct marker_description {
	struct kt_marker_name name;
	const char *format;
	const struct ktrace_argument *arguments; /* KTRACE_ARG_END ends them */
	u32 line;
	u64 address;	  /* in the file; 0: not known */
	const char *path; /* of the file; NULL: not known */
};

/*
 * Does the recorder mean this process?  One whose parents, up to those that are
 * listed, have ended before it asks is not found.  (In programs only.)
 */
bool process_meant(const struct recorder *recorder);

/*
 * The upper half is a hash (FNV-1a) of system and name, the lower one of what tells
 * markers of the same name apart.  Never 0.
 */
u64 marker_id(const struct marker_description *description);

/* Its entry in the recorder's table, with @claim a free one; NULL: there is none. */
struct recorder_marker *recorder_find(struct recorder *recorder, u64 id,
				      bool claim);
/* Describes it to the recorder of @slot, and switches it on. */
void recorder_add(struct recorder *recorder, struct hub *hub, unsigned int slot,
		  u64 id, const struct marker_description *description);
/* Switches it off again. */
void recorder_drop(struct recorder *recorder, struct hub *hub,
		   unsigned int slot, u64 id);

#endif /* KT_MARKER_HUB_H */
