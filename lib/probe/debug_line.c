// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Lines: debug_line.h.
 *
 * The table of lines tells for each instruction where it is from, but not which copy of a function
 * it belongs to.  So of all that begin a statement of a line, one is taken for each function, and
 * for each place where a function was put.
 */
#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/text.h"
#include "debug_line.h"

#define PLACES_MAX 65536
/* In a message. */
#define NAMES_MAX 4

/* One place of each of them. */
struct candidate {
	uint64_t address;
	bool apart;	 /* it is in a part of the function that seldom runs */
	Dwarf_Die owner; /* the function, or where it was put */
	const char *file;
	unsigned int line;
	unsigned int said; /* the line, as it would be said */
};

struct search {
	struct debug_code *code;
	const char *name; /* FUNCTION or FILE */
	size_t length;
	bool is_file;
	unsigned int line; /* as it was said */
	bool all;	   /* all lines are wanted */
	Dwarf_Die *unit;
	/* The same function may be declared in several units. */
	const char *file;      /* of its declaration */
	unsigned int declared; /* its line */
	struct candidate *list;
	size_t nr;
	struct table owners; /* numbers of those, from 1 on */
	/* Lines near that have code, as they would be said; 0: none. */
	unsigned int below, above;
	bool known;   /* there is such a function or file */
	bool defined; /* the unit has more than a declaration of the function */
	struct debug_range *parts; /* all code of the function in the unit */
	size_t nr_parts;
	int err;
};

/* ---- lines and files ----------------------------------------------------------- */

/* Is it the end of the path, from a slash on? */
static bool path_ends(const char *path, const char *end, size_t length)
{
	size_t whole = strlen(path);

	return whole >= length && !memcmp(path + whole - length, end, length) &&
	       (whole == length || *end == '/' ||
		path[whole - length - 1] == '/');
}

static unsigned int line_number(Dwarf_Line *line)
{
	int number = 0;

	return dwarf_lineno(line, &number) || number < 0 ? 0 : number;
}

static bool is_statement(Dwarf_Line *line)
{
	bool begins = false, ends = false;

	return !dwarf_linebeginstatement(line, &begins) && begins &&
	       !dwarf_lineendsequence(line, &ends) && !ends;
}

unsigned int debug_line_of(struct debug_code *code, uint64_t address,
			   const char **file)
{
	Dwarf_Die *unit = debug_unit(code, address);
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address) : NULL;

	if (file)
		*file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	return line ? line_number(line) : 0;
}

uint64_t debug_line_next(struct debug_code *code, uint64_t address)
{
	Dwarf_Die *unit = debug_unit(code, address);
	Dwarf_Lines *lines;
	Dwarf_Addr at;
	size_t nr;

	if (!unit || dwarf_getsrclines(unit, &lines, &nr))
		return 0;
	/* They are by address. */
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);

		if (is_statement(line) && !dwarf_lineaddr(line, &at) &&
		    at > address)
			return at;
	}
	return 0;
}

/* ---- functions -------------------------------------------------------------------- */

static bool is_called(Dwarf_Die *function, const struct search *s)
{
	const char *name = debug_name(function);

	if (name && strlen(name) == s->length &&
	    !memcmp(name, s->name, s->length))
		return true;
	name = debug_linkage_name(function);
	return name && strlen(name) == s->length &&
	       !memcmp(name, s->name, s->length);
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static uint64_t candidate_key(const struct candidate *c)
{
	return (uintptr_t)c->owner.addr + c->said * 0x9e3779b97f4a7c15ull;
}

/* The one of the same owner and line; NULL: none. */
static struct candidate *candidate_find(const struct search *s,
					const struct candidate *wanted)
{
	const struct table_slot *slot = NULL;
	struct candidate *c;

	while ((slot = table_next(&s->owners, candidate_key(wanted), slot))) {
		c = &s->list[(uintptr_t)slot->value - 1];
		if (c->owner.addr == wanted->owner.addr &&
		    c->said == wanted->said)
			return c;
	}
	return NULL;
}

/* One for each owner and line: that at the lowest address of what usually runs. */
static void candidate_add(struct search *s, const struct candidate *new)
{
	struct candidate *more, *c = candidate_find(s, new);

	if (c) {
		if (new->apart < c->apart ||
		    (new->apart == c->apart &&new->address < c->address))
			*c = *new;
		return;
	}
	more = s->nr < PLACES_MAX ? array_grow(s->list, s->nr, sizeof(*more))
				  : NULL;
	s->list = more ?: s->list;
	if (!more || table_add(&s->owners, candidate_key(new),
			       (void *)(uintptr_t)(s->nr + 1))) {
		s->err = error_set(-ENOMEM, s->nr < PLACES_MAX
						    ? "out of memory"
						    : "it is at too many "
						      "places");
		return;
	}
	more[s->nr++] = *new;
}

/* Into what may have code. */
static enum debug_way code_way(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return DEBUG_INTO;
	default:
		return debug_is_space(die) ? DEBUG_INTO : DEBUG_OVER;
	}
}

