// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * mapper - makes many mappings of its own file executable, by one call
 *
 *   mapper NUMBER
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t page = sysconf(_SC_PAGESIZE), size;
	int number = argc == 2 ? atoi(argv[1]) : 0, i;
	int fd = open("/proc/self/exe", O_RDONLY);
	char *at;

	size = number * page;
	at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (number <= 0 || fd < 0 || at == MAP_FAILED) {
		perror("mapper");
		return 1;
	}
	/* All at the same place of the file, so that none joins the one before. */
	for (i = 0; i < number; i++) {
		if (mmap(at + i * page, page, PROT_READ,
			 MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
			perror("mapper: mmap");
			return 1;
		}
	}
	if (mprotect(at, size, PROT_READ | PROT_EXEC)) {
		perror("mapper: mprotect");
		return 1;
	}
	return 0;
}
