// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Variables: debug_variable.h. */
#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "debug_global.h"
#include "debug_language.h"
#include "debug_line.h"
#include "debug_type.h"
#include "debug_variable.h"
#include "kernel/btf.h"
#include "session/passing.h"

/* In a message. */
#define NAMES_MAX 8
/* Of all blocks. */
#define VARIABLES_MAX 4096
/* Numbers with a point are passed in so many registers of their own. */
#define FLOATS_MAX 8

/* ---- finding ----------------------------------------------------------------- */

struct search {
	struct debug_code *code;
	const char *name;
	Dwarf_Die found;
	bool any;      /* @found is one */
	bool declared; /* it is only a declaration */
};

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

static bool is_named(Dwarf_Die *die, const char *name)
{
	const char *own = is_variable(die) ? debug_name(die) : NULL;

	return own && !strcmp(own, name);
}

/* Among those of the block itself. */
static enum debug_way own_visit(Dwarf_Die *die, void *data)
{
	struct search *search = data;

	if (!is_named(die, search->name))
		return DEBUG_OVER;
	search->any = true;
	search->found = *die;
	/* `extern' in a function: another one is meant. */
	search->declared = debug_is_declaration(die);
	return DEBUG_STOP;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/*
 * In a function or block, not in those within it.  What the compiler has left of it may lack what it
 * was made from.
 */
static void scope_find(struct search *search, Dwarf_Die *scope)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;

	debug_walk(search->code, scope, own_visit, search);
	if (!search->any &&
	    dwarf_attr(scope, DW_AT_abstract_origin, &attribute) &&
	    dwarf_formref_die(&attribute, &origin))
		debug_walk(search->code, &origin, own_visit, search);
}

/* What the instruction is in, up to the function that is meant, and the blocks of that. */
static void scopes_find(struct debug_code *code,
			const struct debug_where *where,
			struct debug_scopes *scopes)
{
	unsigned int i = 0;
	Dwarf_Die owner;

	debug_scopes(code, where->address, scopes);
	while (where->standing && i < scopes->nr)
		if (dwarf_tag(&scopes->list[i++]) == DW_TAG_inlined_subroutine)
			scopes->nr = i - 1;
	while (i < scopes->nr && scopes->list[i].addr != where->owner)
		i++;
	/* What was put here may have no instruction of its own that is left. */
	if (where->owner && i == scopes->nr && i < DEBUG_SCOPES_MAX &&
	    dwarf_die_addr_die(code->dwarf, (void *)where->owner, &owner))
		scopes->list[scopes->nr++] = owner;
	while (++i < scopes->nr)
		if (is_function(&scopes->list[i]))
			scopes->nr = i;
}

/* Which of them is the innermost function: what it was put into is not around it in the source. */
static unsigned int scopes_first(struct debug_scopes *scopes)
{
	unsigned int i = scopes->nr;

	while (i-- > 1)
		if (is_function(&scopes->list[i]))
			return i;
	return 0;
}

/* ---- messages ------------------------------------------------------------------ */

/* "FUNCTION+0xOFFSET (line N)". */
static void place_text(struct debug_code *code, uint64_t address, char *text,
		       size_t size)
{
	uint64_t offset = 0;
	const char *name = debug_code_symbol(code, address, &offset);
	unsigned int line = debug_line_of(code, address, NULL);

	if (name && offset)
		snprintf(text, size, "%s+0x%" PRIx64, name, offset);
	else if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "0x%" PRIx64, address);
	if (line)
		snprintf(text + strlen(text), size - strlen(text), " (line %u)",
			 line);
}

static int absent_refuse(struct debug_code *code,
			 const struct debug_where *where, Dwarf_Die *function,
			 Dwarf_Die *variable, const char *name)
{
	uint64_t next = debug_location_next(code, where, function, variable);
	char place[256];

	if (!next)
		return error_set(-EINVAL,
				 "`%s': it is optimised out here, and behind "
				 "it in this scope",
				 name);
	place_text(code, next, place, sizeof(place));
	return error_set(-EINVAL,
			 "`%s': it is optimised out here; it is there from %s "
			 "on",
			 name, place);
}

