/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The threads that a command begins with, or that the processes of -p have. */
#ifndef KT_CMD_RUN_THREADS_H
#define KT_CMD_RUN_THREADS_H

#include "child.h"
#include "process.h"

/* All zero: none. */
struct threads {
	pid_t *list;
	size_t nr;
};

/* If there is a command, its process; otherwise all threads of the processes.  An exit status. */
int threads_find(struct threads *threads, const struct child *child,
		 const struct processes *processes);
void threads_free(struct threads *threads);

#endif /* KT_CMD_RUN_THREADS_H */
