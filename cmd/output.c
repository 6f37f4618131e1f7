// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/trace.h>

#include "cmd.h"
#include "output.h"
#include "value.h"

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

enum content {
	CONTENT_EMPTY,
	CONTENT_TRACE, /* files of a recording, nothing else */
	CONTENT_OTHER,
};

static int content_of(const char *path, enum content *content)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	enum ktrace_file file;
	bool metadata = false;

	if (!dir)
		return -errno;
	*content = CONTENT_EMPTY;
	while ((entry = readdir(dir))) {
		if (is_dot(entry->d_name))
			continue;
		file = ktrace_file_kind(entry->d_name, NULL);
		*content = file ? CONTENT_TRACE : CONTENT_OTHER;
		if (!file)
			break;
		metadata |= file == KTRACE_FILE_METADATA;
	}
	closedir(dir);
	if (*content == CONTENT_TRACE && !metadata)
		*content = CONTENT_OTHER;
	return 0;
}

/* The older trace there.  Of a link only the link: it may lead anywhere. */
static int older_remove(const char *path)
{
	enum content content;
	struct stat st;
	int err;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISLNK(st.st_mode))
		return unlink(path) ? -errno : 0;
	err = content_of(path, &content);
	if (err || content == CONTENT_EMPTY)
		return err;
	return content == CONTENT_TRACE ? ktrace_remove(path) : -ENOTEMPTY;
}

int output_prepare(const char *path)
{
	char old[PATH_MAX];
	enum content content;
	int err;

	err = content_of(path, &content);
	if (err == -ENOENT)
		return EXIT_OK;
	if (err)
		return failed("%s: %s: choose another place with -o", path,
			      strerror(-err));
	if (content == CONTENT_EMPTY)
		return rmdir(path) ? failed("%s: %s", path, strerror(errno))
				   : EXIT_OK;
	if (content == CONTENT_OTHER)
		return failed("%s is there already and is not a trace: choose "
			      "another place with -o",
			      path);
	if (snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
		return failed("%s: the name is too long", path);
	err = older_remove(old);
	if (err)
		return failed("%s: cannot make room for the older trace: %s",
			      old, strerror(-err));
	if (rename(path, old))
		return failed("cannot rename %s to %s: %s", path, old,
			      strerror(errno));
	say("the older trace is %s now", old);
	return EXIT_OK;
}

void output_hand_over(const char *path)
{
	const char *user = getenv("SUDO_UID"), *group = getenv("SUDO_GID");
	struct dirent *entry;
	uint64_t uid, gid;
	struct stat st;
	DIR *dir;
	int fd;

	if (geteuid() || !user || !group || number_parse(user, &uid) ||
	    number_parse(group, &gid))
		return;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* Ours, and nobody else could put anything into it. */
	if (fd >= 0 && (fstat(fd, &st) || st.st_uid || st.st_mode & 022)) {
		close(fd);
		fd = -1;
	}
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (ktrace_file_kind(entry->d_name, NULL) &&
		    fchownat(fd, entry->d_name, uid, gid, AT_SYMLINK_NOFOLLOW))
			break;
	if (fchown(fd, uid, gid))
		note(NULL, "the trace stays root's");
	closedir(dir);
}
