// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "common/near.h"
#include "functions.h"

/* The file is the root's, above the folder of a session that has a name. */
static int available_read(struct ktrace_session *session, char **text)
{
	static const char *const files[] = {"available_functions",
					    "../../available_functions"};

	if (!ktrace_session_read(session, files[0], text, NULL))
		return 0;
	return ktrace_session_read(session, files[1], text, NULL);
}

/* Names that are like @pattern, of @text: lines "NAME MODULE". */
static void near_names_print(const char *pattern, const char *text)
{
	char *copy = strdup(text), *next = copy, *line;
	struct near near;
	bool exists = false;

	near_init(&near, pattern);
	while (copy && (line = strsep(&next, "\n"))) {
		line[strcspn(line, " ")] = '\0';
		exists |= !strcmp(line, pattern);
		if (*line)
			near_add(&near, line);
	}
	if (!exists)
		near_print(&near);
	free(copy);
}

static void patterns_hint(const char *const *patterns, size_t nr,
			  const char *text)
{
	for (size_t i = 0; i < nr; i++)
		if (!strpbrk(patterns[i], ":*?["))
			near_names_print(patterns[i], text);
}

/* A pattern means no function. */
static void functions_hint(struct ktrace_session *session,
			   const struct ktrace_functions *functions)
{
	char *text;

	if (available_read(session, &text))
		return;
	patterns_hint(functions->roots, functions->nr_roots, text);
	patterns_hint(functions->cut, functions->nr_cut, text);
	free(text);
}

int functions_enable(struct ktrace_session *session,
		     const struct ktrace_functions *functions)
{
	size_t count;
	int err = ktrace_session_functions_choose(session, functions, &count);

	if (err) {
		failed_in_library();
		if (err == -ENOENT)
			functions_hint(session, functions);
		return EXIT_FAILED;
	}
	if (verbosity > 0)
		say("%zu functions", count);
	return EXIT_OK;
}
