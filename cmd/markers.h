/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_CMD_MARKERS_H
#define KT_CMD_MARKERS_H

#include <stdbool.h>
#include <sys/types.h>

struct ktrace_session;

/*
 * Prints the markers of the process @pid, 0: of all programs that run and of kernel
 * modules, those that @patterns mean.  Returns an exit status.
 */
int markers_show(pid_t pid, char *const *patterns, int nr, bool json);
/*
 * To ask for and to change what is not a session's; close it.  NULL: the module ktrace
 * is not loaded, or not for this user, as the error says.
 */
struct ktrace_session *markers_session(void);

#endif /* KT_CMD_MARKERS_H */
