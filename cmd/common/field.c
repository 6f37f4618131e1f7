// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <string.h>

#include "field.h"

struct field_text field_text(const struct ktrace_field *field)
{
	const char *type = field->ctype, *brackets;
	struct field_text text;

	if (!strncmp(type, "__data_loc ", 11))
		type += 11;
	else if (!strncmp(type, "__rel_loc ", 10))
		type += 10;
	brackets = strchr(type, '[');
	if (!brackets)
		brackets = type + strlen(type);
	snprintf(text.s, sizeof(text.s), "%.*s%s%s%s", (int)(brackets - type),
		 type, brackets > type && brackets[-1] == '*' ? "" : " ",
		 field->name, brackets);
	return text;
}
