// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * loop - fires events and counts what they cost
 *
 *	loop SOURCE N [ROUNDS]	prints N ADVANCE FIRED
 *
 * Fires N events and reads the time-stamp counter before and after.  If the
 * counter counts instructions (tools/vm --icount), ADVANCE / N is the cost of
 * an event together with the cost of firing it.  The minimum of several rounds
 * is printed, because an interrupt of a device may come during a round.
 * Before, the loop runs unmeasured for N / 8 events, so that one-time work of a
 * tracer (touch pages, open the first packet) is not counted.  FIRED counts
 * these and all rounds.  ROUNDS is 5 by default; it should be large to measure
 * what runs beside the loop.
 *
 * Sources:
 *	getppid, getppid_call	a system call, whose entry and exit are two events
 *	openat_enter		openat() of a path of 20 bytes; one event is recorded
 *	openat_call		the same with two events
 *	yield			a context switch
 *	SOURCE_pid, SOURCE_filter	as SOURCE, but the recorder refuses each event
 *	SOURCE_kernel, SOURCE_user	as SOURCE, with the stack of the kernel, or of
 *				the program, which has 10 frames
 *	SOURCE_user31		the same; the program's stack has 31 frames
 *	SOURCE_user_fp		as SOURCE_user, for this program with frame pointers
 *	sample, sample_user, sample_user_fp
 *				no event: N rounds that only take time, in this
 *				program, which has 10 frames there
 *	sample_kernel		the same in the kernel: N events that nobody records
 *	program		calls probed(), in this program
 *	function_WHAT			as function, but the recorder records it otherwise
 *	others			those of the ktrace_bench module
 *
 * Samples come at times, not with events.  So their loops need one round that is
 * long, and what they cost is to be divided by the number of samples.
 *
 * An openat() takes forty times as long as other calls, so its loop has N / 32
 * rounds: a round must be over before the next tick of the clock.
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
/* What write() in module_loop() has below it, with main() and what calls that, are 7 frames. */
#define FRAMES	    3
#define FRAMES_MORE 21
#define PATH	    "/dev/shm/loop-openat"
/* Closed together, so that closing is not measured. */
#define FILES_MAX 512

static void fail(const char *what)
{
	fprintf(stderr, "loop: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The length without a suffix that is not for the module. */
static size_t source_length(const char *source)
{
	static const char *const suffixes[] = {"_pid",	"_filter", "_kernel",
					       "_user", "_user31", "_user_fp"};
	size_t length = strlen(source);
	unsigned int i;

	if (!strncmp(source, "function", 8))
		return 8;
	if (!strncmp(source, "probe", 5))
		return 5;
	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t suffix = strlen(suffixes[i]);

		if (length > suffix &&
		    !strcmp(source + length - suffix, suffixes[i]))
			return length - suffix;
	}
	return length;
}

static uint64_t getppid_loop(unsigned long n)
{
	uint64_t begin = __rdtsc();

	while (n--)
		syscall(SYS_getppid);
	return __rdtsc() - begin;
}

static uint64_t openat_loop(unsigned long n)
{
	uint64_t begin = __rdtsc();
	unsigned long i;
	int first = -1;

	for (i = 0; i < n; i++) {
		int fd = syscall(SYS_openat, AT_FDCWD, PATH, O_RDONLY, 0);

		if (fd < 0)
			fail(PATH);
		if (first < 0)
			first = fd;
		if (i % FILES_MAX == FILES_MAX - 1 || i == n - 1) {
			syscall(SYS_close_range, first, ~0u, 0);
			first = -1;
		}
	}
	return __rdtsc() - begin;
}

static void openat_prepare(void)
{
	int fd = open(PATH, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		fail(PATH);
	close(fd);
}

/*
 * Two tasks of the same real-time priority: each yield switches to the other
 * one, in every kernel.
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

	if (!strcmp(source, "sample_kernel"))
		source = "cpu_idle";
	snprintf(path, sizeof(path), "/sys/kernel/debug/ktrace_bench/%.*s",
		 (int)source_length(source), source);
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

static __attribute__((noinline)) void spin(unsigned long n)
{
	while (n--)
		__asm__ volatile("");
}

/* Is a frame of its own, like module_loop(), so that all stacks of programs are as deep. */
static __attribute__((noinline)) uint64_t spin_loop(unsigned long n)
{
	uint64_t begin = __rdtsc();

	spin(n);
	return __rdtsc() - begin;
}

/* The compiler is to call it, as if it were another file's. */
__attribute__((noipa)) static long probed(long a, long b, long c)
{
	return a + b + c;
}

static uint64_t program_loop(unsigned long n)
{
	uint64_t begin = __rdtsc();

	while (n--)
		probed(1, 2, 3);
	return __rdtsc() - begin;
}

static uint64_t run(const char *source, unsigned long n)
{
	if (!strncmp(source, "program", 7))
		return program_loop(n);
	if (!strncmp(source, "sample", 6) && strcmp(source, "sample_kernel"))
		return spin_loop(n);
	if (!strncmp(source, "getppid", 7))
		return getppid_loop(n / 2);
	if (!strcmp(source, "openat_enter"))
		return openat_loop(n);
	if (!strcmp(source, "openat_call"))
		return openat_loop(n / 2);
	if (!strncmp(source, "yield", 5))
		return yield_loop(n / 2);
	return module_loop(source, n);
}

static __attribute__((noinline)) uint64_t run_below(unsigned int frames,
						    const char *source,
						    unsigned long n)
{
	uint64_t advance =
		frames ? run_below(frames - 1, source, n) : run(source, n);

	__asm__ volatile("" : : : "memory"); /* no tail call */
	return advance;
}

int main(int argc, char **argv)
{
	unsigned long n = argc >= 3 ? strtoul(argv[2], NULL, 0) : 0;
	unsigned long rounds = argc == 4 ? strtoul(argv[3], NULL, 0) : ROUNDS;
	uint64_t least = UINT64_MAX;
	unsigned int frames = FRAMES;
	unsigned long round;

	if (n < 512 || !rounds || argc > 4) {
		fprintf(stderr, "usage: loop SOURCE N [ROUNDS]\n");
		return 2;
	}
	if (!strncmp(argv[1], "openat", 6)) {
		openat_prepare();
		n /= 32;
	}
	if (strstr(argv[1], "_user31"))
		frames += FRAMES_MORE;
	n -= n % 16;
	run_below(frames, argv[1], n / 8);
	for (round = 0; round < rounds; round++) {
		uint64_t advance = run_below(frames, argv[1], n);

		if (advance < least)
			least = advance;
	}
	printf("%lu %llu %lu\n", n, (unsigned long long)least,
	       n / 8 + rounds * n);
	return 0;
}
