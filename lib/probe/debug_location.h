/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where debugging information says that a variable is, as words that begin with a register
 * (kernel/source/probe/README.md).
 */
#ifndef KT_LIB_PROBE_DEBUG_LOCATION_H
#define KT_LIB_PROBE_DEBUG_LOCATION_H

#include "debug_code.h"
#include "debug_term.h"

/* Where the file is when it runs. */
enum debug_base {
	DEBUG_BASE_KNOWN, /* addresses in memory are the file's, and @slide */
	/*
	 * Somewhere.  But the register ip has the address of the probe, so all others are as far
	 * from it as in the file.
	 */
	DEBUG_BASE_IP,
	DEBUG_BASE_NONE, /* nobody knows */
};

/* The instruction at which variables are wanted. */
struct debug_where {
	uint64_t address; /* the file's */
	/*
	 * The function that is meant (struct debug_place): further ones that were put into it may
	 * begin at the same instruction.  NULL: the innermost one.
	 */
	const void *owner;
	bool standing; /* of those, the one that was put nowhere; @owner is NULL */
	enum debug_base base;
	uint64_t slide;
};

#define DEBUG_PIECES 16

/* A variable, or a part of it. */
struct debug_piece {
	uint64_t begin, size;	 /* bytes of the variable; @size 0: all of it */
	bool is_value;		 /* the words push it, else its address */
	char words[DEBUG_WORDS]; /* "": it is nowhere */
};

struct debug_location {
	struct debug_piece pieces[DEBUG_PIECES];
	unsigned int nr;
	const char *why; /* it cannot be had: what is there then */
};

/*
 * Of the @variable, at @where; @function is the one whose frame has it, NULL: none.  -ENOENT: the
 * compiler has it nowhere here; -EINVAL: it cannot be had, and @location says why.
 */
int debug_location_find(struct debug_code *code,
			const struct debug_where *where, Dwarf_Die *function,
			Dwarf_Die *variable, struct debug_location *location);

/* The nearest address behind that of @where from which on the variable can be had; 0: none. */
uint64_t debug_location_next(struct debug_code *code,
			     const struct debug_where *where,
			     Dwarf_Die *function, Dwarf_Die *variable);

/*
 * Is the one place that is told for a parameter none where a call passes it?  Then the function's
 * first instructions put it there.
 */
bool debug_location_is_late(Dwarf_Die *function, Dwarf_Die *parameter);

#endif /* KT_LIB_PROBE_DEBUG_LOCATION_H */
