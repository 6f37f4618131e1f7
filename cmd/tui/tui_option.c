// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The options of ktrace tui, with the browser built in or not. */
#include <stddef.h>

#include "common/option.h"
#include "tui_option.h"

const struct command_option tui_options[] = {
	OPTION('l', "loaded", NULL,
	       "only what is in the kernel already, load nothing"),
	OPTION('S', "session", "SESSION",
	       "of that session, not of the default one"),
	OPTION('s', NULL, "SESSION", NULL, .id = 'S'),
	OPTION_VERBOSE_ROW("say what is loaded, before"),
	{0},
};
