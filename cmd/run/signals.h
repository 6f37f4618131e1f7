/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The signals that end a recording, read from a file descriptor. */
#ifndef KT_CMD_RUN_SIGNALS_H
#define KT_CMD_RUN_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
	int fd; /* a signalfd, not blocking */
	sigset_t taken;
	/* Before signals_prepare(): */
	sigset_t mask;
	struct sigaction pipe, size, child;
};

/* 0, or an exit status. */
int signals_prepare(struct signals *signals);
/*
 * Takes the next signal; 0: there is none.  *@by_program: it came from a
 * program, and not from the terminal, which sends it to all foreground
 * processes.  May be NULL.
 */
int signals_take(const struct signals *signals, bool *by_program);
/* Takes this signal, too, unless it is ignored.  Returns an exit status. */
int signals_add(struct signals *signals, int number);
/* From now on it is ignored, if it was taken. */
void signals_ignore(const struct signals *signals, int number);
/* They end us again, as usual; those that have come are taken. */
void signals_unblock(const struct signals *signals);
/* Restores the signals: for a child, and at the end. */
void signals_restore(const struct signals *signals);

#endif /* KT_CMD_RUN_SIGNALS_H */
