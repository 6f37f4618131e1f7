// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "near.h"

static const struct column_name *column_find(const struct column_name *names,
					     const char *word, size_t length)
{
	for (; names->name; names++)
		if (strlen(names->name) == length &&
		    !memcmp(names->name, word, length))
			return names;
	return NULL;
}

static int word_unknown(const struct command *command,
			const struct column_name *names, bool fields,
			const char *word, size_t length)
{
	const char *other = fields ? ", or names of fields" : "";
	char list[128] = "";
	size_t used = 0;

	for (; names->name; names++) {
		if (!names->column)
			other = ", or none";
		else
			used += snprintf(list + used, sizeof(list) - used,
					 "%s%s", used ? ", " : "", names->name);
	}
	return misused(command, "--columns `%.*s': some of %s are expected%s",
		       (int)length, word, list, other);
}

static int field_add(struct columns *columns, const char *word, size_t length)
{
	char **fields = realloc(columns->fields,
				(columns->nr_fields + 2) * sizeof(*fields));

	if (!fields)
		return failed("out of memory");
	columns->fields = fields;
	fields[columns->nr_fields] = strndup(word, length);
	fields[columns->nr_fields + 1] = NULL;
	if (!fields[columns->nr_fields])
		return failed("out of memory");
	columns->nr_fields++;
	return EXIT_OK;
}

int columns_option(struct columns *columns, const struct command *command,
		   const struct column_name *names, bool fields,
		   const char *list)
{
	int status = EXIT_OK;
	size_t length;

	columns_free(columns);
	columns->given = true;
	for (; !status; list += length + 1) {
		const struct column_name *name;

		length = strcspn(list, ",");
		name = column_find(names, list, length);
		if (name)
			columns->set |= name->column;
		else if (fields && length)
			status = field_add(columns, list, length);
		else
			return word_unknown(command, names, fields, list,
					    length);
		if (!list[length])
			break;
	}
	return status;
}

static int field_unknown(const char *field, const struct column_name *names,
			 const struct ktrace_types *types)
{
	struct near near;

	failed("--columns `%s' is no column, and no event that is chosen has "
	       "such a field",
	       field);
	near_init(&near, field);
	for (; names->name; names++)
		near_add(&near, names->name);
	for (size_t i = 0; i < ktrace_types_count(types); i++)
		near_fields(&near, ktrace_types_get(types, i));
	near_print(&near);
	return EXIT_FAILED;
}

int columns_check(const struct columns *columns,
		  const struct column_name *names, const struct selection *s,
		  const struct ktrace_types *types)
{
	for (size_t i = 0; i < columns->nr_fields; i++) {
		const char *field = columns->fields[i];
		bool found = false;

		for (size_t j = 0; !found && j < ktrace_types_count(types);
		     j++) {
			const struct ktrace_type *type =
				ktrace_types_get(types, j);

			found = selection_match(s, type->system, type->name) &&
				ktrace_field_find(type, field);
		}
		if (!found)
			return field_unknown(field, names, types);
	}
	return EXIT_OK;
}

void columns_free(struct columns *columns)
{
	for (size_t i = 0; i < columns->nr_fields; i++)
		free(columns->fields[i]);
	free(columns->fields);
	memset(columns, 0, sizeof(*columns));
}
