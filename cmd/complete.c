// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What completion cannot know without the command.  Whatever goes wrong, there is nothing to
 * complete: a message would stand in the middle of somebody's line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/library.h>
#include <ktrace/probes.h>
#include <ktrace/session.h>

#include "cmd.h"
#include "common/function_names.h"
#include "common/program_path.h"
#include "common/value.h"
#include "complete.h"
#include "run/probes.h"

#define USDT "usdt:"
/* Of what may stand in the name of an event or a value. */
#define NAME                                                             \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"_:"

static void name_print(void *data, const char *name, const char *module)
{
	const char *prefix = data, *colon = strchr(prefix, ':');
	size_t length = colon ? colon - prefix : 0;

	if (!colon) {
		if (!strncmp(name, prefix, strlen(prefix)))
			puts(name);
		return;
	}
	module = module ?: "vmlinux";
	if (strlen(module) == length && !memcmp(module, prefix, length) &&
	    !strncmp(name, colon + 1, strlen(colon + 1)))
		printf("%s:%s\n", module, name);
}

int complete_functions(const char *prefix)
{
	function_names_each(name_print, (void *)prefix);
	return output_finish(EXIT_OK);
}

/* ---- probes ------------------------------------------------------------------- */

/* The text of a probe, which is complete up to its last word. */
struct probe_text {
	const char *text;
	int kept; /* so much of it is in front of what is completed */
	const char *word;
	bool told; /* the library has told what there is */
};

/* Names have no blanks, or they could not be said. */
static void word_print(const struct probe_text *t, const char *word)
{
	if (strncmp(word, t->word, strlen(t->word)) || strpbrk(word, " \t\n"))
		return;
	printf("%.*s", t->kept, t->text);
	print_text(stdout, word);
	putchar('\n');
}

static int place_print(const struct ktrace_program_place *place, void *data)
{
	word_print(data, place->name);
	return 0;
}

/* Functions and USDT probes; behind a colon, lines. */
static void places_print(const char *file, struct probe_text *t)
{
	char *path = program_path(file, 0), *pattern = NULL;
	const char *patterns[1];

	if (!strncmp(USDT, t->word, strlen(t->word)))
		word_print(t, USDT);
	if (path && asprintf(&pattern, "%s*", t->word) > 0) {
		patterns[0] = pattern;
		ktrace_program_places(path, patterns, 1, place_print, t);
	}
	free(pattern);
	free(path);
}

static int variables_print(const struct ktrace_probe_explanation *e, void *data)
{
	struct probe_text *t = data;

	t->told = true;
	for (size_t i = 0; i < e->nr_variables; i++)
		if (!e->variables[i].why)
			word_print(t, e->variables[i].name);
	/* Those of another place would be named twice. */
	return 1;
}

/* What is there at the place; the values that were said do not matter. */
static void values_print(const char *file, struct probe_text *t)
{
	const struct ktrace_session_options quiet = {
		.size = sizeof(quiet),
		.no_load = true,
	};
	const struct ktrace_probe_explain_options options = {
		.size = sizeof(options),
	};
	struct ktrace_session *session = NULL;
	struct probes probes = {.file = file};
	char *place = strndup(t->text, strcspn(t->text, " \t"));
	char **texts = NULL;

	if (place && !probes_append(&probes, place))
		texts = probes_texts(&probes, 0);
	if (texts && (file || !ktrace_session_open(&quiet, &session)))
		ktrace_session_probe_explain(session, texts[0], &options,
					     variables_print, t);
	if (session)
		ktrace_session_close(session);
	probes_texts_free(texts);
	probes_free(&probes);
	/* It tells this, too. */
	if (!t->told && place && strstr(place, "%return"))
		word_print(t, "$retval");
	free(place);
	word_print(t, "$params");
	word_print(t, "$comm");
}

int complete_probe(const char *file, const char *text)
{
	struct probe_text t = {.text = text};
	size_t name;
	bool blank = false;

	if (!strcmp(file, "-") || !strcmp(file, "kernel"))
		file = NULL;
	t.word = text;
	for (const char *c = text; (c = strpbrk(c, " \t")); blank = true)
		t.word = ++c;
	/* Behind "NAME=", as the library takes it. */
	name = strspn(t.word, NAME);
	if (name && t.word[name] == '=')
		t.word += name + 1;
	t.kept = t.word - text;
	if (blank)
		values_print(file, &t);
	else if (file)
		places_print(file, &t);
	else if (*t.word && !t.kept)
		complete_functions(t.word);
	return output_finish(EXIT_OK);
}
