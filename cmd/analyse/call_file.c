// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/capture_names.h>
#include <ktrace/syscall.h>

#include "call_file.h"

/* What was captured for an argument: up to the first NUL.  NULL: nothing. */
static const char *captured(const struct ktrace_event *event,
			    const char *argument, const char *end, int *length)
{
	const struct ktrace_field *field;
	const uint8_t *bytes;
	char name[128];
	size_t size;

	snprintf(name, sizeof(name), KTRACE_CAPTURED_PREFIX "%s%s", argument,
		 end);
	field = ktrace_field_find(event->type, name);
	if (!field)
		return NULL;
	bytes = ktrace_field_bytes(event, field, &size);
	*length = size ? strnlen((const char *)bytes, size) : 0;
	return *length ? (const char *)bytes : NULL;
}

/* Of a descriptor. */
static const char *opened(const struct ktrace_event *event,
			  const char *argument, int *length)
{
	return captured(event, argument, KTRACE_CAPTURED_PATH_END, length)
		       ?: captured(event, argument, KTRACE_CAPTURED_FILE_END,
				   length);
}

char *call_file(const struct ktrace_event *begin)
{
	const struct ktrace_call *call = ktrace_call_find(begin->type);
	const char *file = NULL, *first = NULL;
	int length = 0, first_length = 0;
	char *text;

	for (unsigned int i = 0; call && !file && i < call->nr_arguments &&
				 i < begin->type->nr_fields;
	     i++) {
		const char *argument = begin->type->fields[i].name;

		if (!strcmp(call->arguments[i].word, "path"))
			file = captured(begin, argument,
					KTRACE_CAPTURED_VALUE_END, &length);
		else if (!first)
			first = opened(begin, argument, &first_length);
	}
	if (!file || *file == '/')
		first_length = file ? 0 : first_length;
	if (asprintf(&text, "%.*s%s%.*s", first_length, first ?: "",
		     file && first_length ? "/" : "", file ? length : 0,
		     file ?: "") < 0)
		return NULL;
	return text;
}

bool call_files_are_known(const struct ktrace_types *types)
{
	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (ktrace_call_find(type) &&
		    ktrace_field_find(type, KTRACE_CAPTURED_CUT))
			return true;
	}
	return false;
}
