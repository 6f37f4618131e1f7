// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * poke - one write() of any size, which a shell cannot be trusted to make
 *
 *   poke FILE SIZE [BYTE]    writes SIZE times BYTE (a number; 'x' by default)
 *   poke FILE random SEED    up to 8 KiB of noise
 *
 * Prints what the write returned: the number of bytes, or the error's name.  The
 * exit status is 0 if it was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned char *bytes;
	size_t size, i;
	ssize_t written;
	int fd;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[2], "random")) {
		srandom(argc > 3 ? atoi(argv[3]) : 1);
		size = 1 + random() % 8192;
	} else {
		size = strtoul(argv[2], NULL, 0);
	}
	bytes = malloc(size + 1);
	if (!bytes)
		return 2;
	if (!strcmp(argv[2], "random")) {
		for (i = 0; i < size; i++)
			bytes[i] = random();
	} else {
		memset(bytes, argc > 3 ? atoi(argv[3]) : 'x', size);
	}
	fd = open(argv[1], O_WRONLY);
	if (fd < 0) {
		puts(strerrorname_np(errno));
		return 1;
	}
	written = write(fd, bytes, size);
	if (written < 0)
		puts(strerrorname_np(errno));
	else
		printf("%zd\n", written);
	return written < 0;
}
