// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The options of ktrace tui, also for builds without ncurses. */
#include <stddef.h>

#include "common/option.h"
#include "tui_option.h"

const struct command_option tui_options[] = {
	OPTION('l', "loaded", NULL,
	       "only what is in the kernel already, load nothing"),
	OPTION_SESSION_ROW,
	OPTION_SESSION_OLD_ROW,
	OPTION_VERBOSE_ROW("say what is loaded, before"),
	{0},
};
