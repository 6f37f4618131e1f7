// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "patterns.h"

int patterns_append(struct patterns *patterns, const char *pattern)
{
	const char **list;

	list = realloc(patterns->list, (patterns->nr + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	patterns->list = list;
	list[patterns->nr++] = pattern;
	return 0;
}

int patterns_option(struct patterns *patterns, const struct command *command,
		    const char *option, const char *what, char *words)
{
	size_t before = patterns->nr;
	char *word;

	while ((word = strsep(&words, ","))) {
		if (*word && patterns_append(patterns, word))
			return failed("out of memory");
	}
	if (patterns->nr == before)
		return misused(command, "%s names no %s", option, what);
	return EXIT_OK;
}

void patterns_free(struct patterns *patterns)
{
	free(patterns->list);
	*patterns = (struct patterns){0};
}
