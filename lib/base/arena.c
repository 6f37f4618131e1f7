// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define CHUNK_SIZE 65536

struct arena_chunk {
	struct arena_chunk *next;
	size_t used;
	size_t size;
	_Alignas(16) char data[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;
	void *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;

		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->size = room;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	p = chunk->data + chunk->used;
	chunk->used += size;
	return p;
}

char *arena_strndup(struct arena *arena, const char *s, size_t n)
{
	char *copy = arena_alloc(arena, n + 1);

	if (copy)
		memcpy(copy, s, n);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return arena_strndup(arena, s, strlen(s));
}

void arena_join(struct arena *arena, struct arena *from)
{
	struct arena_chunk **last = &arena->chunks;

	while (*last)
		last = &(*last)->next;
	*last = from->chunks;
	from->chunks = NULL;
}

void arena_destroy(struct arena *arena)
{
	struct arena_chunk *chunk, *next;

	for (chunk = arena->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	arena->chunks = NULL;
}
