/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The namespaces, modules and classes that something is in. */
#ifndef KT_LIB_PROBE_DEBUG_SPACE_H
#define KT_LIB_PROBE_DEBUG_SPACE_H

#include "base/text.h"
#include "debug_code.h"

/* Those further in are left out. */
#define DEBUG_SPACES_MAX 64

struct debug_space {
	const char *name; /* NULL: it has none */
	bool is_open; /* what is in it is also known outside, as a namespace without a name */
};

/* From the outermost to the innermost. */
struct debug_spaces {
	struct debug_space list[DEBUG_SPACES_MAX];
	unsigned int nr;
};

/*
 * Makes a copy what it was made from, and a definition what was declared first, which is where it
 * is in the source.
 */
void debug_declared(Dwarf_Die *die);

/*
 * The unit of the source that a @function (NULL: in none) at the @address is from.  If a program was
 * optimised as a whole, another one has the code.  @room: where it may be put.  NULL: none.
 */
Dwarf_Die *debug_source_unit(struct debug_code *code, uint64_t address,
			     Dwarf_Die *function, Dwarf_Die *room);

/* Those that @die is in.  What is in a function is also in what that is in. */
void debug_spaces_read(struct debug_code *code, Dwarf_Die *die,
		       struct debug_spaces *spaces);

bool debug_spaces_are_same(const struct debug_spaces *a,
			   const struct debug_spaces *b);

/*
 * Is what is in the spaces @of known to what is in @around, without naming any?  How many of
 * @around it shares: of several, the one that shares most is meant.  -1: it is not known.
 */
int debug_spaces_depth(const struct debug_spaces *around,
		       const struct debug_spaces *of);

/* "N::M::" */
void debug_spaces_write(const struct debug_spaces *spaces, struct text *text);

#endif /* KT_LIB_PROBE_DEBUG_SPACE_H */
