/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where a program or library is that somebody has named. */
#ifndef KT_CMD_COMMON_PROGRAM_PATH_H
#define KT_CMD_COMMON_PROGRAM_PATH_H

#include <sys/types.h>

/*
 * The file of this path or, if it has no slash, of this name in $PATH and in the directories of
 * libraries.  @pid, which may be 0: a process that may have another root, as in a container; it is the
 * file that it means.  NULL: there is none, with a message.  To be freed.
 */
char *program_path(const char *name, pid_t pid);

#endif /* KT_CMD_COMMON_PROGRAM_PATH_H */
