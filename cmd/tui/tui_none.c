// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace tui, where there was no ncurses to build it with. */
#include <getopt.h>
#include <stddef.h>

#include "cmd.h"

static int tui_main(int argc, char **argv)
{
	static const struct option options[] = {
		{"loaded", no_argument, NULL, 'l'},
		{"session", required_argument, NULL, 'S'},
		{"verbose", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "lS:s:vh", options, NULL)) >=
	       0)
		if (option == 'h' || option == '?')
			return option_other(&command_tui, option);
	return failed("this ktrace was built without its browser: install "
		      "libncurses-dev and build it again; `ktrace list' and "
		      "`ktrace markers' show the same");
}

const struct command command_tui = {
	.name = "tui",
	.what = "browse, switch and watch in the terminal (not built in)",
	.usage = "[OPTION...]",
	.help = "It needs ncurses, which was not there when this ktrace was "
		"built.\n"
		"\n"
		"    -l, --loaded\n"
		"    -S, --session NAME\n"
		"    -v, --verbose\n"
		"    -h, --help          this help\n",
	.main = tui_main,
};
