/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Entries of a file `stacks' (include/uapi/ktrace.h), one after the other.  The bytes are
 * untrusted, and need not be aligned.
 */
#ifndef KT_LIB_BASE_STACK_ENTRY_H
#define KT_LIB_BASE_STACK_ENTRY_H

#include <ktrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct stack_entry {
	const uint8_t *words;
	struct kt_stack head;
};

/*
 * The entry at *@at, which is sizeof(struct kt_stacks) for the first one, and moves behind it.
 * False: no whole one follows.
 */
static inline bool stack_entry_next(const void *stacks, size_t size, size_t *at,
				    struct stack_entry *entry)
{
	const uint8_t *bytes = stacks;
	size_t words;

	if (*at > size || sizeof(entry->head) > size - *at)
		return false;
	memcpy(&entry->head, bytes + *at, sizeof(entry->head));
	words = entry->head.frames * sizeof(uint64_t);
	if (words > size - *at - sizeof(entry->head))
		return false;
	entry->words = bytes + *at + sizeof(entry->head);
	*at += sizeof(entry->head) + words;
	return true;
}

/* @index is below head.frames. */
static inline uint64_t stack_entry_word(const struct stack_entry *entry,
					unsigned int index)
{
	uint64_t word;

	memcpy(&word, entry->words + index * sizeof(word), sizeof(word));
	return word;
}

/* How many of its words, the first ones, are frames of programs. */
static inline unsigned int stack_entry_frames(const struct stack_entry *entry)
{
	if (entry->head.kind == KT_STACK_USER)
		return entry->head.frames;
	if (entry->head.kind == KT_STACK_BRANCHES)
		return kt_stack_branches(entry->head.frames) * 2;
	return 0;
}

#endif /* KT_LIB_BASE_STACK_ENTRY_H */
