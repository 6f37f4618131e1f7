// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * probe - probes of markers: their arguments, and that they can be removed at any time
 *
 *   probe LIBRARY	a library with a marker: library.c
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace/marker.h>

#define THREADS 4
#define ROUNDS	2000

static int number;

static void check(bool good, const char *what)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, what);
	if (!good)
		exit(1);
}

static bool is(struct ktrace_marker_probe *probe, const char *pattern,
	       void (*hit)(struct ktrace_marker_probe *probe,
			   const struct ktrace_marker *marker,
			   const uint64_t *values))
{
	*probe = (struct ktrace_marker_probe){.pattern = pattern, .hit = hit};
	return !ktrace_marker_probe_register(probe);
}

/* ---- what it gets ------------------------------------------------------------------ */

static char seen[512];

/* Writes the hit as text, only from the probe's arguments. */
static void describe(struct ktrace_marker_probe *probe,
		     const struct ktrace_marker *marker, const uint64_t *values)
{
	const struct ktrace_argument *a = marker->arguments;
	size_t at = snprintf(seen, sizeof(seen), "%s", marker->name);

	(void)probe;
	for (; a->kind; a++, values++) {
		const void *pointer = (const void *)(uintptr_t)*values;

		at += snprintf(seen + at, sizeof(seen) - at, " ");
		if (a->kind == KTRACE_ARG_SIGNED)
			at += snprintf(seen + at, sizeof(seen) - at, "%lld",
				       (long long)*values);
		else if (a->kind == KTRACE_ARG_FLOAT)
			at += snprintf(seen + at, sizeof(seen) - at, "%g",
				       ktrace_probe_double(a, *values));
		else if (a->kind == KTRACE_ARG_STRING)
			at += snprintf(seen + at, sizeof(seen) - at, "%.*s",
				       a->size ? a->size : 100,
				       pointer ? (const char *)pointer : "-");
		else if (a->kind == KTRACE_ARG_BYTES)
			at += snprintf(seen + at, sizeof(seen) - at, "%d:%02x",
				       a->size, *(const uint8_t *)pointer);
		else
			at += snprintf(seen + at, sizeof(seen) - at, "%llu",
				       (unsigned long long)*values);
	}
}

#define SEEN(text, ...)                                \
	do {                                           \
		seen[0] = '\0';                        \
		KTRACE(__VA_ARGS__);                   \
		check(!strcmp(seen, text), text);      \
		if (strcmp(seen, text))                \
			fprintf(stderr, "%s\n", seen); \
	} while (0)

static int evaluated;

static int evaluate(void)
{
	return ++evaluated;
}

static void off_site(void)
{
	KTRACE(off_site, "%d", evaluate());
}

static void arguments(void)
{
	static const unsigned char mac[6] = {0xfe, 1, 2, 3, 4, 5};
	char full[4] = {'f', 'u', 'l', 'l'};
	const char *null = NULL;
	struct ktrace_marker_probe probe;

	off_site();
	check(!evaluated,
	      "a marker without a probe does not run its arguments");
	check(is(&probe, "*,!not_this", describe), "a probe is registered");
	check(ktrace_marker_probe_register(&probe) == -EBUSY, "but not twice");
	SEEN("nothing", nothing, "no arguments");
	SEEN("words -1 250 -2 1", words, "%hhd %hhu %hd %d", (signed char)-1,
	     (unsigned char)250, (short)-2, (_Bool)1);
	SEEN("two -5 18446744073709551615", two, "%d %lu", -5, ~0ul);
	SEEN("three -9 8 7", three, "%ld %d %hd", -9l, 8, (short)7);
	SEEN("reals 0.5 -1e+300", reals, "%f %g", 0.5f, -1e300);
	SEEN("real 0.25 -1", real, "%Lf %d", 0.25L, -1);
	SEEN("strings text full - 3", strings, "%s %.4s %s %d", "text", full,
	     null, 3);
	SEEN("bytes 6:fe", bytes, "%p", mac);
	SEEN("many 1 2 3 4 5 6 7 8 9 -10", many, "%d%d%d%d%d%d%d%d%d%d", 1, 2,
	     3, 4, 5, 6, 7, 8, 9, -10);
	SEEN("", not_this, "%d", 1);
	off_site();
	check(evaluated == 1, "a marker with one does");
	check(!ktrace_marker_probe_unregister(&probe), "it is taken away");
	check(ktrace_marker_probe_unregister(&probe) == -ENOENT,
	      "but not twice");
	off_site();
	check(evaluated == 1, "then the marker is off again");
}

/* ---- how many, and itself ------------------------------------------------------------- */

static void count(struct ktrace_marker_probe *probe,
		  const struct ktrace_marker *marker, const uint64_t *values)
{
	(void)marker;
	(void)values;
	probe->data = (char *)probe->data + 1;
}

static int inner;

static void again(struct ktrace_marker_probe *probe,
		  const struct ktrace_marker *marker, const uint64_t *values)
{
	(void)marker;
	(void)values;
	probe->data = (char *)probe->data + 1;
	inner = ktrace_marker_probe_unregister(probe);
	KTRACE(again, "%d", 2);
}

static void limits(void)
{
	static struct ktrace_marker_probe probes[32];
	struct ktrace_marker_probe self, bad = {.pattern = NULL, .hit = count};
	size_t nr = 0, hits = 0;

	while (nr < 32 && is(&probes[nr], "limit", count))
		nr++;
	check(nr == 31, "there can be 31 probes");
	KTRACE(limit, "%d", 1);
	for (size_t i = 0; i < nr; i++) {
		hits += (size_t)probes[i].data;
		ktrace_marker_probe_unregister(&probes[i]);
	}
	check(hits == 31, "each is called");
	check(ktrace_marker_probe_register(&bad) == -EINVAL,
	      "one without a pattern is refused");
	is(&self, "again", again);
	KTRACE(again, "%d", 1);
	check(self.data == (void *)1 && self.missed == 1,
	      "a probe that hits its own marker is not called again, but told");
	check(inner == -EDEADLK, "nor can it take itself away");
	check(!ktrace_marker_probe_unregister(&self), "others can");
}

