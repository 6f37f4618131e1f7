/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Lists of patterns: the arguments of options that take "a*,b" and may be repeated. */
#ifndef KT_CMD_COMMON_PATTERNS_H
#define KT_CMD_COMMON_PATTERNS_H

#include <stddef.h>

#include "cmd.h"

struct patterns {
	const char **list;
	size_t nr;
};

/* One more, which must stay valid.  -ENOMEM. */
int patterns_append(struct patterns *patterns, const char *pattern);
/*
 * Those of @words, "a*,b", which must stay valid; changes it.  @option has them, and each
 * names a @what.  Returns an exit status.
 */
int patterns_option(struct patterns *patterns, const struct command *command,
		    const char *option, const char *what, char *words);
void patterns_free(struct patterns *patterns);

#endif /* KT_CMD_COMMON_PATTERNS_H */
