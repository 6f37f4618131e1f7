/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_CMD_MARKERS_H
#define KT_CMD_MARKERS_H

#include <stdbool.h>
#include <sys/types.h>

struct ktrace_session;

/*
 * Prints the markers that match @patterns: of the process @pid, or (0) of all
 * running programs and of kernel modules.  Returns an exit status.
 */
int markers_show(pid_t pid, char *const *patterns, int nr, bool json);
/*
 * A session for questions and settings that belong to no session; the caller
 * closes it. NULL: the module ktrace is not loaded, or needs other rights; the
 * error says which.
 */
struct ktrace_session *markers_session(void);

#endif /* KT_CMD_MARKERS_H */
