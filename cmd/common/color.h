/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* --color: whether text for people has colours. */
#ifndef KT_CMD_COMMON_COLOR_H
#define KT_CMD_COMMON_COLOR_H

#include <stdbool.h>

#include "cmd.h"

enum color_when {
	COLOR_AUTO, /* on a terminal, unless $NO_COLOR says no */
	COLOR_ALWAYS,
	COLOR_NEVER,
};

#define COLOR_ROW(its_id)                                                \
	OPTION(0, "color", "WHEN",                                       \
	       "colours: auto (on a terminal, unless NO_COLOR is set), " \
	       "always or never; without WHEN: always",                  \
	       .words = "auto always never", .optional = true, .id = its_id)

/* @text NULL: none was given.  Returns an exit status. */
int color_option(enum color_when *when, const struct command *command,
		 const char *text);
/* For what is written to @fd; before the pager takes its place. */
bool color_is_wanted(enum color_when when, int fd);

#endif /* KT_CMD_COMMON_COLOR_H */
