// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads and writes files of the control tree, and explains their errors. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/session.h>

#include "base/error.h"
#include "base/file.h"
#include "modules.h"
#include "session.h"

/*
 * Writes with one call, because the kernel takes or refuses a text as a whole.
 * *@why gets the kernel's reason, "FILE: WORDS", if it gives one.
 */
static int open_write(int dir, int fd, const char *text, char *why,
		      size_t why_size)
{
	size_t len = strlen(text);
	char *reason;
	int err = 0;
	ssize_t n;

	*why = '\0';
	do
		n = write(fd, text, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != len)
		err = -EIO;
	if (err && !file_read(dir, "error", &reason, NULL)) {
		reason[strcspn(reason, "\n")] = '\0';
		snprintf(why, why_size, "%s", reason);
		free(reason);
	}
	return err;
}

static int control_write(int dir, const char *path, const char *text, int flags,
			 char *why, size_t why_size)
{
	int fd, err;

	*why = '\0';
	fd = openat(dir, path, O_WRONLY | O_CLOEXEC | flags);
	if (fd < 0)
		return -errno;
	err = open_write(dir, fd, text, why, why_size);
	close(fd);
	return err;
}

int session_explain(int err, const char *dir, const char *file)
{
	char lockdown[64];

	if (err == -EPERM && !module_lockdown(lockdown, sizeof(lockdown)) &&
	    !strcmp(lockdown, "confidentiality"))
		return error_set(err,
				 "%s/%s: the kernel is locked down "
				 "(confidentiality) and lets nobody look into "
				 "it: boot with lockdown=integrity",
				 dir, file);
	if (err == -EACCES || err == -EPERM)
		return error_set(err,
				 "%s/%s: %s: use sudo, or let a group record: "
				 "sudo mount -o remount,gid=GROUP,mode=770 %s",
				 dir, file, strerror(-err),
				 session_root_default);
	return error_set(err, "%s/%s: %s", dir, file, strerror(-err));
}

static int write_explain(int err, const char *why, const char *path,
			 const char *file)
{
	if (err && *why)
		return error_set(err, "%s", why);
	return err ? session_explain(err, path, file) : 0;
}

static int write_explained(int dir, const char *path, const char *file,
			   const char *text, int flags)
{
	char why[384];
	int err = control_write(dir, file, text, flags, why, sizeof(why));

	return write_explain(err, why, path, file);
}

int session_fd_write(struct ktrace_session *s, int fd, const char *file,
		     const char *text)
{
	int dir = open(s->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	char why[384];

	if (dir < 0)
		return error_set(-errno, "%s: %m", s->root);
	err = open_write(dir, fd, text, why, sizeof(why));
	close(dir);
	return write_explain(err, why, s->root, file);
}

int ktrace_session_read(struct ktrace_session *s, const char *file, char **text,
			size_t *size)
{
	int err = file_read(s->dir, file, text, size);

	return err ? session_explain(err, s->path, file) : 0;
}

int ktrace_session_write(struct ktrace_session *s, const char *file,
			 const char *text)
{
	return write_explained(s->dir, s->path, file, text, O_TRUNC);
}

int session_root_write(struct ktrace_session *s, const char *file,
		       const char *text, bool append)
{
	int dir = open(s->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (dir < 0)
		return error_set(-errno, "%s: %m", s->root);
	err = write_explained(dir, s->root, file, text,
			      append ? O_APPEND : O_TRUNC);
	close(dir);
	return err;
}

int session_root_read(struct ktrace_session *s, const char *file, char **text)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/%s", s->root, file);
	err = file_read(AT_FDCWD, path, text, NULL);
	return err ? session_explain(err, s->root, file) : 0;
}
