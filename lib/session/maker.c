// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "maker.h"

void field_begin(struct maker *m, const char *type, const char *suffix)
{
	if (m->nr_fields++)
		text_puts(m->text, "; ");
	text_words(m->text, "%s " KTRACE_CAPTURED_VALUE ": ", type, m->name,
		   suffix);
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
