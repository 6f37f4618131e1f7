// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * preempt - syscalls of threads that preempt each other
 *
 *   preempt CALLS
 *
 * On each CPU an ordinary thread makes CALLS openat, and one of a real-time
 * class wakes up again and again and makes another.  Prints, for each kind, its
 * name, how many it made in all, and the path that it gave, NUL included, in
 * hexadecimal.  No file exists at these paths; the kernel refuses the flags
 * before it looks at the path.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CPUS_MAX 64

struct cpu {
	pthread_t ordinary, urgent;
	unsigned int cpu;
	unsigned long calls, urgent_calls;
	bool done;
};

static struct cpu cpus[CPUS_MAX];
static char ordinary_path[180], urgent_path[70];
static unsigned long calls;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void run_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void *ordinary(void *data)
{
	struct cpu *own = data;

	run_on(own->cpu);
	while (own->calls < calls) {
		syscall(SYS_openat, AT_FDCWD, ordinary_path, O_TMPFILE, 0);
		own->calls++;
	}
	__atomic_store_n(&own->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void *urgent(void *data)
{
	const struct sched_param param = {.sched_priority = 10};
	struct timespec rest = {.tv_nsec = 100000};
	struct cpu *own = data;

	run_on(own->cpu);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler");
	while (!__atomic_load_n(&own->done, __ATOMIC_ACQUIRE)) {
		syscall(SYS_openat, AT_FDCWD, urgent_path, O_TMPFILE, 0);
		own->urgent_calls++;
		/* So that the threads do not synchronise. */
		rest.tv_nsec = 100000 + own->urgent_calls * 7919 % 50000;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
	}
	return NULL;
}

static void result(const char *name, unsigned long count, const char *path)
{
	size_t i;

	printf("%s %lu ", name, count);
	for (i = 0; i <= strlen(path); i++)
		printf("%02x", (unsigned char)path[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	unsigned int nr = sysconf(_SC_NPROCESSORS_ONLN), i;
	unsigned long urgent_calls = 0;

	calls = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	if (!calls) {
		fprintf(stderr, "usage: preempt CALLS\n");
		return 2;
	}
	memset(ordinary_path, 'o', sizeof(ordinary_path) - 1);
	memset(urgent_path, 'u', sizeof(urgent_path) - 1);
	for (i = 0; i < nr && i < CPUS_MAX; i++) {
		cpus[i].cpu = i;
		if (pthread_create(&cpus[i].urgent, NULL, urgent, &cpus[i]) ||
		    pthread_create(&cpus[i].ordinary, NULL, ordinary, &cpus[i]))
			die("pthread_create");
	}
	for (i = 0; i < nr && i < CPUS_MAX; i++) {
		pthread_join(cpus[i].ordinary, NULL);
		pthread_join(cpus[i].urgent, NULL);
		urgent_calls += cpus[i].urgent_calls;
	}
	result("ordinary", calls * i, ordinary_path);
	result("urgent", urgent_calls, urgent_path);
	return 0;
}
