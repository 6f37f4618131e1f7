/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The threads that a command begins with, or that the processes of -p have. */
#ifndef KT_CMD_RUN_THREADS_H
#define KT_CMD_RUN_THREADS_H

#include <stdint.h>

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

/* Takes the argument of an option, optarg: how many bytes a thread's buffer of branches has.  An exit status. */
int threads_size_option(const struct command *command, const char *option,
			uint64_t *bytes);

#endif /* KT_CMD_RUN_THREADS_H */
