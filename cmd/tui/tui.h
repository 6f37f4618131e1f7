/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ktrace tui: what its parts share.
 *
 *	tui_tree.c, tui_switch.c	what there is, and what is on
 *	tui_watch.c			the recording, counts and newest lines
 *	tui_draw.c			the screen
 *	tui_keys.c			keys, the mouse, questions
 *	tui.c				the command: signals and time
 *
 * Only tui_draw.c, tui_keys.c and tui.c know of curses.
 */
#ifndef KT_CMD_TUI_H
#define KT_CMD_TUI_H

#include "tui_tree.h"
#include "tui_watch.h"

#define TUI_TEXT 256

/* What the bottom line asks for. */
enum question {
	ASK_NOTHING,
	ASK_SEARCH,
	ASK_FILTER,
	ASK_SAVE,
	ASK_REPLACE, /* the set that is there */
	ASK_RECORD,
};

struct tui {
	struct tree tree;
	struct watch *watch; /* NULL: nothing is recorded */
	const char *session; /* name; NULL: the default one */

	size_t selected; /* row */
	size_t top;	 /* the first row on the screen */
	struct item
		*item; /* of the selected row; a name only after a refresh */

	enum question question;
	char answer[TUI_TEXT];
	size_t answer_len;
	char name[TUI_TEXT]; /* that ASK_REPLACE is about */

	bool help;
	size_t help_top;
	char **sets; /* to choose one of; NULL: nothing to choose */
	size_t nr_sets;
	size_t set;

	size_t shift; /* how much of the newest lines' begin is not shown */

	char message[1024]; /* until the next key */
	bool quit;

	/* Of the selected leaf, for the details. */
	struct item *described;
	struct ktrace_types *types[ITEM_EVENTS];
	char *filter;

	/* Where on the screen things are, for the mouse. */
	int rows_y, rows_nr, rows_width;
	int click_row;
	uint64_t click_time;
};

/* tui_draw.c */
void tui_draw(struct tui *t);
/* What the selected leaf is about is looked at again. */
void tui_describe(struct tui *t);
/* How many rows of the tree the screen has. */
int tui_page(const struct tui *t);

/* tui_keys.c */
void tui_key(struct tui *t, int key);
/* After the rows have changed: stays with the item, or near it. */
void tui_rows(struct tui *t);
/* Takes what was said on standard error meanwhile. */
void tui_messages(struct tui *t);
void tui_stop(struct tui *t, const char *reason);

#endif /* KT_CMD_TUI_H */