struct names {
	struct text text;
	const char *seen[NAMES_MAX];
	unsigned int nr;
	bool more;
};

static enum debug_way names_visit(Dwarf_Die *die, void *data)
{
	struct names *names = data;
	const char *name = is_variable(die) ? debug_name(die) : NULL;

	if (!name)
		return DEBUG_OVER;
	for (unsigned int i = 0; i < names->nr; i++)
		if (!strcmp(names->seen[i], name))
			return DEBUG_OVER;
	if (names->nr == NAMES_MAX) {
		names->more = true;
		return DEBUG_STOP;
	}
	text_printf(&names->text, "%s%s", names->nr ? ", " : "", name);
	names->seen[names->nr++] = name;
	return DEBUG_OVER;
}

static int unknown_refuse(struct debug_code *code, struct debug_scopes *scopes,
			  const char *name)
{
	struct names names = {.nr = 0};
	int err;

	for (unsigned int i = scopes->nr, first = scopes_first(scopes);
	     i-- > first && !names.more;)
		debug_walk(code, &scopes->list[i], names_visit, &names);
	if (!names.nr || names.text.failed)
		err = error_set(-ENOENT, "there is no variable `%s' here%s",
				name,
				scopes->nr ? ""
					   : ": it is in no function of "
					     "the debugging information");
	else
		err = error_set(-ENOENT,
				"there is no variable `%s' here, but %s%s",
				name, names.text.s, names.more ? " ..." : "");
	text_free(&names.text);
	return err;
}

/* ---- parameters where a function begins ------------------------------------------ */

/* The next parameter has *@nr words from *@word on.  False: nobody knows. */
static bool parameter_pass(struct debug_code *code, struct passing *passing,
			   unsigned int *floats, Dwarf_Die *parameter, int type,
			   unsigned int *word, unsigned int *nr)
{
	const struct btf_type *t = type_resolve(code->btf, type);

	*nr = 0;
	if (!debug_is_passed_as_in_c(parameter))
		passing->lost = true;
	if (passing->lost)
		return false;
	if (t && btf_is_float(t) && t->size <= 8 && *floats < FLOATS_MAX) {
		++*floats;
		return true;
	}
	return passing_next(passing, code->btf, type, word, nr);
}

static int parameter_take(struct debug_code *code, int type, unsigned int word,
			  unsigned int nr, const char *name,
			  struct expression *e)
{
	static const char *const registers[PASSING_REGISTERS] = {
		"di", "si", "dx", "cx", "r8", "r9"};
	struct expression_piece *pieces;

	*e = (struct expression){.btf = code->btf, .type = type};
	if (!nr)
		return error_set(-EINVAL,
				 "`%s': it is in a register for floating point "
				 "numbers, or has no bytes",
				 name);
	if (word >= PASSING_REGISTERS) {
		e->offset = 8 * (word - PASSING_REGISTERS + 1);
		text_puts(&e->words, "sp");
	} else if (nr == 1) {
		e->is_value = true;
		text_puts(&e->words, registers[word]);
	} else {
		pieces = arena_alloc(&code->arena, 3 * sizeof(*pieces));
		if (!pieces)
			return error_set(-ENOMEM, "out of memory");
		for (unsigned int i = 0; i < 2; i++)
			pieces[i] = (struct expression_piece){
				8 * i, 8, true, registers[word + i]};
		e->pieces = pieces;
	}
	return e->words.failed ? error_set(-ENOMEM, "out of memory") : 0;
}

/* The result decides where the first argument is. */
static bool result_pass(struct debug_code *code, Dwarf_Die *function,
			struct passing *passing)
{
	int type = debug_type_of(code, function);
	const struct btf_type *t;

