// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/capture_names.h>
#include <ktrace/output.h>

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
		/* A field with the name of a column has a dot in front. */
		if (fields && *list == '.' && length > 1)
			status = field_add(columns, list + 1, length - 1);
		else if (name)
			columns->set |= name->column;
		else if (fields && length)
			status = field_add(columns, list, length);
		else
			return word_unknown(command, names, fields, list,
					    length);
		if (!list[length])
			break;
	}
	columns->only =
		columns->nr_fields &&
		!(columns->set & (KTRACE_COLUMN_EVENT | KTRACE_COLUMN_FIELDS));
	return status;
}

static int field_unknown(const char *field, const struct column_name *names,
			 const struct selection *s,
			 const struct ktrace_types *types)
{
	struct near near;

	near_init(&near, field);
	if (column_find(names, field, strlen(field))) {
		/* It had a dot in front, or it would be the column. */
		failed("--columns `.%s': no event that is chosen has such a "
		       "field",
		       field);
	} else {
		failed("--columns `%s' is no column, and no event that is "
		       "chosen has such a field",
		       field);
		for (; names->name; names++)
			near_add(&near, names->name);
	}
	selection_near_fields(s, types, &near);
	near_print(&near);
	return EXIT_FAILED;
}

/* What an argument points to is shown with the argument, and masks are not shown. */
static bool is_owned(const struct ktrace_field *field)
{
	static const char prefix[] = KTRACE_CAPTURED_PREFIX;

	if (strncmp(field->name, prefix, sizeof(prefix) - 1))
		return false;
	return field->place == KTRACE_DATA_LOC ||
	       !strcmp(field->name, KTRACE_CAPTURED_CUT) ||
	       !strcmp(field->name, KTRACE_CAPTURED_UNREAD) ||
	       !strcmp(field->name, KTRACE_VALUES_UNREAD);
}

/* Ids of stacks are not shown, nor are single values of branches. */
static bool type_shows(const struct ktrace_type *type, const char *name)
{
	for (uint32_t i = 0; i < ktrace_type_own_fields(type); i++)
		if (!strcmp(type->fields[i].name, name))
			return !type->branch && !is_owned(&type->fields[i]);
	return false;
}

bool columns_match(const struct columns *columns,
		   const struct ktrace_type *type)
{
	for (size_t i = 0; i < columns->nr_fields; i++)
		if (type_shows(type, columns->fields[i]))
			return true;
	return !columns->only;
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
				type_shows(type, field);
		}
		if (!found)
			return field_unknown(field, names, s, types);
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
