// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * loop - what a system call takes
 *
 *	loop getppid | loop PATH
 *
 * Makes getppid, or openat of PATH, many times, and prints how far the time-stamp
 * counter went for one of them: instructions, under tools/vm --icount.  The least of
 * some rounds, as a device's interrupt may fall into one.  The flags of the openat are
 * ones that the kernel refuses before it looks at the path, which no call comes
 * cheaper than.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#define ROUNDS 5
#define CALLS  20000

static uint64_t run(const char *path, unsigned int n)
{
	uint64_t begin = __rdtsc();

	while (n--) {
		if (path)
			syscall(SYS_openat, AT_FDCWD, path, O_TMPFILE, 0);
		else
			syscall(SYS_getppid);
	}
	return __rdtsc() - begin;
}

int main(int argc, char **argv)
{
	const char *path =
		argc == 2 && strcmp(argv[1], "getppid") ? argv[1] : NULL;
	uint64_t least = UINT64_MAX;
	int round;

	if (argc != 2) {
		fprintf(stderr, "usage: loop getppid | loop PATH\n");
		return 2;
	}
	run(path, CALLS / 8);
	for (round = 0; round < ROUNDS; round++) {
		uint64_t advance = run(path, CALLS);

		if (advance < least)
			least = advance;
	}
	printf("%.1f\n", (double)least / CALLS);
	return 0;
}
