/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command that is recorded: ready early, running when all is set. */
#ifndef KT_CMD_COMMON_CHILD_H
#define KT_CMD_COMMON_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "signals.h"

struct child {
	pid_t pid; /* 0: none */
	int go;	   /* closing it without a word ends the child */
	int error; /* errno of a failed exec comes out of it */
	bool ended;
	int status; /* as an exit status of a shell */
};

/* 0, or the exit status for a command that cannot be run; says why. */
int child_check(char *const *argv);
/* Makes the process, which waits, and has the signals as they were before ours. */
int child_prepare(struct child *c, char *const *argv,
		  const struct signals *signals);
/* Lets it run the command. 0, or an exit status. */
int child_go(struct child *c, char *const *argv);
/* Has it ended? Waits if @wait. */
bool child_reap(struct child *c, bool wait);
/*
 * After the recording, which the command may outlive: signals are as they were, and it
 * is waited for.  Returns its exit status; 0: there is none.
 */
int child_finish(struct child *c, const struct signals *signals);
/* Ends one that never ran the command. */
void child_cancel(struct child *c);

#endif /* KT_CMD_COMMON_CHILD_H */
