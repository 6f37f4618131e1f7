/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ktrace tui: shared by its parts.
 *
 *	tui_tree.c, tui_switch.c	what exists, and what is enabled
 *	tui_watch.c			the recording, counts and newest lines
 *	screen.c			the terminal, lines and windows; for any command
 *	tui_draw.c			the screen
 *	tui_keys.c			keys, the mouse, questions
 *	tui.c				the command: signals and time
 *
 * Only screen.c, tui_draw.c, tui_keys.c and tui.c use curses.
 */
#ifndef KT_CMD_TUI_H
#define KT_CMD_TUI_H

#include "tui_tree.h"
#include "tui_watch.h"

#define TUI_TEXT 256

/* The question in the bottom line. */
enum question {
	ASK_NOTHING,
	ASK_SEARCH,
	ASK_FILTER,
	ASK_SAVE,
	ASK_REPLACE, /* an existing set */
	ASK_RECORD,
};

struct tui {
	struct tree tree;
	struct watch *watch; /* NULL: nothing is recorded */
	const char *session; /* name; NULL: the default one */

	size_t selected; /* number of a row */
	size_t top;	 /* the first row on the screen */
	struct item
		*item; /* of the selected row; a name only after a refresh */

	enum question question;
	char answer[TUI_TEXT];
	size_t answer_len;
	char name[TUI_TEXT]; /* the set of ASK_REPLACE */

	bool help;
	size_t help_top;
	char **sets; /* sets to choose from; NULL: no choice */
	size_t nr_sets;
	size_t set;

	size_t shift; /* columns of the newest lines that are scrolled off */

	char message[1024]; /* until the next key */
	bool quit;

	/* For the details of the selected leaf. */
	struct item *described;
	struct ktrace_types *types[ITEM_EVENTS];
	char *filter;

	/* Positions on the screen, for the mouse. */
	int rows_y, rows_nr, rows_width;
	int click_row;
	uint64_t click_time;
};

/* tui_draw.c */
void tui_draw(struct tui *t);
/* Reads the details of the selected leaf again. */
void tui_describe(struct tui *t);
/* The number of rows of the tree that fit the screen. */
int tui_page(const struct tui *t);

/* tui_keys.c */
void tui_key(struct tui *t, int key);
/* After the rows have changed: selects the same item, or one near it. */
void tui_rows(struct tui *t);
/* Shows the messages that were written to standard error. */
void tui_messages(struct tui *t);
void tui_stop(struct tui *t, const char *reason);

#endif /* KT_CMD_TUI_H */
