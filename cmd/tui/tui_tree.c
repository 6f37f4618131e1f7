// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A refresh goes through all that exists: it updates items, adds new ones in
 * their place, and removes those that it has not met.  So open folders stay
 * open.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/markers.h>

#include "cmd.h"
#include "tui_tree.h"

enum category {
	CATEGORY_KERNEL,
	CATEGORY_CALLS,
	CATEGORY_MODULES,
	CATEGORY_PROGRAMS,
	CATEGORIES,
};

/* Names and place of a marker of a kernel module. */
struct place {
	char *system;
	char *name;
	char *file;
	char *function;
	char *format;
	uint32_t line;
};

struct places {
	struct place *list;
	size_t nr;
};

/* Items */

static void item_free(struct item *item)
{
	for (size_t i = 0; i < item->nr; i++) {
		item_free(item->children[i]);
		free(item->children[i]);
	}
	free(item->children);
	for (unsigned int i = 0; i < item->nr_events; i++) {
		free(item->events[i].system);
		free(item->events[i].name);
	}
	free(item->name);
	free(item->hint);
	free(item->place);
	free(item->format);
}

/* The index of the child, or where to insert it. */
static size_t child_index(const struct item *item, const char *name,
			  bool *found)
{
	size_t low = 0, high = item->nr;

	*found = false;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(item->children[middle]->name, name);

		if (!order) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct item *child_find(const struct item *item, const char *name)
{
	bool found;
	size_t at = child_index(item, name, &found);

	return found ? item->children[at] : NULL;
}

static struct item *child_insert(struct item *item, const char *name, size_t at)
{
	struct item **more, *child = calloc(1, sizeof(*child));

	if (!child)
		return NULL;
	child->name = strdup(name);
	more = realloc(item->children, (item->nr + 1) * sizeof(*more));
	if (more)
		item->children = more;
	if (!more || !child->name) {
		free(child->name);
		free(child);
		return NULL;
	}
	memmove(more + at + 1, more + at, (item->nr - at) * sizeof(*more));
	more[at] = child;
	item->nr++;
	child->parent = item;
	child->programs = item->programs;
	return child;
}

/* The child of this name; adds it if it is new.  NULL: out of memory. */
static struct item *child_get(struct item *item, const char *name)
{
	struct item *child;
	bool found;
	size_t at;

	if (!item)
		return NULL;
	at = child_index(item, name, &found);
	child = found ? item->children[at] : child_insert(item, name, at);
	if (child)
		child->seen = true;
	return child;
}

static int text_set(char **text, const char *value)
{
	char *copy;

	if (*text && !strcmp(*text, value))
		return 0;
	copy = strdup(value);
	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

/* The leaf's event of this name; adds it if it is new. */
static struct item_event *event_get(struct item *leaf, const char *system,
				    const char *name)
{
	struct item_event *e;

	for (unsigned int i = 0; i < leaf->nr_events; i++) {
		e = &leaf->events[i];
		if (!strcmp(e->system, system) && !strcmp(e->name, name))
			return e;
	}
	if (leaf->nr_events == ITEM_EVENTS)
		return NULL;
	e = &leaf->events[leaf->nr_events];
	e->system = strdup(system);
	e->name = strdup(name);
	if (!e->system || !e->name) {
		free(e->system);
		free(e->name);
		*e = (struct item_event){0};
		return NULL;
	}
	leaf->nr_events++;
	leaf->leaf = true;
	return e;
}

static void seen_clear(struct item *item)
{
	item->seen = false;
	for (size_t i = 0; i < item->nr; i++)
		seen_clear(item->children[i]);
}

static void unseen_remove(struct item *item)
{
	size_t left = 0;

	for (size_t i = 0; i < item->nr; i++) {
		struct item *child = item->children[i];

		if (child->seen) {
			unseen_remove(child);
			item->children[left++] = child;
			continue;
		}
		item_free(child);
		free(child);
	}
	item->nr = left;
}

bool tree_walk(struct item *item, bool (*use)(struct item *leaf, void *data),
	       void *data)
{
	if (item->leaf)
		return use(item, data);
	for (size_t i = 0; i < item->nr; i++)
		if (!tree_walk(item->children[i], use, data))
			return false;
	return true;
}

/* Finding what exists */

static int place_add(void *data, const struct ktrace_marker_info *m)
{
	struct places *p = data;
	struct place *more = realloc(p->list, (p->nr + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	p->list = more;
	more[p->nr] = (struct place){
		.system = strdup(m->system),
		.name = strdup(m->name),
		.file = strdup(m->file),
		.function = strdup(m->function),
		.format = strdup(m->format),
		.line = m->line,
	};
	more += p->nr++;
	return more->system && more->name && more->file && more->function &&
			       more->format
		       ? 0
		       : -ENOMEM;
}

static void places_free(struct places *p)
{
	for (size_t i = 0; i < p->nr; i++) {
		free(p->list[i].system);
		free(p->list[i].name);
		free(p->list[i].file);
		free(p->list[i].function);
		free(p->list[i].format);
	}
	free(p->list);
}

static const struct place *places_find(const struct places *p,
				       const struct ktrace_known *e)
{
	for (size_t i = 0; i < p->nr; i++)
		if (!strcmp(p->list[i].name, e->name) &&
		    !strcmp(p->list[i].system, e->system))
			return &p->list[i];
	return NULL;
}

/* The event's call; NULL: it is not an event of a call. */
static const char *call_name(const struct ktrace_known *e)
{
	if (strcmp(e->system, "syscalls") &&
	    strcmp(e->system, "compat_syscalls"))
		return NULL;
	if (!strncmp(e->name, "sys_enter_", 10))
		return e->name + 10;
	return strncmp(e->name, "sys_exit_", 9) ? NULL : e->name + 9;
}

/* Removes the parts of a compiler's path that say nothing. */
static const char *file_short(const char *file)
{
	while (!strncmp(file, "../", 3) || !strncmp(file, "./", 2))
		file += file[1] == '/' ? 2 : 3;
	return file;
}

static int place_set(struct item *leaf, const char *file, uint32_t line,
		     const char *function, const char *format)
{
	char text[512];

	snprintf(text, sizeof(text), "%s:%u %s()", file, line, function);
	return text_set(&leaf->place, text) ?: text_set(&leaf->format, format);
}

static int known_add(struct tree *tree, const struct ktrace_known *e,
		     const struct places *places)
{
	const char *call = call_name(e);
	const struct place *place = NULL;
	struct item_event *event = NULL;
	struct item *leaf;

	if (!call && strcmp(e->module, "vmlinux"))
		place = places_find(places, e);
	if (call) {
		leaf = child_get(tree->root.children[CATEGORY_CALLS], call);
	} else if (place) {
		const char *base = strrchr(place->file, '/');

		leaf = child_get(tree->root.children[CATEGORY_MODULES],
				 e->system);
		leaf = child_get(leaf, base ? base + 1 : place->file);
		leaf = child_get(leaf, e->name);
	} else {
		leaf = child_get(tree->root.children[CATEGORY_KERNEL],
				 e->system);
		leaf = child_get(leaf, e->name);
	}
	if (leaf)
		event = event_get(leaf, e->system, e->name);
	if (!event)
		return -ENOMEM;
	event->id = e->id;
	event->enabled = e->enabled;
	return place ? place_set(leaf, place->file, place->line,
				 place->function, place->format)
		     : 0;
}

static int kernel_refresh(struct tree *tree)
{
	struct ktrace_known *known;
	struct places places = {0};
	int err;
	size_t nr;

	err = ktrace_session_known(tree->session, &known, &nr);
	if (err)
		return err;
	err = ktrace_session_markers(tree->session, NULL, 0, place_add,
				     &places);
	/* Older kernel modules have no such list. */
	if (err == -ENOENT)
		err = 0;
	tree->ids = 0;
	for (size_t i = 0; i < nr && !err; i++) {
		err = known_add(tree, &known[i], &places);
		tree->ids += known[i].id;
	}
	places_free(&places);
	free(known);
	return err;
}

static int program_add(void *data, const struct ktrace_marker_info *m)
{
	struct tree *tree = data;
	struct item_event *event = NULL;
	struct item *leaf;

	leaf = child_get(tree->root.children[CATEGORY_PROGRAMS], m->system);
	leaf = child_get(leaf, file_short(m->file));
	leaf = child_get(leaf, m->name);
	if (leaf)
		event = event_get(leaf, m->system, m->name);
	if (!event)
		return -ENOMEM;
	leaf->recorded = m->enabled;
	return place_set(leaf, file_short(m->file), m->line, m->function,
			 m->format);
}

static int pattern_ignore(void *data, const char *pattern)
{
	return 0;
}

bool tree_look(struct tree *tree, struct item *leaf)
{
	bool changed = false;
	char path[600], *text;

	for (unsigned int i = 0; !leaf->programs && i < leaf->nr_events; i++) {
		struct item_event *e = &leaf->events[i];
		bool enabled;

		snprintf(path, sizeof(path), "events/%s/%s/enabled", e->system,
			 e->name);
		if (ktrace_session_read(tree->session, path, &text, NULL))
			continue; /* it has just gone */
		enabled = *text == '1';
		free(text);
		changed |= enabled != e->enabled;
		e->enabled = enabled;
	}
	return changed;
}

void tree_recorders(struct tree *tree)
{
	tree->recorders =
		ktrace_markers_patterns(pattern_ignore, NULL) != -ESRCH;
}

static int hints_set(struct tree *tree)
{
	struct item **c = tree->root.children;
	const char *kernel =
		tree->why ? tree->why : "nothing here: ktrace doctor says why";
	int err = text_set(&c[CATEGORY_KERNEL]->hint, kernel);

	if (!err)
		err = text_set(&c[CATEGORY_CALLS]->hint,
			       tree->session ? "load them: sudo ktrace load "
					       "'syscalls:*'"
					     : kernel);
	if (!err)
		err = text_set(
			&c[CATEGORY_MODULES]->hint,
			tree->session ? "no module that is loaded has any: see "
					"ktrace-marker(3)"
				      : kernel);
	if (!err)
		err = text_set(&c[CATEGORY_PROGRAMS]->hint,
			       "no program of yours that runs has any: see "
			       "ktrace-marker(3)");
	return err;
}

int tree_refresh(struct tree *tree)
{
	int err = 0;

	seen_clear(&tree->root);
	for (int i = 0; i < CATEGORIES; i++)
		tree->root.children[i]->seen = true;
	if (tree->session)
		err = kernel_refresh(tree);
	if (!err)
		err = ktrace_markers_list(0, NULL, 0, program_add, tree);
	if (err)
		return err;
	unseen_remove(&tree->root);
	tree_recorders(tree);
	return hints_set(tree);
}

int tree_create(struct tree *tree, struct ktrace_session *session,
		const char *why)
{
	static const char *const names[] = {"Kernel events", "System calls",
					    "Markers of kernel modules",
					    "Markers of programs"};

	*tree = (struct tree){.session = session};
	if (why) {
		tree->why = strdup(why);
		if (!tree->why)
			return -ENOMEM;
	}
	for (size_t i = 0; i < CATEGORIES; i++)
		if (!child_insert(&tree->root, names[i], i))
			return -ENOMEM;
	tree->root.children[CATEGORY_PROGRAMS]->programs = true;
	for (size_t i = 0; i < CATEGORIES; i++)
		tree->root.children[i]->open = i != CATEGORY_CALLS;
	return 0;
}

void tree_destroy(struct tree *tree)
{
	item_free(&tree->root);
	for (size_t i = 0; i < tree->nr_sets; i++)
		set_free(&tree->sets[i]);
	free(tree->sets);
	free(tree->rows);
	free(tree->why);
	memset(tree, 0, sizeof(*tree));
}

struct item *tree_find(struct tree *tree, const char *system, const char *name,
		       bool programs)
{
	const struct ktrace_known known = {.system = system, .name = name};
	struct item **c = tree->root.children, *folder, *leaf;
	const char *call = call_name(&known);

	if (!programs && call)
		return child_find(c[CATEGORY_CALLS], call);
	if (!programs) {
		folder = child_find(c[CATEGORY_KERNEL], system);
		leaf = folder ? child_find(folder, name) : NULL;
		if (leaf)
			return leaf;
	}
	folder = child_find(c[programs ? CATEGORY_PROGRAMS : CATEGORY_MODULES],
			    system);
	for (size_t i = 0; folder && i < folder->nr; i++) {
		leaf = child_find(folder->children[i], name);
		if (leaf)
			return leaf;
	}
	return NULL;
}

/* Rows */

static bool leaf_is_on(const struct tree *tree, const struct item *leaf)
{
	if (leaf->programs)
		return tree->recorders ? leaf->recorded : leaf->wanted;
	for (unsigned int i = 0; i < leaf->nr_events; i++)
		if (!leaf->events[i].enabled)
			return false;
	return true;
}

static void sums_make(const struct tree *tree, struct item *item)
{
	if (item->leaf) {
		item->total = 1;
		item->on = leaf_is_on(tree, item);
		return;
	}
	item->total = item->on = 0;
	item->count = 0;
	item->rate = 0;
	for (size_t i = 0; i < item->nr; i++) {
		struct item *child = item->children[i];

		sums_make(tree, child);
		item->total += child->total;
		item->on += child->on;
		item->count += child->count;
		item->rate += child->rate;
	}
}

enum item_state item_state(const struct item *item)
{
	if (!item->on)
		return ITEM_OFF;
	return item->on == item->total ? ITEM_ON : ITEM_SOME;
}

static bool text_contains(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (; *text; text++)
		if (!strncasecmp(text, word, len))
			return true;
	return !len;
}

/* Searches a part of the name or a pattern; with a colon, SYSTEM:NAME. */
static bool search_matches(const struct tree *tree, const struct item *leaf)
{
	char name[512];

	if (!*tree->search)
		return true;
	for (unsigned int i = 0; i < leaf->nr_events; i++) {
		const struct item_event *e = &leaf->events[i];

		snprintf(name, sizeof(name), "%s:%s", e->system, e->name);
		if (text_contains(name, tree->search) ||
		    !fnmatch(tree->search, name, FNM_CASEFOLD) ||
		    !fnmatch(tree->search, leaf->name, FNM_CASEFOLD))
			return true;
	}
	return leaf->place && text_contains(leaf->place, tree->search);
}

static int row_add(struct tree *tree, struct item *item, unsigned int depth)
{
	if (!(tree->nr_rows & (tree->nr_rows - 1))) {
		struct row *more = realloc(tree->rows, (tree->nr_rows * 2 + 1) *
							       sizeof(*more));

		if (!more)
			return -ENOMEM;
		tree->rows = more;
	}
	tree->rows[tree->nr_rows++] = (struct row){item, depth};
	return 0;
}

/* Leaves out folders without visible items while searching. */
static int rows_add(struct tree *tree, struct item *item, unsigned int depth)
{
	bool all = *tree->search || tree->only_on;
	size_t before = tree->nr_rows;
	int err = 0;

	if (item->leaf) {
		if (!search_matches(tree, item) || (tree->only_on && !item->on))
			return 0;
		return row_add(tree, item, depth);
	}
	err = row_add(tree, item, depth);
	for (size_t i = 0; !err && (all || item->open) && i < item->nr; i++)
		err = rows_add(tree, item->children[i], depth + 1);
	if (!err && all && tree->nr_rows == before + 1)
		tree->nr_rows = before;
	return err;
}

int tree_rows(struct tree *tree)
{
	int err = 0;

	sums_make(tree, &tree->root);
	tree->nr_rows = 0;
	for (size_t i = 0; !err && i < tree->root.nr; i++)
		err = rows_add(tree, tree->root.children[i], 0);
	return err;
}
