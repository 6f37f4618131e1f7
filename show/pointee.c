// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <ktrace/capture_names.h>

#include "base/escape.h"
#include "pointee.h"
#include "program.h"
#include "value.h"

/* ---- which fields ---------------------------------------------------------- */

/* "_ino" of __inode_val_ino, if @argument is inode; NULL: the field is not of it. */
static const char *suffix_of(const struct ktrace_field *field,
			     const struct ktrace_field *argument)
{
	static const char prefix[] = KTRACE_CAPTURED_PREFIX,
			  value[] = KTRACE_CAPTURED_VALUE_END;
	size_t length = strlen(argument->name);
	const char *name = field->name;

	if (field->place != KTRACE_DATA_LOC ||
	    strncmp(name, prefix, sizeof(prefix) - 1))
		return NULL;
	name += sizeof(prefix) - 1;
	if (strncmp(name, argument->name, length) ||
	    strncmp(name + length, value, sizeof(value) - 1))
		return NULL;
	name += length + sizeof(value) - 1;
	return !*name || *name == '_' ? name : NULL;
}

/* As many fields has a capture program (core/capture.h). */
#define POINTEES_MAX 16

/* Functions are the events whose types are variants; probes have values that are texts. */
static bool has_pointees(const struct ktrace_type *type)
{
	if (!ktrace_field_find(type, KTRACE_CAPTURED_CUT))
		return false;
	for (uint32_t i = 0; i < type->nr_fields; i++)
		if (!strncmp(type->fields[i].ctype, "string", 6))
			return true;
	return type->variant_of;
}

bool pointee_find(const struct ktrace_type *type,
		  const struct ktrace_field *argument, struct pointee *pointee)
{
	const struct ktrace_field *end = type->fields + type->nr_fields;
	const struct ktrace_field *field = type->fields;

	if (!has_pointees(type) || argument->place != KTRACE_FIXED)
		return false;
	/* A hostile trace may have many fields of one name. */
	if (ktrace_field_find(type, argument->name) != argument)
		return false;
	while (field < end && !suffix_of(field, argument))
		field++;
	if (field == end)
		return false;
	*pointee = (struct pointee){
		.argument = argument,
		.fields = field,
		.cut = ktrace_field_find(type, KTRACE_CAPTURED_CUT),
		.unread = ktrace_field_find(type, KTRACE_CAPTURED_UNREAD),
	};
	if (end - field > POINTEES_MAX)
		end = field + POINTEES_MAX;
	while (field < end && suffix_of(field, argument))
		field++;
	pointee->nr = field - pointee->fields;
	/* The bits are those of the fields behind the masks, in their order. */
	if (pointee->unread && pointee->fields > pointee->unread)
		pointee->bit = pointee->fields - pointee->unread - 1;
	else
		pointee->cut = pointee->unread = NULL;
	return true;
}

/* Is it the field of an argument? */
static bool is_owned(const struct ktrace_type *type,
		     const struct ktrace_field *field)
{
	struct pointee pointee;

	for (uint32_t i = 0; i < type->nr_fields; i++)
		if (suffix_of(field, &type->fields[i]))
			return pointee_find(type, &type->fields[i], &pointee) &&
			       field >= pointee.fields &&
			       field < pointee.fields + pointee.nr;
	return false;
}

bool pointee_owns(const struct ktrace_type *type,
		  const struct ktrace_field *field)
{
	if (!has_pointees(type))
		return false;
	if (field->place == KTRACE_DATA_LOC)
		return is_owned(type, field);
	if (strcmp(field->name, KTRACE_CAPTURED_CUT) &&
	    strcmp(field->name, KTRACE_CAPTURED_UNREAD))
		return false;
	if (ktrace_field_find(type, field->name) != field)
		return false;
	for (uint32_t i = 0; i < type->nr_fields; i++)
		if (type->fields[i].place == KTRACE_DATA_LOC &&
		    !is_owned(type, &type->fields[i]))
			return false;
	return true;
}

/* ---- values ---------------------------------------------------------------- */

static bool mask_has(const struct ktrace_event *event,
		     const struct ktrace_field *mask, uint32_t bit)
{
	return mask && bit < 16 && ktrace_field_int(event, mask) >> bit & 1;
}

static bool is_absent(const struct ktrace_event *event,
		      const struct pointee *pointee, uint32_t i)
{
	size_t n;

	ktrace_field_bytes(event, &pointee->fields[i], &n);
	/* An empty string has no bytes, but a place. */
	return !n && pointee->fields[i].kind != KTRACE_STRING &&
	       !mask_has(event, pointee->unread, pointee->bit + i);
}

/* Names come from the trace, which may be hostile. */
static void suffix_put(struct output *output, const char *suffix)
{
	const uint8_t *s = (const uint8_t *)suffix;
	size_t n = strlen(suffix), length;

	for (; n; s += length, n -= length) {
		output_room(output, ESCAPE_ROOM);
		output->p = escape_text_char(output->p, s, n, &length);
	}
}

static void value_put(struct output *output, const struct ktrace *trace,
		      const struct ktrace_event *event,
		      const struct pointee *pointee, uint32_t i)
{
	const struct ktrace_field *field = &pointee->fields[i];
	const uint8_t *s;
	size_t n;

	if (mask_has(event, pointee->unread, pointee->bit + i)) {
		output_puts(output, "?");
		return;
	}
	s = ktrace_field_bytes(event, field, &n);
	if (field->kind == KTRACE_STRING)
		text_quoted(output, s, n);
	else if (field->kind == KTRACE_ARRAY && n == field->elem)
		value_element(output, trace, field, s, false);
	else
		value_other(output, trace, event, field, false);
	if (mask_has(event, pointee->cut, pointee->bit + i))
		output_puts(output, "...");
}

void pointee_put(struct output *output, const struct ktrace *trace,
		 const struct ktrace_event *event,
		 const struct pointee *pointee)
{
	const char *before = " {";

	/* Nothing was read through a null pointer. */
	if (!ktrace_field_int(event, pointee->argument))
		return;
	for (uint32_t i = 0; i < pointee->nr; i++) {
		const char *suffix =
			suffix_of(&pointee->fields[i], pointee->argument);

		if (is_absent(event, pointee, i))
			continue;
		if (pointee->nr == 1 && !*suffix) {
			output_puts(output, " ");
			value_put(output, trace, event, pointee, i);
			return;
		}
		output_puts(output, before);
		before = " ";
		if (*suffix) {
			suffix_put(output, suffix + 1);
			output_puts(output, "=");
		}
		value_put(output, trace, event, pointee, i);
	}
	if (before[1] == '\0')
		output_puts(output, "}");
}
