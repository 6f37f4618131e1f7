// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * timeless - a program with markers that may not read the time stamp counter
 *
 *   timeless WHAT COUNT
 *
 *	strict	hits a marker, enters strict seccomp, hits it COUNT times more
 *	first	enters strict seccomp, waits for a line on standard input, hits COUNT times
 *	tsc	loses access to the counter, hits COUNT times, regains it, hits once more
 *	thread	the same, but the hits are in a thread that starts without access
 *
 * In strict seccomp a thread may only read, write and exit; any other syscall and reading
 * the counter kill it.  Each hit is a hit of two markers: one with numbers, which takes the
 * fast path, and one with a string.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include <ktrace/marker.h>

static void hit(long count)
{
	for (long i = 0; i < count; i++) {
		KTRACE(number, "%ld", i);
		KTRACE(text, "number %ld text %s", i, "text");
	}
}

static void enter_strict(void)
{
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) {
		perror("timeless: prctl");
		_exit(1);
	}
}

/* The C library would end all threads, which strict seccomp forbids. */
static void leave_strict(void)
{
	const char said[] = "lived\n";
	ssize_t n = write(STDOUT_FILENO, said, sizeof(said) - 1);

	syscall(SYS_exit, n != sizeof(said) - 1);
}

static void counter_set(int mode)
{
	if (prctl(PR_SET_TSC, mode)) {
		perror("timeless: prctl");
		exit(1);
	}
}

static void *thread_main(void *count)
{
	hit((long)count);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	long count = argc > 2 ? atol(argv[2]) : 0;
	pthread_t thread;
	char line[16];

	if (!strcmp(what, "strict")) {
		hit(1);
		enter_strict();
		hit(count);
		leave_strict();
	} else if (!strcmp(what, "first")) {
		enter_strict();
		if (read(STDIN_FILENO, line, sizeof(line)) > 0)
			hit(count);
		leave_strict();
	} else if (!strcmp(what, "tsc")) {
		counter_set(PR_TSC_SIGSEGV);
		hit(count);
		counter_set(PR_TSC_ENABLE);
		hit(1);
	} else if (!strcmp(what, "thread")) {
		counter_set(PR_TSC_SIGSEGV);
		pthread_create(&thread, NULL, thread_main, (void *)count);
		pthread_join(thread, NULL);
	} else {
		return 2;
	}
	puts("lived");
	return 0;
}
