// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Switches items of the tree, and loads and saves sets.
 *
 * Events of the kernel are switched in the session at once.  Markers of
 * programs are switched in running recorders.  If there is none, the tree
 * remembers what is wanted until its own recording begins.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/markers.h>

#include "cmd.h"
#include "set/set_state.h"
#include "tui_tree.h"

struct switching {
	struct tree *tree;
	bool on;
	int status;
	char **patterns; /* of programs' markers */
	size_t nr;
};

static bool event_switch(struct item *leaf, void *data)
{
	struct switching *s = data;

	for (unsigned int i = 0; i < leaf->nr_events; i++) {
		struct item_event *e = &leaf->events[i];

		if (e->enabled == s->on)
			continue;
		if (ktrace_session_enable(s->tree->session, e->system, e->name,
					  s->on)) {
			s->status = failed_in_library();
			return false;
		}
		e->enabled = s->on;
	}
	return true;
}

static bool marker_want(struct item *leaf, void *data)
{
	struct switching *s = data;
	const struct item_event *e = &leaf->events[0];
	char **more;

	leaf->wanted = leaf->recorded = s->on;
	more = realloc(s->patterns, (s->nr + 1) * sizeof(*more));
	if (!more)
		goto err_memory;
	s->patterns = more;
	if (asprintf(&more[s->nr], "%s:%s", e->system, e->name) < 0)
		goto err_memory;
	s->nr++;
	return true;

err_memory:
	s->status = failed("out of memory");
	return false;
}

static int markers_switch(struct switching *s, struct item *item)
{
	const char *whole;
	size_t count;
	char all[300];
	int err = 0;

	tree_walk(item, marker_want, s);
	/* For a program, or all of them, one pattern is enough. */
	snprintf(all, sizeof(all), "%s:*",
		 item->parent && item->parent->parent ? item->name : "*");
	whole = all;
	if (!s->status && s->nr) {
		if (!item->leaf &&
		    (!item->parent->parent || !item->parent->parent->parent))
			err = ktrace_markers_switch(&whole, 1, s->on, &count);
		else
			err = ktrace_markers_switch(
				(const char *const *)s->patterns, s->nr, s->on,
				&count);
	}
	if (s->nr)
		s->tree->recorders = err != -ESRCH;
	if (err && err != -ESRCH)
		s->status = failed_in_library();
	for (size_t i = 0; i < s->nr; i++)
		free(s->patterns[i]);
	free(s->patterns);
	return s->status;
}

int tree_switch(struct tree *tree, struct item *item, bool on)
{
	struct switching s = {.tree = tree, .on = on};

	if (item->programs)
		return markers_switch(&s, item);
	tree_walk(item, event_switch, &s);
	return s.status;
}

/* Patterns */

struct patterns {
	const char **list;
	size_t nr;
	bool failed;
};

static void pattern_add(struct patterns *p, const char *text)
{
	const char **more = realloc(p->list, (p->nr + 1) * sizeof(*more));

	if (!more) {
		p->failed = true;
		return;
	}
	p->list = more;
	more[p->nr++] = text;
}

/* The pattern "!SYSTEM:NAME" of a leaf, made once; with or without the `!'. */
static const char *leaf_pattern(struct item *leaf)
{
	const struct item_event *e = &leaf->events[0];

	if (!leaf->hint &&
	    asprintf(&leaf->hint, "!%s:%s", e->system, e->name) < 0)
		leaf->hint = NULL;
	return leaf->hint;
}

static bool pattern_of_wanted(struct item *leaf, void *data)
{
	const char *text;

	if (!leaf->programs || !leaf->wanted)
		return true;
	text = leaf_pattern(leaf);
	if (text)
		pattern_add(data, text + 1);
	return true;
}

/* Leaves that a set's pattern matches, but that were switched off since. */
struct exclusion {
	struct tree *tree;
	struct patterns *patterns;
};

static int exclusion_add(void *data, const struct ktrace_marker_info *m)
{
	struct exclusion *x = data;
	struct item *leaf = tree_find(x->tree, m->system, m->name, true);
	const char *text;

	if (!leaf || leaf->wanted)
		return 0;
	text = leaf_pattern(leaf);
	if (text)
		pattern_add(x->patterns, text);
	return 0;
}

const char **tree_patterns(struct tree *tree, size_t *nr)
{
	struct patterns p = {.list = calloc(1, sizeof(*p.list))};
	struct exclusion x = {tree, &p};
	size_t of_sets;

	for (size_t i = 0; i < tree->nr_sets; i++)
		for (size_t j = 0; j < tree->sets[i].nr_markers; j++)
			pattern_add(&p, tree->sets[i].markers[j]);
	of_sets = p.nr;
	if (of_sets)
		ktrace_markers_list(0, p.list, of_sets, exclusion_add, &x);
	tree_walk(&tree->root, pattern_of_wanted, &p);
	*nr = p.nr;
	return p.list;
}

/* Sets */

int tree_save(struct tree *tree, const char *name, bool replace)
{
	const char **patterns = NULL;
	char *text = NULL;
	size_t size, nr, more = 0;
	int status;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return failed("out of memory");
	set_print_head(f, name, NULL);
	status = set_print_enabled(f, tree->session, &nr);
	tree_recorders(tree);
	if (!tree->recorders)
		patterns = tree_patterns(tree, &more);
	for (size_t i = 0; i < more; i++)
		fprintf(f, "marker %s\n", patterns[i]);
	fclose(f);
	if (!status && !nr && !more)
		status = failed("nothing is on: there is nothing to save");
	if (!status)
		status = set_write(name, text, size, replace);
	free(patterns);
	free(text);
	return status;
}

static int marker_found(void *data, const struct ktrace_marker_info *m)
{
	struct item *leaf = tree_find(data, m->system, m->name, true);

	if (leaf)
		leaf->wanted = true;
	return 0;
}

/* Keeps the set, because the patterns point to its strings. */
static int markers_load(struct tree *tree, struct set *set)
{
	struct set *more;
	size_t count;
	int err;

	if (!set->nr_markers)
		return EXIT_OK;
	ktrace_markers_list(0, set->markers, set->nr_markers, marker_found,
			    tree);
	err = ktrace_markers_switch(set->markers, set->nr_markers, true,
				    &count);
	if (err && err != -ESRCH)
		return failed_in_library();
	/* Markers of kernel modules. */
	if (tree->session && ktrace_session_mark(tree->session, set->markers,
						 set->nr_markers, &count))
		return failed_in_library();
	more = realloc(tree->sets, (tree->nr_sets + 1) * sizeof(*more));
	if (!more)
		return failed("out of memory");
	tree->sets = more;
	more[tree->nr_sets++] = *set;
	*set = (struct set){0};
	return EXIT_OK;
}

int tree_load(struct tree *tree, const char *name)
{
	struct set_counts counts = {0};
	struct set set = {0};
	size_t markers;
	int status;

	status = set_read(&set, name);
	if (!status && !selection_is_all(&set.selection) && !tree->session)
		status = failed("the set has events of the kernel: %s",
				tree->why);
	markers = set.nr_markers;
	/*
	 * Without a recorder they wait for the next one; set_enable() would
	 * refuse them.
	 */
	set.nr_markers = 0;
	if (!status && tree->session)
		status = set_enable(&set, tree->session, SET_REFUSE, &counts);
	set.nr_markers = markers;
	if (!status)
		status = markers_load(tree, &set);
	if (!status)
		say("the set `%s' is loaded: %zu events, %zu patterns of "
		    "markers",
		    name, counts.events, markers);
	set_free(&set);
	return status;
}
