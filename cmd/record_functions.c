// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The functions to be recorded: those of -F. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "common/near.h"
#include "record.h"

/* Names that are like @pattern, of @text: lines "NAME MODULE". */
static void functions_print_near(const char *pattern, const char *text)
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

/* A pattern means no function. */
static void functions_hint(const struct record *r)
{
	char *text;

	/* Only the default session's folder has the file. */
	if (ktrace_session_read(r->session, "available_functions", &text, NULL))
		return;
	for (size_t i = 0; i < r->nr_functions; i++)
		if (!strpbrk(r->functions[i], ":*?["))
			functions_print_near(r->functions[i], text);
	free(text);
}

int record_functions_enable(struct record *r)
{
	const struct ktrace_functions functions = {
		.size = sizeof(functions),
		.roots = r->functions,
		.nr_roots = r->nr_functions,
		.plain = r->plain,
		.reads = r->reads,
		.nr_reads = r->nr_reads,
	};
	size_t count;
	int err;

	if (!r->nr_functions)
		return EXIT_OK;
	err = ktrace_session_functions_choose(r->session, &functions, &count);
	if (err) {
		failed_in_library();
		if (err == -ENOENT)
			functions_hint(r);
		return EXIT_FAILED;
	}
	if (verbosity > 0)
		say("%zu functions", count);
	r->nr_events += 2; /* function:entry, function:exit */
	return EXIT_OK;
}
