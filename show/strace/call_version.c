// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Structs that grow: the program says how large the one is that it knows. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/sched.h>
#include <linux/sched/types.h>

#include <ktrace/capture_names.h>

#include "call.h"

/* Takes the closing brace back. */
static void reopen(struct line *line)
{
	if (line->len && line->s[line->len - 1] == '}')
		line->len--;
}

/* What the first version has: programs cannot give less. */
static size_t least_of(const char *name, size_t known)
{
	static const struct {
		const char *name;
		size_t size;
	} structs[] = {
		{"clone_args", CLONE_ARGS_SIZE_VER0},
		{"sched_attr", SCHED_ATTR_SIZE_VER0},
	};

	for (size_t i = 0; i < sizeof(structs) / sizeof(*structs); i++) {
		if (!strcmp(structs[i].name, name))
			return structs[i].size;
	}
	return known;
}

/* As far as it is there: a part of a struct may be shorter than it. */
static bool put_part(struct line *line, const struct call_view *view,
		     const char *name, const char *words, const uint8_t *bytes,
		     size_t size)
{
	char part[KTRACE_WORD_MAX];

	snprintf(part, sizeof(part), "%s.part", name);
	return value_struct(line, view, part, words, bytes, size);
}

/* A struct that may be larger than what is known of it, or smaller. */
static bool put_version(struct line *line, const struct call_view *view,
			unsigned int argument)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, false, argument, "");
	const struct ktrace_layout *layout =
		ktrace_layout_find(view->types, word->set);
	const char *words = ktrace_struct_words(word->set);
	uint64_t size = call_argument(view, word->from);
	bool unknown = false;
	size_t known;

	known = !layout ? 0 : size < layout->size ? size : layout->size;
	if (!c.there || !layout || size < least_of(word->set, layout->size) ||
	    c.size < known ||
	    !put_part(line, view, word->set, words, c.bytes, known)) {
		value_address(line, call_argument(view, argument));
		return false;
	}
	for (size_t i = known; i < c.size; i++)
		unknown |= c.bytes[i];
	if (size <= layout->size ||
	    (c.size > layout->size && !unknown && !c.unread))
		return true;
	reopen(line);
	if (!unknown || c.unread) {
		line_puts(line, ", ???}");
		return true;
	}
	line_printf(line, ", /* bytes %u..%" PRIu64 " */ ", layout->size,
		    size - 1);
	value_hex(line, c.bytes + layout->size, c.size - layout->size, c.cut);
	line_puts(line, "}");
	return true;
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
	size_t there = c.size;

	if (layout && there > layout->size)
		there = layout->size;
	if (there < sizeof(uint64_t) ||
	    !put_part(line, view, word->set, words, c.bytes, there)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	if (size <= there)
		return;
	reopen(line);
	line_puts(line, ", ...}");
}

/* Its first member is its size. */
static uint32_t own_size(const struct captured *c)
{
	uint32_t size = 0;

	if (c->size >= sizeof(size))
		memcpy(&size, c->bytes, sizeof(size));
	return size;
}

/* @whole: how much there is to show, as far as it is known. */
static void put_sized(struct line *line, const struct call_view *view,
		      unsigned int argument, const struct captured *c,
		      uint64_t whole, const char *words)
{
	const struct ktrace_word *word = call_word(view, argument);
	const struct ktrace_layout *layout =
		ktrace_layout_find(view->types, word->set);
	size_t known, least;

	known = !layout ? 0 : whole < layout->size ? whole : layout->size;
	least = layout ? least_of(word->set, layout->size) : 0;
	if (layout && c->size >= sizeof(uint32_t) && known < least) {
		line_printf(line, "{size=%u}", own_size(c));
	} else if (!layout || !known || c->size < known ||
		   !put_part(line, view, word->set, words, c->bytes, known)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	if (whole <= known)
		return;
	reopen(line);
	line_puts(line, ", ...}");
}

/* What the program gives; 0 stands for the first version. */
static void put_sized_in(struct line *line, const struct call_view *view,
			 unsigned int argument)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, false, argument, "");
	struct captured now =
		captured_get(view, true, argument, KTRACE_CAPTURED_NOW);
	uint32_t size = own_size(&c);

	put_sized(line, view, argument, &c, size ?: least_of(word->set, 0),
		  ktrace_struct_words(word->set));
	/* The kernel has stored which size it knows. */
	if (view->result == -E2BIG && now.size >= sizeof(size))
		line_printf(line, " => {size=%u}", own_size(&now));
}

static void put_sized_out(struct line *line, const struct call_view *view,
			  unsigned int argument)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, true, argument, "");
	char name[KTRACE_WORD_MAX];

	snprintf(name, sizeof(name), "%s.out", word->set);
	if (call_failed(view) || !c.there)
		value_address(line, call_argument(view, argument));
	else
		put_sized(line, view, argument, &c, own_size(&c),
			  ktrace_struct_words(name));
}

/* What the call has stored where the struct says. */
static void put_clone_results(struct line *line, const struct call_view *view,
			      unsigned int argument)
{
	struct captured c = captured_get(view, false, argument, "");
	struct captured fd =
		captured_get(view, true, argument, KTRACE_CAPTURED_NOW);
	const char *begin = " => {";
	struct clone_args args;
	int32_t value;

	if (c.size < CLONE_ARGS_SIZE_VER0 || view->result <= 0)
		return;
	memcpy(&args, c.bytes, CLONE_ARGS_SIZE_VER0);
	if (args.flags & CLONE_PIDFD && fd.size >= sizeof(value)) {
		memcpy(&value, fd.bytes, sizeof(value));
		line_printf(line, "%spidfd=[%d]", begin, value);
		begin = ", ";
	}
	if (args.flags & CLONE_PARENT_SETTID) {
		line_printf(line, "%sparent_tid=", begin);
		if (args.parent_tid) {
			line_puts(line, "[");
			value_pid(line, view->result);
			line_puts(line, "]");
		} else {
			value_address(line, 0);
		}
		begin = ", ";
	}
	line_puts(line, *begin == ',' ? "}" : "");
}

void version_print(struct line *line, const struct call_view *view,
		   unsigned int argument)
{
	const struct ktrace_word *word = call_word(view, argument);

	if (word_is(word, "Z") && word->out)
		put_sized_out(line, view, argument);
	else if (word_is(word, "Z"))
		put_sized_in(line, view, argument);
	else if (word_is(word, "G"))
		put_growing(line, view, argument);
	else if (put_version(line, view, argument) &&
		 !strcmp(word->set, "clone_args"))
		put_clone_results(line, view, argument);
}
