// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace top, if it is built without ncurses: lines, on terminals as well. */
#include "cmd.h"
#include "top.h"

bool screen_exists(void)
{
	return false;
}

int screen_begin(struct top *top)
{
	return failed("this ktrace was built without ncurses: -b shows lines");
}

bool screen_more(struct top *top)
{
	return true;
}

void screen_end(struct top *top)
{
}
