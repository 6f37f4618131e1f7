// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

/*
 * Removes the older trace.  If it is a link, removes just the link.  Another
 * user who may rename files in the directory could replace it at any time; so
 * the directory is opened once, and checked and emptied through the descriptor.
 */
static int older_remove(int parent, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(parent, name, flags), err;
	enum content content;
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0) {
		err = -errno;
		if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISLNK(st.st_mode))
			return err;
		return unlinkat(parent, name, 0) ? -errno : 0;
	}
	err = content_of(fd, &content);
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
	err = older_remove(parent, old);
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

/* A path, as a name in an open directory. */
struct place {
	int parent; /* negative: it cannot be opened */
	char *name; /* in @copy */
	char copy[PATH_MAX];
};

static int place_open(struct place *place, const char *path)
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
	struct place place;
	int status = place_open(&place, path);

	/* Creating the trace will fail, with a message. */
	if (status || place.parent < 0)
		return status;
	status = place_prepare(place.parent, place.name, path);
	close(place.parent);
	return status;
}

/* ---- numbered traces ------------------------------------------------------------- */

/* Higher ones are not ours. */
#define NUMBER_MAX UINT32_MAX

/* The number of NAME.NUMBER; 0: it is no such name. */
static uint64_t number_of(const char *entry, const char *name)
{
	size_t length = strlen(name);
	uint64_t number;

	if (strncmp(entry, name, length) || entry[length] != '.' ||
	    number_parse(entry + length + 1, &number) || number > NUMBER_MAX)
		return 0;
	return number;
}

int output_numbers(const char *path, uint64_t *highest)
{
	struct dirent *entry;
	struct place place;
	uint64_t number;
	int status, fd;
	DIR *dir;

	*highest = 0;
	status = place_open(&place, path);
	if (status || place.parent < 0)
		return status;
	fd = openat(place.parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	while (dir && (entry = readdir(dir))) {
		number = number_of(entry->d_name, place.name);
		if (number > *highest)
			*highest = number;
	}
	if (dir)
		closedir(dir);
	close(place.parent);
	return EXIT_OK;
}

static int numbered(const char *path, uint64_t number,
		    int (*act)(const struct place *place, const char *other))
{
	char other[NAME_MAX + 1];
	struct place place;
	int err;

	if (place_open(&place, path))
		return EXIT_FAILED;
	if (snprintf(other, sizeof(other), "%s.%" PRIu64, place.name, number) >=
	    (int)sizeof(other))
		err = -ENAMETOOLONG;
	else
		err = place.parent < 0 ? -ENOENT : act(&place, other);
	if (place.parent >= 0)
		close(place.parent);
	return err ? failed("%s.%" PRIu64 ": %s", path, number, strerror(-err))
		   : EXIT_OK;
}

/* Nothing that is there is replaced. */
static int number_give(const struct place *place, const char *other)
{
	return renameat2(place->parent, place->name, place->parent, other,
			 RENAME_NOREPLACE)
		       ? -errno
		       : 0;
}

static int number_take(const struct place *place, const char *other)
{
	return renameat2(place->parent, other, place->parent, place->name,
			 RENAME_NOREPLACE)
		       ? -errno
		       : 0;
}

static int number_remove(const struct place *place, const char *other)
{
	return older_remove(place->parent, other);
}

int output_number(const char *path, uint64_t number)
{
	return numbered(path, number, number_give);
}

int output_unnumber(const char *path, uint64_t number)
{
	return numbered(path, number, number_take);
}

int output_remove(const char *path, uint64_t number)
{
	return numbered(path, number, number_remove);
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
