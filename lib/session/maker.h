/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A capture program in the making: the text that becomes a line of the session's file
 * `capture', a field after the other.
 */
#ifndef KT_LIB_SESSION_MAKER_H
#define KT_LIB_SESSION_MAKER_H

#include <string.h>

#include <ktrace/syscall.h>

#include "kernel/btf.h"
#include "base/text.h"

#define PATH_ROOM 4095 /* PATH_MAX without the NUL */

/* What a call must have returned for its results to be there. */
#define CALL_OK "a6 2147483648 & 0 =="

struct maker {
	struct text *text;
	struct enums *enums;
	const struct ktrace_call *call;
	unsigned int string_max;
	bool exit;
	bool again;	  /* an exit's field for what the entry has missed: */
	unsigned int bit; /* the next one's, of the entry's fields */
	bool paths;
	bool compat; /* of 32-bit programs: pointers have 4 bytes */
	unsigned int nr_fields;
	const char *name; /* of the argument */
	unsigned int index;
};

static inline bool word_is(const struct ktrace_word *word, const char *name)
{
	return !strcmp(word->word, name);
}

/* "TYPE __NAME_val@suffix: ", of the argument that is being made. */
void field_begin(struct maker *m, const char *type, const char *suffix);
/*
 * Open the condition under which there is something to read: the argument is not zero;
 * or, when the call begins, what @words push is not.
 */
void condition(struct maker *m);
void condition_words(struct maker *m, const char *words);

#endif /* KT_LIB_SESSION_MAKER_H */
