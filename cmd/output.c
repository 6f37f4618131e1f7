// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "output.h"
#include "value.h"

/* Is this a file that a recording makes? */
static bool name_is_ours(const char *name)
{
	if (!strcmp(name, "metadata") || !strcmp(name, "symbols"))
		return true;
	if (strncmp(name, "cpu", 3) || !name[3])
		return false;
	for (name += 3; *name; name++)
		if (!isdigit((unsigned char)*name))
			return false;
	return true;
}

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
	bool metadata = false;

	if (!dir)
		return -errno;
	*content = CONTENT_EMPTY;
	while ((entry = readdir(dir))) {
		if (is_dot(entry->d_name))
			continue;
		if (!name_is_ours(entry->d_name)) {
			*content = CONTENT_OTHER;
			break;
		}
		metadata |= !strcmp(entry->d_name, "metadata");
		*content = CONTENT_TRACE;
	}
	closedir(dir);
	if (*content == CONTENT_TRACE && !metadata)
		*content = CONTENT_OTHER;
	return 0;
}

static int trace_remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (name_is_ours(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	return rmdir(path) ? -errno : 0;
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
	err = content_of(old, &content);
	if (!err && content == CONTENT_TRACE)
		err = trace_remove(old);
	else if (!err && content == CONTENT_OTHER)
		err = -ENOTEMPTY;
	if (err && err != -ENOENT)
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
	DIR *dir;
	int fd;

	if (geteuid() || !user || !group || number_parse(user, &uid) ||
	    number_parse(group, &gid))
		return;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (name_is_ours(entry->d_name) &&
		    fchownat(fd, entry->d_name, uid, gid, AT_SYMLINK_NOFOLLOW))
			break;
	if (fchown(fd, uid, gid))
		note(NULL, "the trace stays root's");
	closedir(dir);
}
