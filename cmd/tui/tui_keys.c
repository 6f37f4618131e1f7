// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Handles keys and the mouse. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "cmd.h"
#include "screen.h"
#include "tui.h"

#define DOUBLE_CLICK_NS 400000000ull

/* The tree */

void tui_rows(struct tui *t)
{
	struct tree *tree = &t->tree;

	if (tree_rows(tree))
		failed("out of memory");
	if (t->selected < tree->nr_rows &&
	    tree->rows[t->selected].item == t->item)
		return;
	for (size_t i = 0; i < tree->nr_rows; i++) {
		if (tree->rows[i].item != t->item)
			continue;
		t->selected = i;
		return;
	}
	if (t->selected >= tree->nr_rows)
		t->selected = tree->nr_rows ? tree->nr_rows - 1 : 0;
	t->item = tree->nr_rows ? tree->rows[t->selected].item : NULL;
}

static void select_row(struct tui *t, long row)
{
	if (row >= (long)t->tree.nr_rows)
		row = (long)t->tree.nr_rows - 1;
	if (row < 0)
		row = 0;
	t->selected = row;
	t->item = t->tree.nr_rows ? t->tree.rows[row].item : NULL;
}

static void folder_open(struct tui *t, bool open)
{
	size_t page = tui_page(t);

	if (!t->item || t->item->leaf)
		return;
	t->item->open = open;
	tui_rows(t);
	/* Scrolls to show what is in the folder. */
	if (open && t->selected + t->item->nr >= t->top + page)
		t->top = t->selected -
			 (t->selected < page / 3 ? t->selected : page / 3);
}

/* Closes the folder; if there is nothing to close, goes to its parent. */
static void folder_close(struct tui *t)
{
	if (!t->item)
		return;
	if (!t->item->leaf && t->item->open) {
		folder_open(t, false);
		return;
	}
	for (size_t i = t->selected; i-- > 0;) {
		if (t->tree.rows[i].item != t->item->parent)
			continue;
		select_row(t, i);
		return;
	}
}

static void item_toggle(struct tui *t)
{
	struct item *item = t->item;
	bool on;

	if (!item)
		return;
	if (!item->total) {
		say("%s", item->hint ? item->hint : "there is nothing in it");
		return;
	}
	/* In a folder that is partly on, switches the rest on first. */
	on = item_state(item) != ITEM_ON;
	if (*t->tree.search && !item->leaf)
		say("all %zu of %s %s, not only what was searched", item->total,
		    item->name, on ? "are on" : "are off");
	tree_switch(&t->tree, item, on);
	if (t->watch)
		watch_types(t->watch);
	tui_rows(t);
}

/* Selects the first leaf that was found. */
static void search_set(struct tui *t, const char *text)
{
	snprintf(t->tree.search, sizeof(t->tree.search), "%s", text);
	if (tree_rows(&t->tree))
		failed("out of memory");
	if (!*text) {
		/* Shows its place in the whole tree. */
		for (struct item *i = t->item ? t->item->parent : NULL; i;
		     i = i->parent)
			i->open = true;
		tui_rows(t);
		return;
	}
	for (size_t i = 0; i < t->tree.nr_rows; i++) {
		if (!t->tree.rows[i].item->leaf)
			continue;
		select_row(t, i);
		return;
	}
	select_row(t, 0);
}

/* Recording */

static void record_start(struct tui *t, const char *directory)
{
	struct watch_options options = {
		.directory = directory,
		.name = t->session,
		.kernel = t->tree.session,
	};

	options.patterns = tree_patterns(&t->tree, &options.nr_patterns);
	if (!options.patterns) {
		failed("out of memory");
		return;
	}
	if (!watch_start(&options, &t->watch) && !t->tree.root.on)
		say("nothing is on yet: Space switches on");
	free((void *)options.patterns);
	if (tree_refresh(&t->tree))
		failed_in_library();
	tui_rows(t);
}

void tui_stop(struct tui *t, const char *reason)
{
	if (!t->watch)
		return;
	watch_stop(t->watch, reason);
	t->watch = NULL;
	if (tree_refresh(&t->tree))
		failed_in_library();
	tui_rows(t);
}

/* Questions */

static void ask(struct tui *t, enum question question, const char *answer)
{
	t->question = question;
	snprintf(t->answer, sizeof(t->answer), "%s", answer);
	t->answer_len = strlen(t->answer);
}

