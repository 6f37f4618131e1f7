/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Waiting for the end of a recording: the command has ended, the processes of -p have,
 * the time is over, a signal came, or the recording failed.
 */
#ifndef KT_CMD_COMMON_WAIT_H
#define KT_CMD_COMMON_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "child.h"
#include "process.h"
#include "signals.h"

struct wait {
	const struct signals *signals;
	struct child *child; /* its pid is 0 if there is no command */
	struct processes *processes;
	int failed_fd;	   /* can be read when the recording has failed */
	uint64_t began;	   /* when the duration began, ns */
	uint64_t duration; /* ns; 0: it may last */

	/* Called after each wait, which lasts @round_ms at most; 0: any time. */
	int round_ms;
	/* False: the recording failed. */
	bool (*round)(void *data);
	/* Ctrl-C while the command runs.  True: do not wait for it.  May be NULL. */
	bool (*interrupted)(void *data);
	void *data;

	int terminated; /* the signal that ended it, other than by Ctrl-C; 0: none */
};

/* Returns the reason: "command", "process", "duration", "stopped" or "error". */
const char *wait_for_end(struct wait *w);

#endif /* KT_CMD_COMMON_WAIT_H */
