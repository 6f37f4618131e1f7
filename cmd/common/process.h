/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The processes of -p: which they are, and whether they have ended. */
#ifndef KT_CMD_COMMON_PROCESS_H
#define KT_CMD_COMMON_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cmd.h"

struct process {
	pid_t number; /* as it was named: may be a thread's, */
	pid_t pid;    /* of this process */
	int fd;
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
void processes_free(struct processes *processes);

#endif /* KT_CMD_COMMON_PROCESS_H */
