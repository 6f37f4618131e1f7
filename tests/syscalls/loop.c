// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * loop - measures a system call
 *
 *	loop getppid | loop PATH
 *
 * Makes getppid, or openat of PATH, many times, and prints by how much the time stamp
 * counter advances for one of them: instructions, under tools/vm --icount.  It is the least
 * of some rounds, because a device's interrupt may disturb a round.  The kernel refuses the
 * flags of the openat before it reads the path, so no other call with a path is cheaper.
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
