// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names and values at the place of a probe: explain_names.h. */
#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/capture_names.h>
#include <ktrace/library.h>

#include "base/error.h"
#include "base/grow.h"
#include "debug_code.h"
#include "debug_type.h"
#include "debug_variable.h"
#include "explain_names.h"
#include "field.h"
#include "operand.h"
#include "value_steps.h"
#include "variable.h"

/* A unit of a large program may have thousands. */
#define GLOBALS_MAX 1000
/* Of a record (core/ring.h). */
#define RECORD_HEADER 4

/* ---- variables ----------------------------------------------------------------- */

/* NULL: no memory. */
static const char *text_keep(struct explained_names *names, struct text *text)
{
	char *own =
		text->failed ? NULL : arena_strdup(names->arena, text->s ?: "");

	text_free(text);
	if (!own)
		names->err = error_set(-ENOMEM, "out of memory");
	return own;
}

/* Names come before what they mean: a search must not begin within another one. */
static void name_add(struct explained_names *names, const char *name,
		     bool is_parameter, bool is_global)
{
	struct ktrace_probe_variable *more;
	struct text own = {0};

	if (names->err)
		return;
	more = array_grow(names->list, names->nr, sizeof(*more));
	if (!more) {
		names->err = error_set(-ENOMEM, "out of memory");
		return;
	}
	names->list = more;
	text_puts(&own, name);
	more[names->nr++] = (struct ktrace_probe_variable){
		.name = text_keep(names, &own),
		.is_parameter = is_parameter,
		.is_global = is_global,
	};
}

/* The error without the name in front of it. */
static const char *why_take(struct explained_names *names, const char *name)
{
	const char *why = ktrace_last_error(), *end;
	struct text text = {0};
	size_t length = strlen(name);

	if (*why == '`' && !strncmp(why + 1, name, length)) {
		end = why + 1 + length;
		why = !strncmp(end, "': ", 3) ? end + 3 : why;
	} else if (!strncmp(why, name, length) &&
		   !strncmp(why + length, ": ", 2)) {
		why += length + 2;
	}
	text_puts(&text, why);
	return text_keep(names, &text);
}

/* Where it is, and of what type. */
static void expression_tell(struct explained_names *names,
			    struct ktrace_probe_variable *variable,
			    const struct expression *e)
{
	struct text type = {0}, words = {0}, steps = {0}, where = {0};
	bool is_signed;

	expression_type(e, &type);
	variable->type = text_keep(names, &type);
	if (e->pieces) {
		text_puts(&where, "in several registers or places");
	} else if (e->is_value) {
		if (expression_number_size(e, &is_signed))
			expression_push_number(e, &words);
		value_steps(words.s ?: e->words.s ?: "", &steps);
		text_printf(&where, "%s%s",
			    steps.s && *steps.s == '%' ? "in " : "",
			    steps.s ?: "");
	} else {
		text_puts(&where, "at ");
		expression_push_address(e, &words);
		value_steps(words.s ?: "", &where);
	}
	text_free(&words);
	text_free(&steps);
	variable->where = text_keep(names, &where);
}

static void type_tell(struct explained_names *names,
		      struct ktrace_probe_variable *variable,
		      const struct btf *btf, __u32 type)
{
	const struct expression e = {.btf = btf, .type = type};
	struct text text = {0};

	if (btf)
		expression_type(&e, &text);
	variable->type = text_keep(names, &text);
}

static void name_explain(struct explained_names *names, struct scope *scope,
			 struct ktrace_probe_variable *variable)
{
	struct expression e = {0};

	if (!variable->name || names->err)
		return;
	scope->bare = false;
	if (variable_begin(scope, variable->name, &e)) {
		variable->why = why_take(names, variable->name);
		if (!variable->type)
			variable->type = "";
	} else {
		expression_tell(names, variable, &e);
	}
	expression_end(&e);
}

static int variable_note(const struct debug_variable *variable, void *data)
{
	struct explained_names *names = data;

	name_add(names, variable->name, variable->is_parameter, false);
	if (!names->err)
		/* Its number, until the type information may be asked. */
		names->list[names->nr - 1].reserved[0] = variable->type;
	return names->err;
}

static enum debug_way global_note(Dwarf_Die *die, void *data)
{
	struct explained_names *names = data;
	const char *name;

	if (debug_is_space(die))
		return DEBUG_INTO;
	name = dwarf_tag(die) == DW_TAG_variable ? debug_name(die) : NULL;
	if (!name || debug_is_declaration(die))
		return DEBUG_OVER;
	for (size_t i = 0; i < names->nr; i++)
		if (names->list[i].name && !strcmp(names->list[i].name, name))
			return DEBUG_OVER;
	name_add(names, name, false, true);
	return names->err || names->nr >= GLOBALS_MAX ? DEBUG_STOP : DEBUG_OVER;
}

