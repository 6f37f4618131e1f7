// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The screen: a title, the tree with details of the selected item beside it,
 * the newest lines, and a line of keys, which also shows questions and
 * messages.
 *
 *	 ktrace   12 of 1523 on      recording ktrace.data  00:12  1.2 M events
 *	 v [-] Kernel events             │ sched:sched_switch
 *	   > [ ] block                   │ on  12,345 events  1.2 k/s
 *	   v [-] sched            1.2 k  │
 *	       [x] sched_switch   1.2 k  │ char prev_comm[16]
 *	 ─ newest ──────────────────────────────────────────────────────────────
 *	 <idle>-0     [000] 12.345678901 sched:sched_switch: prev_comm=...
 *	 Space on/off  / search  r record  s save  l load  ? help  q quit
 *
 * If the terminal is small, parts are left out: first the details, then the
 * newest lines, then the title.  Without colours it uses bold and reverse.
 */
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "cmd.h"
#include "common/field.h"
#include "screen.h"
#include "tui.h"
#include "common/value.h"

/* Layout */

struct layout {
	bool title;
	int tree_y, tree_rows, tree_width;
	int lines_y, lines_rows; /* no rows: not shown; the title is above */
};

static struct layout layout_make(const struct tui *t)
{
	struct layout l = {.title = LINES >= 6};
	int rows = LINES - 1 - l.title;

	l.tree_y = l.title;
	l.tree_width = COLS >= 60 ? COLS * 9 / 20 : COLS;
	if (LINES >= 10 && (t->watch || watch_lines()->nr)) {
		l.lines_rows = rows * 2 / 5 - 1;
		rows -= l.lines_rows + 1;
		l.lines_y = l.tree_y + rows + 1;
	}
	l.tree_rows = rows > 0 ? rows : 0;
	return l;
}

int tui_page(const struct tui *t)
{
	struct layout l = layout_make(t);

	return l.tree_rows > 0 ? l.tree_rows : 1;
}

/* Parts */

static void title_draw(const struct tui *t)
{
	const struct item *root = &t->tree.root;
	struct watch_status s;
	char text[256];
	int x;

	fill(0, color(COLOR_TITLE) | (color(COLOR_TITLE) ? 0 : A_REVERSE));
	x = putf(0, 0, COLS, " ktrace%s%s   %zu of %zu on",
		 t->session ? " " : "", t->session ? t->session : "", root->on,
		 root->total);
	if (*t->tree.search)
		x += putf(0, x, COLS - x, "   /%s", t->tree.search);
	if (t->tree.only_on)
		x += put(0, x, COLS - x, "   only what is on");
	if (!t->watch)
		return;
	watch_status(t->watch, &s);
	/* Leaves out the least important first, but never losses. */
	for (int i = 0; i < 4; i++) {
		FILE *f = fmemopen(text, sizeof(text), "w");

		if (!f)
			return;
		fputs(s.directory ? "recording" : "watching", f);
		if (s.directory && i < 3)
			fprintf(f, " %.100s", s.directory);
		fprintf(f, "  %02d:%02d", (int)(s.duration / 60000000000ull),
			(int)(s.duration / 1000000000ull % 60));
		if (i < 2)
			fprintf(f, "  %s events", rough_text(s.events).s);
		if (s.lost || i < 1)
			fprintf(f, "  lost %s", count_text(s.lost).s);
		fputs(s.behind ? "  behind " : " ", f);
		fclose(f);
		if ((int)strlen(text) < COLS - x - 2)
			break;
	}
	attron(A_BOLD);
	if ((int)strlen(text) < COLS - x - 2)
		x = COLS - (int)strlen(text) - 2;
	put(0, x + 2, COLS - x - 2, text);
}

static const char *box_text(const struct item *item)
{
	static const char *const boxes[] = {"[ ]", "[-]", "[x]"};

	return item->total ? boxes[item_state(item)] : "   ";
}

