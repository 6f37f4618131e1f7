// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd.h"
#include "series.h"
#include "value.h"

/* Higher ones are not ours. */
#define NUMBER_MAX   UINT32_MAX
#define NUMBER_CHARS 10

uint64_t series_number(const char *entry, const char *name)
{
	size_t length = strlen(name);
	uint64_t number;

	if (strncmp(entry, name, length) || entry[length] != '.' ||
	    number_parse(entry + length + 1, &number) || number > NUMBER_MAX)
		return 0;
	return number;
}

static uint64_t highest_find(const struct output_place *place)
{
	uint64_t number, highest = 0;
	struct dirent *entry;
	DIR *dir;
	int fd;

	fd = openat(place->parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	while (dir && (entry = readdir(dir))) {
		number = series_number(entry->d_name, place->name);
		if (number > highest)
			highest = number;
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return highest;
}

int series_open(struct series *s, const char *path)
{
	int status = output_place(&s->place, path);

	if (status)
		return status;
	s->path = path;
	if (strlen(s->place.name) + 1 + NUMBER_CHARS > NAME_MAX)
		return failed("%s: the name is too long: a number is put "
			      "behind it",
			      path);
	/* Otherwise making the trace will fail, with a message. */
	if (s->place.parent >= 0)
		s->first = highest_find(&s->place) + 1;
	return EXIT_OK;
}

void series_close(struct series *s)
{
	if (s->path && s->place.parent >= 0)
		close(s->place.parent);
	free(s->parts);
}

static void number_name(const struct series *s, size_t index,
			char name[NAME_MAX + 1])
{
	snprintf(name, NAME_MAX + 1, "%.*s.%" PRIu64,
		 NAME_MAX - NUMBER_CHARS - 1, s->place.name, s->first + index);
}

static bool has_name(const struct series *s, const struct stat *st,
		     const char *name)
{
	struct stat there;

	return !fstatat(s->place.parent, name, &there, AT_SYMLINK_NOFOLLOW) &&
	       file_is_same(&there, st);
}

static int not_ours(const struct series *s)
{
	return failed("%s is not what this recording writes to: somebody has "
		      "renamed or replaced it.  It was left alone",
		      s->path);
}

int series_begin(struct series *s, int directory)
{
	if (fstat(directory, &s->newest))
		return failed("%s: %s", s->path, strerror(errno));
	return has_name(s, &s->newest, s->place.name) ? EXIT_OK : not_ours(s);
}

bool series_is_newest(const struct series *s, int directory)
{
	struct stat st;

	return !fstat(directory, &st) && file_is_same(&st, &s->newest);
}

/*
 * Some file systems (NFS, 9p, FUSE) cannot say "if nothing is there".  But the only thing that a
 * directory can replace is an empty directory.
 */
static int rename_in(int parent, const char *from, const char *to)
{
	if (!renameat2(parent, from, parent, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	return renameat(parent, from, parent, to) ? -errno : 0;
}

int series_go_on(struct series *s)
{
	struct stat *more = realloc(s->parts, (s->nr + 1) * sizeof(*s->parts));
	char name[NAME_MAX + 1];
	int err;

	if (!more)
		return failed("out of memory");
	s->parts = more;
	if (!has_name(s, &s->newest, s->place.name))
		return not_ours(s);
	number_name(s, s->nr, name);
	err = rename_in(s->place.parent, s->place.name, name);
	if (err)
		return failed("%s cannot become %s: %s", s->path, name,
			      strerror(-err));
	/* Somebody was between the look and the renaming. */
	if (!has_name(s, &s->newest, name)) {
		rename_in(s->place.parent, name, s->place.name);
		return not_ours(s);
	}
	s->parts[s->nr++] = s->newest;
	return EXIT_OK;
}

void series_go_back(struct series *s)
{
	char name[NAME_MAX + 1];

	number_name(s, --s->nr, name);
	if (has_name(s, &s->parts[s->nr], name))
		rename_in(s->place.parent, name, s->place.name);
}

bool series_remove(struct series *s, size_t index, const char **why)
{
	char name[NAME_MAX + 1];
	int err;

	number_name(s, index, name);
	err = output_remove(s->place.parent, name, &s->parts[index]);
	*why = err == -ENOTEMPTY ? "it has other files, too"
	       : err == -ESTALE	 ? "it is another one by now"
				 : strerror(-err);
	return !err;
}