static void filter_set(struct tui *t, const char *text)
{
	const struct item *leaf = t->item;
	const char *why;

	if (!leaf || !leaf->leaf)
		return;
	for (unsigned int i = 0; i < leaf->nr_events; i++)
		if (ktrace_session_filter(
			    t->tree.session, leaf->events[i].system,
			    leaf->events[i].name, *text ? text : NULL)) {
			why = strstr(ktrace_last_error(), "/filter: ");
			/* The screen shows which event it is. */
			failed("no filter: %s", why ? strchr(why, ' ') + 1
						    : ktrace_last_error());
			break;
		}
	t->described = NULL;
}

static void filter_ask(struct tui *t)
{
	const struct item *leaf = t->item;

	if (!leaf || !leaf->leaf || leaf->programs || leaf->nr_events > 1)
		say("an event of the kernel can have a filter: choose one");
	else
		ask(t, ASK_FILTER, t->filter ? t->filter : "");
}

static void set_save(struct tui *t, const char *name)
{
	char path[PATH_MAX];

	if (!set_path(name, path, sizeof(path)) && !access(path, F_OK)) {
		snprintf(t->name, sizeof(t->name), "%s", name);
		ask(t, ASK_REPLACE, "");
		return;
	}
	tree_save(&t->tree, name, false);
}

static void answered(struct tui *t)
{
	enum question question = t->question;

	t->question = ASK_NOTHING;
	switch (question) {
	case ASK_FILTER:
		filter_set(t, t->answer);
		break;
	case ASK_SAVE:
		if (*t->answer)
			set_save(t, t->answer);
		break;
	case ASK_REPLACE:
		if (*t->answer == 'y' || *t->answer == 'Y')
			tree_save(&t->tree, t->name, true);
		break;
	case ASK_RECORD:
		if (*t->answer)
			record_start(t, t->answer);
		break;
	default:
		break;
	}
}

static void question_key(struct tui *t, int key)
{
	size_t *len = &t->answer_len;

	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
		answered(t);
		return;
	case KEY_ESCAPE:
		if (t->question == ASK_SEARCH)
			search_set(t, "");
		t->question = ASK_NOTHING;
		return;
	case KEY_BACKSPACE:
	case 127:
	case KEY_CONTROL('h'):
		/* Deletes a whole character, of one or more bytes. */
		while (*len && (t->answer[--*len] & 0xc0) == 0x80)
			;
		break;
	case KEY_CONTROL('u'):
		*len = 0;
		break;
	case KEY_UP:
	case KEY_DOWN:
		if (t->question == ASK_SEARCH) {
			t->question = ASK_NOTHING;
			tui_key(t, key);
		}
		return;
	default:
		if (key < ' ' || key > 255 || *len + 1 >= sizeof(t->answer))
			return;
		t->answer[(*len)++] = key;
	}
	t->answer[*len] = '\0';
	if (t->question == ASK_SEARCH)
		search_set(t, t->answer);
	else if (t->question == ASK_REPLACE && *len)
		answered(t);
}

/* Choosing a set */