static void row_draw(const struct tui *t, size_t index, int y, int width)
{
	const struct row *row = &t->tree.rows[index];
	const struct item *item = row->item;
	bool selected = index == t->selected;
	int x = row->depth * 2, rate = 0;
	char text[48];

	attrset(selected ? A_REVERSE : 0);
	mvhline(y, 0, ' ', width);
	if (!item->leaf) {
		bool all = *t->tree.search || t->tree.only_on;

		put(y, x, width - x,
		    !item->nr		? " "
		    : item->open || all ? "v"
					: ">");
		if (!selected)
			attrset(A_BOLD | color(COLOR_FOLDER));
	}
	if (item->rate > 0) {
		snprintf(text, sizeof(text), "%s/s", rough_text(item->rate).s);
		rate = strlen(text) + 2;
	}
	if (!selected && item->leaf && item->on)
		attrset(A_BOLD | color(COLOR_ON));
	x += 2;
	x += put(y, x, width - x, box_text(item)) + 1;
	x += put(y, x, width - x - rate, item->name);
	if (!item->leaf && item->total && width - x - rate > 10)
		putf(y, x, width - x - rate, "  %zu/%zu", item->on,
		     item->total);
	if (rate && width - rate > 8) {
		if (!selected)
			attrset(color(COLOR_RATE));
		put(y, width - rate + 1, rate, text);
	}
	attrset(0);
}

static void tree_draw(struct tui *t, const struct layout *l)
{
	int width = l->tree_width;

	/* A step scrolls by one row; a jump also shows the rows around. */
	if (t->selected + 1 == t->top || t->selected == 0)
		t->top = t->selected;
	else if (t->selected == t->top + l->tree_rows)
		t->top++;
	else if (t->selected < t->top || t->selected > t->top + l->tree_rows)
		t->top = t->selected > (size_t)l->tree_rows / 2
				 ? t->selected - l->tree_rows / 2
				 : 0;
	if (t->top + l->tree_rows > t->tree.nr_rows)
		t->top = t->tree.nr_rows > (size_t)l->tree_rows
				 ? t->tree.nr_rows - l->tree_rows
				 : 0;
	for (int i = 0; i < l->tree_rows; i++)
		if (t->top + i < t->tree.nr_rows)
			row_draw(t, t->top + i, l->tree_y + i,
				 width < COLS ? width - 1 : width);
	if (!t->tree.nr_rows)
		put(l->tree_y, 1, width - 2,
		    *t->tree.search ? "Nothing has such a name: Esc shows all"
				    : "Nothing is on: o shows all");
	t->rows_y = l->tree_y;
	t->rows_nr = l->tree_rows;
	t->rows_width = width;
}

/* Details of the selected item */

struct page {
	int x, y, end, width;
};

/* Breaks the text into lines at blanks. */
static void page_text(struct page *p, const char *text)
{
	while (*text && p->y < p->end) {
		size_t len = strlen(text), cut = p->width;

		if (len > cut) {
			while (cut > 0 && text[cut] != ' ')
				cut--;
			if (!cut)
				cut = p->width;
			len = cut;
		}
		putf(p->y++, p->x, p->width, "%.*s", (int)len, text);
		text += len;
		text += strspn(text, " ");
	}
}

static void page_line(struct page *p, const char *text)
{
	if (p->y < p->end)
		put(p->y++, p->x, p->width, text);
}

/* In the form of ktrace list -v. */
static void field_draw(struct page *p, const struct ktrace_field *f)
{
	char text[FIELD_TEXT + 512];
	size_t used;

	used = snprintf(text, sizeof(text), "  %s", field_text(f).s);
	for (uint32_t i = 0;
	     f->names && i < f->names->count && used < sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - used, "%s%s",
				 i ? " " : "  ", f->names->names[i].name);
	page_line(p, text);
}

static void leaf_draw(const struct tui *t, const struct item *leaf,
		      struct page *p)
{
	char text[600];

