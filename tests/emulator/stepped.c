// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs whose branches are compared with what the emulator has seen; WORK says which.  Each takes
 * some 250,000 branches.  Nothing of them is in the vDSO, where the emulator does not look.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define noinline __attribute__((noinline, unused))

static volatile unsigned int sum;

/* ---- recursion ------------------------------------------------------------ */

static noinline unsigned int fibonacci(unsigned int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static noinline unsigned int ackermann(unsigned int m, unsigned int n)
{
	if (!m)
		return n + 1;
	return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

static noinline unsigned int is_even(unsigned int n);

static noinline unsigned int is_odd(unsigned int n)
{
	return n && is_even(n - 1);
}

static noinline unsigned int is_even(unsigned int n)
{
	return !n || is_odd(n - 1);
}

/* Deep enough for stacks that are not there yet: calls that fault. */
static noinline unsigned int deep(unsigned int n)
{
	volatile char room[256];

	room[0] = n;
	return n ? deep(n - 1) + room[0] : 0;
}

static noinline void recursion(void)
{
	sum += fibonacci(21);
	sum += ackermann(2, 60);
	sum += is_odd(10000);
	for (int i = 0; i < 20; i++)
		sum += deep(1500);
}

/* ---- indirect jumps and calls ---------------------------------------------- */

static noinline unsigned int add(unsigned int a, unsigned int b)
{
	return a + b;
}

static noinline unsigned int mix(unsigned int a, unsigned int b)
{
	return a * 31 ^ b;
}

static noinline unsigned int turn(unsigned int a, unsigned int b)
{
	return a >> (b & 7) | a << 5;
}

static unsigned int (*const functions[])(unsigned int,
					 unsigned int) = {add, mix, turn};

static noinline unsigned int choose(unsigned int x)
{
	switch (x % 11) {
	case 0:
		return x * 3;
	case 1:
		return x ^ 0x55;
	case 2:
		return x + 7;
	case 3:
		return x - 1;
	case 4:
		return ~x;
	case 5:
		return x << 3;
	case 6:
		return x / 5;
	case 7:
		return x | 0x100;
	case 8:
		return x & 0xfffff;
	case 9:
		return x * x;
	default:
		return x >> 2;
	}
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A machine of four instructions, as interpreters have it. */
static noinline unsigned int interpret(const unsigned char *program)
{
	static const void *const labels[] = {&&inc, &&twice, &&loop, &&end};
	unsigned int value = 1, rounds = 0;
	const unsigned char *at = program;

	goto *labels[*at];
inc:
	value++;
	goto *labels[*++at];
twice:
	value *= 2;
	goto *labels[*++at];
loop:
	at = ++rounds < 4000 ? program : at + 1;
	goto *labels[*at];
end:
	return value;
}

static noinline void indirect(void)
{
	static const unsigned char program[] = {0, 1, 0, 2, 3};
	static uint32_t numbers[3000];
	unsigned int x = 12345;

	for (unsigned int i = 0; i < 20000; i++)
		x = choose(functions[x % 3](x, i));
	for (unsigned int i = 0; i < 3000; i++)
		numbers[i] = x = x * 1103515245 + 12345;
	qsort(numbers, 3000, sizeof(*numbers), compare);
	sum += x + numbers[7] + interpret(program);
}

/* ---- signals -------------------------------------------------------------- */

static sigjmp_buf back;
static volatile sig_atomic_t alarms;
static volatile char *volatile hole;

static void on_alarm(int number)
{
	alarms++;
	sum += fibonacci(3);
}

static void on_usr(int number)
{
	sum++;
	/* Another one, within this one. */
	if (number == SIGUSR1)
		raise(SIGUSR2);
}

static void on_fault(int number)
{
	siglongjmp(back, 1);
}

static noinline void signals(void)
{
	static const struct itimerval often = {{0, 500}, {0, 500}};
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval never = {0};

	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = on_usr;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	action.sa_handler = on_fault;
	sigaction(SIGSEGV, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	sum += fibonacci(23);
	for (int i = 0; i < 200; i++) {
		raise(SIGUSR1);
		if (!sigsetjmp(back, 1))
			*hole = 1;
	}
	sum += fibonacci(23);
	while (alarms < 50)
		sum += fibonacci(5);
	setitimer(ITIMER_REAL, &never, NULL);
}

/* ---- threads -------------------------------------------------------------- */

static volatile int begun;

static void *thread(void *n)
{
	begun++;
	sum += fibonacci(19 + (uintptr_t)n % 2);
	for (int i = 0; i < 20; i++) {
		syscall(SYS_sched_yield);
		sum += choose(i);
	}
	free(malloc(100));
	return NULL;
}

#define THREADS 8

/* One begins behind the other, so they have one order, but all run at the same time. */
static noinline void threads(void)
{
	pthread_t all[THREADS];

	for (intptr_t i = 0; i < THREADS; i++) {
		if (pthread_create(&all[i], NULL, thread, (void *)i))
			abort();
		while (begun <= i)
			syscall(SYS_sched_yield);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
}

int main(void)
{
	WORK();
	return 0;
}
