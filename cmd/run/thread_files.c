// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd.h"
#include "thread_files.h"

int thread_files_check(const struct thread_files *files)
{
	const char *name = strrchr(files->path, '/');
	char *folder;
	int status = EXIT_OK;

	folder = name ? strndup(files->path, name + 1 - files->path)
		      : strdup(".");
	if (!folder)
		return failed("out of memory");
	if (access(folder, W_OK | X_OK))
		status = failed("%s: %s", folder, strerror(errno));
	free(folder);
	return status;
}

/* It is made anew once: a second time, it has lines already. */
static int file_open(struct thread_files *files, uint32_t tid)
{
	bool made = table_find(&files->made, tid);
	char *path;
	int fd, err = 0;

	if (asprintf(&path, "%s.%u", files->path, tid) < 0)
		return -ENOMEM;
	fd = open(path,
		  O_WRONLY | O_CREAT | O_CLOEXEC |
			  (made || files->append ? O_APPEND : O_TRUNC),
		  0666);
	if (fd < 0)
		err = -errno;
	else if (!made && table_add(&files->made, tid, files))
		err = -ENOMEM;
	free(path);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int thread_files_write(struct thread_files *files, uint32_t tid,
		       const char *text, size_t size)
{
	struct thread_file *file = &files->open[tid % THREAD_FILES_OPEN];
	int fd;

	if (file->tid != tid) {
		fd = file_open(files, tid);
		if (fd < 0)
			return fd;
		if (file->tid)
			close(file->fd);
		*file = (struct thread_file){tid, fd};
	}
	return file_write(file->fd, text, size);
}

void thread_files_free(struct thread_files *files)
{
	for (size_t i = 0; i < THREAD_FILES_OPEN; i++) {
		if (files->open[i].tid)
			close(files->open[i].fd);
	}
	table_free(&files->made);
}
