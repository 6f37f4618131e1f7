// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Structs that grow: the program says how large the one is that it knows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "call.h"

/* Takes the closing brace back. */
static void reopen(struct line *line)
{
	if (line->len && line->s[line->len - 1] == '}')
		line->len--;
}

/* A struct that may be larger than what is known of it. */
static void put_version(struct line *line, const struct call_view *view,
			unsigned int argument)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, false, argument, "");
	const struct ktrace_layout *layout =
		ktrace_layout_find(view->types, word->set);
	uint64_t size = call_argument(view, word->from);
	bool unknown = false;

	if (!c.there || !layout || c.size < layout->size ||
	    size < layout->size ||
	    !value_struct(line, view, word->set, NULL, c.bytes, layout->size)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	for (size_t i = layout->size; i < c.size; i++)
		unknown |= c.bytes[i];
	if (size == layout->size || (c.size > layout->size && !unknown))
		return;
	reopen(line);
	if (!unknown) {
		line_puts(line, ", ???}");
		return;
	}
	line_printf(line, ", /* bytes %u..%" PRIu64 " */ ", layout->size,
		    size - 1);
	value_hex(line, c.bytes + layout->size, c.size - layout->size, c.cut);
	line_puts(line, "}");
}

/* The members that are there, of those that are known. */
static void put_growing(struct line *line, const struct call_view *view,
			unsigned int argument)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, false, argument, "");
	const struct ktrace_layout *layout =
		ktrace_layout_find(view->types, word->set);
	const char *words = ktrace_struct_words(word->set);
	uint64_t size = call_argument(view, word->from);
	char part[KTRACE_WORD_MAX];
	size_t there = c.size;

	/* A part of a struct may be shorter than it. */
	snprintf(part, sizeof(part), "%s.part", word->set);
	if (layout && there > layout->size)
		there = layout->size;
	if (there < sizeof(uint64_t) ||
	    !value_struct(line, view, part, words, c.bytes, there)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	if (size <= there)
		return;
	reopen(line);
	line_puts(line, ", ...}");
}

void version_print(struct line *line, const struct call_view *view,
		   unsigned int argument)
{
	if (word_is(call_word(view, argument), "V"))
		put_version(line, view, argument);
	else
		put_growing(line, view, argument);
}
