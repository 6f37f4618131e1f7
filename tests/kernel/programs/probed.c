// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program whose functions are probed.
 *
 *	probed where NAME	prints where the function is in the file: 0xOFFSET
 *	probed calls N		calls each function N times
 *	probed absent FILE	calls with a text that lies in FILE, which is not in memory
 *	probed forks N		calls once, and so do N children, one after the other
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBED __attribute__((noipa)) static

struct pair {
	uint32_t first, second;
	const char *text;
};

static volatile long sink;

/* Eight arguments: two of them on the stack. */
PROBED long probed_many(uint8_t a, uint16_t b, uint32_t c, uint64_t d,
			const struct pair *e, long f, long g, long h)
{
	return sink = a + b + c + d + e->first + f + g + h;
}

PROBED int probed_error(int number)
{
	return sink = -number;
}

PROBED void probed_text(const char *text)
{
	sink = (long)text;
}

PROBED void probed_element(const uint32_t *elements, long index)
{
	sink = (long)elements + index;
}

/* Each call returns to the one before. */
PROBED long probed_deep(long depth)
{
	return depth ? probed_deep(depth - 1) + 1 : sink;
}

/* Counts how many want to see it, as a USDT probe does. */
uint16_t probed_semaphore __attribute__((section(".probes")));

static const struct {
	const char *name;
	const void *at;
} places[] = {
	{"probed_many", probed_many}, {"probed_error", probed_error},
	{"probed_text", probed_text}, {"probed_element", probed_element},
	{"probed_deep", probed_deep}, {"semaphore", &probed_semaphore},
};

/* Where the mapping of the address begins in its file, by /proc/self/maps. */
static uint64_t file_offset(uint64_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long begin, end, offset;
	char line[4200];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) ==
			    3 &&
		    address >= begin && address < end) {
			fclose(maps);
			return address - begin + offset;
		}
	exit(1);
}

static int where(const char *name)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strcmp(places[i].name, name))
			return printf("0x%jx\n",
				      (uintmax_t)file_offset(
					      (uint64_t)places[i].at)) < 0;
	return 1;
}

static void call_all(void)
{
	static const struct pair pair = {7, 8, "seven"};
	static const uint32_t elements[] = {10, 11, 12, 13};

	probed_many(1, 2, 3, 4, &pair, -6, 70, 80);
	probed_error(22);
	probed_text("a text of the program");
	probed_element(elements, 3);
	probed_deep(0);
}

static int calls(int nr)
{
	for (int i = 0; i < nr; i++)
		call_all();
	printf("%d\n", *(volatile uint16_t *)&probed_semaphore);
	return 0;
}

/* A page that no process has in its table. */
static int absent(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);

	if (text == MAP_FAILED)
		return 1;
	/* It begins on one page and ends on the next. */
	probed_text(text + 4096 - 4);
	probed_text((const char *)16);
	return 0;
}

static int forks(int nr)
{
	int status;

	call_all();
	for (int i = 0; i < nr; i++) {
		if (!fork()) {
			call_all();
			_exit(0);
		}
		if (wait(&status) < 0 || status)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "where"))
		return where(argv[2]);
	if (!strcmp(argv[1], "calls"))
		return calls(atoi(argv[2]));
	if (!strcmp(argv[1], "deep"))
		return probed_deep(atoi(argv[2])) < 0;
	if (!strcmp(argv[1], "absent"))
		return absent(argv[2]);
	return forks(atoi(argv[2]));
}
