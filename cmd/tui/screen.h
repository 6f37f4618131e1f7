/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The terminal as a screen, for commands that use all of it.
 *
 * While curses uses the terminal, standard error is a file in memory.  So messages of other parts of
 * the command do not disturb the screen, but are shown in it.
 */
#ifndef KT_CMD_TUI_SCREEN_H
#define KT_CMD_TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include <ncurses.h>

enum color {
	COLOR_TITLE = 1,
	COLOR_ON,
	COLOR_RATE,
	COLOR_FOLDER,
	COLOR_MESSAGE,
	COLOR_RECORDING,
};

#define KEY_ESCAPE	    27
#define KEY_CONTROL(letter) ((letter)&0x1f)

/* From now on screen_messages() has what is written to standard error.  Returns an exit status. */
int errors_catch(void);
/* Standard error is as before. */
void errors_release(void);
/* Takes the messages that were written.  False: there are none, and @text stays as it is. */
bool screen_messages(char *text, size_t room);

/* @advice: what to do if there is no terminal.  Returns an exit status. */
int screen_check(const char *advice);
/* Takes the terminal, until screen_close(); after a crash, too, it is as it was. */
int screen_open(const char *advice, bool mouse);
void screen_close(void);

/* The attribute; 0: without colours. */
int color(int pair);
/* Writes a line, cut to @width columns.  Returns the number of columns used. */
int put(int y, int x, int width, const char *text);
int putf(int y, int x, int width, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Makes the line empty, and the attributes those of what follows. */
void fill(int y, attr_t attributes);
/* Above all else: @texts from the number @first on; @marked: SIZE_MAX: none. */
void window_draw(const char *title, const char *const *texts, size_t nr,
		 size_t first, size_t marked);

#endif /* KT_CMD_TUI_SCREEN_H */
