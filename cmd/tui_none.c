// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace tui, where there was no ncurses to build it with. */
#include "cmd.h"

static int tui_main(int argc, char **argv)
{
	return failed("this ktrace was built without its browser: install "
		      "libncurses-dev and build it again; `ktrace list' and "
		      "`ktrace markers' show the same");
}

const struct command command_tui = {
	.name = "tui",
	.what = "browse, switch and watch in the terminal (not built in)",
	.usage = "",
	.help = "It needs ncurses, which was not there when this ktrace was "
		"built.\n",
	.main = tui_main,
};
