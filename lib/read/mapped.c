// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See mapped.h. */
#include <errno.h>
#include <ktrace.h>
#include <stdlib.h>
#include <string.h>

#include "base/stack_entry.h"
#include "base/text.h"
#include "demangle.h"
#include "mapped.h"

static const struct mapped_change *change_at(struct mapped *mapped,
					     uint64_t number)
{
	size_t low = 0, high = mapped->nr, middle;

	/* Mostly the one that was found last. */
	if (mapped->changes[mapped->last].since <= number)
		low = mapped->last;
	if (low + 1 < mapped->nr && mapped->changes[low + 1].since > number)
		high = low + 1;
	while (high - low > 1) {
		middle = (low + high) / 2;
		if (mapped->changes[middle].since <= number)
			low = middle;
		else
			high = middle;
	}
	mapped->last = low;
	return &mapped->changes[low];
}

static uint64_t word_in(const struct mapped_change *change, uint64_t address)
{
	size_t low = 0, high = change->nr, middle;
	const struct kt_branch_map *map;
	uint64_t offset;

	while (low < high) {
		middle = (low + high) / 2;
		if (change->maps[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	map = &change->maps[low];
	if (low == change->nr || address < map->begin)
		return 0;
	offset = address - map->begin + map->offset;
	return map->file && map->file <= KT_FRAME_FILE_MAX &&
			       offset <= KT_FRAME_PLACE_MASK
		       ? (uint64_t)map->file << KT_FRAME_FILE_SHIFT | offset
		       : 0;
}

uint64_t mapped_word(struct mapped *mapped, uint64_t number, uint64_t address)
{
	const struct mapped_change *change;
	uint64_t word;

	if (!mapped->nr)
		return 0;
	change = change_at(mapped, number);
	if (change->since > number)
		return 0;
	word = word_in(change, address);
	/* What came in between is mostly still there: libraries are seldom unmapped. */
	if (!word && change + 1 < mapped->changes + mapped->nr &&
	    change[1].number > change->number + 1)
		word = word_in(change + 1, address);
	return word;
}

void mapped_free(struct mapped *mapped)
{
	for (size_t i = 0; i < mapped->nr; i++)
		free(mapped->changes[i].maps);
	free(mapped->changes);
}

/* ---- names ---------------------------------------------------------------- */

int mapped_names_want(struct mapped_names *names, uint64_t word)
{
	struct ktrace_branch_place *place;
	uint64_t *more;

	if (!word || table_find(&names->table, word))
		return 0;
	if (names->nr == names->room) {
		names->room = names->room ? names->room * 2 : 1024;
		more = realloc(names->words, names->room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		names->words = more;
	}
	place = arena_alloc(&names->arena, sizeof(*place));
	if (!place || table_add(&names->table, word, place))
		return -ENOMEM;
	names->words[names->nr++] = word;
	return 0;
}

/* The next text of an entry; NULL: there are no more. */
static const char *text_next(const char **at, const char *end)
{
	const char *text = *at;
	const char *nul = text < end ? memchr(text, '\0', end - text) : NULL;

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

static const char *unless_empty(const char *text)
{
	return text && *text ? text : NULL;
}

/* What the programmer called the function.  NULL: no memory. */
static const char *name_of(struct arena *arena, const char *symbol)
{
	char name[DEMANGLED_MAX];

	return demangle(symbol, name) ? arena_strdup(arena, name) : symbol;
}

/*
 * What the compiler has put there, with names as the programmer knows them.  @at: names and
 * positions, up to @end; a name is never empty, and behind the last one are the NULs that fill the word.
 */
static int inlined_take(struct arena *arena, struct ktrace_branch_place *place,
			const char *at, const char *end)
{
	struct text texts = {0};
	const char *name, *call;
	uint32_t nr = 0;

	while (at < end && *at) {
		name = text_next(&at, end);
		call = text_next(&at, end);
		if (!name || !call)
			break;
		name = name_of(arena, name);
		if (!name)
			texts.failed = true;
		else
			text_add(&texts, name, strlen(name) + 1);
		text_add(&texts, call, strlen(call) + 1);
		nr++;
	}
	if (texts.len && !texts.failed)
		place->inlined = arena_alloc(arena, texts.len);
	if (place->inlined) {
		memcpy((char *)place->inlined, texts.s, texts.len);
		place->nr_inlined = nr;
	}
	text_free(&texts);
	return nr && !place->inlined ? -ENOMEM : 0;
}

/* An entry KT_STACK_NAME: its texts go into the place of its word. */
int mapped_names_take(void *data, const void *bytes, size_t size)
{
	struct mapped_names *names = data;
	struct ktrace_branch_place *place;
	struct stack_entry entry;
	const char *at, *end;
	size_t begin = 0;
	char *copy;

	if (!stack_entry_next(bytes, size, &begin, &entry) ||
	    entry.head.kind != KT_STACK_NAME || entry.head.frames < 2)
		return 0;
	place = table_find(&names->table, stack_entry_word(&entry, 0));
	/* The first name of a place is valid. */
	if (!place || place->file)
		return 0;
	size = (entry.head.frames - 2) * sizeof(uint64_t);
	copy = arena_alloc(&names->arena, size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, entry.words + 2 * sizeof(uint64_t), size);
	at = copy;
	end = copy + size;
	place->behind = stack_entry_word(&entry, 1);
	place->function = unless_empty(text_next(&at, end));
	if (place->function)
		place->function = name_of(&names->arena, place->function);
	place->file = text_next(&at, end);
	place->source = unless_empty(text_next(&at, end));
	return inlined_take(&names->arena, place, at, end);
}

const struct ktrace_branch_place *mapped_names_get(
	const struct mapped_names *names, uint64_t word)
{
	const struct ktrace_branch_place *place =
		word ? table_find(&names->table, word) : NULL;

	return place && place->file ? place : NULL;
}

void mapped_names_free(struct mapped_names *names)
{
	table_free(&names->table);
	arena_destroy(&names->arena);
	free(names->words);
}
