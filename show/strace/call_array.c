// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Arrays whose elements are numbers: nodes of memory, addresses, users.  And those of pointers to
 * structs: operations for io_submit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/aio_abi.h>
#include <linux/limits.h>

#include <ktrace/capture_names.h>

#include "call.h"

/* What was captured of an array. */
struct array {
	struct captured c;
	const char *kind; /* what its elements are, as the word says */
	uint64_t address;
	uint64_t count;
	size_t size; /* of an element */
};

/* How many longs have so many bits, which are one too many.  False: no number is that large. */
static bool nodes_count(uint64_t bits, size_t size, uint64_t *count)
{
	uint64_t each = 8 * size;

	*count = (bits + each - 2) / each;
	return *count >= bits / each && (!bits || *count);
}

/* False: nobody looks there, because there are too many. */
static bool array_read(struct array *a, const struct call_view *view,
		       unsigned int argument, bool exit)
{
	const struct ktrace_word *word = call_word(view, argument);
	uint64_t count = call_argument(view, word->from);
	bool nodes = !strcmp(word->set, "node");

	*a = (struct array){
		.c = captured_get(view, exit, argument, ""),
		.kind = word->set,
		.address = call_argument(view, argument),
		.count = count,
		.size = nodes || !strcmp(word->set, "address") ? word_size(view)
			: !strcmp(word->set, "id16") ? sizeof(uint16_t)
						     : sizeof(uint32_t),
	};
	if (nodes)
		return nodes_count(count, a->size, &a->count);
	if (strncmp(word->set, "id", 2) != 0)
		return true;
	a->count = (uint32_t)count;
	return a->count <= NGROUPS_MAX;
}

/* An error has its name. */
void value_status(struct line *line, int64_t value)
{
	const char *name = value < 0 && value >= -ERROR_MAX
				   ? strerrorname_np(-value)
				   : NULL;
	struct constant constant;

	if (!name) {
		line_printf(line, "%" PRId64, value);
		return;
	}
	constant = constant_begin(line);
	line_printf(line, "-%s", name);
	constant_end_named(line, &constant, "%" PRId64, value);
}

/* @size: in the program's memory. */
static void put_element(struct line *line, const char *kind, uint64_t value,
			size_t size)
{
	if (!strcmp(kind, "node"))
		line_printf(line, "%0*" PRIx64, (int)(2 * size), value);
	else if (!strcmp(kind, "address"))
		value_address(line, value);
	else if (!strcmp(kind, "status"))
		value_status(line, (int32_t)value);
	else if (!strcmp(kind, "id"))
		value_id(line, value);
	else if (!strcmp(kind, "id16"))
		value_id16(line, value);
	else
		line_printf(line, "%d", (int32_t)value);
}

void array_print(struct line *line, const struct call_view *view,
		 unsigned int argument, bool exit)
{
	struct array a;
	uint64_t i;

	if (!array_read(&a, view, argument, exit) || !a.address ||
	    (exit && call_failed(view)) || (a.count && a.c.size < a.size)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_puts(line, "[");
	for (i = 0; i < a.count; i++) {
		line_puts(line, i ? ", " : "");
		if ((i + 1) * a.size > a.c.size || i == call_elements_max(view))
			break;
		put_element(line, a.kind,
			    word_read(a.c.bytes + i * a.size, a.size), a.size);
	}
	if (i < a.count)
		line_puts(line, "...");
	if (i < a.count && (i + 1) * a.size > a.c.size && a.c.unread)
		line_printf(line, " /* %#" PRIx64 " */",
			    a.address + i * a.size);
	line_puts(line, "]");
}

/* What it does says what the rest of it means. */
static const char *operation_words(const uint8_t *bytes, size_t size)
{
	struct iocb operation;

	if (size < sizeof(operation))
		return NULL;
	memcpy(&operation, bytes, sizeof(operation));
	switch (operation.aio_lio_opcode) {
	case IOCB_CMD_PREAD:
	case IOCB_CMD_PWRITE:
	case IOCB_CMD_PREADV:
	case IOCB_CMD_PWRITEV:
		return ktrace_struct_words("iocb.moves");
	case IOCB_CMD_POLL:
		return ktrace_struct_words("iocb.polls");
	}
	return NULL;
}

void pointed_print(struct line *line, const struct call_view *view,
		   unsigned int argument)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, false, argument, "");
	struct captured pointers =
		captured_get(view, false, argument, KTRACE_CAPTURED_POINTERS);
	const struct ktrace_layout *layout =
		ktrace_layout_find(view->types, word->set);
	int64_t count = call_argument(view, word->from);
	size_t size = word_size(view), i;

	if (!call_argument(view, argument) || count < 0 ||
	    (count && pointers.size < size)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_puts(line, "[");
	for (i = 0; i < (uint64_t)count && (i + 1) * size <= pointers.size &&
		    i < call_elements_max(view);
	     i++) {
		size_t at = layout ? i * layout->size : 0;

		line_puts(line, i ? ", " : "");
		/* The layout is from the trace, so it is not trusted. */
		if (!layout || !layout->size || at + layout->size > c.size ||
		    !value_struct(line, view, word->set,
				  operation_words(c.bytes + at, layout->size),
				  c.bytes + at, layout->size))
			value_address(line, word_read(pointers.bytes + i * size,
						      size));
	}
	if (i < (uint64_t)count)
		line_puts(line, i ? ", ..." : "...");
	line_puts(line, "]");
}
