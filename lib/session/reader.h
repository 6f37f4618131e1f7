/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What is read from the memory that a function's arguments point to: reader.c. */
#ifndef KT_LIB_SESSION_READER_H
#define KT_LIB_SESSION_READER_H

#include "base/text.h"
#include "prototype.h"

/* What a user wants to be read: "ARGUMENT->MEMBER", as in expression.h. */
struct reading {
	const char *text;
	bool used;     /* a function has this argument, and it has the member */
	char why[160]; /* the last one that has the argument, but not the member */
};

struct readings {
	struct reading *list;
	size_t nr;
	bool alone; /* and nothing else */
};

/*
 * Adds the capture program of the function to @program: nothing, if no argument is worth
 * it.  -ENOENT: it has no type information.
 */
int readers_program(struct prototypes *p, const char *name, const char *module,
		    struct readings *readings, struct text *program);

#endif /* KT_LIB_SESSION_READER_H */
