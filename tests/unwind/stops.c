// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stops WHERE - stops in a frame of some kind until it is killed
 *
 * Says so on its standard output before.  tests/unwind/images saves it there.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone))

static volatile int sink;
static char other_stack[1 << 18] __attribute__((aligned(16)));

static CALLED void stop(void)
{
	if (write(1, "stopped\n", 8) != 8)
		_exit(1);
	do
		sink += pause();
	while (sink);
}

/* The argument on the stack and the alignment need r10 (DRAP). */
static CALLED int aligned(int a, int b, int c, int d, int e, int f, int g)
{
	volatile char *room = alloca(g * 16);
	volatile char large[64] __attribute__((aligned(64)));

	room[0] = a + b + c;
	large[d & 63] = e + f;
	stop();
	return large[d & 63] + room[0];
}

static CALLED int deep(int n)
{
	return n ? deep(n - 1) + sink : aligned(1, 2, 3, 4, 5, 6, 7) + sink;
}

static void handle(int signal)
{
	sink += deep(signal & 7);
}

static void handle_set(int signal, int flags)
{
	const struct sigaction action = {.sa_handler = handle,
					 .sa_flags = flags};
	const stack_t other = {.ss_sp = other_stack,
			       .ss_size = sizeof(other_stack)};

	sigaltstack(&other, NULL);
	sigaction(signal, &action, NULL);
}

static CALLED void in_deep(void)
{
	sink += deep(40);
}

static CALLED void in_handler(void)
{
	handle_set(SIGUSR1, 0);
	raise(SIGUSR1);
}

static CALLED void in_handler_elsewhere(void)
{
	handle_set(SIGUSR1, SA_ONSTACK);
	raise(SIGUSR1);
}

static CALLED void in_fault(void)
{
	char to[64];
	void *volatile nowhere = (void *)8;

	handle_set(SIGSEGV, SA_ONSTACK);
	memcpy(to, nowhere, sizeof(to) - sink);
	sink += to[0];
}

static int compare(const void *a, const void *b)
{
	return deep(3) + *(const int *)a - *(const int *)b;
}

static CALLED void in_qsort(void)
{
	int numbers[] = {3, 1, 2};

	qsort(numbers, 3, sizeof(*numbers), compare);
	sink += numbers[0];
}

static void coroutine(void)
{
	sink += deep(5);
}

static CALLED void in_coroutine(void)
{
	ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = other_stack;
	there.uc_stack.ss_size = sizeof(other_stack);
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
}

/* A thread that has just begun has no stack to speak of: it is said that they stop when all have begun. */
static pthread_barrier_t all_have_begun;

static void *wait_in_thread(void *argument)
{
	char byte;

	(void)argument;
	pthread_barrier_wait(&all_have_begun);
	sink += read(0, &byte, 1);
	return NULL;
}

static void *stop_in_thread(void *argument)
{
	pthread_barrier_wait(&all_have_begun);
	sink += deep(9);
	return argument;
}

static CALLED void in_threads(void)
{
	pthread_t threads[4];

	pthread_barrier_init(&all_have_begun, NULL, 5);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, wait_in_thread, NULL);
	pthread_create(&threads[3], NULL, stop_in_thread, NULL);
	pthread_barrier_wait(&all_have_begun);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static CALLED void in_exit(void)
{
	atexit(in_deep);
	exit(0);
}

static CALLED void in_abort(void)
{
	handle_set(SIGABRT, 0);
	abort();
}

static const struct {
	const char *name;
	void (*run)(void);
} places[] = {
	{"deep", in_deep},
	{"handler", in_handler},
	{"handler-elsewhere", in_handler_elsewhere},
	{"fault", in_fault},
	{"qsort", in_qsort},
	{"coroutine", in_coroutine},
	{"threads", in_threads},
	{"exit", in_exit},
	{"abort", in_abort},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (argc > 1 && !strcmp(argv[1], places[i].name))
			places[i].run();
	fputs("usage: stops WHERE\n", stderr);
	return 2;
}
