// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The fields that a capture program adds to a function's records.  The kernel describes those
 * of events; those of functions follow from the text of the program, whose fields are
 * "TYPE NAME: WORDS" (core/capture.h).  TYPE says how a value is shown: it is a name of this
 * table, or `char', or a struct.
 */
#include <string.h>

#include <ktrace/capture_names.h>
#include <ktrace/syscall.h>

#include "captured.h"

static const struct scalar {
	const char *name;
	uint8_t size;
	bool is_signed;
	enum ktrace_base base;
} scalars[] = {
	{"u8", 1, false, KTRACE_DEC},
	{"u16", 2, false, KTRACE_DEC},
	{"u32", 4, false, KTRACE_DEC},
	{"u64", 8, false, KTRACE_DEC},
	{"s8", 1, true, KTRACE_DEC},
	{"s16", 2, true, KTRACE_DEC},
	{"s32", 4, true, KTRACE_DEC},
	{"s64", 8, true, KTRACE_DEC},
	{"address", 8, false, KTRACE_HEX},
	{"function", 8, false, KTRACE_SYMBOL},
	{"dev_t", 4, false, KTRACE_DEV},
	{"family", 2, false, KTRACE_DEC}, /* of sockets */
	{"gfp_t", 4, false, KTRACE_HEX},
	{"fmode_t", 4, false, KTRACE_HEX},
	{"blk_opf_t", 4, false, KTRACE_HEX},
	{"page_flags", 4, false, KTRACE_HEX},
};

static const struct scalar *scalar_find(const char *name)
{
	for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++)
		if (!strcmp(scalars[i].name, name))
			return &scalars[i];
	return NULL;
}

static const struct ktrace_names *names_find(struct prototypes *p,
					     const char *type)
{
	uint64_t mask;

	if (!strcmp(type, "family"))
		return ktrace_names_find(type, &mask);
	return p ? prototypes_flags(p, type) : NULL;
}

static void field_kind(struct prototypes *p, struct ktrace_field *field,
		       const char *type)
{
	const struct scalar *scalar = scalar_find(type);

	if (scalar) {
		field->kind = KTRACE_ARRAY;
		field->elem = scalar->size;
		field->is_signed = scalar->is_signed;
		field->base = scalar->base;
		field->names = names_find(p, type);
	} else if (!strcmp(type, "char")) {
		field->kind = KTRACE_STRING;
	} else {
		field->kind = KTRACE_BYTES;
		field->base = !strcmp(type, "struct sockaddr") ? KTRACE_SOCKADDR
							       : KTRACE_HEX;
	}
}

static struct ktrace_field mask_field(const char *name, uint32_t offset)
{
	return (struct ktrace_field){
		.name = name,
		.ctype = "u16",
		.offset = offset,
		.size = sizeof(uint16_t),
		.kind = KTRACE_UINT,
	};
}

/* "TYPE NAME" in front of the colon; blanks may be anywhere.  False: no memory. */
static bool head_parse(struct prototypes *p, const char *head, size_t length,
		       struct ktrace_field *field, struct arena *arena)
{
	static const char location[] = "__data_loc ";
	const char *name;
	char *type, *ctype;

	while (length && (*head == ' ' || *head == '\t')) {
		head++;
		length--;
	}
	while (length && head[length - 1] == ' ')
		length--;
	for (name = head + length; name > head && name[-1] != ' ';)
		name--;
	field->name = arena_strndup(arena, name, head + length - name);
	for (length = name - head; length && head[length - 1] == ' ';)
		length--;
	type = arena_strndup(arena, head, length);
	ctype = arena_alloc(arena, sizeof(location) + length + 2);
	if (!field->name || !type || !ctype)
		return false;
	memcpy(ctype, location, sizeof(location));
	strcat(strcat(ctype, type), "[]");
	field->ctype = ctype;
	field_kind(p, field, type);
	return true;
}

unsigned int captured_fields(struct prototypes *p, const char *program,
			     uint32_t offset,
			     struct ktrace_field fields[CAPTURED_FIELDS],
			     struct arena *arena)
{
	unsigned int nr = 0;

	fields[nr++] = mask_field(KTRACE_CAPTURED_CUT, offset);
	fields[nr++] = mask_field(KTRACE_CAPTURED_UNREAD, offset + 2);
	while (program && nr < CAPTURED_FIELDS) {
		struct ktrace_field *field = &fields[nr];
		const char *colon = strchr(program, ':');

		if (!colon)
			break;
		*field = (struct ktrace_field){
			.place = KTRACE_DATA_LOC,
			.offset = offset + 4 * (nr - 1),
			.size = sizeof(uint32_t),
		};
		if (!head_parse(p, program, colon - program, field, arena))
			return 0;
		nr++;
		program = strchr(colon, ';');
		program += !!program;
	}
	return nr;
}

uint32_t captured_size(unsigned int nr_fields)
{
	return 2 * sizeof(uint16_t) + (nr_fields - 2) * sizeof(uint32_t);
}
