// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <string.h>

#include <ktrace/capture_names.h>
#include <ktrace/syscall.h>

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
	if (strncmp(name, argument->name, length))
		return NULL;
	name += length;
	if (!strcmp(name, KTRACE_CAPTURED_PATH_END) ||
	    !strcmp(name, KTRACE_CAPTURED_FILE_END))
		return "";
	if (strncmp(name, value, sizeof(value) - 1))
		return NULL;
	name += sizeof(value) - 1;
	return !*name || *name == '_' ? name : NULL;
}

/* As many fields has a capture program (core/capture.h). */
#define POINTEES_MAX 16

static bool is_call(const struct ktrace_type *type)
{
	bool exit;

	return ktrace_call_name(type, &exit);
}

/* Functions are the events whose types are variants; probes have values that are texts. */
static bool has_pointees(const struct ktrace_type *type)
{
	if (!ktrace_field_find(type, KTRACE_CAPTURED_CUT))
		return false;
	for (uint32_t i = 0; i < type->nr_fields; i++)
		if (!strncmp(type->fields[i].ctype, "string", 6))
			return true;
	return type->variant_of || is_call(type);
}

static void pointee_begin(struct pointee *pointee,
			  const struct ktrace_type *type,
			  const struct ktrace_field *argument,
			  const struct ktrace_field *first)
{
	*pointee = (struct pointee){
		.argument = argument,
		.fields = first,
		.nr = 1,
		.cut = ktrace_field_find(type, KTRACE_CAPTURED_CUT),
		.unread = ktrace_field_find(type, KTRACE_CAPTURED_UNREAD),
	};
	/* The bits are those of the fields behind the masks, in their order. */
	if (pointee->unread && first > pointee->unread)
		pointee->bit = first - pointee->unread - 1;
	else
		pointee->cut = pointee->unread = NULL;
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
	pointee_begin(pointee, type, argument, field);
	if (end - field > POINTEES_MAX)
		end = field + POINTEES_MAX;
	while (field < end && suffix_of(field, argument))
		field++;
	pointee->nr = field - pointee->fields;
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

bool pointee_is_alone(const struct ktrace_type *type,
		      const struct ktrace_field *field)
{
	return field->place == KTRACE_DATA_LOC && is_call(type) &&
	       ktrace_field_find(type, KTRACE_CAPTURED_CUT) &&
	       !is_owned(type, field);
}

bool pointee_alone(const struct ktrace_type *type,
		   const struct ktrace_field *field, struct pointee *pointee)
{
	if (!pointee_is_alone(type, field))
		return false;
	pointee_begin(pointee, type, NULL, field);
	return true;
}

bool pointee_owns(const struct ktrace_type *type,
		  const struct ktrace_field *field)
{
	if (!has_pointees(type))
		return false;
	if (field->place == KTRACE_DATA_LOC)
		return is_call(type) || is_owned(type, field);
	if (strcmp(field->name, KTRACE_CAPTURED_CUT) &&
	    strcmp(field->name, KTRACE_CAPTURED_UNREAD))
		return false;
	if (ktrace_field_find(type, field->name) != field)
		return false;
	for (uint32_t i = 0; !is_call(type) && i < type->nr_fields; i++)
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

/* What was captured, with the NUL that ends a string. */
static uint32_t captured_size(const struct ktrace_event *event,
			      const struct ktrace_field *field)
{
	uint32_t loc;

	if (event->size < sizeof(loc) ||
	    field->offset > event->size - sizeof(loc))
		return 0;
	memcpy(&loc, event->payload + field->offset, sizeof(loc));
	return loc >> 16;
}

/* An empty string of a function has no bytes, but a place; that of a call has its end. */
static bool is_absent(const struct ktrace_event *event,
		      const struct pointee *pointee, uint32_t i)
{
	const struct ktrace_field *field = &pointee->fields[i];

	if (field->kind == KTRACE_STRING && !is_call(event->type))
		return false;
	return !captured_size(event, field) &&
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

/* One behind the other, each with a NUL. */
static void strings_put(struct output *output, const uint8_t *s, size_t n)
{
	const char *before = "{";

	while (n) {
		size_t length = strnlen((const char *)s, n);

		output_puts(output, before);
		text_quoted(output, s, length);
		before = " ";
		length += length < n;
		s += length;
		n -= length;
	}
	output_puts(output, *before == '{' ? "{}" : "}");
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
	else if (!strcmp(field->ctype, "__data_loc string[]"))
		strings_put(output, s, n);
	else if (field->kind == KTRACE_ARRAY && n == field->elem)
		value_element(output, trace, field, s, false);
	else
		value_other(output, trace, event, field, false);
	if (mask_has(event, pointee->cut, pointee->bit + i))
		output_puts(output, "...");
}

/* Behind the fields of the event. */
static void alone_put(struct output *output, const struct ktrace *trace,
		      const struct ktrace_event *event,
		      const struct pointee *pointee)
{
	if (is_absent(event, pointee, 0))
		return;
	if (!pointee->part) {
		output_puts(output, " ");
		suffix_put(output, pointee->fields->name);
		output_puts(output, "=");
	}
	value_put(output, trace, event, pointee, 0);
}

void pointee_put(struct output *output, const struct ktrace *trace,
		 const struct ktrace_event *event,
		 const struct pointee *pointee)
{
	const char *before = " {";

	if (!pointee->argument) {
		alone_put(output, trace, event, pointee);
		return;
	}
	/* Nothing was read through a null pointer.  A descriptor of a call may be 0. */
	if (!ktrace_field_int(event, pointee->argument) &&
	    (pointee->argument->kind == KTRACE_POINTER ||
	     !is_call(event->type)))
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