	if (type < 0)
		return false;
	t = type_resolve(code->btf, type);
	if (!debug_is_passed_as_in_c(function))
		*passing = (struct passing){.lost = true};
	else if (t && btf_is_float(t) && t->size <= 16)
		*passing = (struct passing){0};
	else
		passing_begin(passing, code->btf, type);
	return true;
}

/* By the calling convention.  -ENOENT: it is no parameter of this function. */
static int passed_begin(struct debug_code *code, Dwarf_Die *function,
			Dwarf_Die *parameter, const char *name,
			struct expression *e)
{
	unsigned int floats = 0, word = 0, nr = 0;
	struct passing passing;
	Dwarf_Die child;
	bool known;

	if (!result_pass(code, function, &passing) ||
	    dwarf_child(function, &child))
		return -ENOENT;
	do {
		int type;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		type = debug_type_of(code, &child);
		if (type < 0)
			return type;
		known = parameter_pass(code, &passing, &floats, &child, type,
				       &word, &nr);
		if (child.addr != parameter->addr)
			continue;
		if (!known)
			return error_set(-EINVAL,
					 "`%s': nobody knows where it is "
					 "passed: name registers, as %%di",
					 name);
		return parameter_take(code, type, word, nr, name, e);
	} while (!dwarf_siblingof(&child, &child));
	return -ENOENT;
}

/* The compiler's copies of functions are called in ways of their own. */
static bool is_copy(struct debug_code *code, uint64_t address)
{
	uint64_t offset = 0;
	const char *name = debug_code_symbol(code, address, &offset);

	return name && strchr(name, '.');
}

/* Where a parameter of the function is put by its first instructions.  0: it is there already. */
static uint64_t settled_at(struct debug_code *code, Dwarf_Die *function,
			   Dwarf_Die *parameter, uint64_t address)
{
	uint64_t entry, next;

	if (dwarf_tag(parameter) != DW_TAG_formal_parameter ||
	    !debug_location_is_late(function, parameter) ||
	    !debug_entry(function, &entry) || address < entry)
		return 0;
	next = debug_line_next(code, entry);
	return next && address < next && dwarf_haspc(function, next) > 0 ? next
									 : 0;
}

/*
 * There the code may not have run yet that puts a parameter of @function where it is told to be.
 * -ENOENT: it has, or it is no such parameter.
 */
static int early_begin(struct debug_code *code, const struct debug_where *where,
		       Dwarf_Die *function, Dwarf_Die *variable,
		       const char *name, struct expression *e)
{
	uint64_t settled = settled_at(code, function, variable, where->address);
	uint64_t entry = 0;
	char place[256];
	bool copy;
	int err;

	if (!settled || !debug_entry(function, &entry))
		return -ENOENT;
	copy = is_copy(code, entry);
	if (entry == where->address && !copy) {
		err = passed_begin(code, function, variable, name, e);
		if (err != -ENOENT)
			return err;
	}
	place_text(code, settled, place, sizeof(place));
	return error_set(-EINVAL,
			 "`%s': it is not yet where the function keeps it: it "
			 "is there from %s on%s",
			 name, place,
			 copy ? "" : ", and where the function begins");
}

/* ---- one variable ------------------------------------------------------------------ */

static int pieces_begin(struct debug_code *code, int type,
			const struct debug_location *location,
			struct expression *e)
{
	struct expression_piece *pieces =
		arena_alloc(&code->arena, (location->nr + 1) * sizeof(*pieces));

	if (!pieces)
		return error_set(-ENOMEM, "out of memory");
	for (unsigned int i = 0; i < location->nr; i++) {
		const struct debug_piece *from = &location->pieces[i];

		if (from->begin + from->size > UINT32_MAX)
			break;
		pieces[i] = (struct expression_piece){
			.begin = from->begin,
			.size = from->size,
			.is_value = from->is_value,
			.words = *from->words ? arena_strdup(&code->arena,
							     from->words)
					      : NULL,
		};
		if (*from->words && !pieces[i].words)
			return error_set(-ENOMEM, "out of memory");
	}
	expression_begin_pieces(e, code->btf, type, pieces);
	return 0;
}