static void library(const char *path)
{
	struct ktrace_marker_probe probe;

	is(&probe, "used", count);
	for (int i = 0; i < 2; i++) {
		void *handle = dlopen(path, RTLD_NOW);
		void (*use)(int n) =
			handle ? (void (*)(int))dlsym(handle, "marked_use")
			       : NULL;

		if (!use) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		use(i);
		dlclose(handle);
	}
	check(probe.data == (void *)2, "a library that comes later is probed");
	check(!ktrace_marker_probe_unregister(&probe), "and may have gone");
}

/* ---- taken away while it runs ----------------------------------------------------------- */

static volatile sig_atomic_t stop, alive, dead_calls;
static volatile uint64_t calls;

static void living(struct ktrace_marker_probe *probe,
		   const struct ktrace_marker *marker, const uint64_t *values)
{
	(void)probe;
	(void)marker;
	if (!alive || values[0] != values[1])
		dead_calls = 1;
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	for (volatile int i = 0; i < 50; i++)
		;
	if (!alive)
		dead_calls = 1;
}

static void hit(int n)
{
	KTRACE(storm, "%d %d", n, n);
}

static void on_signal(int signal)
{
	hit(signal);
}

static void *thread_main(void *arg)
{
	while (!stop)
		hit((int)(long)arg);
	return NULL;
}

static bool child_works(struct ktrace_marker_probe *probe, bool registered)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		hit(1);
		if (registered && ktrace_marker_probe_unregister(probe))
			_exit(1);
		alive = 0;
		hit(2);
		_exit(dead_calls ? 2 : 0);
	}
	waitpid(pid, &status, 0);
	return status == 0;
}

static void storm(void)
{
	struct itimerval timer = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
	struct ktrace_marker_probe probe;
	pthread_t threads[THREADS];
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = SA_RESTART};
	int good = 0, children = 0;

	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, (void *)i);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		alive = 1;
		good += is(&probe, "st*", living);
		if (i % 100 == 0)
			children += child_works(&probe, true);
		hit(3);
		good += !ktrace_marker_probe_unregister(&probe);
		alive = 0;
		if (i % 100 == 50)
			children += child_works(&probe, false);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check(good == 2 * ROUNDS, "threads and signal handlers hit, a probe "
				  "comes and goes");
	check(!dead_calls, "none runs after it was taken away");
	check(calls >= ROUNDS, "they were called");
	check(children == 2 * ROUNDS / 100, "children can take theirs away");
}

/* ---- taken away while a library comes ---------------------------------------------- */

static volatile bool inside, gate;
static volatile int seen_hits, used_hits;

static void waiting(struct ktrace_marker_probe *probe,
		    const struct ktrace_marker *marker, const uint64_t *values)
{
	(void)probe;
	(void)values;
	seen_hits += !strcmp(marker->name, "seen");
	used_hits += !strcmp(marker->name, "used");
	if (strcmp(marker->name, "waits"))
		return;
	inside = true;
	while (!gate)
		sched_yield();
}

static void *wait_main(void *arg)
{
	(void)arg;
	KTRACE(waits, "%d", 1);
	return NULL;
}

static void *unregister_main(void *arg)
{
	return (void *)(long)ktrace_marker_probe_unregister(arg);
}

static bool is_seen(void)
{
	int before = seen_hits;

	KTRACE(seen, "%d", 1);
	return seen_hits > before;
}

/* Who takes the probe away waits for a hit; what is loaded meanwhile is not probed. */
static void late_library(const char *path)
{
	struct ktrace_marker_probe probe;
	pthread_t waits, unregisters;
	void (*use)(int n);
	void *handle, *result;

	is(&probe, "waits,seen,used", waiting);
	pthread_create(&waits, NULL, wait_main, NULL);
	while (!inside)
		sched_yield();
	pthread_create(&unregisters, NULL, unregister_main, &probe);
	while (is_seen())
		sched_yield();
	handle = dlopen(path, RTLD_NOW);
	use = handle ? (void (*)(int))dlsym(handle, "marked_use") : NULL;
	if (use)
		use(1);
	check(use && !used_hits,
	      "a library that comes while a probe goes is not "
	      "probed");
	gate = true;
	pthread_join(waits, NULL);
	pthread_join(unregisters, &result);
	check(!result, "and the probe goes");
	/* Another one gets its place. */
	is(&probe, "seen", waiting);
	if (use)
		use(2);
	check(!used_hits, "nor by the one that is in its place");
	ktrace_marker_probe_unregister(&probe);
	if (handle)
		dlclose(handle);
}

static pid_t forked = -1;

static void forking(struct ktrace_marker_probe *probe,
		    const struct ktrace_marker *marker, const uint64_t *values)
{
	(void)probe;
	(void)marker;
	(void)values;
	forked = fork();
}

static void fork_inside(void)
{
	struct ktrace_marker_probe probe;
	int status = -1;

	is(&probe, "forks", forking);
	KTRACE(forks, "%d", 1);
	if (!forked)
		_exit(ktrace_marker_probe_unregister(&probe) ? 1 : 0);
	waitpid(forked, &status, 0);
	check(status == 0 && !ktrace_marker_probe_unregister(&probe),
	      "a probe may fork");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	arguments();
	limits();
	library(argv[1]);
	late_library(argv[1]);
	storm();
	fork_inside();
	printf("1..%d\n", number);
	return 0;
}
