/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where the code of a program comes from, by its debugging information (DWARF): source file and
 * line, and the functions that the compiler has put into others.
 */
#ifndef KT_LIB_SYMBOL_SOURCE_PLACE_H
#define KT_LIB_SYMBOL_SOURCE_PLACE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_places;

/* @elf must stay open.  NULL: it has no debugging information, or there is no memory. */
struct source_places *source_places_open(Elf *elf);
/* May be NULL. */
void source_places_close(struct source_places *places);

/*
 * Where the instruction at @address comes from, as texts, each with a NUL behind it: the
 * position, "path:line"; then, if it is in a function that was put into another one, for each,
 * innermost first, the function's name and the position where it is called.  A position that is
 * not known is empty.  Returns how many bytes they take.  0: nothing is known, or there is no
 * @room; if there is none for the functions, these are left out, and the position is that of
 * the instruction.
 */
size_t source_place_texts(struct source_places *places, uint64_t address,
			  char *text, size_t room);

/* A piece of code that belongs to a line of the source. */
struct source_row {
	uint64_t begin, end;
	const char *
		directory; /* of a relative path: that of the compiler; NULL: not known */
	const char *path;
	unsigned int line;
};

/*
 * Gives all rows of each unit that has code which is wanted.  Texts are valid until the places are
 * closed.  0, -ENOMEM, or what @take has returned, if that is not 0.
 */
int source_rows(struct source_places *places,
		bool (*want)(void *data, uint64_t begin, uint64_t end),
		int (*take)(void *data, const struct source_row *row),
		void *data);

#endif /* KT_LIB_SYMBOL_SOURCE_PLACE_H */
