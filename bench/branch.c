// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * branch - a program that takes branches, and a debugger that steps one
 *
 *	branch walk N		calls itself N times deep, again and again, 100 times; prints how many
 *				nanoseconds that took
 *	branch step PROGRAM...	steps PROGRAM by ptrace, instruction by instruction
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline)) unsigned int walk(unsigned int n)
{
	volatile unsigned int more = n ? walk(n - 1) : 0;

	return more + 1;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static int measure(unsigned int depth)
{
	unsigned int sum = 0;
	uint64_t begin;

	walk(depth);
	begin = now();
	for (int i = 0; i < 100; i++)
		sum += walk(depth);
	printf("%" PRIu64 "\n", now() - begin);
	return sum != 100 * (depth + 1);
}

static int step(char **argv)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[0], argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
		if (ptrace(PTRACE_SINGLESTEP, pid, 0,
			   WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status)))
			return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "walk"))
		return measure(atoi(argv[2]));
	if (argc > 2 && !strcmp(argv[1], "step"))
		return step(argv + 2);
	return 2;
}
