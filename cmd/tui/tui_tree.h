/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The tree of ktrace tui, without drawing it: kernel events by system, system
 * calls, markers of modules and of programs by file.
 *
 * A refresh frees items whose object has gone.  So a pointer to an item must be
 * looked up among the rows again after tree_refresh().
 */
#ifndef KT_CMD_TUI_TUI_TREE_H
#define KT_CMD_TUI_TUI_TREE_H

#include <ktrace/session.h>

#include "set/set_file.h"

/* A call has four: entry and exit, for 64-bit and 32-bit programs. */
#define ITEM_EVENTS 4

struct item_event {
	char *system;
	char *name;
	uint32_t id; /* 0: none yet */
	bool enabled;
};

/* What is enabled in a folder or leaf. */
enum item_state {
	ITEM_OFF,
	ITEM_SOME,
	ITEM_ON,
};

struct item {
	struct item *parent;
	struct item **children; /* by name; those of the root by number */
	size_t nr;
	char *name;
	char *hint;    /* for an empty folder: what to do */
	bool programs; /* of programs, not of the kernel */
	bool open;
	bool seen; /* found by the current refresh */

	/* For leaves: */
	bool leaf;
	struct item_event events[ITEM_EVENTS];
	unsigned int nr_events;
	char *place;   /* of a marker: FILE:LINE FUNCTION() */
	char *format;  /* of a marker */
	bool recorded; /* programs' markers: a recorder records it */
	bool wanted;   /* programs' markers: for the next recording */

	/* For leaves; for folders the sum of their leaves. */
	size_t total;
	size_t on;
	uint64_t count; /* in the current recording */
	double rate;	/* per second */
};

struct row {
	struct item *item;
	unsigned int depth;
};

struct tree {
	struct item root;
	struct ktrace_session *session; /* NULL: no kernel; see @why */
	char *why;
	bool recorders; /* somebody records markers of programs */
	char search[64];
	bool only_on;
	struct row *rows; /* the visible rows, from the top */
	size_t nr_rows;
	uint64_t ids; /* sum of the kernel's ids: each new one changes it */
	/* Patterns of markers from sets, for programs that start later. */
	struct set *sets;
	size_t nr_sets;
};

/* @why is shown in place of the kernel's part. */
int tree_create(struct tree *tree, struct ktrace_session *session,
		const char *why);
void tree_destroy(struct tree *tree);
/* Finds what exists and what is enabled.  0 or a negative errno. */
int tree_refresh(struct tree *tree);
/*
 * Checks only whether this leaf's kernel events are enabled, which is quick.
 * True: this has changed.
 */
bool tree_look(struct tree *tree, struct item *leaf);
/* Checks only whether somebody records markers of programs. */
void tree_recorders(struct tree *tree);
/* Makes the rows again, after a refresh, or when folders or search change. */
int tree_rows(struct tree *tree);
enum item_state item_state(const struct item *item);
/* Calls @use for all leaves, until it returns false. */
bool tree_walk(struct item *item, bool (*use)(struct item *leaf, void *data),
	       void *data);

/* The leaf of an event of the kernel or of @programs.  NULL: there is none. */
struct item *tree_find(struct tree *tree, const char *system, const char *name,
		       bool programs);

/* Switches the leaf, or all leaves of the folder.  Returns an exit status. */
int tree_switch(struct tree *tree, struct item *item, bool on);

/*
 * The patterns for a recorder of markers.  The caller frees the list; its
 * strings belong to the tree.  NULL: out of memory.
 */
const char **tree_patterns(struct tree *tree, size_t *nr);
/* Saves what is enabled as a set.  Returns an exit status. */
int tree_save(struct tree *tree, const char *name, bool replace);
/* Loads a set, and prints what was done.  Returns an exit status. */
int tree_load(struct tree *tree, const char *name);

#endif /* KT_CMD_TUI_TUI_TREE_H */
