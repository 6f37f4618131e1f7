// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The names of the files of a trace.  No other file knows them. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "names.h"
#include "trace.h"

static const struct {
	const char *name;
	bool numbered;
} names[] = {
	[KTRACE_FILE_METADATA] = {"metadata"},
	[KTRACE_FILE_SYMBOLS] = {"symbols"},
	[KTRACE_FILE_CPU] = {"cpu", true},
	[KTRACE_FILE_PROGRAMS] = {"programs", true},
	[KTRACE_FILE_STREAM] = {"stream", true},
	[KTRACE_FILE_STACKS] = {"stacks"},
};

#define NAMES_NR (sizeof(names) / sizeof(*names))

static bool number_read(const char *text, uint32_t *number)
{
	unsigned long n;
	char *end;

	/*
	 * Only the form that file_name() writes: no sign, no space, no leading
	 * zeros.
	 */
	if (!isdigit((unsigned char)*text) || (*text == '0' && text[1]))
		return false;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (*end || errno || n >= CPUS_MAX)
		return false;
	*number = n;
	return true;
}

enum ktrace_file ktrace_file_kind(const char *name, uint32_t *number)
{
	uint32_t unused;

	for (enum ktrace_file i = KTRACE_FILE_METADATA; i < NAMES_NR; i++) {
		size_t len = strlen(names[i].name);

		if (strncmp(name, names[i].name, len))
			continue;
		if (names[i].numbered
			    ? number_read(name + len, number ?: &unused)
			    : !name[len])
			return i;
	}
	return KTRACE_FILE_OTHER;
}

void file_name(enum ktrace_file file, uint32_t number, char name[FILE_NAME_MAX])
{
	snprintf(name, FILE_NAME_MAX, names[file].numbered ? "%s%u" : "%s",
		 names[file].name, number);
}

bool directory_empty(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool empty = dir;

	if (!dir) {
		close(fd);
		return false;
	}
	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") ||
			!strcmp(entry->d_name, "..");
	closedir(dir);
	return empty;
}

int files_remove(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while ((entry = readdir(dir)))
		if (ktrace_file_kind(entry->d_name, NULL) &&
		    unlinkat(directory, entry->d_name, 0) && !err)
			err = -errno;
	closedir(dir);
	return err;
}

int ktrace_remove_files(int directory)
{
	int err = files_remove(directory);

	return err ? error_set(err, "cannot remove the trace's files: %s",
			       strerror(-err))
		   : 0;
}

int ktrace_remove(const char *path)
{
	int fd, err;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_set(-errno, "%s: %m", path);
	err = files_remove(fd);
	close(fd);
	if (!err && rmdir(path))
		err = -errno;
	return err ? error_set(err, "%s: %s", path, strerror(-err)) : 0;
}
