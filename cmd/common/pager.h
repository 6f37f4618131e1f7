/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Long text on a terminal goes through a pager: $KTRACE_PAGER, $PAGER, or less(1).
 */
#ifndef KT_CMD_COMMON_PAGER_H
#define KT_CMD_COMMON_PAGER_H

/* A row for the tables of commands that call pager_open(); options_parse() handles it. */
#define PAGER_ROW                                                     \
	OPTION(0, "no-pager", NULL, "do not show it through a pager", \
	       .id = OPTION_NO_PAGER)

/* No pager, whatever comes. */
void pager_refuse(void);
/*
 * If standard output is a terminal, what is written there from now on goes to a pager.  The process ends when
 * the user has left that.  If he leaves before the end of the text, writing it fails with EPIPE.
 */
void pager_open(void);

#endif /* KT_CMD_COMMON_PAGER_H */
