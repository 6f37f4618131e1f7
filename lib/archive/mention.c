// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mention.h"

static int frame_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* An entry, and its words, which need not be aligned. */
struct entry {
	struct kt_stack head;
	const uint8_t *words;
};

/* False: no whole one follows. */
static bool entry_next(const uint8_t *stacks, size_t size, size_t *at,
		       struct entry *entry)
{
	size_t words;

	if (sizeof(entry->head) > size - *at)
		return false;
	memcpy(&entry->head, stacks + *at, sizeof(entry->head));
	words = entry->head.frames * sizeof(uint64_t);
	if (words > size - *at - sizeof(entry->head))
		return false;
	entry->words = stacks + *at + sizeof(entry->head);
	*at += sizeof(entry->head) + words;
	return true;
}

static uint64_t word_of(const struct entry *entry, int index)
{
	uint64_t word;

	memcpy(&word, entry->words + index * sizeof(word), sizeof(word));
	return word & ~KT_FRAME_GUESS;
}

static int name_add(struct mentions *m, const struct entry *entry, size_t *room)
{
	uint64_t *more;

	if (m->nr_named == *room) {
		*room = *room ? *room * 2 : 1024;
		more = realloc(m->named, *room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		m->named = more;
	}
	m->named[m->nr_named++] = word_of(entry, 0);
	return 0;
}

static void frames_note(struct mentions *m, const struct entry *entry)
{
	for (int i = 0; i < entry->head.frames; i++) {
		uint64_t frame = word_of(entry, i);
		uint32_t number = frame >> KT_FRAME_FILE_SHIFT;

		m->files[number] = true;
		if (!m->nameless[number])
			m->nameless[number] = !mentions_name(m, frame);
	}
}

int mentions_find(struct mentions *m, const uint8_t *stacks, size_t size)
{
	size_t at, room = 0;
	struct entry entry;
	int err = 0;

	memset(m, 0, sizeof(*m));
	m->whole =
		size < sizeof(struct kt_stacks) ? 0 : sizeof(struct kt_stacks);
	if (!m->whole)
		return 0;
	at = m->whole;
	while (!err && entry_next(stacks, size, &at, &entry))
		if (entry.head.kind == KT_STACK_NAME && entry.head.frames)
			err = name_add(m, &entry, &room);
	if (err)
		return err;
	if (m->nr_named)
		qsort(m->named, m->nr_named, sizeof(*m->named), frame_compare);
	at = m->whole;
	while (entry_next(stacks, size, &at, &entry))
		if (entry.head.kind == KT_STACK_USER)
			frames_note(m, &entry);
	m->whole = at;
	m->files[0] = m->nameless[0] = false;
	return 0;
}

bool mentions_name(const struct mentions *m, uint64_t frame)
{
	frame &= ~KT_FRAME_GUESS;
	return m->nr_named && bsearch(&frame, m->named, m->nr_named,
				      sizeof(frame), frame_compare);
}

void mentions_free(struct mentions *m)
{
	free(m->named);
}
