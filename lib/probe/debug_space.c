// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Spaces: debug_space.h.
 *
 * An entry does not tell what it is in.  But all that is within an entry is behind it in the file,
 * and in front of what follows that.  So the way to an entry leads through the last one of each
 * level that is not behind it.
 */
#include <dwarf.h>
#include <string.h>

#include "debug_space.h"

/* Copies of copies, and functions in functions. */
#define CHAIN_MAX 16

void debug_declared(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die from;

	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
		    !dwarf_attr(die, DW_AT_specification, &attribute))
			return;
		if (!dwarf_formref_die(&attribute, &from))
			return;
		*die = from;
	}
}

Dwarf_Die *debug_source_unit(struct debug_code *code, uint64_t address,
			     Dwarf_Die *function, Dwarf_Die *room)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;

	/* The units of common parts have no variables. */
	if (function &&
	    dwarf_attr(function, DW_AT_abstract_origin, &attribute) &&
	    dwarf_formref_die(&attribute, &origin) &&
	    dwarf_diecu(&origin, room, NULL, NULL) &&
	    dwarf_tag(room) == DW_TAG_compile_unit)
		return room;
	return debug_unit(code, address);
}

static bool way_find(struct debug_code *code, Dwarf_Die *parent,
		     const Dwarf_Die *to, Dwarf_Die *next)
{
	bool found = false;
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return false;
	do {
		if (die.addr > to->addr || !code->budget)
			break;
		code->budget--;
		*next = die;
		found = true;
	} while (!dwarf_siblingof(&die, &die));
	return found;
}

static struct debug_space space_of(Dwarf_Die *die)
{
	struct debug_space space = {.name = debug_name(die)};

	space.is_open = dwarf_tag(die) == DW_TAG_namespace &&
			(!space.name || debug_flag(die, DW_AT_export_symbols));
	return space;
}

/* Those within the innermost function that @die is in, which is returned; false: it is in none. */
static bool part_read(struct debug_code *code, const Dwarf_Die *die,
		      struct debug_spaces *part, Dwarf_Die *function)
{
	Dwarf_Die at, next;
	bool any = false;

	part->nr = 0;
	if (!dwarf_diecu((Dwarf_Die *)die, &at, NULL, NULL))
		return false;
	while (way_find(code, &at, die, &next) && next.addr != die->addr) {
		at = next;
		if (dwarf_tag(&at) == DW_TAG_subprogram) {
			any = true;
			*function = at;
			part->nr = 0;
		} else if (debug_is_space(&at) && part->nr < DEBUG_SPACES_MAX) {
			part->list[part->nr++] = space_of(&at);
		}
	}
	return any;
}

void debug_spaces_read(struct debug_code *code, Dwarf_Die *die,
		       struct debug_spaces *spaces)
{
	Dwarf_Die at = *die, function;
	struct debug_spaces part;
	bool more = true;

	spaces->nr = 0;
	for (int i = 0; more && i < CHAIN_MAX; i++) {
		debug_declared(&at);
		more = part_read(code, &at, &part, &function);
		if (spaces->nr + part.nr > DEBUG_SPACES_MAX)
			break;
		memmove(spaces->list + part.nr, spaces->list,
			spaces->nr * sizeof(*spaces->list));
		memcpy(spaces->list, part.list,
		       part.nr * sizeof(*spaces->list));
		spaces->nr += part.nr;
		if (more)
			at = function;
	}
}

static bool is_same(const struct debug_space *a, const struct debug_space *b)
{
	return a->name && b->name ? !strcmp(a->name, b->name)
				  : a->name == b->name;
}

bool debug_spaces_are_same(const struct debug_spaces *a,
			   const struct debug_spaces *b)
{
	if (a->nr != b->nr)
		return false;
	for (unsigned int i = 0; i < a->nr; i++)
		if (!is_same(&a->list[i], &b->list[i]))
			return false;
	return true;
}

int debug_spaces_depth(const struct debug_spaces *around,
		       const struct debug_spaces *of)
{
	unsigned int depth = 0;

	for (unsigned int i = 0; i < of->nr; i++) {
		if (depth < around->nr &&
		    is_same(&around->list[depth], &of->list[i]))
			depth++;
		else if (!of->list[i].is_open)
			return -1;
	}
	return depth;
}

void debug_spaces_write(const struct debug_spaces *spaces, struct text *text)
{
	for (unsigned int i = 0; i < spaces->nr; i++)
		text_printf(text, "%s::", spaces->list[i].name ?: "(unnamed)");
}