static int located_begin(struct debug_code *code, int type,
			 const struct debug_location *location,
			 const char *name, struct expression *e)
{
	const struct debug_piece *first = location->pieces;
	const struct btf_type *t = type_resolve(code->btf, type);
	long long size = btf__resolve_size(code->btf, type);

	/* The upper part of a number may be left out if nobody uses it. */
	if (location->nr == 1 &&
	    (!first->size || (size > 0 && (uint64_t)size <= first->size))) {
		*e = (struct expression){
			.btf = code->btf,
			.type = type,
			.is_value = first->is_value,
		};
		text_puts(&e->words, first->words);
		return e->words.failed ? error_set(-ENOMEM, "out of memory")
				       : 0;
	}
	if (t && btf_is_composite(t))
		return pieces_begin(code, type, location, e);
	return error_set(-EINVAL,
			 "`%s': the compiler keeps it in several places here",
			 name);
}

/*
 * The first statements of a function may be done when its code begins, by counting them in later
 * on: then debugging information tells there what a parameter will be.  What was passed is wanted.
 */
static void passed_take(struct debug_code *code,
			const struct debug_where *where, Dwarf_Die *function,
			Dwarf_Die *variable, const char *name,
			struct expression *e)
{
	struct expression passed = {0};
	uint64_t entry;
	size_t length;

	if (dwarf_tag(variable) != DW_TAG_formal_parameter || !e->is_value ||
	    !debug_entry(function, &entry) || entry != where->address ||
	    is_copy(code, entry) ||
	    passed_begin(code, function, variable, name, &passed)) {
		expression_end(&passed);
		return;
	}
	length = passed.words.len;
	if (passed.is_value && !strncmp(e->words.s, passed.words.s, length) &&
	    e->words.s[length] == ' ') {
		expression_end(e);
		*e = passed;
	} else {
		expression_end(&passed);
	}
}

/* Of the scope @index of those; without one, it is in no function. */
static int variable_take(struct debug_code *code,
			 const struct debug_where *where,
			 struct debug_scopes *scopes, unsigned int index,
			 Dwarf_Die *variable, const char *name,
			 struct expression *e)
{
	Dwarf_Die *function = scopes->nr ? &scopes->list[0] : NULL;
	struct debug_location location;
	int err = -ENOENT, type;

	if (!index && function)
		err = early_begin(code, where, function, variable, name, e);
	if (err != -ENOENT)
		return err;
	err = debug_location_find(code, where, function, variable, &location);
	if (err == -ENOENT)
		return absent_refuse(code, where, function, variable, name);
	if (err)
		return error_set(-EINVAL, "`%s': %s", name, location.why);
	type = debug_type_of(code, variable);
	if (type < 0)
		return type;
	err = located_begin(code, type, &location, name, e);
	if (!err && !index && function)
		passed_take(code, where, function, variable, name, e);
	return err;
}

/* What has no place at all. */
static bool is_nowhere(Dwarf_Die *variable)
{
	return !dwarf_hasattr_integrate(variable, DW_AT_location) &&
	       !dwarf_hasattr_integrate(variable, DW_AT_const_value);
}

int debug_variable_begin(struct debug_code *code,
			 const struct debug_where *where, const char *name,
			 struct expression *e)
{
	struct search search = {.code = code, .name = name};
	struct debug_global global;
	struct debug_scopes scopes;
	unsigned int index, first;
	int err;

