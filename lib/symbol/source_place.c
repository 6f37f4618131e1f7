// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See source_place.h.  libdw reads DWARF.
 *
 * Which unit has an address is looked up in a table of our own: the file's (.debug_aranges) is
 * one that not every compiler writes.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <ktrace/trace.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "source_place.h"

struct range {
	Dwarf_Addr begin, end;
	Dwarf_Die unit;
};

struct source_places {
	Dwarf *dwarf;
	struct range *ranges; /* of all units, by address */
	size_t nr, room;
};

/* ---- units ---------------------------------------------------------------- */

/* Of ranges that begin alike, the shortest is the last: unit_find() looks there. */
static int range_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

static bool range_add(struct source_places *places, Dwarf_Addr begin,
		      Dwarf_Addr end, const Dwarf_Die *unit)
{
	struct range *more;

	/* The linker has left out functions whose code begins at 0. */
	if (!begin || begin >= end)
		return true;
	if (places->nr == places->room) {
		places->room = places->room ? places->room * 2 : 1024;
		more = reallocarray(places->ranges, places->room,
				    sizeof(*more));
		if (!more)
			return false;
		places->ranges = more;
	}
	places->ranges[places->nr++] = (struct range){begin, end, *unit};
	return true;
}

static bool units_read(struct source_places *places)
{
	Dwarf_Addr base, begin, end;
	Dwarf_CU *unit = NULL;
	ptrdiff_t at;
	Dwarf_Die die;

	while (!dwarf_get_units(places->dwarf, unit, &unit, NULL, NULL, &die,
				NULL)) {
		at = 0;
		while ((at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0)
			if (!range_add(places, begin, end, &die))
				return false;
	}
	if (places->nr)
		qsort(places->ranges, places->nr, sizeof(*places->ranges),
		      range_compare);
	return places->nr;
}

struct source_places *source_places_open(Elf *elf)
{
	struct source_places *places = calloc(1, sizeof(*places));

	if (!places)
		return NULL;
	places->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (places->dwarf && units_read(places))
		return places;
	source_places_close(places);
	return NULL;
}

void source_places_close(struct source_places *places)
{
	if (!places)
		return;
	dwarf_end(places->dwarf);
	free(places->ranges);
	free(places);
}

static Dwarf_Die *unit_find(struct source_places *places, uint64_t address)
{
	size_t low = 0, high = places->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (places->ranges[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < places->ranges[low - 1].end
		       ? &places->ranges[low - 1].unit
		       : NULL;
}

/* ---- texts ---------------------------------------------------------------- */

struct texts {
	char *at, *end;
	bool full;
};

static void text_put(struct texts *texts, const char *text)
{
	size_t size = strlen(text) + 1;

	texts->full |= size > (size_t)(texts->end - texts->at);
	if (texts->full)
		return;
	memcpy(texts->at, text, size);
	texts->at += size;
}

static void position_put(struct texts *texts, const char *file, uint64_t line)
{
	char number[24];

	if (!file || !line) {
		text_put(texts, "");
		return;
	}
	text_put(texts, file);
	snprintf(number, sizeof(number), ":%llu", (unsigned long long)line);
	/* In the place of the NUL. */
	texts->at -= !texts->full;
	text_put(texts, number);
}

static void line_put(struct texts *texts, Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0;

	if (line)
		dwarf_lineno(line, &number);
	position_put(texts, line ? dwarf_linesrc(line, NULL, NULL) : NULL,
		     number);
}

/* False: there is none. */
static bool number_of(Dwarf_Die *die, unsigned int name, uint64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word found;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &found))
		return false;
	*number = found;
	return true;
}

static void call_put(struct texts *texts, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	uint64_t file, line = 0;
	Dwarf_Files *files;
	size_t nr;
	bool known = number_of(inlined, DW_AT_call_file, &file) &&
		     number_of(inlined, DW_AT_call_line, &line) &&
		     !dwarf_getsrcfiles(unit, &files, &nr) && file < nr;

	position_put(texts,
		     known ? dwarf_filesrc(files, file, NULL, NULL) : NULL,
		     line);
}

/* As the linker would call it: so C++ and Rust have their whole names. */
static const char *name_of(Dwarf_Die *inlined)
{
	static const unsigned int names[] = {
		DW_AT_linkage_name,
		DW_AT_MIPS_linkage_name,
		DW_AT_name,
	};
	Dwarf_Attribute attribute;
	const char *name = NULL;

	for (int i = 0; !name && i < 3; i++)
		name = dwarf_formstring(
			dwarf_attr_integrate(inlined, names[i], &attribute));
	return name && *name ? name : "?";
}

/* ---- inlined functions ---------------------------------------------------- */

struct scopes {
	Dwarf_Die inlined[KTRACE_INLINED_MAX]; /* outermost first */
	unsigned int nr;
	bool more;
};

/* Deeper than any program is nested. */
#define DEPTH_MAX 256

static void inlined_add(struct scopes *scopes, const Dwarf_Die *die)
{
	if (scopes->nr == KTRACE_INLINED_MAX)
		scopes->more = true;
	else
		scopes->inlined[scopes->nr++] = *die;
}

/*
 * Goes into what has the address, and into what may have such inside: functions may be written
 * in the namespace or the type that they belong to, where dwarf_getscopes() does not look.  True:
 * something has the address.
 */
static bool scopes_find(Dwarf_Die *parent, uint64_t address,
			struct scopes *scopes, unsigned int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return false;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
			if (scopes_find(&die, address, scopes, depth + 1))
				return true;
			break;
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (dwarf_haspc(&die, address) <= 0)
				break;
			/* What a function is written in does not call it. */
			if (dwarf_tag(&die) == DW_TAG_subprogram)
				scopes->nr = 0;
			if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
				inlined_add(scopes, &die);
			scopes_find(&die, address, scopes, depth + 1);
			return true;
		}
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

size_t source_place_texts(struct source_places *places, uint64_t address,
			  char *text, size_t room)
{
	Dwarf_Die *unit = unit_find(places, address);
	struct texts texts = {text, text + room, false};
	struct scopes scopes = {.nr = 0};
	char *line_end;

	if (!unit)
		return 0;
	line_put(&texts, unit, address);
	if (texts.full)
		return 0;
	line_end = texts.at;
	scopes_find(unit, address, &scopes, 0);
	while (scopes.nr) {
		Dwarf_Die *inlined = &scopes.inlined[--scopes.nr];

		text_put(&texts, name_of(inlined));
		call_put(&texts, unit, inlined);
	}
	/* Some of them would mislead: the function around them would have another position. */
	if (texts.full || scopes.more)
		texts.at = line_end;
	return texts.at - text;
}

/* ---- lines ---------------------------------------------------------------- */

/* A row goes up to the next one; the last one of a sequence is no code. */
static bool row_read(Dwarf_Lines *lines, size_t index, struct source_row *row)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, index);
	Dwarf_Line *next = dwarf_onesrcline(lines, index + 1);
	Dwarf_Addr begin, end;
	bool ends = true;
	int number = 0;

	if (!line || !next || dwarf_lineendsequence(line, &ends) || ends ||
	    dwarf_lineaddr(line, &begin) || dwarf_lineaddr(next, &end) ||
	    dwarf_lineno(line, &number) || number <= 0 || begin >= end)
		return false;
	row->begin = begin;
	row->end = end;
	row->line = number;
	row->path = dwarf_linesrc(line, NULL, NULL);
	return row->path;
}

