// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See source_place.h.  libdw reads DWARF.
 *
 * Which unit has an address is looked up in a table of our own: the file's (.debug_aranges) is
 * one that not every compiler writes.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int range_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
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

static uint64_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), &number)
		       ? 0
		       : number;
}

static void call_put(struct texts *texts, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	uint64_t file = number_of(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t nr;

	position_put(texts,
		     !dwarf_getsrcfiles(unit, &files, &nr) && file < nr
			     ? dwarf_filesrc(files, file, NULL, NULL)
			     : NULL,
		     number_of(inlined, DW_AT_call_line));
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
	return name && *name ? name : "[inlined]";
}

/*
 * The scopes that dwarf_getscopes() finds go over to those of where an inlined function was
 * written.  Who has it inside is told by the scopes of the innermost one's entry.
 */
static int scopes_find(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes)
{
	Dwarf_Die innermost;
	int nr = dwarf_getscopes(unit, address, scopes);

	if (nr <= 0)
		return 0;
	innermost = (*scopes)[0];
	free(*scopes);
	nr = dwarf_getscopes_die(&innermost, scopes);
	return nr > 0 ? nr : 0;
}

size_t source_place_texts(struct source_places *places, uint64_t address,
			  char *text, size_t room)
{
	struct texts texts = {text, text + room, false};
	Dwarf_Die *unit = unit_find(places, address), *scopes = NULL;
	int nr;

	if (!unit)
		return 0;
	line_put(&texts, unit, address);
	nr = scopes_find(unit, address, &scopes);
	for (int i = 0; i < nr; i++) {
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		text_put(&texts, name_of(&scopes[i]));
		call_put(&texts, unit, &scopes[i]);
	}
	if (nr)
		free(scopes);
	return texts.full ? 0 : texts.at - text;
}
