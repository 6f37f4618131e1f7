/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Capture programs of system calls in the making: what their makers share. */
#ifndef KT_LIB_SESSION_CAPTURES_H
#define KT_LIB_SESSION_CAPTURES_H

#include <string.h>

#include <ktrace/syscall.h>

#include "kernel/btf.h"
#include "base/text.h"

#define PATH_ROOM 4095 /* PATH_MAX without the NUL */

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

/* An argument whose meaning is up to the call's command (commands.c). */
void command_make(struct maker *m, const struct ktrace_word *word);

#endif /* KT_LIB_SESSION_CAPTURES_H */
