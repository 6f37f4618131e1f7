/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The user of -u, as whom the command runs.
 *
 * strace -u changes the user and the groups; trace-cmd --user also sets HOME, USER and LOGNAME.
 * We do what trace-cmd does: a command that runs as somebody else but has root's HOME either
 * fails, or leaves files there.
 */
#ifndef KT_CMD_RUN_USER_H
#define KT_CMD_RUN_USER_H

#include <stddef.h>
#include <sys/types.h>

#include "cmd.h"

/* All zero: nobody else than us. */
struct user {
	char *name; /* NULL: no -u */
	char *home;
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int nr_groups;
};

#define OPTION_USER_ROW                                                  \
	OPTION('u', "user", "USER",                                      \
	       "COMMAND runs as this user, by name or number, with his " \
	       "groups and his HOME; needs root")

/*
 * Takes the argument of -u: a name, or the number of a user who has a name.  Returns an exit
 * status; it fails unless we are root.
 */
int user_option(struct user *user, const char *text);
/* -u needs something to run.  Returns an exit status. */
int user_check(const struct user *user, const struct command *command,
	       char *const *argv);
/*
 * Makes this process one of the user's; does nothing if there was no -u.  Returns 0 or a
 * positive errno: then it must not run anything, because it may be half-way.
 */
int user_become(const struct user *user);
void user_free(struct user *user);

#endif /* KT_CMD_RUN_USER_H */
