/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The recording that ktrace tui runs, and what is read of it meanwhile: the newest
 * lines, as ktrace report has them, and how many events there are of each kind.
 *
 * The counts are those of events that have been read back from the trace that is
 * being written.  So they cost the kernel nothing beside the recording, are exact,
 * and there are none without a recording.
 */
#ifndef KT_CMD_TUI_TUI_WATCH_H
#define KT_CMD_TUI_TUI_WATCH_H

#include <ktrace/types.h>

/* Of lines that are kept. */
#define WATCH_LINES 256

struct watch_options {
	const char *directory;	     /* NULL: nothing is kept */
	const char *name;	     /* of the session; NULL: the default one */
	bool kernel;		     /* there is a session */
	const char *const *patterns; /* of programs' markers */
	size_t nr_patterns;
};

struct watch;

/* Exit status; complains. */
int watch_start(const struct watch_options *options, struct watch **watch);
/* Ends the recording, and says what has become of it. */
int watch_stop(struct watch *watch, const char *reason);

/* Readable: the recording cannot go on. */
int watch_fd(const struct watch *watch);
/* Reads on.  False: it cannot go on. */
bool watch_round(struct watch *watch);
/* Events were enabled meanwhile. */
void watch_types(struct watch *watch);

/* Of the event, as it is in the trace; 0 for one that is not there. */
uint64_t watch_count(const struct watch *watch, uint32_t id);
double watch_rate(const struct watch *watch, uint32_t id);
const struct ktrace_types *watch_known(const struct watch *watch);

struct watch_status {
	const char *directory; /* NULL: nothing is kept */
	uint64_t duration;     /* ns */
	uint64_t events;
	uint64_t lost;
	bool behind; /* there is more than has been read */
};

void watch_status(struct watch *watch, struct watch_status *status);

/* Lines that outlive the recording. */
struct watch_lines {
	char *list[WATCH_LINES];
	size_t nr; /* all that there were; the newest is (nr - 1) % WATCH_LINES */
};

struct watch_lines *watch_lines(void);

#endif /* KT_CMD_TUI_TUI_WATCH_H */
