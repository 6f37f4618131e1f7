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

#include "base/file.h"
#include "cmd.h"
#include "output.h"
#include "value.h"

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static bool is_folder(int parent, const char *name)
{
	struct stat st;

	return !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(st.st_mode);
}

enum content {
	CONTENT_EMPTY,
	CONTENT_TRACE, /* only files of a recording */
	CONTENT_OTHER,
};

static int content_of(int directory, enum content *content)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	enum ktrace_file file;
	bool metadata = false;
	int err;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	*content = CONTENT_EMPTY;
	while ((entry = readdir(dir))) {
		if (is_dot(entry->d_name))
			continue;
		file = ktrace_file_kind(entry->d_name, NULL);
		/* A directory with such a name is not part of a recording. */
		if (file && is_folder(directory, entry->d_name))
			file = KTRACE_FILE_OTHER;
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

static bool is_same(int fd, const struct stat *same)
{
	struct stat st;

	return !same || (!fstat(fd, &st) && file_is_same(&st, same));
}

/*
 * If it is a link, removes just the link.  Another user who may rename files in
 * the directory could replace it at any time; so the directory is opened once,
 * and checked and emptied through the descriptor.
 */
int output_remove(int parent, const char *name, const struct stat *same)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(parent, name, flags), err;
	enum content content;
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0) {
		err = -errno;
		if (same || fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISLNK(st.st_mode))
			return err;
		return unlinkat(parent, name, 0) ? -errno : 0;
	}
	err = is_same(fd, same) ? content_of(fd, &content) : -ESTALE;
	if (!err && content == CONTENT_OTHER)
		err = -ENOTEMPTY;
	if (!err && content == CONTENT_TRACE)
		err = ktrace_remove_files(fd);
	if (!err && content == CONTENT_TRACE &&
	    unlinkat(parent, name, AT_REMOVEDIR))
		err = -errno;
	close(fd);
	return err;
}

/* Prepares @path, which is @name in the open directory @parent. */
static int place_prepare(int parent, const char *name, const char *path)
{
	char old[NAME_MAX + 1];
	enum content content;
	int fd, err;

	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return EXIT_OK;
	err = fd < 0 ? -errno : content_of(fd, &content);
	if (fd >= 0)
		close(fd);
	if (err)
		return failed("%s: %s: choose another place with -o", path,
			      strerror(-err));
	if (content == CONTENT_EMPTY)
		return unlinkat(parent, name, AT_REMOVEDIR)
			       ? failed("%s: %s", path, strerror(errno))
			       : EXIT_OK;
	if (content == CONTENT_OTHER)
		return failed("%s is there already and is not a trace: choose "
			      "another place with -o",
			      path);
	if (snprintf(old, sizeof(old), "%s.old", name) >= (int)sizeof(old))
		return failed("%s: the name is too long", path);
	err = output_remove(parent, old, NULL);
	if (err)
		return failed(
			"%s.old: cannot make room for the older trace: %s",
			path, strerror(-err));
	if (renameat(parent, name, parent, old))
		return failed("cannot rename %s to %s.old: %s", path, path,
			      strerror(errno));
	say("the older trace is %s.old now", path);
	return EXIT_OK;
}

int output_place(struct output_place *place, const char *path)
{
	const char *folder = ".";
	size_t n = strlen(path);
	char *name;

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n >= sizeof(place->copy))
		return failed("%s: the name is too long", path);
	memcpy(place->copy, path, n);
	place->copy[n] = '\0';
	name = strrchr(place->copy, '/');
	if (name && n > 1) {
		folder = name == place->copy ? "/" : place->copy;
		*name++ = '\0';
	} else {
		name = place->copy;
	}
	place->name = name;
	place->parent = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return EXIT_OK;
}

int output_prepare(const char *path)
{
	struct output_place place;
	int status = output_place(&place, path);

	/* Creating the trace will fail, with a message. */
	if (status || place.parent < 0)
		return status;
	status = place_prepare(place.parent, place.name, path);
	close(place.parent);
	return status;
}

/* Who has called sudo?  False: nobody. */
static bool caller_find(uint64_t *uid, uint64_t *gid)
{
	const char *user = getenv("SUDO_UID"), *group = getenv("SUDO_GID");

	return !geteuid() && user && group && !number_parse(user, uid) &&
	       !number_parse(group, gid);
}

void output_file_hand_over(int fd)
{
	uint64_t uid, gid;

	if (caller_find(&uid, &gid) && fchown(fd, uid, gid))
		note(NULL, "the file stays root's");
}

void output_hand_over(const char *path)
{
	struct dirent *entry;
	uint64_t uid, gid;
	struct stat st;
	DIR *dir;
	int fd;

	if (!caller_find(&uid, &gid))
		return;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* Only if it is root's and nobody else could write to it. */
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
