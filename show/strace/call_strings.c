// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Arrays that end with a null pointer, as an exec takes them, and counts of what is there. */
#include <inttypes.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "call.h"

#define STRINGS_MAX 32

static size_t strings_max(const struct call_view *view)
{
	return view->unabbreviated ? SIZE_MAX : STRINGS_MAX;
}

/* The strings that could not be read, by their addresses. */
static void put_pointers(struct line *line, const struct call_view *view,
			 unsigned int argument, unsigned int nr)
{
	struct captured c =
		captured_get(view, true, argument, KTRACE_CAPTURED_POINTERS);
	bool compat = view->enter.type &&
		      !strcmp(view->enter.type->system, "compat_syscalls");
	size_t word = compat ? 4 : 8;

	for (; (nr + 1) * word <= c.size && nr < strings_max(view); nr++) {
		line_puts(line, nr ? ", " : "");
		value_address(line, word_read(c.bytes + nr * word, word));
	}
	/* Of a call that has succeeded, the pointers are gone. */
	if (!c.size || c.cut || c.size / word > nr)
		line_puts(line, ", ...");
	else if (c.unread)
		line_printf(line, ", ... /* %#" PRIx64 " */",
			    call_argument(view, argument) + c.size);
	line_puts(line, "]");
}

static void put_strings(struct line *line, const struct call_view *view,
			unsigned int argument, const char *suffix)
{
	struct captured c = captured_get(view, false, argument, suffix);
	const char *s = (const char *)c.bytes, *end = s + c.size;
	bool some_cut = false;
	unsigned int nr;

	if (!c.there || !call_argument(view, argument)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_puts(line, "[");
	for (nr = 0; s < end && nr < strings_max(view); nr++) {
		size_t length = strnlen(s, end - s);
		bool cut = length > view->string_max;

		if (nr)
			line_puts(line, ", ");
		value_string(line, (const uint8_t *)s,
			     cut ? view->string_max : length, cut);
		s += length + 1;
		some_cut |= cut;
	}
	if (c.unread) {
		put_pointers(line, view, argument, nr);
		return;
	}
	/* Both a cut string and too many strings mark the field as cut. */
	line_puts(line,
		  s < end || (c.cut && (!some_cut || nr == strings_max(view)))
			  ? ", ...]"
			  : "]");
}

void strings_print(struct line *line, const struct call_view *view,
		   unsigned int argument)
{
	put_strings(line, view, argument, "");
}

void environment_print(struct line *line, const struct call_view *view,
		       unsigned int argument)
{
	struct captured c =
		captured_get(view, false, argument, KTRACE_CAPTURED_DATA);

	if (c.there && view->unabbreviated)
		put_strings(line, view, argument, KTRACE_CAPTURED_DATA);
	else
		count_print(line, view, argument, false, "var", "vars");
}

/* Prints an address, and a count of what is there. */
void count_print(struct line *line, const struct call_view *view,
		 unsigned int argument, bool exit, const char *one,
		 const char *many)
{
	struct captured c = captured_get(view, exit, argument, "");
	uint32_t count;

	value_address(line, call_argument(view, argument));
	if (exit && call_failed(view))
		return;
	if (c.there && c.size >= sizeof(count)) {
		memcpy(&count, c.bytes, sizeof(count));
		line_printf(line, " /* %u %s */", count,
			    count == 1 ? one : many);
		return;
	}
	/* A byte for each one, up to the end of what can be read. */
	c = captured_get(view, true, argument, KTRACE_CAPTURED_POINTERS);
	if (!exit && c.unread && c.size)
		line_printf(line, " /* %zu %s, unterminated */", c.size,
			    c.size == 1 ? one : many);
}
