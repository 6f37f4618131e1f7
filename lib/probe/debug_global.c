// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Variables outside of functions: debug_global.h. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "debug_global.h"
#include "debug_language.h"
#include "debug_space.h"

struct candidate {
	struct debug_global global;
	bool is_member; /* each object has one of its own */
	int depth;
	struct debug_spaces spaces;
};

struct search {
	struct debug_code *code;
	const char *name;
	const struct debug_spaces *around;
	bool exactly;	/* only what is in the same spaces is meant */
	bool elsewhere; /* in another unit, which must define it for all */
	struct candidate known, other;
	bool several; /* variables in the same spaces */
	struct debug_spaces second;
	bool many; /* that are not known, @second has another one */
};

static bool is_static_member(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_member && debug_is_declaration(die);
}

static bool candidate_read(struct search *search, Dwarf_Die *die,
			   struct candidate *c)
{
	int tag = dwarf_tag(die);
	const char *name;
	Dwarf_Die unit;

	if (tag != DW_TAG_variable && tag != DW_TAG_member)
		return false;
	name = debug_name(die);
	if (!name || strcmp(name, search->name))
		return false;
	c->global =
		(struct debug_global){*die, true, debug_is_declaration(die)};
	c->is_member = tag == DW_TAG_member && !is_static_member(die);
	if (search->elsewhere && (c->global.declared || c->is_member ||
				  !debug_flag(die, DW_AT_external)))
		return false;
	c->spaces.nr = 0;
	/* In C there are none, and the units of a kernel are large. */
	if (tag == DW_TAG_member || !dwarf_diecu(die, &unit, NULL, NULL) ||
	    !debug_unit_is_c(&unit))
		debug_spaces_read(search->code, die, &c->spaces);
	c->depth = debug_spaces_depth(search->around, &c->spaces);
	if (search->exactly)
		return debug_spaces_are_same(search->around, &c->spaces);
	/* An object of another class must be named. */
	return !c->is_member || (c->depth >= 0 && c->spaces.nr);
}

static bool is_same_variable(const struct candidate *a,
			     const struct candidate *b)
{
	Dwarf_Die x = a->global.die, y = b->global.die;

	debug_declared(&x);
	debug_declared(&y);
	return x.addr == y.addr;
}

static bool has_place(const struct candidate *c)
{
	Dwarf_Die die = c->global.die;

	return dwarf_hasattr(&die, DW_AT_location) ||
	       dwarf_hasattr(&die, DW_AT_const_value);
}

static void candidate_take(struct search *search, const struct candidate *c)
{
	struct candidate *best = c->depth < 0 ? &search->other : &search->known;
	bool same = best->global.any &&
		    debug_spaces_are_same(&best->spaces, &c->spaces);

	if (!best->global.any || c->depth > best->depth) {
		*best = *c;
		if (c->depth >= 0)
			search->several = false;
	} else if (c->depth < best->depth) {
		return;
	} else if (!same) {
		if (c->depth < 0) {
			search->many = true;
			search->second = c->spaces;
		} else {
			search->several = true;
		}
	} else if (best->global.declared || c->global.declared) {
		if (best->global.declared)
			*best = *c;
	} else if (!is_same_variable(best, c)) {
		search->several |= c->depth >= 0 && !search->elsewhere;
	} else if (!has_place(best)) {
		*best = *c;
	}
}

static enum debug_way global_visit(Dwarf_Die *die, void *data)
{
	struct search *search = data;
	struct candidate c;

	if (debug_is_space(die))
		return DEBUG_INTO;
	if (!candidate_read(search, die, &c))
		return DEBUG_OVER;
	candidate_take(search, &c);
	/* None is nearer. */
	return search->elsewhere && c.depth == (int)search->around->nr
		       ? DEBUG_STOP
		       : DEBUG_OVER;
}