static enum debug_way entry_visit(Dwarf_Die *die, void *data)
{
	struct candidate new = {.owner = *die};
	struct search *s = data;
	int line = 0;

	if (is_function(die) && is_called(die, s)) {
		s->known = true;
		new.file = dwarf_decl_file(die);
		if (!dwarf_decl_line(die, &line) && line > 0)
			new.line = line;
		if (debug_entry(die, &new.address) &&
		    debug_unit(s->code, new.address))
			candidate_add(s, &new);
	}
	return s->err ? DEBUG_STOP : code_way(die);
}

static enum debug_way parts_visit(Dwarf_Die *die, void *data)
{
	Dwarf_Addr base, begin, end;
	struct debug_range *more;
	struct search *s = data;
	ptrdiff_t at = 0;

	if (!is_function(die) || !is_called(die, s))
		return code_way(die);
	while (s->nr_parts < PLACES_MAX &&
	       (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
		more = array_grow(s->parts, s->nr_parts, sizeof(*more));
		if (!more)
			return DEBUG_STOP;
		s->parts = more;
		more[s->nr_parts++] = (struct debug_range){begin, end, 0};
	}
	return code_way(die);
}

/* Does the unit have a function of this name?  What was put elsewhere has its origin there. */
static enum debug_way name_visit(Dwarf_Die *die, void *data)
{
	struct search *s = data;
	int line = 0;

	if (dwarf_tag(die) != DW_TAG_subprogram)
		return debug_is_space(die) ? DEBUG_INTO : DEBUG_OVER;
	if (!is_called(die, s))
		return DEBUG_OVER;
	s->known = true;
	if (debug_is_declaration(die))
		return DEBUG_OVER;
	s->declared = dwarf_decl_line(die, &line) || line < 0 ? 0 : line;
	s->file = dwarf_decl_file(die);
	s->defined = true;
	return DEBUG_STOP;
}

/* Calls @use with each unit that may have code of the function. */
static void function_units(struct search *s, void (*use)(struct search *s))
{
	struct debug_code *code = s->code;
	bool *named = debug_units_named(code, s->name, s->length);
	bool everywhere = false;

	/* Whole programs are optimised in units of their own, which refer to others. */
	for (size_t i = 0; i < code->nr_units && !everywhere; i++) {
		Dwarf_Addr base, begin, end;

		if (named && !named[i])
			continue;
		s->defined = false;
		s->unit = &code->units[i];
		debug_walk(code, s->unit, name_visit, s);
		everywhere = s->defined &&
			     dwarf_ranges(s->unit, 0, &base, &begin, &end) <= 0;
		if (s->defined && !everywhere)
			use(s);
	}
	free(named);
	for (size_t i = 0; i < code->nr_units && everywhere && !s->err; i++) {
		s->unit = &code->units[i];
		use(s);
	}
}

static void entries_find(struct search *s)
{
	debug_walk(s->code, s->unit, entry_visit, s);
}

/* ---- whose line it is --------------------------------------------------------------- */

/*
 * The line may be that of a function, or of one that was put into it there.  It belongs to the one
 * whose declaration is nearest above.
 */
static Dwarf_Die *owner_find(struct debug_scopes *scopes, const char *file,
			     unsigned int line)
{
	Dwarf_Die *owner = NULL;
	int best = -1, declared;
	const char *own;

	for (unsigned int i = 0; i < scopes->nr; i++) {
		Dwarf_Die *die = &scopes->list[i];

		if (!is_function(die) || dwarf_decl_line(die, &declared) ||
		    declared < 0 || (unsigned int)declared > line ||
		    declared < best)
			continue;
		own = dwarf_decl_file(die);
		if (!own || !file || strcmp(own, file))
			continue;
		best = declared;
		owner = die;
	}
	for (unsigned int i = scopes->nr; i-- && !owner;)
		if (is_function(&scopes->list[i]))
			owner = &scopes->list[i];
	return owner;
}

/* Is it outside of the part of the function that it begins with? */
static bool is_apart(Dwarf_Die *function, uint64_t address)
{
	Dwarf_Addr base, begin, end;
	uint64_t entry;
	ptrdiff_t at = 0;

	if (!debug_entry(function, &entry))
		return false;
	for (int i = 0; i < 64 && (at = dwarf_ranges(function, at, &base,
						     &begin, &end)) > 0;
	     i++)
		if (address >= begin && address < end)
			return entry < begin || entry >= end;
	return false;
}

/* Is it nearer than the lines that are known to have code?  Lines are as they would be said. */
static bool is_nearer(const struct search *s, unsigned int said)
{
	return (said < s->line && said > s->below) ||
	       (said > s->line && (!s->above || said < s->above));
}

static bool is_in_parts(const struct search *s, uint64_t address)
{
	for (size_t i = 0; i < s->nr_parts; i++)
		if (address >= s->parts[i].begin && address < s->parts[i].end)
			return true;
	return s->is_file;
}

/* A statement of the file begins at @address. */
static void statement_note(struct search *s, uint64_t address, const char *file,
			   unsigned int line)
{
	unsigned int from = s->is_file ? 0 : s->declared;
	struct candidate new = {
		.address = address,
		.file = file,
		.line = line,
		.said = line - from,
	};
	bool exact = s->all || new.said == s->line;
	struct debug_scopes scopes;
	Dwarf_Die *owner = NULL;

	/* Line 0 of a function is where it begins, which is found elsewhere. */
	if (line <= from || (!exact && !is_nearer(s, new.said)) ||
	    !is_in_parts(s, address) || debug_unit(s->code, address) != s->unit)
		return;
	if ((exact || !s->is_file) && debug_scopes(s->code, address, &scopes))
		owner = owner_find(&scopes, file, line);
	if (!s->is_file && (!owner || !is_called(owner, s)))
		return;
	if (!exact) {
		*(new.said < s->line ? &s->below : &s->above) = new.said;
		return;
	}
	new.owner = owner ? *owner : *s->unit;
	new.apart = owner &&is_apart(owner, address);
	candidate_add(s, &new);
}

static bool is_wanted(const struct search *s, const char *file)
{
	return s->is_file ? path_ends(file, s->name, s->length)
			  : s->file && !strcmp(file, s->file);
}

/* One unit: the table says for each of its files whether it is the one. */
static void lines_find(struct search *s)
{
	Dwarf_Files *files, *own;
	Dwarf_Lines *lines;
	size_t nr, nr_files, index;
	Dwarf_Addr address;
	bool *wanted, any = false;

	if (dwarf_getsrclines(s->unit, &lines, &nr) ||
	    dwarf_getsrcfiles(s->unit, &files, &nr_files))
		return;
	wanted = calloc(nr_files + 1, sizeof(*wanted));
	for (size_t i = 0; wanted && i < nr_files; i++) {
		const char *file = dwarf_filesrc(files, i, NULL, NULL);

		wanted[i] = file && is_wanted(s, file);
		any |= wanted[i];
	}
	if (s->is_file)
		s->known |= any;
	for (size_t i = 0; any && !s->err && i < nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);

		if (!dwarf_line_file(line, &own, &index) && index < nr_files &&
		    wanted[index] && is_statement(line) &&
		    !dwarf_lineaddr(line, &address))
			statement_note(s, address,
				       dwarf_filesrc(own, index, NULL, NULL),
				       line_number(line));
	}
	free(wanted);
}

