// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describes an event in the control tree as tracefs does, so that a parser of one can parse
 * the other.
 *
 * A print format is C from the kernel's sources.  A reader elsewhere does not know the
 * values of its enum constants and sizeofs.  If the source knows them (TRACE_DEFINE_ENUM,
 * TRACE_DEFINE_SIZEOF), they are replaced here, unless the kernel's own tracer has done so
 * (print.c).
 */
#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "base/line.h"
#include "capturing.h"
#include "format.h"
#include "gate.h"
#include "print.h"
#include "registry.h"
#include "stack.h"

static const struct kt_constant *constant_find(const struct kt_entry *entry,
					       const char *name, size_t length)
{
	const struct kt_event_set *set = entry->set;
	size_t i;

	for (i = 0; i < set->nr_constants; i++) {
		const struct kt_constant *constant = set->constants[i];

		if (!strncmp(constant->name, name, length) &&
		    !constant->name[length] &&
		    !strcmp(constant->system, entry->event->system))
			return constant;
	}
	return NULL;
}

/* The length of the name, or of the whole `sizeof(...)', at @s. */
static size_t name_length(const char *s)
{
	const char *end = s;

	while (isalnum(*end) || *end == '_')
		end++;
	if (end - s == 6 && !strncmp(s, "sizeof", 6) && *end == '(') {
		const char *close = strchr(end, ')');

		if (close)
			end = close + 1;
	}
	return end - s;
}

/* The length of a string literal or character constant, quotes included. */
static size_t literal_length(const char *s)
{
	const char *end = s + 1;

	while (*end && *end != *s) {
		if (*end == '\\' && end[1])
			end++;
		end++;
	}
	return end - s + !!*end;
}

/* A member of a struct may have the name of a constant. */
static bool is_member(const char *print, const char *at)
{
	while (at > print && isspace(at[-1]))
		at--;
	return at > print &&
	       (at[-1] == '.' ||
		(at[-1] == '>' && at - 1 > print && at[-2] == '-'));
}

static void print_show(struct seq_file *m, const struct kt_entry *entry,
		       const char *print)
{
	const char *at = print;

	while (*at) {
		const struct kt_constant *constant = NULL;
		size_t length = 1;

		if (*at == '"' || *at == '\'') {
			length = literal_length(at);
		} else if (isalpha(*at) || *at == '_') {
			length = name_length(at);
			if (!is_member(print, at))
				constant = constant_find(entry, at, length);
		} else if (isdigit(*at)) {
			/* Skip the suffix of the number: it is no name. */
			length = name_length(at);
		}
		if (constant)
			seq_printf(m, "%lld", constant->value);
		else
			seq_write(m, at, length);
		at += length;
	}
}

static void field_add(struct line *line, const struct kt_field *field)
{
	/* "char[16] comm" is shown as C has it: "char comm[16]". */
	const char *bracket = field->len ? strchr(field->type, '[') : NULL;

	if (bracket && str_has_prefix(field->type, "__data_loc"))
		bracket = NULL;
	line_add_literal(line, "\tfield:");
	if (bracket)
		line_add_bytes(line, field->type, bracket - field->type);
	else
		line_add(line, field->type);
	line_add_literal(line, " ");
	line_add(line, field->name);
	if (bracket) {
		line_add_literal(line, "[");
		line_add_number(line, field->len);
		line_add_literal(line, "]");
	}
	line_add_literal(line, ";\toffset:");
	line_add_number(line, field->offset);
	line_add_literal(line, ";\tsize:");
	line_add_number(line, field->size);
	if (field->is_signed)
		line_add_literal(line, ";\tsigned:1;\n");
	else
		line_add_literal(line, ";\tsigned:0;\n");
}

static void fields_show(struct seq_file *m, const struct kt_class *class)
{
	struct line line = line_begin(m);
	const char *begin = line.to;
	u16 i;

	line_add_literal(&line, "size: ");
	line_add_number(&line, class->size);
	if (class->dynamic)
		line_add_literal(&line, "\ndynamic: 1\n");
	else
		line_add_literal(&line, "\ndynamic: 0\n");
	if (class->short_size) {
		line_add_literal(&line, "short: ");
		line_add_number(&line, class->short_size);
		line_add_literal(&line, "\n");
	}
	line_add_literal(&line, "format:\n");
	for (i = 0; i < class->nr_fields; i++)
		field_add(&line, &class->fields[i]);
	line_add_literal(&line, "print fmt: ");
	line_end(&line, m, begin);
}

/* The fields that the event has in a session, that of its stack included. */
static const struct kt_class *class_of(const struct kt_entry *entry,
				       const struct kt_enabled *enabled)
{
	const struct kt_gate *gate = enabled ? enabled->gate : NULL;

	return gate && gate->stacking ? &gate->stacking->class
				      : kt_capture_class(entry, enabled);
}

static void layout_show(struct seq_file *m, const struct kt_entry *entry,
			const struct kt_enabled *enabled)
{
	const struct kt_event *event = entry->event;
	const struct kt_class *class = class_of(entry, enabled);
	const char *print = event->print ?: class->print;

	fields_show(m, class);
	if (!print)
		seq_puts(m, "\"\"");
	else if (!entry->point || !kt_print_show(m, entry))
		print_show(m, entry, print);
	seq_putc(m, '\n');
}

void kt_format_show(struct seq_file *m, const struct kt_entry *entry,
		    const struct kt_enabled *enabled)
{
	seq_printf(m, "name: %s\nID: %u\n", entry->event->name,
		   enabled ? enabled->id : 0);
	layout_show(m, entry, enabled);
}

void kt_format_show_head(struct seq_file *m, const struct kt_entry *entry,
			 const struct kt_enabled *enabled)
{
	struct line line = line_begin(m);
	const char *begin = line.to;

	line_add_literal(&line, "event ");
	line_add(&line, entry->system->name);
	line_add_literal(&line, ":");
	line_add(&line, entry->event->name);
	if (enabled) {
		line_add_literal(&line, " id ");
		line_add_number(&line, enabled->id);
		line_add(&line, enabled->wanted ? " enabled 1 module "
						: " enabled 0 module ");
	} else {
		line_add_literal(&line, " id 0 enabled 0 module ");
	}
	line_add(&line, entry->point ? kt_entry_module(entry) : "gone");
	if (enabled && enabled->filter_text)
		line_add_literal(&line, " filter 1");
	if (!kt_stacks_are_possible(entry->event))
		line_add_literal(&line, " stackless 1");
	line_add_literal(&line, "\n");
	line_end(&line, m, begin);
}

void kt_format_show_event(struct seq_file *m, const struct kt_entry *entry,
			  const struct kt_enabled *enabled)
{
	kt_format_show_head(m, entry, enabled);
	layout_show(m, entry, enabled);
	seq_putc(m, '\n');
}
