/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The signals that end a recording: taken one by one, from a file descriptor. */
#ifndef KT_CMD_COMMON_SIGNALS_H
#define KT_CMD_COMMON_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
	int fd; /* struct signalfd_siginfo; not blocking */
	/* As they were: */
	sigset_t mask;
	struct sigaction pipe, size, child;
};

/* 0, or an exit status. */
int signals_prepare(struct signals *signals);
/*
 * Takes the next one; 0: there is none.  @by_program: a program sent it to us, and not
 * the terminal to all that are in its foreground.  May be NULL.
 */
int signals_take(const struct signals *signals, bool *by_program);
/* As they were: for a child, and when there is nothing more to bring to an end. */
void signals_restore(const struct signals *signals);

#endif /* KT_CMD_COMMON_SIGNALS_H */