	*e = (struct expression){0};
	debug_search(code);
	scopes_find(code, where, &scopes);
	if (scopes.cut)
		return error_set(
			-EINVAL,
			"`%s': it is in more than %d blocks and functions within each other",
			name, DEBUG_SCOPES_MAX);
	first = scopes_first(&scopes);
	for (index = scopes.nr; index-- > first;) {
		scope_find(&search, &scopes.list[index]);
		if (search.any)
			break;
	}
	if (!search.any || search.declared) {
		index = UINT32_MAX;
		err = debug_global_find(code,
					scopes.nr ? &scopes.list[first] : NULL,
					where->address, name, &global);
		if (err)
			return err;
		search.any = global.any;
		search.declared = global.declared;
		search.found = global.die;
	}
	if (!search.any)
		return unknown_refuse(code, &scopes, name);
	if (search.declared)
		return error_set(
			-EINVAL,
			"`%s': only its declaration is known: it is in "
			"another program or library, or in assembly",
			name);
	if (is_nowhere(&search.found))
		debug_global_place(code, where->address, &search.found);
	if (is_nowhere(&search.found))
		return error_set(-EINVAL,
				 "`%s': it is optimised out in all of its "
				 "scope",
				 name);
	return variable_take(code, where, &scopes, index, &search.found, name,
			     e);
}

/* ---- all of them --------------------------------------------------------------------- */

struct listing {
	struct debug_code *code;
	const struct debug_where *where;
	struct debug_scopes scopes;
	unsigned int index;
	int (*use)(const struct debug_variable *variable, void *data);
	void *data;
	struct table seen;
	int err;
};

static bool is_seen(struct listing *l, const char *name)
{
	uint64_t hash = table_hash(name, strlen(name));
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&l->seen, hash, slot)))
		if (!strcmp(slot->value, name))
			return true;
	if (table_add(&l->seen, hash, (void *)name))
		l->err = error_set(-ENOMEM, "out of memory");
	return l->err;
}

static enum debug_way list_visit(Dwarf_Die *die, void *data)
{
	struct listing *l = data;
	struct debug_variable variable = {
		.name = is_variable(die) ? debug_name(die) : NULL,
		.is_parameter = dwarf_tag(die) == DW_TAG_formal_parameter,
	};
	struct expression e = {0};
	int type;

	if (!variable.name || l->seen.nr == VARIABLES_MAX ||
	    is_seen(l, variable.name))
		return l->err ? DEBUG_STOP : DEBUG_OVER;
	type = debug_type_of(l->code, die);
	if (type < 0)
		return DEBUG_OVER;
	variable.type = type;
	variable.is_here = !debug_is_declaration(die) &&
			   !variable_take(l->code, l->where, &l->scopes,
					  l->index, die, variable.name, &e);
	expression_end(&e);
	l->err = l->use(&variable, l->data);
	return l->err ? DEBUG_STOP : DEBUG_OVER;
}

int debug_variables_each(struct debug_code *code,
			 const struct debug_where *where,
			 int (*use)(const struct debug_variable *variable,
				    void *data),
			 void *data)
{
	struct listing l = {
		.code = code, .where = where, .use = use, .data = data};
	unsigned int first;

	debug_search(code);
	scopes_find(code, where, &l.scopes);
	first = scopes_first(&l.scopes);
	for (l.index = l.scopes.nr; l.index-- > first && !l.err;)
		debug_walk(code, &l.scopes.list[l.index], list_visit, &l);
	table_free(&l.seen);
	return l.err;
}

int debug_variable_proto(struct debug_code *code, uint64_t address,
			 const struct btf_type **proto)
{
	struct debug_scopes scopes;
	uint64_t entry;
	int id;

	debug_search(code);
	if (!debug_scopes(code, address, &scopes) ||
	    !debug_entry(&scopes.list[0], &entry) || entry != address)
		return error_set(-ENOENT, "no function begins there, by the "
					  "debugging information");
	id = debug_type_proto(code, &scopes.list[0]);
	if (id < 0)
		return id;
	*proto = btf__type_by_id(code->btf, id);
	return 0;
}
