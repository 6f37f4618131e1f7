// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Definitions: debug_definition.h.
 *
 * A name alone means many structs: each namespace may have one, and what is in a namespace without
 * a name is its unit's alone.  All units are read when the first declaration is met; that takes
 * the time of one search through the file.
 */
#include <dwarf.h>
#include <string.h>

#include "base/arena.h"
#include "base/table.h"
#include "debug_definition.h"
#include "debug_language.h"

/* Namespaces and classes within each other. */
#define DEPTH_MAX 64

/* What a struct is in. */
struct space {
	const char *name; /* with all that it is in itself; "": a unit */
	size_t unit;
	bool local; /* no other unit knows it */
};

struct definition {
	const struct space *space;
	const char *name;
	Dwarf_Die die;
};

/* What no space was kept for. */
static struct space file_space = {.name = ""};

/* A space that is being read. */
struct level {
	struct debug_code *code;
	struct level *outer; /* NULL: it is the unit */
	const char *name;    /* NULL: it has none */
	size_t unit;
	bool local;
	bool whole; /* it may be within others, as in C++ */
	unsigned int depth;
	struct space *space; /* NULL: nobody has needed it yet */
};

static struct space *space_keep(struct level *l)
{
	struct debug_definitions *d = &l->code->definitions;
	const char *outer, *name = l->name ?: "(anonymous)";
	struct space *space;
	size_t size;
	char *text;

	if (!l->outer)
		return &file_space;
	if (l->space)
		return l->space;
	space = space_keep(l->outer);
	outer = space ? space->name : NULL;
	space = outer ? arena_alloc(&l->code->arena, sizeof(*space)) : NULL;
	size = space ? strlen(outer) + strlen(name) + 3 : 0;
	/* Many may be in one with an endless name. */
	if (size > l->code->budget / 2)
		size = 0;
	l->code->budget -= 2 * size;
	text = size ? arena_alloc(&l->code->arena, size) : NULL;
	if (!text) {
		d->failed = true;
		return NULL;
	}
	strcat(strcat(strcpy(text, outer), *outer ? "::" : ""), name);
	*space = (struct space){text, l->unit, l->local};
	l->space = space;
	return space;
}

static bool is_same_space(const struct space *a, const struct space *b)
{
	return !strcmp(a->name, b->name) && a->local == b->local &&
	       (!a->local || a->unit == b->unit);
}

static struct definition *definition_find(const struct debug_definitions *d,
					  const struct space *space,
					  Dwarf_Die *die, const char *name)
{
	const struct table_slot *slot = NULL;
	bool is_union = dwarf_tag(die) == DW_TAG_union_type;

	while ((slot = table_next(&d->by_name, table_hash(name, strlen(name)),
				  slot))) {
		struct definition *found = slot->value;

		if (!strcmp(found->name, name) &&
		    (dwarf_tag(&found->die) == DW_TAG_union_type) == is_union &&
		    (!space || is_same_space(found->space, space)))
			return found;
	}
	return NULL;
}

static void definition_keep(struct level *l, Dwarf_Die *die)
{
	struct debug_definitions *d = &l->code->definitions;
	struct definition *definition = NULL;
	const struct space *space = NULL;
	const char *name = debug_name(die);
	Dwarf_Attribute attribute;
	Dwarf_Die declaration;
	bool apart;

	if (!name)
		return;
	/* It may be outside of what it is declared in. */
	apart = dwarf_attr(die, DW_AT_specification, &attribute) &&
		dwarf_formref_die(&attribute, &declaration);
	if (apart)
		space = table_find(&d->declared, (uintptr_t)declaration.addr);
	space = space ?: space_keep(l);
	if (!space || (!apart && definition_find(d, space, die, name)))
		return;
	definition = arena_alloc(&l->code->arena, sizeof(*definition));
	if (definition)
		*definition = (struct definition){space, name, *die};
	d->failed |=
		!definition ||
		table_add(&d->by_name, table_hash(name, strlen(name)),
			  definition) ||
		(apart && table_add(&d->specified, (uintptr_t)declaration.addr,
				    definition));
}

static void declaration_keep(struct level *l, Dwarf_Die *die)
{
	struct debug_definitions *d = &l->code->definitions;
	struct space *space = l->outer ? space_keep(l) : NULL;

	if (space && table_add(&d->declared, (uintptr_t)die->addr, space))
		d->failed = true;
}

static enum debug_way level_visit(Dwarf_Die *die, void *data)
{
	struct level *l = data;
	struct level inner = {
		.code = l->code,
		.outer = l,
		.unit = l->unit,
		.whole = l->whole,
		.depth = l->depth + 1,
	};

	if (l->code->definitions.failed)
		return DEBUG_STOP;
	if (!debug_is_space(die))
		return DEBUG_OVER;
	if (debug_is_struct(dwarf_tag(die))) {
		if (debug_is_declaration(die)) {
			declaration_keep(l, die);
			return DEBUG_OVER;
		}
		definition_keep(l, die);
		if (!l->whole)
			return DEBUG_OVER;
	}
	if (inner.depth == DEPTH_MAX)
		return DEBUG_OVER;
	inner.name = debug_name(die);
	inner.local =
		l->local || (dwarf_tag(die) == DW_TAG_namespace && !inner.name);
	return debug_walk(l->code, die, level_visit, &inner);
}

static void definitions_read(struct debug_code *code)
{
	if (code->definitions.read)
		return;
	code->definitions.read = true;
	for (size_t i = 0; i < code->nr_units; i++) {
		struct level unit = {
			.code = code,
			.unit = i,
			.whole = !debug_unit_is_c(&code->units[i]),
		};

		debug_walk(code, &code->units[i], level_visit, &unit);
	}
}

/* Types that have a unit of their own are not among those that were read. */
static bool is_apart(Dwarf_Die *type)
{
	Dwarf_Die unit;

	return dwarf_diecu(type, &unit, NULL, NULL) &&
	       dwarf_tag(&unit) == DW_TAG_type_unit;
}

bool debug_definition_find(struct debug_code *code, Dwarf_Die *type)
{
	const struct debug_definitions *d = &code->definitions;
	const char *name = debug_name(type);
	const struct definition *found;
	const struct space *space;

	if (!name)
		return false;
	definitions_read(code);
	found = table_find(&d->specified, (uintptr_t)type->addr);
	space = table_find(&d->declared, (uintptr_t)type->addr);
	if (!found)
		found = definition_find(d,
					space
						?: is_apart(type) ? NULL
								  : &file_space,
					type, name);
	if (found)
		*type = found->die;
	return found;
}
