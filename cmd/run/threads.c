// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/branches.h>

#include "cmd.h"
#include "common/value.h"
#include "threads.h"

/* A process may be named twice, also by its threads. */
static int thread_add(struct threads *threads, pid_t tid)
{
	pid_t *more;

	for (size_t i = 0; i < threads->nr; i++)
		if (threads->list[i] == tid)
			return EXIT_OK;
	more = realloc(threads->list, (threads->nr + 1) * sizeof(*more));
	if (!more)
		return failed("out of memory");
	threads->list = more;
	threads->list[threads->nr++] = tid;
	return EXIT_OK;
}

/* The threads that a process has now. */
static int process_add(struct threads *threads, pid_t pid)
{
	struct dirent *entry;
	int status = EXIT_OK;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT
			       ? failed("process %d has ended", (int)pid)
			       : failed("%s: %s", path, strerror(errno));
	while (!status && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			status = thread_add(threads, atoi(entry->d_name));
	closedir(dir);
	return status;
}

int threads_find(struct threads *threads, pid_t command,
		 const struct processes *processes)
{
	int status = command ? thread_add(threads, command) : EXIT_OK;

	for (size_t i = 0; !status && i < processes->nr; i++)
		status = process_add(threads, processes->list[i].pid);
	return status;
}

void threads_free(struct threads *threads)
{
	free(threads->list);
}

int threads_size_option(const struct command *command, const char *option,
			uint64_t *bytes)
{
	if (!size_parse(optarg, bytes) && *bytes >= KTRACE_BRANCHES_BYTES_MIN &&
	    *bytes <= KTRACE_BRANCHES_BYTES_MAX)
		return EXIT_OK;
	return misused(command,
		       "--%s `%s': 4K to 64M is expected; a branch takes 16 "
		       "bytes",
		       option, optarg);
}
