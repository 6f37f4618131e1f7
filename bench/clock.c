// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * clock - the processor time of a command, alone or run by a tracer
 *
 *	clock RESULT COMMAND [ARG...]
 *
 * Writes to the file RESULT, in nanoseconds: COMMAND PARENT.  COMMAND is the
 * time of the command and of all processes for which it waited, PARENT is the
 * time that our parent used meanwhile.  In a virtual machine that counts
 * instructions (tools/vm --icount) these are instructions.  Waiting does not
 * count: virtual time skips it.
 *
 * If a tracer starts clock, PARENT is what the tracer's process uses while the
 * command runs; the kernel's work for the tracer is part of COMMAND.  If clock
 * starts a tracer, COMMAND is the whole cost of tracing.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "clock: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The time of all threads of a process that still exist. */
static uint64_t process_ns(pid_t pid)
{
	unsigned long long ns, sum = 0;
	struct dirent *entry;
	char path[320];
	FILE *file;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		fail(path);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", pid,
			 entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%llu", &ns) == 1)
			sum += ns;
		fclose(file);
	}
	closedir(dir);
	return sum;
}

static uint64_t timeval_ns(const struct timeval *t)
{
	return t->tv_sec * 1000000000ull + t->tv_usec * 1000ull;
}

int main(int argc, char **argv)
{
	uint64_t before, parent;
	struct rusage usage;
	FILE *result;
	int status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: clock RESULT COMMAND [ARG...]\n");
		return 2;
	}
	before = process_ns(getppid());
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		execvp(argv[2], argv + 2);
		fail(argv[2]);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		fail("wait4");
	parent = process_ns(getppid()) - before;

	result = fopen(argv[1], "w");
	if (!result ||
	    fprintf(result, "%llu %llu\n",
		    (unsigned long long)(timeval_ns(&usage.ru_utime) +
					 timeval_ns(&usage.ru_stime)),
		    (unsigned long long)parent) < 0 ||
	    fclose(result))
		fail(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