/* ---- messages ------------------------------------------------------------------------ */

/* Names of files with the same beginning, as "inode.c, input.c". */
static void files_list(struct search *s, struct text *names)
{
	const char *slash = memrchr(s->name, '/', s->length);
	const char *base = slash ? slash + 1 : s->name;
	size_t same = s->length - (base - s->name), nr_files;
	unsigned int nr = 0;
	Dwarf_Files *files;

	same = same > 3 ? 3 : same;
	for (size_t i = 0; i < s->code->nr_units && nr < NAMES_MAX; i++) {
		if (dwarf_getsrcfiles(&s->code->units[i], &files, &nr_files))
			continue;
		for (size_t k = 0; k < nr_files && nr < NAMES_MAX; k++) {
			const char *file = dwarf_filesrc(files, k, NULL, NULL);
			const char *own = file ? strrchr(file, '/') : NULL;

			own = own ? own + 1 : file;
			/* A known file in another folder is shown with that. */
			if (!own || strncmp(own, base, same) ||
			    (names->s && strstr(names->s, own)))
				continue;
			text_printf(names, "%s%s", nr++ ? ", " : "",
				    slash ? file : own);
		}
	}
}

static int unknown_refuse(struct search *s)
{
	struct text names = {0};
	int err;

	if (!s->is_file)
		return error_set(-ENOENT,
				 "the debugging information has no function "
				 "`%.*s'",
				 (int)s->length, s->name);
	files_list(s, &names);
	err = error_set(-ENODATA,
			"the debugging information has no file `%.*s'%s%s",
			(int)s->length, s->name, names.len ? ", but " : "",
			names.len && !names.failed ? names.s : "");
	text_free(&names);
	return err;
}

