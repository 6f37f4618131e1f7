/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the tables of system calls say of events' fields. */
#ifndef KT_LIB_SYSCALL_CALL_H
#define KT_LIB_SYSCALL_CALL_H

#include <ktrace/syscall.h>

#include "type/type.h"

/* A line of commands.tab: words for the arguments behind the command. */
struct call_command {
	const char *call;
	uint32_t command;
	unsigned int nr_words;
	struct ktrace_word words[KTRACE_CALL_ARGUMENTS];
};

const struct call_command *call_commands(size_t *nr);

/* The call of this name, as 32-bit programs have it if @compat; NULL: it has no line. */
const struct ktrace_call *call_named(const char *name, bool compat);

/* The words of layouts.tab for the struct, its size the first; NULL: it has none. */
const char *layout_words(const char *name);

/*
 * Gives the fields of the type the names of their values, where they have none yet and
 * are arguments of a system call.
 */
void call_annotate(struct ktrace_type *type);

#endif /* KT_LIB_SYSCALL_CALL_H */
