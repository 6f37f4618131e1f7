// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "argument.h"
#include "entry.h"

void entry_text_read(struct entry_text *text,
		     const struct recorder_marker *entry)
{
	const char **parts[] = {&text->system, &text->name, &text->format,
				&text->file, &text->function};
	char *at = text->room, *end = at + RECORDER_TEXT;

	memcpy(at, entry->text, RECORDER_TEXT);
	/*
	 * They may be printed on a terminal, and contain escape sequences for
	 * it.
	 */
	for (char *c = at; c < end; c++)
		if ((*c > 0 && *c < ' ') || *c == 127 || *c == '\xc2')
			*c = '?';
	*end = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		*parts[i] = at;
		at += strlen(at);
		at += at < end;
	}
}

/* The format's name for its next argument; moves @format after it. */
static char *argument_name(const char **format, unsigned int number,
			   struct arena *arena)
{
	const char *word;
	u32 length = kt_argument_word(format, &word);
	char name[32];

	if (length)
		snprintf(name, sizeof(name), "%.*s", (int)length, word);
	else
		snprintf(name, sizeof(name), "arg%u", number);
	return arena_strdup(arena, name);
}

static bool name_taken(const struct ktrace_field *fields, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(fields[i].name, fields[nr].name))
			return true;
	return false;
}

static bool number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* False: the argument is not valid. */
static bool field_make(struct ktrace_field *field,
		       const struct ktrace_argument *argument,
		       struct arena *arena)
{
	char type[32];

	field->size = argument->size;
	if (argument->kind <= KTRACE_ARG_POINTER && !number_size(field->size))
		return false;
	switch (argument->kind) {
	case KTRACE_ARG_SIGNED:
		field->kind = KTRACE_INT;
		field->ctype = kt_argument_integer(argument->size, true);
		break;
	case KTRACE_ARG_UNSIGNED:
		field->kind = KTRACE_UINT;
		field->ctype = kt_argument_integer(argument->size, false);
		break;
	case KTRACE_ARG_BOOL:
		field->kind = KTRACE_UINT;
		field->base = KTRACE_BOOL;
		field->ctype = "bool";
		break;
	case KTRACE_ARG_FLOAT:
		field->kind = KTRACE_UINT;
		field->base = KTRACE_FLOAT;
		field->ctype = argument->size == 4 ? "float" : "double";
		break;
	case KTRACE_ARG_POINTER:
		field->kind = KTRACE_POINTER;
		field->base = KTRACE_HEX;
		field->ctype = "void *";
		break;
	case KTRACE_ARG_STRING:
		field->kind = KTRACE_STRING;
		field->place = KTRACE_DATA_LOC;
		field->size = 4;
		field->elem = 1;
		field->ctype = "__data_loc char[]";
		break;
	case KTRACE_ARG_BYTES:
		field->kind = KTRACE_BYTES;
		snprintf(type, sizeof(type), "unsigned char[%u]",
			 argument->size);
		field->ctype = arena_strdup(arena, type);
		break;
	default:
		return false;
	}
	return field->ctype;
}

int entry_field(struct ktrace_field *fields, unsigned int nr,
		const struct ktrace_argument *argument, const char **format,
		struct arena *arena)
{
	struct ktrace_field *field = &fields[nr];
	char name[48];

	field->name = argument_name(format, nr + 1, arena);
	if (field->name && name_taken(fields, nr)) {
		snprintf(name, sizeof(name), "%s_%u", field->name, nr + 1);
		field->name = arena_strdup(arena, name);
	}
	if (!field->name)
		return -ENOMEM;
	return field_make(field, argument, arena) ? 0 : -EBADMSG;
}