static int line_refuse(const struct search *s)
{
	char near[64] = "";

	if (s->below && s->above)
		snprintf(near, sizeof(near), ": %u and %u have", s->below,
			 s->above);
	else if (s->below || s->above)
		snprintf(near, sizeof(near), ": %u has", s->below ?: s->above);
	return error_set(-ENOENT, "line %u has no code%s", s->line, near);
}

/* ---- places --------------------------------------------------------------------------- */

static int candidate_compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->said != y->said)
		return x->said < y->said ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static int places_make(struct search *s, struct debug_place **places,
		       size_t *nr)
{
	struct debug_place *list = calloc(s->nr, sizeof(*list));
	size_t kept = 0;

	if (!list)
		return error_set(-ENOMEM, "out of memory");
	qsort(s->list, s->nr, sizeof(*s->list), candidate_compare);
	for (size_t i = 0; i < s->nr; i++) {
		struct candidate *c = &s->list[i];
		struct debug_place *place = &list[kept];

		/* One that begins with another one is as good as that. */
		if (i && c[-1].address == c->address && c[-1].said == c->said)
			continue;
		place->address = c->address;
		place->symbol =
			debug_code_symbol(s->code, c->address, &place->offset);
		if (dwarf_tag(&c->owner) == DW_TAG_inlined_subroutine)
			place->inlined = debug_name(&c->owner);
		place->owner = c->owner.addr;
		place->file = c->file;
		place->line = c->line;
		place->said = c->said;
		kept++;
	}
	*places = list;
	*nr = kept;
	return 0;
}

static void line_find(struct search *s)
{
	if (!s->line)
		entries_find(s);
	if (!s->line && !s->all)
		return;
	s->nr_parts = 0;
	debug_walk(s->code, s->unit, parts_visit, s);
	if (s->nr_parts)
		lines_find(s);
}

/*
 * The file of a unit is in no other one, as a rule.  So others are read only if it has no code
 * there, as a header: their tables take time and memory.
 */
static void file_find(struct search *s)
{
	struct debug_code *code = s->code;

	for (int all = 0; all < 2 && !s->nr && !s->below && !s->above; all++) {
		for (size_t i = 0; i < code->nr_units && !s->err; i++) {
			const char *name = debug_name(&code->units[i]);

			s->unit = &code->units[i];
			if (all ||
			    (name && path_ends(name, s->name, s->length)))
				lines_find(s);
		}
	}
}

/* "WHAT" or "WHAT:LINE". */
static int text_parse(struct search *s, const char *text, bool *has_line)
{
	const char *colon = strrchr(text, ':');
	unsigned long line;
	char *end;

	s->name = text;
	s->length = strlen(text);
	*has_line = colon && isdigit((unsigned char)colon[1]);
	if (*has_line) {
		errno = 0;
		line = strtoul(colon + 1, &end, 10);
		if (*end || errno || line > INT32_MAX)
			return error_set(-EINVAL, "`%s' is no number of a line",
					 colon + 1);
		s->line = line;
		s->length = colon - text;
	}
	return s->length ? 0
			 : error_set(-EINVAL,
				     "`%s': a function or a file is "
				     "missing",
				     text);
}

static int places_find(struct search *s, bool has_line)
{
	s->is_file = memchr(s->name, '/', s->length) ||
		     (has_line && memchr(s->name, '.', s->length));
	if (!s->is_file)
		function_units(s, has_line ? line_find : entries_find);
	/* There are files without a dot. */
	if (!s->err && !s->known && has_line)
		s->is_file = true;
	if (s->is_file)
		file_find(s);
	if (s->err)
		return s->err;
	if (!s->code->budget)
		return error_set(-EINVAL, "the debugging information makes no "
					  "sense: it does not end");
	if (!s->known)
		return unknown_refuse(s);
	if (!s->nr && has_line && s->line)
		return line_refuse(s);
	if (!s->nr)
		return error_set(
			-ENOENT,
			"the compiler has left out `%.*s', or it is in "
			"another file",
			(int)s->length, s->name);
	return 0;
}

static int search_run(struct search *s, bool has_line,
		      struct debug_place **places, size_t *nr)
{
	int err;

	debug_search(s->code);
	err = places_find(s, has_line);
	err = err ?: places_make(s, places, nr);
	free(s->list);
	free(s->parts);
	table_free(&s->owners);
	return err;
}

int debug_places(struct debug_code *code, const char *text,
		 struct debug_place **places, size_t *nr)
{
	struct search s = {.code = code};
	bool has_line = false;
	int err = text_parse(&s, text, &has_line);

	return err ?: search_run(&s, has_line, places, nr);
}

int debug_lines(struct debug_code *code, const char *name,
		struct debug_place **places, size_t *nr)
{
	struct search s = {
		.code = code,
		.name = name,
		.length = strlen(name),
		.all = true,
	};

	return search_run(&s, true, places, nr);
}
