// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program whose frames are of all the kinds that compilers and the C library make: it is
 * for any C library, linked in any way.
 *
 *	calls TIMES
 *	calls run PROGRAM TIMES	runs the program, whose dynamic linker tells what it binds
 *
 * Each leaf makes system calls.  They do nothing.
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf back;
static const char *bound; /* we were executed by ourselves */

static CALLED int leaf(int n)
{
	struct timespec now;

	sink += close(-1);
	/*
	 * The vDSO cannot answer this, and asks the kernel.  Behind an exec, perf looks for its
	 * vDSO where the program before had it.
	 */
	if (!bound)
		sink += clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return n + sink;
}

/* The argument on the stack and the alignment need r10 (DRAP). */
static CALLED int aligned(int a, int b, int c, int d, int e, int f, int g,
			  int h)
{
	volatile char *room = alloca(g * 16);
	volatile char large[64] __attribute__((aligned(64)));

	room[0] = a + b;
	large[h & 63] = c + d;
	return leaf(e + f + room[0]) + large[h & 63] + h;
}

static CALLED int variable(int n)
{
	volatile char *room = alloca(100 + n * 16);

	room[n] = n;
	return aligned(1, 2, 3, 4, 5, 6, n + 1, 8) + room[n];
}

static CALLED int deep(int n)
{
	return n ? deep(n - 1) + sink : variable(3) + sink;
}

static int compare(const void *a, const void *b)
{
	sink += variable(1);
	return *(const int *)a - *(const int *)b;
}

static CALLED int sorted(void)
{
	int numbers[] = {5, 3, 4, 1};

	qsort(numbers, 4, sizeof(*numbers), compare);
	return numbers[0] + (bsearch(numbers + 1, numbers, 4, sizeof(*numbers),
				     compare) != NULL);
}

static void handler(int signal)
{
	sink += deep(signal & 3);
}

static CALLED int signalled(int signal)
{
	sink += raise(signal);
	/* Between any two instructions. */
	return kill(getpid(), signal) + sink;
}

static CALLED void faulted(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 1;
}

static void leave(int signal)
{
	sink += deep(signal & 1);
	siglongjmp(back, 1);
}

static CALLED int jumped(void)
{
	if (!sigsetjmp(back, 1))
		faulted();
	return leaf(sink);
}

static CALLED int forked(int how)
{
	pid_t child = how ? vfork() : fork();

	if (!child) {
		sink += leaf(how);
		_exit(0);
	}
	return waitpid(child, NULL, 0) + sink;
}

static void *thread(void *argument)
{
	sink += deep(2) + sorted();
	return argument;
}

static CALLED int threaded(void)
{
	pthread_t other;

	if (!pthread_create(&other, NULL, thread, NULL))
		pthread_join(other, NULL);
	return sink;
}

static CALLED int printed(FILE *file)
{
	return fprintf(file, "%d %s %f\n", sink, "text", 1.5) + fflush(file);
}

static CALLED int slept(void)
{
	const struct timespec little = {0, 1000000};

	return nanosleep(&little, NULL) + usleep(100) + sink;
}

int main(int argc, char **argv)
{
	static char other_stack[65536];
	const stack_t other = {.ss_sp = other_stack,
			       .ss_size = sizeof(other_stack)};
	struct sigaction action = {.sa_handler = handler};
	FILE *file = fopen("/dev/null", "w");

	if (argc < 2 || !file)
		return 1;
	bound = getenv("LD_DEBUG");
	if (argc > 3) {
		setenv("LD_DEBUG", "bindings", 1);
		setenv("LD_DEBUG_OUTPUT", "bound", 1);
		return execv(argv[2], argv + 2);
	}
	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	action.sa_handler = leave;
	sigaction(SIGSEGV, &action, NULL);
	for (int i = atoi(argv[1]); i > 0; i--) {
		sink += deep(i % 60);
		sink += sorted();
		sink += signalled(SIGUSR1);
		sink += signalled(SIGUSR2);
		sink += jumped();
		sink += forked(0);
		sink += forked(1);
		sink += threaded();
		sink += printed(file);
		sink += slept();
	}
	fclose(file);
	return 0;
}
