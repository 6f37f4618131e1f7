// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * loop - measures a system call
 *
 *	loop getppid | loop read | loop PATH
 *
 * Makes getppid, read of 32 bytes of /dev/zero, or openat of PATH, many times, and prints by how much the time stamp
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

/* @path: NULL: another call.  @fd: to read from; -1: no read. */
static uint64_t run(const char *path, int fd, unsigned int n)
{
	uint64_t begin = __rdtsc();
	char bytes[32];

	while (n--) {
		if (path)
			syscall(SYS_openat, AT_FDCWD, path, O_TMPFILE, 0);
		else if (fd >= 0)
			syscall(SYS_read, fd, bytes, sizeof(bytes));
		else
			syscall(SYS_getppid);
	}
	return __rdtsc() - begin;
}

int main(int argc, char **argv)
{
	const char *path = argc == 2 && *argv[1] == '/' ? argv[1] : NULL;
	int fd = argc == 2 && !strcmp(argv[1], "read")
			 ? open("/dev/zero", O_RDONLY)
			 : -1;
	uint64_t least = UINT64_MAX;
	int round;

	if (argc != 2) {
		fprintf(stderr,
			"usage: loop getppid | loop read | loop PATH\n");
		return 2;
	}
	run(path, fd, CALLS / 8);
	for (round = 0; round < ROUNDS; round++) {
		uint64_t advance = run(path, fd, CALLS);

		if (advance < least)
			least = advance;
	}
	printf("%.1f\n", (double)least / CALLS);
	return 0;
}
