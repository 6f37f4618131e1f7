/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The processes of -p. */
#ifndef KT_CMD_RUN_PROCESS_H
#define KT_CMD_RUN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cmd.h"

struct ktrace_session;

struct process {
	pid_t pid;
	int fd; /* a pidfd */
	bool ended;
};

struct processes {
	struct process *list;
	size_t nr;
};

/* Adds "12,34".  0, or an exit status. */
int processes_add(struct processes *processes, const char *list,
		  const struct command *command);
/* True if at least one was added and all have ended.  A zombie has ended. */
bool processes_ended(struct processes *processes);
/*
 * Sets *@pids to the pids of all and of @command (0: none); the caller frees
 * it. Returns an exit status.
 */
int processes_pids(const struct processes *processes, pid_t command,
		   pid_t **pids, size_t *nr);
/* Makes @session record only these processes.  Returns an exit status. */
int pids_write(struct ktrace_session *session, const pid_t *pids, size_t nr);
void processes_free(struct processes *processes);

#endif /* KT_CMD_RUN_PROCESS_H */