	attrset(A_BOLD);
	if (leaf->nr_events > 1)
		snprintf(text, sizeof(text), "system call %s", leaf->name);
	else
		snprintf(text, sizeof(text), "%s:%s", leaf->events[0].system,
			 leaf->events[0].name);
	page_line(p, text);
	attrset(0);
	snprintf(text, sizeof(text), "%s", leaf->on ? "on" : "off");
	if (leaf->count)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "   %s events   %s/s", count_text(leaf->count).s,
			 rough_text(leaf->rate).s);
	page_line(p, text);
	if (t->filter) {
		snprintf(text, sizeof(text), "if %s", t->filter);
		page_text(p, text);
	}
	if (leaf->place)
		page_text(p, leaf->place);
	if (leaf->format) {
		snprintf(text, sizeof(text), "\"%s\"", leaf->format);
		page_text(p, text);
	}
	for (unsigned int i = 0; i < leaf->nr_events; i++) {
		const struct ktrace_type *type;

		if (!t->types[i] || !ktrace_types_count(t->types[i]))
			continue;
		type = ktrace_types_get(t->types[i], 0);
		page_line(p, "");
		snprintf(text, sizeof(text), "%s%s%s:", type->system,
			 leaf->nr_events > 1 ? ":" : "",
			 leaf->nr_events > 1 ? type->name : " fields");
		page_line(p, leaf->nr_events > 1 ? text : "fields:");
		for (uint32_t j = 0; j < type->nr_fields; j++)
			field_draw(p, &type->fields[j]);
		if (!type->nr_fields)
			page_line(p, "  none");
	}
}

static void details_draw(const struct tui *t, const struct layout *l)
{
	struct page p = {
		.x = l->tree_width + 1,
		.y = l->tree_y,
		.end = l->tree_y + l->tree_rows,
		.width = COLS - l->tree_width - 1,
	};
	const struct item *item = t->item;
	char text[300];

	attrset(0);
	if (l->tree_width >= COLS) {
		/* No room beside the tree: shows the hint below it. */
		if (item && item->hint && !item->nr && !item->leaf &&
		    l->tree_rows > 2 && t->tree.nr_rows < (size_t)l->tree_rows)
			put(l->tree_y + l->tree_rows - 1, 1, COLS - 1,
			    item->hint);
		return;
	}
	mvvline(l->tree_y, l->tree_width - 1, ACS_VLINE, l->tree_rows);
	if (!item)
		return;
	if (item->leaf) {
		leaf_draw(t, item, &p);
		return;
	}
	attrset(A_BOLD);
	page_line(&p, item->name);
	attrset(0);
	if (!item->nr) {
		page_text(&p, item->hint ? item->hint : "");
		return;
	}
	snprintf(text, sizeof(text), "%zu of %zu on", item->on, item->total);
	page_line(&p, text);
	if (item->count) {
		snprintf(text, sizeof(text), "%s events   %s/s",
			 count_text(item->count).s, rough_text(item->rate).s);
		page_line(&p, text);
	}
	page_line(&p, "");
	page_text(&p, "Space switches all of them, Enter opens and closes.");
}

static void lines_draw(const struct tui *t, const struct layout *l)
{
	const struct watch_lines *lines = watch_lines();
	size_t kept = lines->nr < WATCH_LINES ? lines->nr : WATCH_LINES;
	size_t nr = (size_t)l->lines_rows < kept ? (size_t)l->lines_rows : kept;

	if (!l->lines_rows)
		return;
	attrset(0);
	mvhline(l->lines_y - 1, 0, ACS_HLINE, COLS);
	put(l->lines_y - 1, 2, COLS - 4,
	    t->watch ? " newest "
		     : " newest, of the recording that has ended ");
	for (size_t i = 0; i < nr; i++) {
		const char *line =
			lines->list[(lines->nr - nr + i) % WATCH_LINES];

		if (strlen(line) > t->shift)
			put(l->lines_y + i, 0, COLS, line + t->shift);
	}
	if (!nr)
		put(l->lines_y, 1, COLS - 2, "nothing yet");
}

static const char *question_text(enum question question)
{
	switch (question) {
	case ASK_SEARCH:
		return "Search: ";
	case ASK_FILTER:
		return "Only if: ";
	case ASK_SAVE:
		return "Save what is on as: ";
	case ASK_REPLACE:
		return "There is such a set. Replace it (y/n)? ";
	case ASK_RECORD:
		return "Record to: ";
	default:
		return "";
	}
}

