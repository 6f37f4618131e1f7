// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The table on a terminal: what the machine did, the rows, and a line of keys, which also shows a
 * question or a message.
 *
 *	12:00:01  71.204512 s, for 1.000 s; 161 threads, by process
 *	2 CPUs: 61.2% used, 38.8% idle, 0.0% unknown; 2113 switches/s, 8230 events/s; 0 lost
 *
 *	     PID THREADS  [%CPU] %READY  %SLEEP  %BLOCK ...  NAME
 *	     812       4    58.1    3.2   338.7     0.0 ...  server
 *	 t p g s e threads ... calls  < > order  / search  w waits  Space stop  ? help  q quit
 */
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "common/value.h"
#include "fields.h"
#include "show.h"
#include "top.h"
#include "tui/screen.h"

#define LINE_ROOM  512
#define HEAD_LINES 4 /* two of the summary, one empty, the titles */

struct screen {
	size_t first; /* row at the top */
	bool help;
	bool asks; /* for a part of names */
	char filter[128];
	char message[1024];	     /* until the next key */
	unsigned int columns[BY_NR]; /* by which each kind of rows is sorted */
	bool reverse;
	bool quit;
	bool drawn;
	uint64_t shown; /* tables, when it was drawn */
};

bool screen_exists(void)
{
	return true;
}

int screen_begin(struct top *top)
{
	struct screen *s = calloc(1, sizeof(*s));
	int status = s ? errors_catch() : failed("out of memory");

	setlocale(LC_ALL, "");
	if (!status) {
		status = screen_open("-b shows lines", false);
		if (status)
			errors_release();
	}
	if (status) {
		free(s);
		return status;
	}
	for (int by = 0; by < BY_NR; by++) {
		s->columns[by] = field_default(by);
		/* Before the first interval there are no rows, but columns to choose. */
		top->rows[by].by = by;
	}
	s->columns[top->wish.by] = top->wish.column;
	s->reverse = top->wish.reverse;
	curs_set(0);
	top->screen = s;
	return EXIT_OK;
}

/* Messages that came at the end are on the terminal behind it. */
void screen_end(struct top *top)
{
	struct screen *s = top->screen;

	*s->message = '\0';
	screen_close();
	screen_messages(s->message, sizeof(s->message));
	errors_release();
	if (*s->message)
		say("%s", s->message);
	free(s);
	top->screen = NULL;
}

/* ---- drawing -------------------------------------------------------------------- */

static bool row_is_found(const struct screen *s, const struct row *row)
{
	return strstr(row->name, s->filter);
}

/* Draws the lines that @show writes; cut at the end of the screen's. */
static void lines_draw(int y, const char *text)
{
	char line[LINE_ROOM];

	for (; *text; text += *text == '\n') {
		size_t size = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)size, text);
		put(y++, 0, COLS, line);
		text += size;
	}
}

static size_t rows_found(const struct screen *s, const struct rows *rows)
{
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr; i++)
		nr += row_is_found(s, &rows->list[i]);
	return nr;
}

static void scroll_to(const struct top *top, long first)
{
	size_t nr = rows_found(top->screen, &top->rows[top->wish.by]);

	if (first >= (long)nr)
		first = (long)nr - 1;
	top->screen->first = first > 0 ? first : 0;
}

static void rows_draw(struct screen *s, const struct rows *rows)
{
	int y = HEAD_LINES;
	size_t found = 0;

	for (size_t i = 0; i < rows->nr && y < LINES - 1; i++) {
		char *text = NULL;
		size_t size;
		FILE *f;

		if (!row_is_found(s, &rows->list[i]) || found++ < s->first)
			continue;
		f = open_memstream(&text, &size);
		if (!f)
			return;
		rows_row_show(f, rows, &rows->list[i]);
		fclose(f);
		lines_draw(y++, text);
		free(text);
	}
}

