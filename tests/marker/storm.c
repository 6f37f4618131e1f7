// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * storm - processes with eight threads and a signal handler, all of which hit a marker;
 * half of the processes are killed in the middle of it
 *
 *   storm PROCESSES COUNT
 *
 * Each thread hits it COUNT times, and counts its hits in memory that outlives
 * it. At the end there is a line "TID CONTEXT HITS" for each context: the
 * threads of a process, and the handler, which runs in the first of them.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/marker.h>

#define THREADS	  8
#define CONTEXTS  (THREADS + 1)
#define PROCESSES 64

struct context {
	pid_t tid;
	volatile long hits;
};

static struct context (*contexts)[CONTEXTS];
static struct context *mine;
static long count;
static int doomed;

static void hit(struct context *c, int number)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	const char *text = letters + c->hits % 26;

	errno = ENOTNAM;
	KTRACE(storm, "context %d number %ld text %s", number, c->hits, text);
	c->hits = c->hits + 1;
	KTRACE(words, "context %d number %ld", number, c->hits);
	/* A marker must not change errno: it may be between a call and a check of its error. */
	if (errno != ENOTNAM)
		abort();
}

static void on_timer(int signal)
{
	int saved = errno;

	(void)signal;
	for (int i = 0; i < 3; i++)
		hit(&mine[THREADS], THREADS);
	errno = saved;
}

static void *thread_main(void *arg)
{
	const struct timespec rest = {0, 100000};
	long number = (long)arg;

	mine[number].tid = gettid();
	for (long i = 0; i < count || doomed; i++) {
		hit(&mine[number], number);
		/* Waits until it is killed, however late that is. */
		if (i >= count)
			nanosleep(&rest, NULL);
	}
	return NULL;
}

static _Noreturn void process_main(struct context *all)
{
	struct itimerval timer = {{0, 300}, {0, 300}}, off = {{0, 0}, {0, 0}};
	pthread_t threads[THREADS];
	sigset_t set;

	mine = all;
	mine[THREADS].tid = gettid();
	signal(SIGALRM, on_timer);
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (long i = 1; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, (void *)i);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	thread_main(NULL);
	for (int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	_exit(0);
}

/* Has it recorded enough to be killed in the middle? */
static int has_begun(const struct context *all)
{
	return all[0].hits > count / 10 || all[1].hits > count / 10;
}

int main(int argc, char **argv)
{
	const struct timespec rest = {0, 100000};
	int nr = argc > 1 ? atoi(argv[1]) : 8, killed = 0;
	pid_t pids[PROCESSES];

	count = argc > 2 ? atol(argv[2]) : 1000;
	if (nr > PROCESSES)
		return 2;
	contexts = mmap(NULL, nr * sizeof(*contexts), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (contexts == MAP_FAILED)
		return 1;
	for (int i = 0; i < nr; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		doomed = i % 2 == 0;
		process_main(contexts[i]);
	}
	for (int i = 0; i < nr; i += 2) {
		while (!has_begun(contexts[i]))
			nanosleep(&rest, NULL);
		kill(pids[i], SIGKILL);
	}
	for (int i = 0; i < nr; i++) {
		int status = 0;

		waitpid(pids[i], &status, 0);
		killed += WIFSIGNALED(status);
		for (int k = 0; k < CONTEXTS; k++)
			printf("%d %d %ld\n", contexts[i][k].tid, k,
			       contexts[i][k].hits);
	}
	fprintf(stderr, "%d of %d killed\n", killed, nr);
	return 0;
}
