/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The tree that ktrace tui shows, without how: kernel events by system, system calls,
 * markers of modules and of programs by file.
 *
 * Items live until a refresh finds that what they stand for is gone; who keeps a
 * pointer looks it up among the rows again after tree_refresh().
 */
#ifndef KT_CMD_TUI_TUI_TREE_H
#define KT_CMD_TUI_TUI_TREE_H

#include <ktrace/session.h>

#include "set/set_file.h"

/* A call has four: entry and exit, of both kinds of programs. */
#define ITEM_EVENTS 4

struct item_event {
	char *system;
	char *name;
	uint32_t id; /* 0: none yet */
	bool enabled;
};

/* What is on of a folder or a leaf. */
enum item_state {
	ITEM_OFF,
	ITEM_SOME,
	ITEM_ON,
};

struct item {
	struct item *parent;
	struct item **children; /* by name; the root's by number */
	size_t nr;
	char *name;
	char *hint;    /* of a folder without children: what to do */
	bool programs; /* of programs, not of the kernel */
	bool open;
	bool seen; /* by the refresh that runs */

	/* Of leaves. */
	bool leaf;
	struct item_event events[ITEM_EVENTS];
	unsigned int nr_events;
	char *place;   /* of a marker: FILE:LINE FUNCTION() */
	char *format;  /* and its format */
	bool recorded; /* a marker of programs: a recorder gets it */
	bool wanted;   /* the same: the next recording is to get it */

	/* Of leaves, or the sum of those below. */
	size_t total;
	size_t on;
	uint64_t count; /* in the recording that is followed */
	double rate;	/* per second */
};

struct row {
	struct item *item;
	unsigned int depth;
};

struct tree {
	struct item root;
	struct ktrace_session *session; /* NULL: no kernel; @why says why */
	char *why;
	bool recorders; /* somebody records markers of programs */
	char search[64];
	bool only_on;
	struct row *rows; /* what is to be seen, from the top */
	size_t nr_rows;
	uint64_t ids; /* sum of the kernel's ids: changes with each new one */
	/* Patterns of markers that sets brought, for programs that begin later. */
	struct set *sets;
	size_t nr_sets;
};

/* @why is told where the kernel's part would be. */
int tree_create(struct tree *tree, struct ktrace_session *session,
		const char *why);
void tree_destroy(struct tree *tree);
/* Looks at what there is, and what is enabled.  0 or a negative errno. */
int tree_refresh(struct tree *tree);
/*
 * Looks only whether this leaf's events of the kernel are enabled, which is quick.
 * True: not as before.
 */
bool tree_look(struct tree *tree, struct item *leaf);
/* Looks only whether somebody records markers of programs. */
void tree_recorders(struct tree *tree);
/* Makes the rows, after a refresh, or a change of what is open or searched. */
int tree_rows(struct tree *tree);
enum item_state item_state(const struct item *item);
/* Up to NULL; false from @use ends it. */
bool tree_walk(struct item *item, bool (*use)(struct item *leaf, void *data),
	       void *data);

/* The leaf of an event; NULL: none.  Of the kernel, or of programs. */
struct item *tree_find(struct tree *tree, const char *system, const char *name,
		       bool programs);

/* The leaf, or all leaves of the folder.  Exit status; complains. */
int tree_switch(struct tree *tree, struct item *item, bool on);

/*
 * The patterns that a recorder of markers is to have; free() the list, the texts are
 * the tree's.  NULL: out of memory.
 */
const char **tree_patterns(struct tree *tree, size_t *nr);
/* What is on, as a set.  Exit status; complains. */
int tree_save(struct tree *tree, const char *name, bool replace);
/* Exit status; complains, and says what has been done. */
int tree_load(struct tree *tree, const char *name);

#endif /* KT_CMD_TUI_TUI_TREE_H */
