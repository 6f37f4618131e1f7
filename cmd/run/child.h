/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command that is recorded: its process is made early and runs it later. */
#ifndef KT_CMD_RUN_CHILD_H
#define KT_CMD_RUN_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "signals.h"
#include "user.h"

struct child {
	struct user user; /* as whom it runs; set by the caller */
	pid_t pid;	  /* 0: none */
	int go;		  /* closing it unwritten ends the child */
	int error;	  /* why it cannot run is read from it */
	bool ended;
	int status; /* in the form of a shell's exit status */
};

/* Can the command be run?  0, or an exit status after a message. */
int child_check(char *const *argv);
/*
 * Makes the process, which waits.  Its signals are those before
 * signals_prepare().
 */
int child_prepare(struct child *c, char *const *argv,
		  const struct signals *signals);
/* Makes it run the command.  0, or an exit status. */
int child_go(struct child *c, char *const *argv);
/* Has it ended?  @wait: waits until it has. */
bool child_reap(struct child *c, bool wait);
/*
 * After the recording, which may end before the command: restores the signals
 * and waits for the command.  Returns its exit status; 0: there is none.
 */
int child_finish(struct child *c, const struct signals *signals);
/* Ends a child that has not run the command. */
void child_cancel(struct child *c);

#endif /* KT_CMD_RUN_CHILD_H */
