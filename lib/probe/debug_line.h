/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Places in code, by lines and functions of the source, with those that were put into others. */
#ifndef KT_LIB_PROBE_DEBUG_LINE_H
#define KT_LIB_PROBE_DEBUG_LINE_H

#include "debug_code.h"

/* Texts are the file's, and valid until it is closed. */
struct debug_place {
	uint64_t address; /* the file's */
	/* The function of the file's symbols, and how far behind its beginning; NULL: none. */
	const char *symbol;
	uint64_t offset;
	const char *inlined; /* the function that was put there; NULL: none */
	const void *owner;   /* for struct debug_where */
	const char *file;    /* NULL: not known */
	unsigned int line;
	unsigned int
		said; /* the line, as a text has it; 0: where a function begins */
};

/*
 * All places of a text:
 *
 *	FUNCTION	where it begins, and where it was put into others
 *	FUNCTION:LINE	a line of it, counted from the one that declares it, which is 0
 *	FILE:LINE	FILE is the end of a path: main.c or src/main.c
 *
 * A line has one place for each function, and each place where that was put: the first one where a
 * statement of the line begins.  FUNCTION is the name in the source or that of the linker.  The
 * caller frees *@places, which are by address.  With a message that says what there is: -ENOENT;
 * -ENODATA: the file is not known.
 */
int debug_places(struct debug_code *code, const char *text,
		 struct debug_place **places, size_t *nr);

/*
 * The places of all lines of FUNCTION or FILE, by line and address; of a function, also those where it
 * begins.  Errors are as of debug_places().
 */
int debug_lines(struct debug_code *code, const char *name,
		struct debug_place **places, size_t *nr);

/* The line that the instruction belongs to; 0: not known.  @file may be NULL. */
unsigned int debug_line_of(struct debug_code *code, uint64_t address,
			   const char **file);
/* Where the next statement begins, behind @address; 0: not known. */
uint64_t debug_line_next(struct debug_code *code, uint64_t address);

#endif /* KT_LIB_PROBE_DEBUG_LINE_H */
