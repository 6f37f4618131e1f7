// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * loop - fires events and counts what they cost
 *
 *	loop SOURCE N		prints N ADVANCE FIRED
 *
 * Fires N events and reads the time-stamp counter before and after: with the
 * counter counting instructions (tools/vm --icount), ADVANCE / N is the price of
 * an event and of what it takes to fire it.  The least of some rounds is taken,
 * because a device's interrupt may fall into a round.  The loop runs for N / 8
 * events unmeasured before, so that what a tracer does once (touch pages, open
 * the first packet) is not charged to N events; FIRED counts these too, and all
 * rounds.
 *
 * Sources: getppid (the entry and the exit of a system call, two events),
 * yield (a context switch), and those of the ktrace_bench module.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define ROUNDS 5

static void fail(const char *what)
{
	fprintf(stderr, "loop: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t getppid_loop(unsigned long n)
{
	uint64_t begin = __rdtsc();

	while (n--)
		syscall(SYS_getppid);
	return __rdtsc() - begin;
}

/*
 * Two tasks of the same real-time priority: each yield hands the processor to
 * the other, on every kernel.
 */
static uint64_t yield_loop(unsigned long n)
{
	struct sched_param fifo = {.sched_priority = 1};
	cpu_set_t first;
	uint64_t begin, advance;
	pid_t other;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first) ||
	    sched_setscheduler(0, SCHED_FIFO, &fifo))
		fail("cannot become a real-time task");

	other = fork();
	if (other < 0)
		fail("fork");
	if (!other) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			sched_yield();
	}
	sched_yield();
	begin = __rdtsc();
	while (n--)
		sched_yield();
	advance = __rdtsc() - begin;
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return advance;
}

static uint64_t module_loop(const char *source, unsigned long n)
{
	char path[PATH_MAX], number[32];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/ktrace_bench/%s",
		 source);
	fd = open(path, O_RDWR);
	if (fd < 0)
		fail(path);
	len = snprintf(number, sizeof(number), "%lu", n);
	if (write(fd, number, len) != len)
		fail(path);
	len = read(fd, number, sizeof(number) - 1);
	if (len < 0)
		fail(path);
	number[len] = '\0';
	close(fd);
	return strtoull(number, NULL, 10);
}

static uint64_t run(const char *source, unsigned long n)
{
	if (!strcmp(source, "getppid"))
		return getppid_loop(n / 2);
	if (!strcmp(source, "yield"))
		return yield_loop(n / 2);
	return module_loop(source, n);
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
	uint64_t least = UINT64_MAX;
	int round;

	if (n < 16) {
		fprintf(stderr, "usage: loop SOURCE N\n");
		return 2;
	}
	n -= n % 16;
	run(argv[1], n / 8);
	for (round = 0; round < ROUNDS; round++) {
		uint64_t advance = run(argv[1], n);

		if (advance < least)
			least = advance;
	}
	printf("%lu %llu %lu\n", n, (unsigned long long)least,
	       n / 8 + ROUNDS * n);
	return 0;
}