/* In all units, as far as they define it for all. */
static void units_search(struct search *search)
{
	struct debug_code *code = search->code;
	bool *named =
		debug_units_named(code, search->name, strlen(search->name));
	enum debug_way way = DEBUG_OVER;

	search->elsewhere = true;
	for (size_t i = 0; i < code->nr_units && way != DEBUG_STOP; i++)
		if (!named || named[i])
			way = debug_walk(code, &code->units[i], global_visit,
					 search);
	free(named);
}

/* What a declaration stands for. */
static void definition_find(struct debug_code *code, const char *name,
			    const struct debug_spaces *spaces,
			    struct debug_global *global)
{
	struct search search = {
		.code = code, .name = name, .around = spaces, .exactly = true};

	units_search(&search);
	if (search.known.global.any)
		*global = search.known.global;
}

static int many_refuse(const struct search *search)
{
	struct text first = {0}, second = {0};
	int err;

	debug_spaces_write(&search->other.spaces, &first);
	debug_spaces_write(&search->second, &second);
	err = error_set(-EINVAL,
			"`%s': several have this name, and none of them is in "
			"what this function is in: %s%s, %s%s",
			search->name, first.s ?: "", search->name,
			second.s ?: "", search->name);
	text_free(&first);
	text_free(&second);
	return err;
}

static int candidate_use(struct search *search, const struct candidate *c,
			 struct debug_global *global)
{
	if (c->is_member)
		return error_set(-EINVAL,
				 "`%s': it is a member here: write this->%s",
				 search->name, search->name);
	*global = c->global;
	if (global->declared)
		definition_find(search->code, search->name, &c->spaces, global);
	return 0;
}

int debug_global_find(struct debug_code *code, Dwarf_Die *function,
		      uint64_t address, const char *name,
		      struct debug_global *global)
{
	struct debug_spaces around = {.nr = 0};
	struct search own = {.code = code, .name = name, .around = &around};
	struct search others = own;
	Dwarf_Die source, *unit;

	*global = (struct debug_global){.any = false};
	unit = debug_source_unit(code, address, function, &source);
	if (function)
		debug_spaces_read(code, function, &around);
	if (unit)
		debug_walk(code, unit, global_visit, &own);
	if (own.several)
		return error_set(-EINVAL,
				 "`%s': several files of the source have one, "
				 "and nothing tells which one is meant here",
				 name);
	if (own.known.global.any)
		return candidate_use(&own, &own.known, global);
	units_search(&others);
	if (others.known.global.any)
		return candidate_use(&others, &others.known, global);
	if (own.many)
		return many_refuse(&own);
	if (own.other.global.any)
		return candidate_use(&own, &own.other, global);
	if (others.many)
		return many_refuse(&others);
	return others.other.global.any
		       ? candidate_use(&others, &others.other, global)
		       : 0;
}

/* ---- where it is ------------------------------------------------------------- */

struct placing {
	Dwarf_Die of, found;
	bool any;
};

static enum debug_way placing_visit(Dwarf_Die *die, void *data)
{
	struct placing *p = data;
	Dwarf_Die from = *die;

	if (debug_is_space(die))
		return DEBUG_INTO;
	if (dwarf_tag(die) != DW_TAG_variable ||
	    (!dwarf_hasattr(die, DW_AT_location) &&
	     !dwarf_hasattr(die, DW_AT_const_value)))
		return DEBUG_OVER;
	debug_declared(&from);
	if (from.addr != p->of.addr)
		return DEBUG_OVER;
	p->found = *die;
	p->any = true;
	return DEBUG_STOP;
}

void debug_global_place(struct debug_code *code, uint64_t address,
			Dwarf_Die *variable)
{
	Dwarf_Die unit, *own = debug_unit(code, address);
	struct placing p = {.of = *variable};

	debug_declared(&p.of);
	if (!own || !dwarf_diecu(&p.of, &unit, NULL, NULL) ||
	    unit.addr == own->addr)
		return;
	debug_walk(code, own, placing_visit, &p);
	for (size_t i = 0; i < code->nr_units && !p.any; i++)
		debug_walk(code, &code->units[i], placing_visit, &p);
	if (p.any)
		*variable = p.found;
}
