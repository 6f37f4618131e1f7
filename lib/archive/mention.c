// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/stack_entry.h"
#include "mention.h"

static int frame_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static uint64_t frame_of(const struct stack_entry *entry, unsigned int index)
{
	return stack_entry_word(entry, index) & ~KT_FRAME_GUESS;
}

static int name_add(struct mentions *m, const struct stack_entry *entry)
{
	uint64_t *more = array_grow(m->named, m->nr_named, sizeof(*more));

	if (!more)
		return -ENOMEM;
	m->named = more;
	m->named[m->nr_named++] = frame_of(entry, 0);
	return 0;
}

static void frames_note(struct mentions *m, const struct stack_entry *entry)
{
	unsigned int nr = stack_entry_frames(entry);

	for (unsigned int i = 0; i < nr; i++) {
		uint64_t frame = frame_of(entry, i);
		uint32_t number = frame >> KT_FRAME_FILE_SHIFT;

		m->files[number] = true;
		if (!m->nameless[number])
			m->nameless[number] = !mentions_name(m, frame);
	}
}

int mentions_find(struct mentions *m, const uint8_t *stacks, size_t size)
{
	struct stack_entry entry;
	size_t at;
	int err = 0;

	memset(m, 0, sizeof(*m));
	m->whole =
		size < sizeof(struct kt_stacks) ? 0 : sizeof(struct kt_stacks);
	if (!m->whole)
		return 0;
	at = m->whole;
	while (!err && stack_entry_next(stacks, size, &at, &entry))
		if (entry.head.kind == KT_STACK_NAME && entry.head.frames)
			err = name_add(m, &entry);
	if (err)
		return err;
	if (m->nr_named)
		qsort(m->named, m->nr_named, sizeof(*m->named), frame_compare);
	at = m->whole;
	while (stack_entry_next(stacks, size, &at, &entry))
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
