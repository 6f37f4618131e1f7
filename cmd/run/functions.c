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

/* What functions begin with that do a system call of a 64-bit program. */
#define FUNCTIONS "__x64_sys_"

/* What follows @prefix; NULL: it does not begin so. */
static const char *behind(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) ? NULL : text + length;
}

/* Names that are like @pattern, of @text: lines "NAME MODULE". */
static void near_names_print(const char *pattern, const char *text)
{
	const char *call = behind(pattern, KTRACE_FUNCTIONS_OF_SYSCALLS), *name;
	char *copy = strdup(text), *next = copy, *line;
	struct near near;
	bool exists = false;

	pattern = call ?: pattern;
	near_init(&near, pattern);
	while (copy && (line = strsep(&next, "\n"))) {
		line[strcspn(line, " ")] = '\0';
		name = call ? behind(line, FUNCTIONS) : line;
		if (!name || !*name)
			continue;
		exists |= !strcmp(name, pattern);
		near_add(&near, name);
	}
	if (!exists)
		near_print(&near);
	free(copy);
}

void functions_near(struct ktrace_session *session, const char *const *patterns,
		    size_t nr)
{
	char *text;

	if (available_read(session, &text))
		return;
	for (size_t i = 0; i < nr; i++)
		if (!strpbrk(behind(patterns[i], KTRACE_FUNCTIONS_OF_SYSCALLS)
				     ?: patterns[i],
			     ":*?["))
			near_names_print(patterns[i], text);
	free(text);
}

/* Or a slip of the pen in its name would not be seen. */
static void waiting_say(const char *const *patterns, size_t nr,
			const char *meanwhile)
{
	for (size_t i = 0; i < nr; i++)
		if (ktrace_function_waits(patterns[i]))
			say("the module %.*s is not loaded: %s",
			    (int)strcspn(patterns[i], ":"), patterns[i],
			    meanwhile);
}

int functions_enable(struct ktrace_session *session,
		     const struct ktrace_functions *functions)
{
	size_t count;
	int err = ktrace_session_functions_choose(session, functions, &count);

	if (err) {
		failed_in_library();
		if (err != -ENOENT)
			return EXIT_FAILED;
		functions_near(session, functions->roots, functions->nr_roots);
		functions_near(session, functions->cut, functions->nr_cut);
		functions_near(session, functions->around,
			       functions->nr_around);
		return EXIT_FAILED;
	}
	waiting_say(functions->roots, functions->nr_roots,
		    "its functions are recorded when it is");
	waiting_say(functions->around, functions->nr_around,
		    "nothing is recorded within its functions before it is");
	waiting_say(functions->cut, functions->nr_cut,
		    "its functions are cut when it is");
	if (verbosity > 0)
		say("%zu functions", count);
	return EXIT_OK;
}
