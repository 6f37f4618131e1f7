// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program that runs in a known place, compiled without frame pointers.
 *
 *	spin MS		takes so many milliseconds of processor time in spin(), which middle()
 *			called, which outer() called, which main() called
 *	spin MS kernel	the same in the kernel: fills memory from /dev/zero
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CALLED(function) __attribute__((noinline, noclone)) function

static volatile unsigned long turns;
static char memory[1 << 20];

static long cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void CALLED(spin)(long ms)
{
	for (long end = cpu_ms() + ms; cpu_ms() < end;)
		for (int i = 0; i < 1000000; i++)
			turns++;
}

static void CALLED(fill)(long ms)
{
	int fd = open("/dev/zero", O_RDONLY);

	for (long end = cpu_ms() + ms; fd >= 0 && cpu_ms() < end;)
		for (int i = 0; i < 16; i++)
			if (read(fd, memory, sizeof(memory)) < 0)
				return;
}

static int CALLED(middle)(long ms, int kernel)
{
	if (kernel)
		fill(ms);
	else
		spin(ms);
	return turns != 0;
}

static int CALLED(outer)(long ms, int kernel)
{
	return middle(ms, kernel) + 1;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: spin MS [kernel]\n", stderr);
		return 2;
	}
	return !outer(atol(argv[1]), argc > 2 && !strcmp(argv[2], "kernel"));
}
