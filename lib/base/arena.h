/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Memory that is freed all at once: for the many small parts of type
 * descriptions.
 */
#ifndef KT_LIB_BASE_ARENA_H
#define KT_LIB_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* All zero: an empty arena. */
struct arena {
	struct arena_chunk *chunks;
};

/* The memory is zeroed and aligned for any type.  NULL: out of memory. */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_strndup(struct arena *arena, const char *s, size_t n);
char *arena_strdup(struct arena *arena, const char *s);
/* Moves the content of @from to @arena. */
void arena_join(struct arena *arena, struct arena *from);
void arena_destroy(struct arena *arena);

#endif /* KT_LIB_BASE_ARENA_H */
