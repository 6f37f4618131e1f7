/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The processes of -p: which they are, and whether they have ended. */
#ifndef KT_CMD_COMMON_PROCESS_H
#define KT_CMD_COMMON_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cmd.h"

struct ktrace_session;

struct process {
	pid_t pid;
	int fd; /* of the kernel's pidfd */
	bool ended;
};

struct processes {
	struct process *list;
	size_t nr;
};

/* "12,34"; 0, or an exit status. */
int processes_add(struct processes *processes, const char *list,
		  const struct command *command);
/*
 * Have all of them ended, of which some must be named?  One that nobody has waited for
 * (a zombie) has.
 */
bool processes_ended(struct processes *processes);
/*
 * The numbers of all, and of @command (0: none), in @pids, which the caller frees.
 * Returns an exit status.
 */
int processes_pids(const struct processes *processes, pid_t command,
		   pid_t **pids, size_t *nr);
/* Only what these do is recorded in @session.  Returns an exit status. */
int pids_write(struct ktrace_session *session, const pid_t *pids, size_t nr);
void processes_free(struct processes *processes);

#endif /* KT_CMD_COMMON_PROCESS_H */
