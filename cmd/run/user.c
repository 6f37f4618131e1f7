// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/value.h"
#include "user.h"

/* There are many ways to say that an entry is not there: see getpwnam(3). */
static bool is_failure(int err)
{
	return err == EIO || err == EMFILE || err == ENFILE || err == ENOMEM;
}

/* A name may consist of digits, so a name is looked for first, as chown(1) does. */
static const struct passwd *entry_find(const char *text)
{
	const struct passwd *entry;
	uint64_t number;

	errno = 0;
	entry = getpwnam(text);
	if (!entry && !number_parse(text, &number) && number < (uid_t)-1)
		entry = getpwuid(number);
	return entry;
}

static int groups_find(struct user *user)
{
	int nr = 0;

	/* Says only how many there are. */
	getgrouplist(user->name, user->gid, NULL, &nr);
	user->groups = calloc(nr + 1, sizeof(*user->groups));
	if (!user->groups)
		return failed("out of memory");
	if (getgrouplist(user->name, user->gid, user->groups, &nr) < 0)
		return failed("-u %s: the user's groups cannot be found",
			      user->name);
	user->nr_groups = nr;
	return EXIT_OK;
}

int user_option(struct user *user, const char *text)
{
	const struct passwd *entry;

	if (geteuid())
		return failed("-u %s: only root can run a command as another "
			      "user: use sudo",
			      text);
	entry = entry_find(text);
	if (!entry && is_failure(errno))
		return failed("-u %s: %s", text, strerror(errno));
	if (!entry)
		return failed("-u %s: there is no such user (getent passwd "
			      "lists them)",
			      text);
	user_free(user);
	user->uid = entry->pw_uid;
	user->gid = entry->pw_gid;
	user->name = strdup(entry->pw_name);
	user->home = strdup(entry->pw_dir);
	if (!user->name || !user->home)
		return failed("out of memory");
	return groups_find(user);
}

int user_check(const struct user *user, const struct command *command,
	       char *const *argv)
{
	if (!user->name || argv)
		return EXIT_OK;
	return misused(command, "-u is about the command, and there is none");
}

int user_become(const struct user *user)
{
	if (!user->name)
		return 0;
	/* The groups first: who is not root may not change them. */
	if (setgroups(user->nr_groups, user->groups) ||
	    setresgid(user->gid, user->gid, user->gid) ||
	    setresuid(user->uid, user->uid, user->uid) ||
	    setenv("HOME", user->home, 1) || setenv("USER", user->name, 1) ||
	    setenv("LOGNAME", user->name, 1))
		return errno;
	return 0;
}

void user_free(struct user *user)
{
	free(user->name);
	free(user->home);
	free(user->groups);
	*user = (struct user){0};
}