/* By debugging information. */
static void source_names(struct explained_names *names, struct scope *scope,
			 bool globals)
{
	struct debug_code *code = scope->place->code;
	const struct debug_where where = variable_where(scope);
	Dwarf_Die *unit;

	debug_variables_each(code, &where, variable_note, names);
	for (size_t i = 0; i < names->nr && !names->err; i++) {
		struct ktrace_probe_variable *v = &names->list[i];

		type_tell(names, v, debug_type_btf(code), v->reserved[0]);
		v->reserved[0] = 0;
	}
	unit = globals ? debug_unit(code, where.address) : NULL;
	debug_search(code);
	if (unit && !names->err)
		debug_walk(code, unit, global_note, names);
}

/* By the type of the function. */
static void parameter_names(struct explained_names *names, struct scope *scope)
{
	const struct btf_param *params = btf_params(scope->proto);
	char name[256];

	for (int i = 0; i < btf_vlen(scope->proto) && !names->err; i++) {
		snprintf(name, sizeof(name), "%s", parameter_name(scope, i));
		if (!*name)
			snprintf(name, sizeof(name), "$arg%d", i + 1);
		name_add(names, name, true, false);
		if (!names->err)
			type_tell(names, &names->list[names->nr - 1],
				  scope->btf, params[i].type);
	}
}

static void operand_names(struct explained_names *names,
			  const struct place *place)
{
	unsigned int nr = operands_count(place->arguments);
	char name[16];

	for (unsigned int i = 1; i <= nr && !names->err; i++) {
		snprintf(name, sizeof(name), "$arg%u", i);
		name_add(names, name, true, false);
	}
}

int explained_names_find(struct explained_names *names, struct prototypes *p,
			 const struct place *place, bool globals)
{
	struct scope scope;

	/* Without type information there is nothing that has a name. */
	if (fields_scope(p, place, &scope))
		return 0;
	if (place->returns)
		name_add(names, "$retval", false, false);
	else if (place->arguments)
		operand_names(names, place);
	else if (place->code)
		source_names(names, &scope, globals);
	else if (scope.proto)
		parameter_names(names, &scope);
	for (size_t i = 0; i < names->nr; i++)
		name_explain(names, &scope, &names->list[i]);
	return names->err;
}

/* ---- values -------------------------------------------------------------------- */

/* "KIND CTYPE NAME = WORDS", @length characters. */
static int value_add(struct explained_values *values, const char *field,
		     size_t length)
{
	const char *equals = memchr(field, '=', length);
	const char *kind_end = memchr(field, ' ', length), *name_end, *name;
	struct ktrace_probe_value *more, *value;
	struct text steps = {0};
	const char *words;

	if (!equals || !kind_end || kind_end > equals)
		return 0;
	for (name_end = equals; name_end[-1] == ' ';)
		name_end--;
	for (name = name_end; name[-1] != ' ';)
		name--;
	words = equals + 1 + strspn(equals + 1, " ");
	more = array_grow(values->list, values->nr, sizeof(*more));
	if (!more)
		return error_set(-ENOMEM, "out of memory");
	values->list = more;
	value = &more[values->nr];
	*value = (struct ktrace_probe_value){
		.name = arena_strndup(values->arena, name, name_end - name),
		.kind = arena_strndup(values->arena, field, kind_end - field),
		.type = arena_strndup(values->arena, kind_end + 1,
				      name > kind_end + 1 ? name - kind_end - 2
							  : 0),
		.words = arena_strndup(values->arena, words,
				       field + length - words),
		.size = strtoul(field + 1, NULL, 10) / 8,
	};
	if (!value->name || !value->kind || !value->type || !value->words)
		return error_set(-ENOMEM, "out of memory");
	values->bytes += value->size;
	/* The mask of what could not be read is no value. */
	if (!strcmp(value->name, KTRACE_VALUES_UNREAD))
		return 0;
	values->nr++;
	value_steps(value->words, &steps);
	if (!strncmp(value->type, "string", 6)) {
		text_puts(&steps, ", the text at that address");
		values->texts++;
	}
	value->steps =
		steps.failed ? NULL : arena_strdup(values->arena, steps.s);
	text_free(&steps);
	return value->steps ? 0 : error_set(-ENOMEM, "out of memory");
}

int explained_values_find(struct explained_values *values, struct prototypes *p,
			  const struct place *place, const struct place *source,
			  const char *expressions)
{
	struct text fields = {0};
	const char *field;
	bool sourceless;
	int err = fields_write(p, place, expressions, &fields, &sourceless);

	if (sourceless && source->code) {
		text_free(&fields);
		err = fields_write(p, source, expressions, &fields,
				   &sourceless);
	}
	if (err && err != -ENOMEM) {
		values->refused =
			arena_strdup(values->arena, ktrace_last_error());
		err = values->refused ? 0 : -ENOMEM;
		text_free(&fields);
	}
	field = fields.s ?: "";
	while (!err && *field) {
		size_t length;

		field += strspn(field, "; ");
		length = strcspn(field, ";");
		err = value_add(values, field, length);
		field += length;
	}
	/* A text has the bytes that say where it is. */
	values->bytes +=
		RECORD_HEADER + (values->texts ? 4 + 4 * values->texts : 0);
	values->bytes = (values->bytes + 3) & ~3ull;
	text_free(&fields);
	return err;
}
