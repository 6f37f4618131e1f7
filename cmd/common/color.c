// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "color.h"

int color_option(enum color_when *when, const struct command *command,
		 const char *text)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto",
		[COLOR_ALWAYS] = "always",
		[COLOR_NEVER] = "never",
	};

	*when = COLOR_ALWAYS;
	if (!text)
		return EXIT_OK;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]))
			continue;
		*when = i;
		return EXIT_OK;
	}
	return misused(command,
		       "--color `%s': it is one of auto, always and never",
		       text);
}

bool color_is_wanted(enum color_when when, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return isatty(fd) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}
