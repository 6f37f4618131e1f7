// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The cost of a marker in a program, natively: off, and on while a flight
 * recorder records it.  The "floor" is the least possible cost of recording:
 * reading the clock and storing the same bytes.
 *
 *	marker [--tsv] [--rounds N]
 *
 * All run in turn, in short batches, and the fastest batch of each is used,
 * because other load makes a batch slower, never faster.  The cost of the loop
 * itself is subtracted only where markers are off.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/marker.h>
#include <ktrace/recording.h>

#include "env.h"
#include "rounds.h"

#define BATCH  20000
#define ID     16
#define BUFFER (512u << 10) /* as large as the recorder's */

static u8 *buffer;
static size_t at;

/* Hides a value from the compiler, which would otherwise shorten the loop. */
#define HIDE(value) asm volatile("" : "+r"(value))

/*
 * Ordinary code sometimes waits for its own results, and a test in it costs
 * less than four tests in a row would.  So these tests are in a loop that does
 * some work.
 */
#define WORK(x) asm volatile("imul %0, %0" : "+r"(x))

static noinline void batch_empty(void)
{
	u64 x = 1;

	for (u64 i = 0; i < BATCH; i++) {
		HIDE(i);
		WORK(x);
		WORK(x);
		WORK(x);
		WORK(x);
	}
}

static noinline void batch_off(void)
{
	u64 x = 1;

	for (u64 i = 0; i < BATCH; i++) {
		HIDE(i);
		WORK(x);
		KTRACE(off, "a %llu b %llu", i, i);
		WORK(x);
		KTRACE(off, "a %llu b %llu", i, i);
		WORK(x);
		KTRACE(off, "a %llu b %llu", i, i);
		WORK(x);
		KTRACE(off, "a %llu b %llu", i, i);
	}
}

static noinline void batch_bare(void)
{
	for (u64 i = 0; i < BATCH; i++)
		HIDE(i);
}

static noinline void batch_off_in_a_row(void)
{
	for (u64 i = 0; i < BATCH; i++) {
		HIDE(i);
		KTRACE(off, "a %llu b %llu", i, i);
		KTRACE(off, "a %llu b %llu", i, i);
		KTRACE(off, "a %llu b %llu", i, i);
		KTRACE(off, "a %llu b %llu", i, i);
		KTRACE(off, "a %llu b %llu", i, i);
		KTRACE(off, "a %llu b %llu", i, i);
		KTRACE(off, "a %llu b %llu", i, i);
		KTRACE(off, "a %llu b %llu", i, i);
	}
}

static __always_inline void floor_store(const u64 *words, int nr)
{
	u32 header = ID | (u32)env_clock() << 11;

	memcpy(buffer + at, &header, sizeof(header));
	memcpy(buffer + at + sizeof(header), words, nr * sizeof(*words));
	asm volatile("" ::: "memory");
	at += sizeof(header) + nr * sizeof(*words);
	if (at > BUFFER - 64)
		at = 0;
}

static noinline void batch_floor1(void)
{
	for (u64 i = 0; i < BATCH; i++) {
		HIDE(i);
		floor_store((u64[]){i}, 1);
	}
}

static noinline void batch_floor2(void)
{
	for (u64 i = 0; i < BATCH; i++) {
		HIDE(i);
		floor_store((u64[]){i, i}, 2);
	}
}

static noinline void batch_one(void)
{
	for (u64 i = 0; i < BATCH; i++) {
		HIDE(i);
		KTRACE(one, "a %llu", i);
	}
}

static noinline void batch_two(void)
{
	for (u64 i = 0; i < BATCH; i++) {
		HIDE(i);
		KTRACE(two, "a %llu b %llu", i, i);
	}
}

