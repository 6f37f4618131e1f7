// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/capture_names.h>
#include <ktrace/session.h>

#include "maker.h"

void field_begin(struct maker *m, const char *type, const char *suffix)
{
	if (m->nr_fields++)
		text_puts(m->text, "; ");
	text_words(m->text, "%s " KTRACE_CAPTURED_VALUE ": ", type, m->name,
		   suffix);
}

void paths_begin(struct maker *m, const char *name)
{
	if (m->nr_fields++)
		text_puts(m->text, "; ");
	if (m->paths == KTRACE_PATHS_FILES)
		text_words(m->text, "char " KTRACE_CAPTURED_FILE ": ", name);
	else
		text_words(m->text, "char " KTRACE_CAPTURED_PATH ": ", name);
}

const char *paths_word(const struct maker *m)
{
	return m->paths == KTRACE_PATHS_FILES ? "file" : "path";
}

void condition_words(struct maker *m, const char *words)
{
	if (m->again && !strncmp(m->call->name, "execve", 6))
		text_words(m->text, "a7 %u & a6 * if ", 1u << m->bit++);
	else if (m->again)
		text_words(m->text, "a7 %u & if ", 1u << m->bit++);
	else
		text_words(m->text, "%s if ", words);
}

void condition(struct maker *m)
{
	char words[8];

	snprintf(words, sizeof(words), "a%u", m->index);
	if (m->exit)
		text_words(m->text, CALL_OK " a%u * if ", m->index);
	else
		condition_words(m, words);
}

void bytes_make(struct maker *m, const char *type, size_t size)
{
	field_begin(m, type, "");
	condition(m);
	text_words(m->text, "a%u %zu bytes %zu end", m->index, size, size);
}

void list_make(struct maker *m, const struct ktrace_word *word,
	       const char *type, uint32_t size, unsigned int most)
{
	field_begin(m, type, "");
	condition(m);
	text_words(m->text,
		   "a%d 4294967295 & each %u a%u i %u * + %u bytes %u next end",
		   word->from, most, m->index, size, size, size);
}

void pointed_make(struct maker *m, const struct ktrace_word *word,
		  const char *type, uint32_t size, unsigned int most)
{
	unsigned int pointer = m->compat ? 4 : 8, i = m->index;

	field_begin(m, "u8", KTRACE_CAPTURED_POINTERS);
	condition(m);
	text_words(m->text, "a%u a%d %u * bytes %u end", i, word->from, pointer,
		   pointer * most);
	field_begin(m, type, "");
	condition(m);
	text_words(m->text, "a%d each %u a%u i %u * + @%u %u bytes %u next end",
		   word->from, most, i, pointer, pointer, size, size);
}

unsigned int string_room(const struct maker *m, const struct ktrace_word *word)
{
	unsigned int most = strtoul(word->set, NULL, 10);

	return most && most < m->string_max + 1 ? most : m->string_max + 1;
}

unsigned int rounds_for(unsigned int size)
{
	unsigned int rounds = STRINGS_ROOM / size;

	return rounds < VECTOR_MAX ? rounds : VECTOR_MAX;
}
