// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What threads of a context have mapped, and what is there: see contexts.h. */
#include <errno.h>
#include <ktrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/error.h"
#include "contexts.h"
#include "symbol/program_names.h"

/* Asks again if there are more than there was room for. */
int mapped_change_read(int fd, struct kt_branch_maps *read,
		       struct mapped_change *change)
{
	uint32_t asked = read->change, thread = read->thread;
	struct kt_branch_map *more;

	for (read->max = 64;; read->max = read->nr) {
		more = realloc(change->maps, read->max * sizeof(*more));
		if (!more)
			return -ENOMEM;
		change->maps = more;
		read->maps = (uintptr_t)more;
		read->change = asked;
		read->thread = thread;
		if (ioctl(fd, KT_READ_MAPPINGS, read))
			return errno == ENOENT ? 0 : -errno;
		if (read->nr <= read->max)
			break;
	}
	change->number = read->change;
	change->since = read->since;
	change->nr = read->nr;
	return 1;
}

int mapped_read(struct mapped *mapped, int fd, uint32_t thread, uint64_t end)
{
	struct kt_branch_maps read = {.thread = thread};
	struct mapped_change change, *more;
	int found;

	while (true) {
		change = (struct mapped_change){0};
		found = mapped_change_read(fd, &read, &change);
		if (found <= 0)
			break;
		more = realloc(mapped->changes,
			       (mapped->nr + 1) * sizeof(*more));
		if (!more) {
			found = -ENOMEM;
			break;
		}
		mapped->changes = more;
		mapped->changes[mapped->nr++] = change;
		/* A thread may go on mapping as fast as this is read. */
		if (change.since > end && mapped->nr > 1) {
			change = (struct mapped_change){0};
			found = 0;
			break;
		}
		read.change++;
	}
	free(change.maps);
	return found ? error_set(found, "what thread %u has mapped: %s", thread,
				 strerror(-found))
		     : 0;
}

/* ---- names ---------------------------------------------------------------- */

/* As the bytes of a file `stacks': a stack of one frame, the instruction itself, for each word. */
static uint8_t *stacks_make(const struct mapped_names *names, size_t *size)
{
	struct kt_stack head = {.frames = 1, .kind = KT_STACK_USER};
	size_t step = sizeof(head) + sizeof(uint64_t);
	uint8_t *stacks, *at;

	*size = sizeof(struct kt_stacks) + names->nr * step;
	stacks = calloc(1, *size);
	if (!stacks)
		return NULL;
	at = stacks + sizeof(struct kt_stacks);
	for (size_t i = 0; i < names->nr; i++, at += step) {
		memcpy(at, &head, sizeof(head));
		memcpy(at + sizeof(head), &names->words[i],
		       sizeof(names->words[i]));
	}
	return stacks;
}

int mapped_names_write(const struct mapped_names *names,
		       struct program_tables *tables,
		       int (*put)(void *data, const void *bytes, size_t size),
		       void *data)
{
	size_t size;
	uint8_t *stacks = stacks_make(names, &size);
	int err = stacks ? program_names(tables, stacks, size, put, data)
			 : -ENOMEM;

	free(stacks);
	/* Some files could not be opened: their places have no names, but all else is known. */
	if (err == -EMFILE || err == -ENFILE)
		err = 0;
	return err ? error_set(err, "names of branches: %s", strerror(-err))
		   : 0;
}

int mapped_names_find(struct mapped_names *names, struct program_tables *tables)
{
	return mapped_names_write(names, tables, mapped_names_take, names);
}
