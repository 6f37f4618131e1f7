/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* For lib: fields of events, by the tables of system calls. */
#ifndef KT_LIB_SYSCALL_CALL_H
#define KT_LIB_SYSCALL_CALL_H

#include <ktrace/syscall.h>

#include "type/type.h"

/* A line of commands.tab: the words of the arguments after the command. */
struct call_command {
	const char *call;
	uint32_t command;
	unsigned int nr_words;
	struct ktrace_word words[KTRACE_CALL_ARGUMENTS];
	bool returns_fd; /* =fd */
};

/* Those of a call, which stand behind each other, as in commands.tab. */
const struct call_command *call_commands(const char *call, size_t *nr);

/* The command is in its argument above so many bits. */
unsigned int call_command_shift(const struct ktrace_call *call);

/* The call of this name (@compat: for 32-bit programs).  NULL: no line. */
const struct ktrace_call *call_named(const char *name, bool compat);

/* The struct's words of layouts.tab, the size first.  NULL: none. */
const char *layout_words(const char *name);

/*
 * Adds names of values to fields of the type that are arguments of a system
 * call and have no names yet.
 */
void call_annotate(struct ktrace_type *type);

#endif /* KT_LIB_SYSCALL_CALL_H */
