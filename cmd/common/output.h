/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The directory of a recording, and other files that a command makes. */
#ifndef KT_CMD_COMMON_OUTPUT_H
#define KT_CMD_COMMON_OUTPUT_H

#include <limits.h>
#include <sys/stat.h>

/*
 * Prepares the place: renames an older trace to PATH.old.  If anything else
 * that is not empty is there, refuses it and leaves it alone.  Returns an exit
 * status.
 */
int output_prepare(const char *path);

/* A path, as a name in an open directory. */
struct output_place {
	int parent; /* negative: it cannot be opened */
	char *name; /* in @copy */
	char copy[PATH_MAX];
};

/* Returns an exit status.  Close @parent. */
int output_place(struct output_place *place, const char *path);
/*
 * Removes a trace, if there is one.  @same: only if it is this directory, and -ESTALE otherwise;
 * NULL: whichever it is.  -ENOTEMPTY: it is no trace, or has other files, too.
 */
int output_remove(int parent, const char *name, const struct stat *same);

/* Under sudo: makes the caller the owner of the trace. */
void output_hand_over(const char *path);
/* The same for a file that the command has made itself. */
void output_file_hand_over(int fd);

#endif /* KT_CMD_COMMON_OUTPUT_H */
