/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The threads that a command begins with, or that the processes of -p have. */
#ifndef KT_CMD_RUN_THREADS_H
#define KT_CMD_RUN_THREADS_H

#include "process.h"

/* All zero: none. */
struct threads {
	pid_t *list;
	size_t nr;
};

/* The process of the command, 0: none; and all threads that the processes have.  An exit status. */
int threads_find(struct threads *threads, pid_t command,
		 const struct processes *processes);
void threads_free(struct threads *threads);

#endif /* KT_CMD_RUN_THREADS_H */
