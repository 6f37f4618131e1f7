/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_CMD_LIST_PROGRAM_H
#define KT_CMD_LIST_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Prints the functions and USDT probes of the program or library @name (program_path()) that
 * @patterns mean; nr is 0: all.  @verbose: also where they are.  Returns an exit status.
 */
int list_program(const char *name, pid_t pid, char *const *patterns, int nr,
		 bool json, bool verbose);

#endif /* KT_CMD_LIST_PROGRAM_H */
