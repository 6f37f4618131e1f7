// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sessions that are left over: a killed recorder cannot remove its own session,
 * and the kernel cannot know that nobody will use it again.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <ktrace/session.h>

#include "base/error.h"
#include "base/file.h"
#include "session.h"

static int sessions_open(const struct ktrace_session *s)
{
	int root = open(s->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;

	if (root < 0)
		return -errno;
	fd = openat(root, "sessions", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = fd < 0 ? -errno : fd;
	close(root);
	return fd;
}

int ktrace_sessions_each(struct ktrace_session *s,
			 int (*use)(void *data, const char *name), void *data)
{
	int fd = sessions_open(s), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		err = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return error_set(err, "%s/sessions: %s", s->root,
				 strerror(-err));
	}
	while (!err && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			err = use(data, entry->d_name);
	closedir(dir);
	return err;
}

static bool says_nothing(int dir, const char *file)
{
	char *text;
	bool nothing;

	if (file_read(dir, file, &text, NULL))
		return true;
	nothing = !strtoul(text, NULL, 10);
	free(text);
	return nothing;
}

bool ktrace_session_is_left(struct ktrace_session *s, const char *name,
			    bool *running)
{
	int sessions = sessions_open(s), fd;
	bool left;

	if (sessions < 0)
		return false;
	fd = openat(sessions, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(sessions);
	if (fd < 0)
		return false;
	/* A claim holds the lock; a reader of its buffers is its owner. */
	left = !flock(fd, LOCK_SH | LOCK_NB) && says_nothing(fd, "owner");
	*running = left && !says_nothing(fd, "enabled");
	close(fd);
	return left;
}

int ktrace_session_remove(struct ktrace_session *s, const char *name)
{
	int fd = sessions_open(s), err = 0;

	if (fd < 0 || unlinkat(fd, name, AT_REMOVEDIR))
		err = error_set(fd < 0 ? fd : -errno, "%s/sessions/%s: %s",
				s->root, name, strerror(fd < 0 ? -fd : errno));
	if (fd >= 0)
		close(fd);
	return err;
}
