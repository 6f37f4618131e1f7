/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A recording that is shown while it is made: of a command, of processes, or of the machine.
 *
 * It goes to a directory of its own, in a session of its own, so it does not disturb other
 * recorders.  Events are shown some tenths of a second after they happened.  Nobody waits
 * for this, and others have precedence on the CPUs: if they need all of them, events are
 * shown when they rest.
 */
#ifndef KT_CMD_RUN_LIVE_H
#define KT_CMD_RUN_LIVE_H

#include <ktrace/output.h>
#include <ktrace/recording.h>

#include "child.h"
#include "process.h"
#include "signals.h"

struct live;

/* What is done with the events, instead of an output.  @data is that of struct live. */
struct live_calls {
	/* The recording has begun: live->cursor can be read.  Returns an exit status. */
	int (*begin)(void *data);
	/* More can be read.  False: it is to end. */
	bool (*more)(void *data);
	/* It has ended, and all can be read; called if @begin has succeeded.  Returns an exit status. */
	int (*end)(void *data);
	bool input; /* @more is called when there is something on standard input, too */
	int round_ms; /* the longest time between two calls of @more */
};

struct live {
	/* What the command line says: */
	char **argv; /* the program to run; NULL: none */
	struct processes processes;
	uint64_t duration;  /* ns; 0: no limit */
	const char *output; /* a file to show it in; NULL: @fd */
	bool append;	    /* to what the file has */
	const char *trace;  /* where the trace is kept; NULL: nowhere */

	/* What the subcommand provides: */
	const char *name; /* its own; with the pid it names the session */
	const char *kind; /* the output: see <ktrace/output.h> */
	const struct live_calls *calls; /* NULL: that output */
	bool machine; /* of all processes, also if there is a program, or some are named */
	int fd;
	/* Enables the events in @session.  Returns an exit status. */
	int (*enable)(void *data);
	/* Completes the options; their fd is where the events are shown. */
	void (*options)(void *data, struct ktrace_output_options *options);
	void *data;

	struct ktrace_session *session;
	struct ktrace_recording *recording;
	struct ktrace *shown;
	struct ktrace_cursor *cursor;
	struct ktrace_output *view;
	int view_error;	   /* negative errno of a failed output */
	uint64_t complete; /* ns: all events before can be read now */
	uint64_t synced;   /* when the last sync began, ns */
	bool left;	   /* @more has ended it */
	struct child child;
	struct signals signals;
	int terminated; /* the signal that ended it */
	char parent[4096];
	char *directory;
};

/* Records and shows, until the end.  Returns an exit status: the program's, if it ran. */
int live_run(struct live *live);
void live_free(struct live *live);

#endif /* KT_CMD_RUN_LIVE_H */