struct rows {
	struct source_places *places;
	struct table given; /* units and line tables that were, by place */
	int (*take)(void *data, const struct source_row *row);
	void *data;
};

/* 1: it is new, 0, or -ENOMEM. */
static int given_add(struct rows *rows, uint64_t place)
{
	if (table_find(&rows->given, place))
		return 0;
	return table_add(&rows->given, place, rows) ?: 1;
}

/* What the linker has left out has rows, too, at addresses where code of other units is. */
static bool is_of_table(const struct rows *rows, const Dwarf_Lines *lines,
			const struct source_row *row)
{
	Dwarf_Die *unit = unit_find(rows->places, row->begin);
	Dwarf_Lines *its;
	size_t nr;

	return unit && !dwarf_getsrclines(unit, &its, &nr) && its == lines;
}

static int unit_rows(struct rows *rows, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	struct source_row row = {
		.directory = dwarf_formstring(
			dwarf_attr(unit, DW_AT_comp_dir, &attribute)),
	};
	Dwarf_Lines *lines;
	size_t nr;
	int err;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return 0;
	/* Units may have one table, of which each row would be given for each of them. */
	err = given_add(rows, (uintptr_t)lines);
	if (err <= 0)
		return err;
	err = 0;
	for (size_t i = 0; !err && i + 1 < nr; i++)
		if (row_read(lines, i, &row) && is_of_table(rows, lines, &row))
			err = rows->take(rows->data, &row);
	return err;
}

int source_rows(struct source_places *places,
		bool (*want)(void *data, uint64_t begin, uint64_t end),
		int (*take)(void *data, const struct source_row *row),
		void *data)
{
	struct rows rows = {.places = places, .take = take, .data = data};
	int err = 0;

	for (size_t i = 0; !err && i < places->nr; i++) {
		struct range *range = &places->ranges[i];

		if (!want(data, range->begin, range->end))
			continue;
		/* Pointers are even, and so are no numbers here. */
		err = given_add(&rows, dwarf_dieoffset(&range->unit) * 2 + 1);
		if (err > 0)
			err = unit_rows(&rows, &range->unit);
	}
	table_free(&rows.given);
	return err;
}
