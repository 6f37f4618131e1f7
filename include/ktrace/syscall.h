/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Syscalls: facts about their arguments beyond the C types.
 *
 * The tables are data (lib/syscall/); these functions look things up in them.
 * All that they return is constant and lives as long as the program.
 */
#ifndef KTRACE_SYSCALL_H
#define KTRACE_SYSCALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KTRACE_CALL_ARGUMENTS 6

/* One word of calls.tab: "<>S:clone_args", ">sa@2", "F:open". */
struct ktrace_word {
	const char *word; /* "S", "sa", "F"; "": the C type says enough */
	const char *set;  /* what follows the colon; "": nothing */
	int from; /* the argument after the @; -1: none; 6: the result */
	bool in;  /* captured when the call begins */
	bool out; /* captured when the call ends */
};

struct ktrace_call {
	const char *name;  /* "32:NAME": only of 32-bit programs */
	const char *shown; /* its name as programs know it */
	int command;	   /* argument that defines the later ones; -1: none */
	unsigned int nr_arguments;
	struct ktrace_word arguments[KTRACE_CALL_ARGUMENTS];
	struct ktrace_word result;
};

/* The syscall of an event.  NULL: no more is known than the C types. */
KTRACE_API const struct ktrace_call *ktrace_call_find(
	const struct ktrace_type *type);

/* The syscall's name in an event's name.  NULL: no event of a syscall. */
KTRACE_API const char *ktrace_call_name(const struct ktrace_type *type,
					bool *exit);

/*
 * The word for an argument if the syscall's command, if it has one, is
 * @command. NULL: there is no such argument.
 */
KTRACE_API const struct ktrace_word *ktrace_call_word(
	const struct ktrace_call *call, unsigned int argument,
	uint64_t command);

/*
 * NULL: there is no such set.  With a mask, the bits in it are one value, not
 * flags.
 */
KTRACE_API const struct ktrace_names *ktrace_names_find(const char *set,
							uint64_t *mask);
/* What stands behind a value without a name: "AT_???".  NULL: nothing. */
KTRACE_API const char *ktrace_names_unknown(const char *set);

/* The words of structs.tab for a struct; NULL: none. */
KTRACE_API const char *ktrace_struct_words(const char *name);

/* Parses a word; its strings are stored in @room. */
#define KTRACE_WORD_MAX 64
KTRACE_API int ktrace_word_parse(const char *text, size_t length,
				 char room[KTRACE_WORD_MAX],
				 struct ktrace_word *word);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_SYSCALL_H */
