/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Builds the capture program of one event: a line of the session's file
 * `capture', field by field.
 */
#ifndef KT_LIB_SESSION_MAKER_H
#define KT_LIB_SESSION_MAKER_H

#include <string.h>

#include <ktrace/syscall.h>

#include "kernel/btf.h"
#include "base/text.h"

#define PATH_ROOM 4095 /* PATH_MAX without the NUL */
/* One more: whether a NUL follows, or cannot be read, says if it is a path. */
#define PATH_READ    4096
#define STRINGS_ROOM 16384 /* of all strings of a vector */
#define VECTOR_MAX   32
#define STRUCTS_MAX  32
#define VERSION_ROOM 64	  /* beyond what is known of a struct */
#define STRUCTS_ROOM 8192 /* of an array */
#define PATHS_ROOM   511  /* of all descriptors of an argument */

/* Pushes whether the call has succeeded: only then there are results. */
#define CALL_OK "a6 2147483648 & 0 =="

struct maker {
	struct text *text;
	struct enums *enums;
	const struct ktrace_call *call;
	unsigned int string_max;
	bool exit;
	bool again;	    /* exit's field for what the entry could not read */
	unsigned int bit;   /* the next such field's number in the entry */
	unsigned int paths; /* enum ktrace_paths */
	bool unabbreviated; /* also what is shown only if nothing is left out */
	bool compat;	    /* of a 32-bit program: pointers have 4 bytes */
	unsigned int nr_fields;
	const char *name; /* of the argument */
	unsigned int index;
	/* Of the call, for commands.c. */
	const struct call_command *commands;
	size_t nr_commands;
};

static inline bool word_is(const struct ktrace_word *word, const char *name)
{
	/* Most arguments have no word, and each is asked for thirty. */
	return *word->word == *name && !strcmp(word->word, name);
}

/* Begins the field of the argument: "TYPE __NAME_val@suffix: ". */
void field_begin(struct maker *m, const char *type, const char *suffix);
/*
 * Begin an `if' that is true if there is something to read.  condition(): if
 * the argument is not zero.  condition_words(): at the entry, if @words push a
 * value that is not zero.
 */
void condition(struct maker *m);
void condition_words(struct maker *m, const char *words);

/*
 * Begins a field for the descriptors of @name: "char __NAME_path: ".  Its words push a
 * descriptor, and then read it by paths_word(): its path, or what else it is, too.
 */
void paths_begin(struct maker *m, const char *name);
const char *paths_word(const struct maker *m);

/* So many bytes at the argument. */
void bytes_make(struct maker *m, const char *type, size_t size);
/*
 * An array of at most @most elements, of @size bytes, which are read one by one: the first ones
 * are there if the rest cannot be read.
 */
void list_make(struct maker *m, const struct ktrace_word *word,
	       const char *type, uint32_t size, unsigned int most);
/*
 * The same of structs to which an array of pointers points, and the pointers themselves in a field of
 * their own: the first ones are there if a pointer cannot be followed.
 */
void pointed_make(struct maker *m, const struct ktrace_word *word,
		  const char *type, uint32_t size, unsigned int most);
/* The room for a string that is shown as far as string_max, or up to what its word says. */
unsigned int string_room(const struct maker *m, const struct ktrace_word *word);
/* How many strings of a vector are read, each of at most @size bytes. */
unsigned int rounds_for(unsigned int size);

/*
 * Structs of several versions: versions.c.  version_make(): an argument is the size.
 * sized_make(): their first member is.  event_make(): a performance event.
 */
void version_make(struct maker *m, const struct ktrace_word *word,
		  const char *type, uint32_t size);
void sized_make(struct maker *m, const struct ktrace_word *word,
		const char *type, uint32_t size);
void event_make(struct maker *m);

/* Vectors of buffers, and messages: messages.c */
void vector_make(struct maker *m, const struct ktrace_word *word);
void message_make(struct maker *m);
/* An array of them, when the call ends. */
void messages_make(struct maker *m, const struct ktrace_word *word);
/*
 * Descriptors that are passed on, if they are in the first control message.  If
 * there is no control message, the msghdr is read instead, which is always
 * possible, and the number of descriptors is zero.
 */
void message_paths(struct maker *m);

#endif /* KT_LIB_SESSION_MAKER_H */
