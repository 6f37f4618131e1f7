/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Waits for the end of a recording: the command has ended, or all processes of
 * -p, or the duration is over, or a signal came, or the recording failed.
 */
#ifndef KT_CMD_RUN_WAIT_H
#define KT_CMD_RUN_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "child.h"
#include "process.h"
#include "signals.h"

struct wait {
	const struct signals *signals;
	struct child *child; /* its pid is 0 if there is no command */
	struct processes *processes;
	int failed_fd;	   /* readable if the recording has failed */
	uint64_t began;	   /* when the duration began, ns */
	uint64_t duration; /* ns; 0: no limit */

	/* @round is called after waits of at most @round_ms (0: no limit). */
	int round_ms;
	bool input; /* and when there is something to read on standard input */
	/* Returns false if the recording failed, or if @reason says why it is to end. */
	bool (*round)(void *data);
	/* Of a signal that the caller has added.  Returns false as @round. */
	bool (*signalled)(void *data);
	/*
	 * Ctrl-C while the command runs.  True: end without waiting for it.
	 * May be NULL.
	 */
	bool (*interrupted)(void *data);
	void *data;

	const char *reason; /* set by the callbacks; NULL: "error" */
	int terminated; /* the signal that ended it, if not Ctrl-C; 0: none */
};

/* Returns why: "command", "process", "duration", "stopped", "error" or @reason. */
const char *wait_for_end(struct wait *w);

#endif /* KT_CMD_RUN_WAIT_H */