static void bottom_draw(const struct tui *t)
{
	int y = LINES - 1, x;

	fill(y, 0);
	if (t->question) {
		const char *text = t->answer;

		attrset(A_BOLD);
		x = put(y, 0, COLS, question_text(t->question));
		attrset(0);
		/* Shows the end, where the user types. */
		while ((int)strlen(text) > COLS - x - 1 && *text)
			text++;
		x += put(y, x, COLS - x, text);
		move(y, x < COLS ? x : COLS - 1);
		curs_set(1);
		return;
	}
	curs_set(0);
	if (*t->message) {
		attrset(A_BOLD | color(COLOR_MESSAGE));
		put(y, 0, COLS, t->message);
		attrset(0);
		return;
	}
	attrset(color(COLOR_TITLE) | (color(COLOR_TITLE) ? 0 : A_REVERSE));
	mvhline(y, 0, ' ', COLS);
	putf(y, 0, COLS,
	     " Space on/off  / search  r %s  s save  l load  ? help  q quit",
	     t->watch ? "stop" : "record");
	attrset(0);
}

static void help_draw(struct tui *t)
{
	static const char *const texts[] = {
		"Space        switch on or off: an event, or all of a folder",
		"Up Down      choose; also k j, PgUp PgDn, Home End",
		"Right Left   open and close a folder; Enter does both",
		"/            search: part of a name, or a pattern like *_wait*",
		"Esc          end of the search: show all again",
		"o            show only what is on",
		"f            record the event only if this holds: a filter",
		"r            record to a directory; again: stop",
		"w            watch: the same, and nothing is kept",
		"s  l         save what is on as a set; load a set",
		"Mouse        click: choose; on the box or twice: switch; wheel",
		"< >          the newest lines: to the left, to the right",
		"Ctrl-L       draw the screen again",
		"?  q         this help; quit, which stops a recording",
		"",
		"Rates are of the events in the recording that runs; without",
		"one there are none. What is on stays on when you quit, and is",
		"recorded by nobody then: ktrace set save, ktrace record --set",
	};
	size_t nr = sizeof(texts) / sizeof(*texts);

	if (t->help_top + 1 > nr)
		t->help_top = nr - 1;
	window_draw("Help", texts, nr, t->help_top, SIZE_MAX);
}

void tui_draw(struct tui *t)
{
	struct layout l = layout_make(t);

	attrset(0);
	erase();
	if (LINES < 2 || COLS < 10) {
		put(0, 0, COLS, "too small");
		refresh();
		return;
	}
	if (l.title)
		title_draw(t);
	tree_draw(t, &l);
	details_draw(t, &l);
	lines_draw(t, &l);
	if (t->help)
		help_draw(t);
	else if (t->sets)
		window_draw("Load which set?", (const char *const *)t->sets,
			    t->nr_sets, 0, t->set);
	bottom_draw(t);
	refresh();
}

/* Reading the details */

/* Only its format file, because reading all events takes long. */
static struct ktrace_types *types_read(struct ktrace_session *session,
				       const struct item_event *e)
{
	struct ktrace_types *types = NULL;
	char path[600], *format, *text;
	int len;

	snprintf(path, sizeof(path), "events/%s/%s/format", e->system, e->name);
	if (ktrace_session_read(session, path, &format, NULL))
		return NULL;
	len = asprintf(&text,
		       "event %s:%s id %u enabled 0 module vmlinux\n%s\n",
		       e->system, e->name, e->id, format);
	free(format);
	if (len < 0)
		return NULL;
	if (ktrace_types_parse(text, len, NULL, &types))
		types = NULL;
	free(text);
	return types;
}

void tui_describe(struct tui *t)
{
	const struct item *leaf = t->item;
	char path[600];

	for (unsigned int i = 0; i < ITEM_EVENTS; i++) {
		ktrace_types_destroy(t->types[i]);
		t->types[i] = NULL;
	}
	free(t->filter);
	t->filter = NULL;
	t->described = t->item;
	if (!leaf || !leaf->leaf || leaf->programs || !t->tree.session)
		return;
	for (unsigned int i = 0; i < leaf->nr_events; i++)
		t->types[i] = types_read(t->tree.session, &leaf->events[i]);
	snprintf(path, sizeof(path), "events/%s/%s/filter",
		 leaf->events[0].system, leaf->events[0].name);
	if (ktrace_session_read(t->tree.session, path, &t->filter, NULL))
		t->filter = NULL;
	if (!t->filter)
		return;
	t->filter[strcspn(t->filter, "\n")] = '\0';
	if (!*t->filter || !strcmp(t->filter, "none")) {
		free(t->filter);
		t->filter = NULL;
	}
}
