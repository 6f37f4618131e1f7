// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * mapper - maps what can be run
 *
 *   mapper NUMBER		makes many mappings of its own file executable, by one call
 *   mapper NUMBER written	writes to code of its own so often, and makes it executable again
 *   mapper NUMBER deep		has so many pages of stack
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int written(int number)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 4 * page, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; at != MAP_FAILED && i < number; i++) {
		if (mprotect(at + page, page, PROT_READ | PROT_WRITE))
			return 1;
		at[page] = i;
		if (mprotect(at + page, page, PROT_READ | PROT_EXEC))
			return 1;
	}
	return at == MAP_FAILED;
}

static int __attribute__((noinline)) deep(int number)
{
	volatile char page[4096];

	page[0] = number;
	return number > 1 ? deep(number - 1) + page[0] - (char)number : 0;
}

static int mapped(int number)
{
	size_t page = sysconf(_SC_PAGESIZE), size = number * page;
	int fd = open("/proc/self/exe", O_RDONLY);
	char *at =
		mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || at == MAP_FAILED)
		return 1;
	/* All at the same place of the file, so that none joins the one before. */
	for (int i = 0; i < number; i++) {
		if (mmap(at + i * page, page, PROT_READ,
			 MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			return 1;
	}
	return mprotect(at, size, PROT_READ | PROT_EXEC);
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? atoi(argv[1]) : 0;
	int failed = number <= 0       ? 1
		     : argc < 3	       ? mapped(number)
		     : *argv[2] == 'd' ? deep(number)
				       : written(number);

	if (failed)
		perror("mapper");
	return failed != 0;
}
