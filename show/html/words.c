// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "html/words.h"

static int word_add(struct words *words, const char *text, size_t size,
		    uint64_t hash, uint32_t *number)
{
	struct word *word = arena_alloc(&words->arena, sizeof(*word) + size);
	struct word **list =
		array_grow(words->list, words->nr, sizeof(*words->list));

	if (list)
		words->list = list;
	if (!word || !list || table_add(&words->table, hash, word))
		return -ENOMEM;
	memcpy(word->text, text, size);
	word->size = size;
	words->size += sizeof(*word) + size;
	*number = word->number = words->nr;
	words->list[words->nr++] = word;
	return 0;
}

int words_get(struct words *words, const char *text, size_t size,
	      uint32_t *number)
{
	struct table_slot *slot = NULL;
	uint64_t hash;

	words->factor = words->factor ?: table_factor();
	hash = table_hash_secret(text, size, words->factor);
	while ((slot = table_next(&words->table, hash, slot))) {
		const struct word *word = slot->value;

		if (word->size == size && !memcmp(word->text, text, size)) {
			*number = word->number;
			return 0;
		}
	}
	return word_add(words, text, size, hash, number);
}

void words_free(struct words *words)
{
	table_free(&words->table);
	arena_destroy(&words->arena);
	free(words->list);
}
