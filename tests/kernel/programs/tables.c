// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the kernel has of programs' files (kernel/tree/programs_file.c), and what is in a file
 * `stacks'.
 *
 *	tables give TREE	gives the tables of all files, now and later.  Prints "ready"
 *				once, and at the end of the input a line for each file:
 *				"NUMBER PATH"
 *	tables refused TREE	tries tables that are wrong; prints what each is refused with
 *	tables show STACKS ID	prints why the stack ends, and then for each frame "NUMBER
 *				OFFSET", and "guess" if it is one
 *	tables ends STACKS	prints why the stacks end whose ids are read, a line for each
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <ktrace.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "symbol/program_tables.h"

static int give(const char *path)
{
	int tree = open(path, O_RDONLY | O_DIRECTORY);
	struct program_tables tables;
	int err = program_tables_open(&tables, tree, NULL);
	struct pollfd wait[2];

	if (!err)
		err = program_tables_update(&tables);
	if (err) {
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
		return 1;
	}
	puts("ready");
	fflush(stdout);
	wait[0] = (struct pollfd){.fd = 0, .events = POLLIN};
	wait[1] = (struct pollfd){.fd = tables.control, .events = POLLIN};
	while (poll(wait, 2, -1) > 0 && !wait[0].revents)
		if (program_tables_update(&tables))
			return 1;
	for (size_t i = 1; i < tables.nr; i++)
		printf("%zu %s %d\n", i, tables.files[i]->path,
		       tables.files[i]->error);
	program_tables_close(&tables);
	return 0;
}

static void try(int control, const char *what, int file, const void *bytes,
		size_t size)
{
	struct kt_table add = {(uintptr_t)bytes, size, file};
	int err = ioctl(control, KT_ADD_TABLE, &add) ? errno : 0;

	printf("%s: %s\n", what, err ? strerrorname_np(err) : "taken");
}

static int refused(const char *path)
{
	int tree = open(path, O_RDONLY | O_DIRECTORY);
	int control = openat(tree, "programs", O_RDWR);
	int file = open("/proc/self/exe", O_RDONLY), pipes[2];
	struct unwind_bytes table;
	struct kt_unwind_header *header;
	uint8_t *bytes;
	size_t size, at;

	if (control < 0 || unwind_make(file, &table) || pipe(pipes))
		return 1;
	header = table.bytes;
	bytes = table.bytes;
	size = table.size;
	try(control, "short", file, bytes, 20);
	try(control, "cut", file, bytes, size - 1);
	try(control, "huge", file, bytes, 0xfffffff0);
	try(control, "nowhere", file, (void *)8, size);
	try(control, "no file", 999, bytes, size);
	try(control, "a pipe", pipes[0], bytes, size);
	header->magic ^= 1;
	try(control, "magic", file, bytes, size);
	header->magic ^= 1;
	header->version++;
	try(control, "version", file, bytes, size);
	header->version--;
	/* A row that has a rule which there is not, and one before its bucket. */
	at = size - header->nr_rows * 3ull;
	bytes[at + 1] ^= 0xff;
	try(control, "number of a rule", file, bytes, size);
	bytes[at + 1] ^= 0xff;
	at = sizeof(*header) + header->nr_rules * 8ull;
	bytes[at + 5] ^= 0x80;
	try(control, "bucket", file, bytes, size);
	bytes[at + 5] ^= 0x80;
	bytes[sizeof(*header) + 7] ^= 0xff;
	try(control, "rule", file, bytes, size);
	bytes[sizeof(*header) + 7] ^= 0xff;
	try(control, "right", file, bytes, size);
	try(control, "again", file, bytes, size);
	return 0;
}

/* If the stack was deferred, what has become of it. */
static long resolve(FILE *file, long id)
{
	struct kt_stack stack;
	uint64_t words[KT_STACK_MAX];
	long found;

	if (fseek(file, id * 8, SEEK_SET) ||
	    fread(&stack, sizeof(stack), 1, file) != 1 ||
	    stack.kind != KT_STACK_DEFERRED || fread(words, 8, 2, file) != 2)
		return id;
	found = words[0];
	fseek(file, sizeof(struct kt_stacks), SEEK_SET);
	while (fread(&stack, sizeof(stack), 1, file) == 1 &&
	       stack.frames <= KT_STACK_MAX &&
	       fread(words, 8, stack.frames, file) == stack.frames)
		if (stack.kind == KT_STACK_RESOLVED && (long)words[0] == id)
			found = words[1];
	return found;
}

static const char *end_text(unsigned int end)
{
	static const char *const ends[] = {
		[KT_STACK_COMPLETE] = "complete",
		[KT_STACK_TRUNCATED] = "truncated",
		[KT_STACK_NO_TABLE] = "no table",
		[KT_STACK_ABSENT] = "absent",
		[KT_STACK_NO_RULE] = "no rule",
		[KT_STACK_CORRUPT] = "corrupt",
		[KT_STACK_NO_MAPS] = "no maps",
		[KT_STACK_CONTEXT] = "context",
		[KT_STACK_EXEC] = "exec",
	};

	return end < sizeof(ends) / sizeof(*ends) && ends[end] ? ends[end]
							       : "?";
}

/* The head of a program's stack; the file is then at its frames. */
static bool head_read(FILE *file, long id, struct kt_stack *stack)
{
	return file && !fseek(file, resolve(file, id) * 8, SEEK_SET) &&
	       fread(stack, sizeof(*stack), 1, file) == 1 &&
	       stack->kind == KT_STACK_USER;
}

static int show(const char *path, const char *id)
{
	FILE *file = fopen(path, "r");
	struct kt_stack stack;
	uint64_t word;

	if (!head_read(file, atol(id), &stack))
		return 1;
	puts(end_text(stack.end));
	for (int i = 0; i < stack.frames; i++) {
		if (fread(&word, sizeof(word), 1, file) != 1)
			return 1;
		printf("%d %#" PRIx64 "%s\n",
		       (int)(word >> KT_FRAME_FILE_SHIFT & KT_FRAME_FILE_MAX),
		       (uint64_t)(word & KT_FRAME_PLACE_MASK),
		       word & KT_FRAME_GUESS ? " guess" : "");
	}
	return 0;
}

/* A line for each stack whose id is in a line of the input. */
static int ends(const char *path)
{
	FILE *file = fopen(path, "r");
	struct kt_stack stack;
	long id;

	while (scanf("%ld", &id) == 1) {
		if (!head_read(file, id, &stack))
			puts("?");
		else if (stack.frames && stack.end == KT_STACK_EXEC)
			puts("exec, with frames");
		else
			puts(stack.frames || stack.end != KT_STACK_COMPLETE
				     ? end_text(stack.end)
				     : "no frames");
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "give"))
		return give(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "refused"))
		return refused(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "show"))
		return show(argv[2], argv[3]);
	if (argc == 3 && !strcmp(argv[1], "ends"))
		return ends(argv[2]);
	return 1;
}
