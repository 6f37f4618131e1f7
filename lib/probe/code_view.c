// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The instructions around a place: code_view.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "code_view.h"

/* So much is read to see where instructions begin. */
#define PART_MAX (256u << 20)
/* So many instructions in front of a place are kept: the nearest good one may be farther away. */
#define STARTS_MAX 64
/* The bytes that a jump takes. */
#define JUMP_SIZE 5

/* ---- reading ----------------------------------------------------------------- */

struct viewing {
	const struct code_source *source;
	const struct code_part *part;
	uint8_t *code;
	size_t size;
	/* Where the last instructions in front of the place begin: a ring. */
	size_t starts[STARTS_MAX];
	size_t nr_starts;
};

static bool is_taken(const struct viewing *v, size_t at)
{
	return !v->source->refuse(v->source->data, v->part->begin + at,
				  v->code + at, v->size - at);
}

static size_t length_at(const struct viewing *v, size_t at, bool *is_code)
{
	bool returns;
	size_t length = instruction_length(v->code + at, v->size - at,
					   v->source->is_32, &returns);

	*is_code = length;
	return length ?: 1;
}

/* What is behind the code of a function is another one. */
static int code_read(struct viewing *v)
{
	const struct code_part *part = v->part;
	uint64_t at = part->place - part->begin;
	uint64_t wanted = at + (CODE_VIEW_SIDE + 1) * INSTRUCTION_MAX;

	if (part->size && wanted > part->size)
		wanted = part->size;
	if (wanted > PART_MAX)
		return error_set(-EIO, "it is too far from what is known");
	v->code = malloc(wanted ?: 1);
	if (!v->code)
		return error_set(-ENOMEM, "out of memory");
	v->size =
		v->source->read(v->source->data, part->begin, v->code, wanted);
	return v->size ? 0 : error_set(-EIO, "its code cannot be read");
}

/* ---- lines ------------------------------------------------------------------- */

/* Its target has a name behind it, as objdump shows it. */
static void line_add(struct code_view *view, const struct viewing *v, size_t at)
{
	struct code_line *line = &view->lines[view->nr++];
	struct instruction in;
	struct text name = {0};

	*line = (struct code_line){.address = v->part->begin + at};
	instruction_read(v->code + at, v->size - at, v->source->is_32,
			 line->address, true, &in);
	line->size = in.length;
	memcpy(line->bytes, v->code + at, in.length);
	text_puts(&line->text, in.text);
	if (in.has_target)
		v->source->name(v->source->data, in.target, &name);
	if (name.len)
		text_printf(&line->text,
			    strchr(in.text, '(') ? " # %s" : " <%s>", name.s);
	text_free(&name);
}

/* Up to the instruction that has the place.  Returns where that begins, or the end. */
static size_t place_reach(struct viewing *v, struct code_view *view)
{
	uint64_t place = v->part->place - v->part->begin;
	size_t at = 0, length;
	bool is_code;

	for (; at < v->size; at += length) {
		length = length_at(v, at, &is_code);
		if (at + length > place)
			break;
		v->starts[v->nr_starts++ % STARTS_MAX] = at;
	}
	view->begins = at < v->size && at == place && is_code;
	view->is_taken = view->begins && is_taken(v, at);
	return at;
}

/* The last one in front of the place that could have a probe. */
static void before_find(const struct viewing *v, struct code_view *view,
			size_t at)
{
	/* The place may be within this one. */
	if (at < v->size && v->part->begin + at < v->part->place) {
		view->has_before = is_taken(v, at);
		view->before = v->part->begin + at;
	}
	for (size_t i = v->nr_starts;
	     i-- && i + STARTS_MAX >= v->nr_starts && !view->has_before;) {
		at = v->starts[i % STARTS_MAX];
		view->has_before = is_taken(v, at);
		view->before = v->part->begin + at;
	}
}

static void behind_find(const struct viewing *v, struct code_view *view,
			size_t at)
{
	size_t length;
	bool is_code;

	for (; !view->has_behind && at < v->size; at += length) {
		length = length_at(v, at, &is_code);
		if (!is_code || v->part->begin + at <= v->part->place ||
		    !is_taken(v, at))
			continue;
		view->has_behind = true;
		view->behind = v->part->begin + at;
	}
}

int code_view_make(struct code_view *view, const struct code_source *source,
		   const struct code_part *part)
{
	struct viewing v = {.source = source, .part = part};
	size_t at, first, next;
	int err;

	*view = (struct code_view){0};
	if (!instructions_known())
		return error_set(-ENOENT,
				 "the library " ZYDIS_SONAME
				 " is missing, which reads code: install it "
				 "(Debian: libzydis4.0)");
	err = code_read(&v);
	if (!err) {
		at = place_reach(&v, view);
		first = v.nr_starts < CODE_VIEW_SIDE
				? 0
				: v.nr_starts - CODE_VIEW_SIDE;
		for (size_t i = first; i < v.nr_starts; i++)
			line_add(view, &v, v.starts[i % STARTS_MAX]);
		view->at = view->nr;
		for (next = at;
		     next < v.size && view->nr <= view->at + CODE_VIEW_SIDE;
		     next += view->lines[view->nr - 1].size)
			line_add(view, &v, next);
		before_find(&v, view, at);
		behind_find(&v, view, at);
	}
	for (unsigned int i = 0; !err && i < view->nr; i++)
		if (view->lines[i].text.failed)
			err = error_set(-ENOMEM, "out of memory");
	free(v.code);
	return err;
}

void code_view_free(struct code_view *view)
{
	for (unsigned int i = 0; i < view->nr; i++)
		text_free(&view->lines[i].text);
	view->nr = 0;
}

/* ---- jumps ------------------------------------------------------------------- */

static bool is_within(uint64_t address, uint64_t begin, uint64_t end)
{
	return address >= begin && address < end;
}

const char *code_jump_obstacle(const uint8_t *code,
			       const struct code_part *part, char *room,
			       size_t size)
{
	uint64_t place = part->place - part->begin, end = place + JUMP_SIZE;
	struct instruction in;
	bool indirect = false;

	/* Whole instructions go, so the last one may end behind the jump. */
	for (uint64_t at = 0; at < part->size; at += in.length) {
		instruction_read(code + at, part->size - at, false,
				 part->begin + at, false, &in);
		if (at < end && at + in.length > end && at > place)
			end = at + in.length;
	}
	if (place + JUMP_SIZE > part->size) {
		snprintf(room, size,
			 "the function ends before the 5 bytes of a jump do");
		return room;
	}
	for (uint64_t at = 0; at < part->size; at += in.length) {
		uint64_t to;

		instruction_read(code + at, part->size - at, false,
				 part->begin + at, false, &in);
		to = in.target - part->begin;
		if (in.has_target && (in.is_jump || in.is_call) &&
		    !in.is_indirect &&
		    is_within(to, place + 1, place + JUMP_SIZE)) {
			snprintf(room, size,
				 "+0x%" PRIx64 " goes to +0x%" PRIx64
				 ", into the 5 bytes of a jump",
				 at, to);
			return room;
		}
		if (is_within(at, place, end) && (in.is_fixed || !in.is_code)) {
			snprintf(room, size,
				 "the instruction at +0x%" PRIx64
				 " can run nowhere else, and a jump of 5 bytes "
				 "takes its place",
				 at);
			return room;
		}
		indirect |= in.is_indirect && in.is_jump;
	}
	if (indirect) {
		snprintf(room, size,
			 "the function has a jump that may go anywhere in it");
		return room;
	}
	return NULL;
}