static int visible(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static void sets_close(struct tui *t)
{
	for (size_t i = 0; i < t->nr_sets; i++)
		free(t->sets[i]);
	free(t->sets);
	t->sets = NULL;
	t->nr_sets = t->set = 0;
}

static void sets_open(struct tui *t)
{
	struct dirent **entries;
	char folder[PATH_MAX];
	int nr;

	nr = set_folder(folder, sizeof(folder), false)
		     ? -1
		     : scandir(folder, &entries, visible, alphasort);
	if (nr >= 0)
		t->sets = calloc(nr + 1, sizeof(*t->sets));
	for (int i = 0; i < nr; i++) {
		if (t->sets)
			t->sets[t->nr_sets++] = strdup(entries[i]->d_name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	if (!t->nr_sets) {
		sets_close(t);
		say("there are no sets yet: s saves what is on as one");
	}
}

static void sets_key(struct tui *t, int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		t->set -= t->set > 0;
		break;
	case KEY_DOWN:
	case 'j':
		t->set += t->set + 1 < t->nr_sets;
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
	case ' ':
		tree_load(&t->tree, t->sets[t->set]);
		if (t->watch)
			watch_types(t->watch);
		sets_close(t);
		if (tree_refresh(&t->tree))
			failed_in_library();
		tui_rows(t);
		break;
	case KEY_ESCAPE:
	case 'q':
	case 'l':
		sets_close(t);
	}
}

/* The mouse */

static void mouse(struct tui *t)
{
	size_t row;
	bool again;
	int box;
	MEVENT m;

	if (getmouse(&m) != OK)
		return;
	if (m.bstate & BUTTON4_PRESSED) {
		select_row(t, (long)t->selected - 3);
		return;
	}
#ifdef BUTTON5_PRESSED
	if (m.bstate & BUTTON5_PRESSED) {
		select_row(t, (long)t->selected + 3);
		return;
	}
#endif
	if (!(m.bstate & BUTTON1_PRESSED))
		return;
	row = t->top + (m.y - t->rows_y);
	if (m.y < t->rows_y || m.y >= t->rows_y + t->rows_nr ||
	    m.x >= t->rows_width || row >= t->tree.nr_rows)
		return;
	again = t->click_row == (int)row &&
		now_ns() - t->click_time < DOUBLE_CLICK_NS;
	t->click_row = row;
	t->click_time = again ? 0 : now_ns();
	select_row(t, row);
	box = t->tree.rows[row].depth * 2 + 2;
	if (m.x >= box && m.x < box + 3)
		item_toggle(t);
	else if (!t->item->leaf && (m.x < box || again))
		folder_open(t, !t->item->open);
	else if (again)
		item_toggle(t);
}

/* Keys */

static bool moved(struct tui *t, int key)
{
	long row = t->selected, page = tui_page(t);

	switch (key) {
	case KEY_UP:
	case 'k':
		row--;
		break;
	case KEY_DOWN:
	case 'j':
		row++;
		break;
	case KEY_PPAGE:
	case KEY_CONTROL('b'):
		row -= page;
		break;
	case KEY_NPAGE:
	case KEY_CONTROL('f'):
		row += page;
		break;
	case KEY_HOME:
	case 'g':
		row = 0;
		break;
	case KEY_END:
	case 'G':
		row = t->tree.nr_rows;
		break;
	default:
		return false;
	}
	select_row(t, row);
	return true;
}

static void help_key(struct tui *t, int key)
{
	if (key == KEY_DOWN || key == 'j' || key == KEY_NPAGE)
		t->help_top++;
	else if (key == KEY_UP || key == 'k' || key == KEY_PPAGE)
		t->help_top -= t->help_top > 0;
	else if (key != KEY_RESIZE)
		t->help = false;
}

static void tree_key(struct tui *t, int key)
{
	switch (key) {
	case ' ':
		item_toggle(t);
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
		if (t->item && t->item->leaf)
			item_toggle(t);
		else if (t->item)
			folder_open(t, !t->item->open);
		break;
	case KEY_RIGHT:
		folder_open(t, true);
		break;
	case KEY_LEFT:
		folder_close(t);
		break;
	case '/':
		ask(t, ASK_SEARCH, t->tree.search);
		break;
	case KEY_ESCAPE:
		search_set(t, "");
		break;
	case 'o':
		t->tree.only_on = !t->tree.only_on;
		tui_rows(t);
		break;
	case 'f':
		filter_ask(t);
		break;
	case 'r':
	case 'w':
		if (t->watch)
			tui_stop(t, "stopped");
		else if (key == 'r')
			ask(t, ASK_RECORD, TRACE_DEFAULT);
		else
			record_start(t, NULL);
		break;
	case 's':
		ask(t, ASK_SAVE, "");
		break;
	case 'l':
		sets_open(t);
		break;
	case '?':
	case 'h':
	case KEY_F(1):
		t->help = true;
		t->help_top = 0;
		break;
	case '<':
		t->shift -= t->shift < 20 ? t->shift : 20;
		break;
	case '>':
		t->shift += t->shift < 400 ? 20 : 0;
		break;
	case KEY_CONTROL('l'):
		clearok(stdscr, TRUE);
		break;
	case 'q':
		t->quit = true;
	}
}

void tui_key(struct tui *t, int key)
{
	if (key == KEY_RESIZE)
		return;
	*t->message = '\0';
	if (key == KEY_MOUSE) {
		if (!t->help && !t->sets && !t->question)
			mouse(t);
		else
			getmouse(&(MEVENT){0});
	} else if (t->question) {
		question_key(t, key);
	} else if (t->help) {
		help_key(t, key);
	} else if (t->sets) {
		sets_key(t, key);
	} else if (!moved(t, key)) {
		tree_key(t, key);
	}
}