static void head_draw(const struct top *top, const struct rows *rows)
{
	const struct screen *s = top->screen;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	rows_summary_show(f, rows);
	fclose(f);
	attrset(A_BOLD);
	lines_draw(0, text);
	free(text);
	attrset(color(COLOR_MESSAGE));
	if (top->paused && top->lost_paused)
		putf(2, 0, COLS, "stopped: Space goes on; %s lost meanwhile",
		     count_text(top->lost_paused).s);
	else if (top->paused)
		put(2, 0, COLS, "stopped: Space goes on");
	else if (*s->filter)
		putf(2, 0, COLS, "only names with `%s'", s->filter);
	f = open_memstream(&text, &size);
	if (!f)
		return;
	rows_titles_show(f, rows, s->columns[top->wish.by]);
	fclose(f);
	fill(HEAD_LINES - 1,
	     color(COLOR_TITLE) | (color(COLOR_TITLE) ? 0 : A_REVERSE));
	lines_draw(HEAD_LINES - 1, text);
	attrset(0);
	free(text);
}

static void bottom_draw(const struct screen *s)
{
	int y = LINES - 1;

	if (s->asks) {
		attrset(A_BOLD);
		putf(y, 0, COLS, "Part of the name: %s_", s->filter);
	} else if (*s->message) {
		attrset(A_BOLD | color(COLOR_MESSAGE));
		put(y, 0, COLS, s->message);
	} else {
		fill(y,
		     color(COLOR_TITLE) | (color(COLOR_TITLE) ? 0 : A_REVERSE));
		put(y, 0, COLS,
		    " t p g s e rows  < > order  r reverse  / search  w waits"
		    "  Space stop  ? help  q quit");
	}
	attrset(0);
}

static void help_draw(void)
{
	static const char *const texts[] = {
		"t            a row for each thread",
		"p            for each process",
		"g            for each control group",
		"s            for each system call (with w)",
		"e            for each event",
		"< >          the column by which rows are sorted; also Left Right",
		"r            the other way round",
		"Up Down      scroll; also PgUp PgDn, Home End",
		"/            only rows with this in their name; Esc: all",
		"w            record calls and what threads wait for, or not",
		"Space        stop the table, and go on; recording goes on",
		"Ctrl-L       draw the screen again",
		"?  q         this help; quit",
		"",
		"%READY: waits for a CPU.  %SLEEP: signals wake it.  %BLOCK:",
		"they do not.  %UNKN: nothing is known of it.  >=: something",
		"was lost, so it may be more.",
	};

	window_draw("Help", texts, sizeof(texts) / sizeof(*texts), 0, SIZE_MAX);
}

static void screen_draw(const struct top *top)
{
	const struct rows *rows = &top->rows[top->wish.by];
	struct screen *s = top->screen;

	attrset(0);
	erase();
	if (LINES < HEAD_LINES + 2 || COLS < 20) {
		put(0, 0, COLS, "too small");
	} else {
		if (rows->end)
			head_draw(top, rows);
		else
			put(0, 0, COLS, "the first interval has not ended yet");
		/* There may be fewer rows than before. */
		scroll_to(top, s->first);
		rows_draw(s, rows);
		if (s->help)
			help_draw();
		bottom_draw(s);
	}
	refresh();
}

/* ---- keys ------------------------------------------------------------------------- */

/* All kinds of rows are there, so they need not wait for the next interval. */
static void rows_order(struct top *top)
{
	struct screen *s = top->screen;

	top->wish.column = s->columns[top->wish.by];
	top->wish.reverse = s->reverse;
	rows_sort(&top->rows[top->wish.by], &top->wish);
}

static void by_change(struct top *top, enum rows_by by)
{
	top->wish.by = by;
	rows_order(top);
	scroll_to(top, 0);
	if (by == BY_CALL && !top->waits)
		say("calls are not recorded: w records them");
	if (by == BY_CGROUP)
		say("groups are looked for from now on");
}

