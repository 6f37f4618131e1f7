// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace tui, if it is built without ncurses. */
#include <stddef.h>

#include "cmd.h"
#include "tui_option.h"

static int tui_main(int argc, char **argv)
{
	int status;

	status = options_parse(&command_tui, argc, argv, option_none, NULL);
	if (status != OPTIONS_TAKEN)
		return status;
	return failed("this ktrace was built without its browser: install "
		      "libncurses-dev and build it again; `ktrace list' and "
		      "`ktrace markers' show the same");
}

const struct command command_tui = {
	.name = "tui",
	.what = "browse, switch and watch in the terminal (not built in)",
	.usage = "[OPTION...]",
	.about = "It needs ncurses, which was not there when this ktrace was "
		 "built.\n",
	.options = tui_options,
	.main = tui_main,
};