static noinline void batch_string(void)
{
	for (u64 i = 0; i < BATCH; i++) {
		HIDE(i);
		KTRACE(string, "number %llu name %s", i, "twelve bytes");
	}
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static struct batch {
	const char *what;
	const char *tracer;
	void (*run)(void);
	int markers; /* in one iteration; the loop before has no markers */
	double ns;
} batches[] = {
	{"empty loop", "loop", batch_empty, 0, 0},
	{"marker, off", "ktrace", batch_off, 4, 0},
	{"empty loop", "loop", batch_bare, 0, 0},
	{"marker, off, in a row", "ktrace", batch_off_in_a_row, 8, 0},
	{"marker, one integer", "floor", batch_floor1, 0, 0},
	{"marker, one integer", "ktrace", batch_one, 0, 0},
	{"marker, two integers", "floor", batch_floor2, 0, 0},
	{"marker, two integers", "ktrace", batch_two, 0, 0},
	{"marker, integer and string", "ktrace", batch_string, 0, 0},
};

#define NR (sizeof(batches) / sizeof(*batches))

static void measure(void)
{
	for (unsigned int i = 0; i < rounds * NR; i++) {
		struct batch *b = &batches[i % NR];
		double begin = seconds(), ns;

		b->run();
		ns = (seconds() - begin) / BATCH * 1e9;
		if (!b->ns || ns < b->ns)
			b->ns = ns;
	}
	for (unsigned int i = 1; i < NR; i++) {
		struct batch *b = &batches[i];

		if (b->markers)
			b->ns = (b->ns - b[-1].ns) / b->markers;
	}
}

static void report(bool tsv)
{
	if (!tsv)
		printf("%-28s  %6s  %6s  %5s   (ns an event)\n", "", "floor",
		       "marker", "ratio");
	for (unsigned int i = 1; i < NR; i++) {
		const struct batch *b = &batches[i], *floor = b - 1;

		if (!strcmp(b->tracer, "loop"))
			continue;
		if (tsv)
			printf("%s\t%s\t%.2f\tns\n", b->what, b->tracer, b->ns);
		else if (!strcmp(b->tracer, "floor"))
			continue;
		else if (!strcmp(floor->tracer, "floor"))
			printf("%-28s  %6.2f  %6.2f  %5.2f\n", b->what,
			       floor->ns, b->ns, b->ns / floor->ns);
		else
			printf("%-28s  %6s  %6.2f\n", b->what, "", b->ns);
	}
}

/* Markers are on in programs that begin after the recorder, else off. */
static int run(const char *directory, bool tsv)
{
	static const char *const patterns[] = {"one", "two", "string"};
	char path[256];
	struct ktrace_recording_options options = {
		.size = sizeof(options),
		.directory = path,
		.overwrite = true,
		.buffer = BUFFER,
		.programs = patterns,
		.nr_programs = 3,
	};
	struct ktrace_recording_status status;
	struct ktrace_recording *recording;

	snprintf(path, sizeof(path), "%s/trace", directory);
	buffer = aligned_alloc(4096, BUFFER);
	if (!buffer)
		return 1;
	memset(buffer, 1, BUFFER);
	if (ktrace_recording_create(NULL, &options, &recording) ||
	    ktrace_recording_start(recording)) {
		fprintf(stderr, "marker: %s\n", ktrace_last_error());
		return 1;
	}
	for (unsigned int i = 0; i < NR; i++)
		batches[i].run();
	measure();
	ktrace_recording_stop(recording, "end");
	ktrace_recording_status(recording, &status);
	ktrace_recording_destroy(recording);
	if (status.recorded < 3ull * rounds * BATCH) {
		fprintf(stderr, "marker: only %llu events were recorded\n",
			(unsigned long long)status.recorded);
		return 1;
	}
	report(tsv);
	return 0;
}

/*
 * The library looks for recorders before main(), so the program starts itself
 * again.
 */
static int run_apart(char **argv)
{
	char directory[] = "/dev/shm/ktrace-bench-XXXXXX";
	int status = 0;
	pid_t pid;

	if (!mkdtemp(directory) || setenv("KTRACE_MARKERS", directory, 1)) {
		perror("marker: /dev/shm");
		return 1;
	}
	pid = fork();
	if (!pid) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		status = -1;
	pid = fork();
	if (!pid) {
		execlp("rm", "rm", "-rf", directory, NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return status ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *directory = getenv("KTRACE_MARKERS");
	bool tsv = false;

	if (!rounds_parse(argc, argv, &tsv))
		return 2;
	if (!directory || strncmp(directory, "/dev/shm/ktrace-bench-", 22))
		return run_apart(argv);
	return run(directory, tsv);
}