static void column_change(struct top *top, int step)
{
	const struct rows *rows = &top->rows[top->wish.by];
	unsigned int *column = &top->screen->columns[top->wish.by];
	int next = *column;

	do {
		next += step;
		if (next < 0 || !fields[next].word)
			return;
	} while (!field_is_shown(&fields[next], rows));
	*column = next;
	rows_order(top);
}

static void waits_change(struct top *top)
{
	if (top->waits_switch(top, !top->waits))
		return;
	say(top->waits ? "calls and what threads wait for: from the next "
			 "interval on"
		       : "calls are not recorded any more");
}

static void pause_change(struct top *top)
{
	top->paused = !top->paused;
	if (top->lost_paused)
		say("%s events were lost while the table stood still",
		    count_text(top->lost_paused).s);
	top->lost_paused = 0;
}

static void answer_key(struct screen *s, int key)
{
	size_t length = strlen(s->filter);

	switch (key) {
	case KEY_ESCAPE:
		*s->filter = '\0';
		s->asks = false;
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
		s->asks = false;
		break;
	case KEY_BACKSPACE:
	case 127:
	case '\b':
		if (length)
			s->filter[length - 1] = '\0';
		break;
	default:
		if (key < ' ' || key > 255 || length + 1 >= sizeof(s->filter))
			break;
		s->filter[length] = key;
		s->filter[length + 1] = '\0';
	}
	s->first = 0;
}

static bool by_key(struct top *top, int key)
{
	static const char keys[] = {'t', 'p', 'g', 's', 0, 'e'};

	for (int by = 0; by < BY_NR; by++) {
		if (keys[by] != key)
			continue;
		by_change(top, by);
		return true;
	}
	return false;
}

static void scroll_key(struct top *top, int key)
{
	long first = top->screen->first, page = LINES - HEAD_LINES - 1;

	switch (key) {
	case KEY_UP:
		scroll_to(top, first - 1);
		break;
	case KEY_DOWN:
		scroll_to(top, first + 1);
		break;
	case KEY_PPAGE:
		scroll_to(top, first - page);
		break;
	case KEY_NPAGE:
		scroll_to(top, first + page);
		break;
	case KEY_HOME:
		scroll_to(top, 0);
		break;
	case KEY_END:
		scroll_to(top, LONG_MAX);
		break;
	}
}

static void key_take(struct top *top, int key)
{
	struct screen *s = top->screen;

	*s->message = '\0';
	if (s->asks) {
		answer_key(s, key);
		return;
	}
	if (s->help) {
		s->help = false;
		return;
	}
	if (by_key(top, key))
		return;
	switch (key) {
	case '<':
	case KEY_LEFT:
		column_change(top, -1);
		break;
	case '>':
	case KEY_RIGHT:
		column_change(top, 1);
		break;
	case 'r':
		s->reverse = !s->reverse;
		rows_order(top);
		break;
	case '/':
		s->asks = true;
		break;
	case KEY_ESCAPE:
		*s->filter = '\0';
		break;
	case 'w':
		waits_change(top);
		break;
	case ' ':
		pause_change(top);
		break;
	case '?':
	case 'h':
		s->help = true;
		break;
	case KEY_CONTROL('L'):
		clear();
		break;
	case 'q':
		s->quit = true;
		break;
	default:
		scroll_key(top, key);
	}
}

/* What has not changed is not drawn again. */
bool screen_more(struct top *top)
{
	struct screen *s = top->screen;
	bool changed = !s->drawn || top->shown != s->shown;
	int key;

	while (!s->quit && (key = getch()) != ERR) {
		key_take(top, key);
		changed = true;
	}
	if (s->quit)
		return false;
	if (screen_messages(s->message, sizeof(s->message)) || changed)
		screen_draw(top);
	s->drawn = true;
	s->shown = top->shown;
	return true;
}
