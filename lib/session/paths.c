// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Capture programs for the paths of a call's descriptors. */
#include <stdio.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "commands.h"

#define SET_MAX	 64 /* of a set of descriptors: those with paths */
#define SET_ROOM 127

/* The path of the descriptor that the words @which push. */
static void path_make(struct maker *m, const char *name, const char *which)
{
	paths_begin(m, name);
	text_words(m->text, "%s %s %d", which, paths_word(m), PATH_ROOM);
}

/* Paths of @nr (words) descriptors, each @size bytes after the one before. */
static void paths_make(struct maker *m, const char *nr, unsigned int size)
{
	paths_begin(m, m->name);
	condition(m);
	text_words(m->text, "%s each %d a%u i %u * + @4 %s %d next end", nr,
		   STRUCTS_MAX, m->index, size, paths_word(m), PATHS_ROOM);
}

/* Paths of a set of descriptors: a bit for each one below the call's limit. */
static void set_paths_make(struct maker *m)
{
	paths_begin(m, m->name);
	text_words(m->text,
		   "a%u 0 == 0 == a0 * each %d "
		   "a%u i 3 >> + @1 i 7 & >> 1 & if i %s %d end next",
		   m->index, SET_MAX, m->index, paths_word(m), SET_ROOM);
}

void argument_paths(struct maker *m, const struct ktrace_word *word)
{
	char text[16];

	if (word_is(word, "fd") || word_is(word, "atfd")) {
		snprintf(text, sizeof(text), "a%u", m->index);
		path_make(m, m->name, text);
	} else if (word_is(word, "A") && !strcmp(word->set, "pollfd")) {
		snprintf(text, sizeof(text), "a%d", word->from);
		paths_make(m, text, 8);
	} else if (word_is(word, "fdset")) {
		set_paths_make(m);
	} else if (word_is(word, "msg")) {
		message_paths(m);
	} else {
		if (word_is(word, "by"))
			command_paths(m);
		members_paths(m, word);
	}
}

void pair_paths(struct maker *m)
{
	paths_make(m, "2", 4);
}

/* Paths of descriptors that the call returns. */
void result_paths(struct maker *m, const struct ktrace_call *call)
{
	if (!strcmp(call->result.word, "fd"))
		path_make(m, KTRACE_CAPTURED_RESULT, CALL_OK " if a6");
	/* F_DUPFD, F_DUPFD_CLOEXEC */
	else if (call->nr_arguments > 2 &&
		 word_is(&call->arguments[2], "fcntl"))
		path_make(m, KTRACE_CAPTURED_RESULT,
			  CALL_OK " a1 0 == a1 1030 == + * if a6");
	else {
		command_result_path(m);
		return;
	}
	text_puts(m->text, " end");
}
