/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A directory for the files of a trace, which is removed when the test ends. */
#ifndef KT_TESTS_SCRATCH_H
#define KT_TESTS_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/trace.h>

#include "check.h"

static char directory[64];

static inline void path_of(char path[512], const char *name)
{
	snprintf(path, 512, "%s/%s", directory, name);
}

static inline void scratch_remove(void)
{
	struct dirent *entry;
	char path[512];
	DIR *dir = opendir(directory);

	while (dir && (entry = readdir(dir))) {
		path_of(path, entry->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(directory);
}

/* Makes another one if called again. */
static inline void scratch_make(void)
{
	if (*directory)
		scratch_remove();
	else
		atexit(scratch_remove);
	strcpy(directory, "/tmp/ktrace-test-XXXXXX");
	CHECK(mkdtemp(directory));
}

/* Loads one of its files; a NUL follows. */
static inline struct ktrace_memory load(const char *name)
{
	struct ktrace_memory memory;
	char path[512], *data;
	struct stat st;
	int fd;

	path_of(path, name);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	CHECK(!fstat(fd, &st));
	data = calloc(1, st.st_size + 1);
	CHECK_EQ(read(fd, data, st.st_size), st.st_size);
	close(fd);
	memory.data = data;
	memory.size = st.st_size;
	return memory;
}

#endif /* KT_TESTS_SCRATCH_H */
