// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * poke - makes bad writes, each as one write(), which a shell does not
 * guarantee
 *
 *   poke FILE
 *
 * Writes nothing, a megabyte, zero bytes, garbage, bytes that are no
 * characters, and noise of many sizes, and prints each result: the number of
 * bytes taken, or the name of the error.  For the noise it prints how often it
 * was taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char bytes[1 << 20];

static void try(int fd, size_t size, int byte)
{
	ssize_t taken;

	memset(bytes, byte, size);
	taken = write(fd, bytes, size);
	if (taken < 0)
		printf("%s ", strerrorname_np(errno));
	else
		printf("%zd ", taken);
}

int main(int argc, char **argv)
{
	int fd, i, taken = 0;

	fd = argc == 2 ? open(argv[1], O_WRONLY) : -1;
	if (fd < 0) {
		perror("poke");
		return 2;
	}
	try(fd, 0, 'x');
	try(fd, sizeof(bytes), 'x');
	try(fd, 3, 0);
	try(fd, 30, '#');
	try(fd, 50, 200);
	for (i = 0; i < 1000; i++) {
		size_t size = 1 + random() % 4096, at;

		for (at = 0; at < size; at++)
			bytes[at] = random();
		/* A single digit may be valid. */
		bytes[0] |= 0x80;
		taken += write(fd, bytes, size) >= 0;
	}
	printf("%d\n", taken);
	return 0;
}
