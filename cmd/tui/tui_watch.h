/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The recording of ktrace tui, and what is read from it: the newest lines, as
 * in ktrace report, and the number of events of each kind.
 *
 * Events are counted when they are read from the trace that is being written.
 * So counting costs the kernel no more than the recording, is exact, and needs
 * a recording.
 */
#ifndef KT_CMD_TUI_TUI_WATCH_H
#define KT_CMD_TUI_TUI_WATCH_H

#include <ktrace/types.h>

/* Number of lines that are kept. */
#define WATCH_LINES 256

struct watch_options {
	const char *directory;	     /* NULL: the trace is not kept */
	const char *name;	     /* of the session; NULL: the default one */
	bool kernel;		     /* record the session's events */
	const char *const *patterns; /* for markers of programs */
	size_t nr_patterns;
};

struct watch;

/* Returns an exit status, after a message if it fails. */
int watch_start(const struct watch_options *options, struct watch **watch);
/* Ends the recording, and prints where it is. */
int watch_stop(struct watch *watch, const char *reason);

/* Becomes readable if the recording cannot continue. */
int watch_fd(const struct watch *watch);
/* Reads the new events.  False: the recording cannot continue. */
bool watch_round(struct watch *watch);
/* Call it after events were enabled. */
void watch_types(struct watch *watch);

/* Counts of an event, by its id in the trace; 0 if it has none. */
uint64_t watch_count(const struct watch *watch, uint32_t id);
double watch_rate(const struct watch *watch, uint32_t id);
const struct ktrace_types *watch_known(const struct watch *watch);

struct watch_status {
	const char *directory; /* NULL: the trace is not kept */
	uint64_t duration;     /* ns */
	uint64_t events;
	uint64_t lost;
	bool behind; /* not all of it has been read */
};

void watch_status(struct watch *watch, struct watch_status *status);

/* The lines stay after the end of the recording. */
struct watch_lines {
	char *list[WATCH_LINES];
	size_t nr; /* of all lines; the newest is (nr - 1) % WATCH_LINES */
};

struct watch_lines *watch_lines(void);

#endif /* KT_CMD_TUI_TUI_WATCH_H */
