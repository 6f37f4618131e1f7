// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * program - a program with markers, which also prints what they must record
 *
 *   program WHAT [ARG]
 *
 *	kinds		arguments of all kinds
 *	threads N	eight threads, N events each
 *	processes N	forks N children, each of which forks another one
 *	exec PROGRAM	records, then executes PROGRAM
 *	load LIBRARY	opens it, uses it, closes it, twice
 *	signals N	a handler that records while the program records
 *	killed N	N events, then SIGKILL
 *	wait		events until it is killed; prints nothing
 *
 * A line is "NAME field=value ...", as ktrace report prints it after the program's name.
 * The order of events of several threads varies, so the lines are sorted before they are
 * compared.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/marker.h>

#define THREADS 8

enum color { RED, GREEN = 5 };

static void kinds(void)
{
	static const unsigned char mac[6] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
	const signed char minus = -5;
	unsigned char byte = 200;
	char array[8] = "array", full[4] = {'f', 'u', 'l', 'l'};
	const char *null = NULL, *empty = "";
	void *pointer = (void *)0x123456789abcull;
	char large[3000];

	memset(large, 'x', sizeof(large));
	large[sizeof(large) - 1] = '\0';

	KTRACE(nothing, "without arguments");
	puts("nothing");
	KTRACE(small, "minus %d byte %u s %hd us %hu", minus, byte,
	       (short)SHRT_MIN, (unsigned short)USHRT_MAX);
	puts("small minus=-5 byte=200 s=-32768 us=65535");
	KTRACE(large, "i %d u %u l %ld ul %lu ll %lld", INT_MIN, UINT_MAX,
	       LONG_MIN, ULONG_MAX, (long long)-1);
	printf("large i=%d u=%u l=%ld ul=%lu ll=-1\n", INT_MIN, UINT_MAX,
	       LONG_MIN, ULONG_MAX);
	KTRACE(odd, "a %hhd b %ld c %hd d %d e %hhu f %lu", minus, 1l << 40,
	       (short)-2, 3, byte, ~0ul);
	puts("odd a=-5 b=1099511627776 c=-2 d=3 e=200 f=18446744073709551615");
	KTRACE(strings, "array %s full %.4s literal %s empty %s null %s", array,
	       full, "literal", empty, null);
	puts("strings array=array full=full literal=literal empty=\"\" null=(null)");
	KTRACE(mixed, "before %d name %s after %d", -1, array, -2);
	puts("mixed before=-1 name=array after=-2");
	KTRACE(cut, "text %s and %d", large, 7);
	printf("cut text=%.1024s and=7\n", large);
	KTRACE(others, "mac %p at %p color %d yes %d", mac, pointer, GREEN,
	       (_Bool)1);
	puts("others mac=00017f80feff at=0x123456789abc color=5 yes=true");
	KTRACE(ten, "%d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9,
	       10);
	puts("ten arg1=1 arg2=2 arg3=3 arg4=4 arg5=5 arg6=6 arg7=7 arg8=8 "
	     "arg9=9 arg10=10");
	KTRACE(floats, "single %f double %g long %Lf", 0.1f, -1e300, 2.5L);
	puts("floats single=0.1 double=-1e+300 long=2.5");
	KTRACE(special, "third %f nan %f inf %f int %d", 1.0 / 3,
	       __builtin_nan(""), -__builtin_inf(), 7);
	puts("special third=0.3333333333333333 nan=nan inf=-inf int=7");
	KTRACE(same, "x %d x %d 100%% of %d", 1, 2, 3);
	puts("same x=1 x_2=2 of=3");
}

static void one(const char *who, long number)
{
	KTRACE(one, "who %s number %ld", who, number);
	printf("one who=%s number=%ld\n", who, number);
}

static void *thread_main(void *arg)
{
	for (long i = 0; i < (long)arg; i++)
		one("thread", i);
	return NULL;
}

static void threads(long n)
{
	pthread_t ids[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, thread_main, (void *)n);
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
}

static void processes(long n)
{
	for (long i = 0; i < n; i++) {
		fflush(stdout);
		if (fork())
			continue;
		one("child", i);
		fflush(stdout);
		if (!fork()) {
			one("grandchild", i);
			fflush(stdout);
			_exit(0);
		}
		wait(NULL);
		_exit(0);
	}
	while (wait(NULL) > 0)
		one("parent", 0);
}

static void load(const char *library)
{
	for (int i = 0; i < 2; i++) {
		void *handle = dlopen(library, RTLD_NOW);
		void (*use)(int number);

		if (!handle) {
			fprintf(stderr, "program: %s\n", dlerror());
			exit(1);
		}
		use = (void (*)(int))dlsym(handle, "marked_use");
		use(i);
		one("between", i);
		dlclose(handle);
	}
}

static volatile sig_atomic_t nr_signals;

static void on_signal(int signal)
{
	(void)signal;
	KTRACE(signal, "number %d", (int)nr_signals);
	nr_signals = nr_signals + 1;
}

static void signals(long n)
{
	struct itimerval timer = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	long between = 0;

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (nr_signals < n) {
		KTRACE(between, "number %ld", between);
		between++;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_IGN);
	for (long i = 0; i < between; i++)
		printf("between number=%ld\n", i);
	for (long i = 0; i < nr_signals; i++)
		printf("signal number=%ld\n", i);
}

static void killed(long n)
{
	for (long i = 0; i < n; i++)
		one("killed", i);
	fflush(stdout);
	kill(getpid(), SIGKILL);
}

static void until_killed(void)
{
	struct timespec rest = {0, 1000000};

	for (long i = 0;; i++) {
		KTRACE(tick, "number %ld", i);
		nanosleep(&rest, NULL);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "",
		   *arg = argc > 2 ? argv[2] : "";

	if (!strcmp(what, "kinds"))
		kinds();
	else if (!strcmp(what, "threads"))
		threads(atol(arg));
	else if (!strcmp(what, "processes"))
		processes(atol(arg));
	else if (!strcmp(what, "exec")) {
		one("before", 1);
		fflush(stdout);
		execl(arg, arg, "kinds", NULL);
	} else if (!strcmp(what, "load"))
		load(arg);
	else if (!strcmp(what, "signals"))
		signals(atol(arg));
	else if (!strcmp(what, "killed"))
		killed(atol(arg));
	else if (!strcmp(what, "wait"))
		until_killed();
	else
		return 2;
	return 0;
}
