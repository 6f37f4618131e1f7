/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Calls of a trace, merged by their path: one node for all calls of a function that have the
 * same callers.  Syscalls and interrupts that were recorded are callers, too.
 *
 *	read				  syscall
 *	    vfs_read			  called by it
 *		rw_verify_area
 *	    irq timer			  what came in between
 *		tick_handle
 *
 * Memory depends on the number of paths.  There are at most CALL_PATHS_MAX, of at most
 * CALL_DEPTH_MAX calls: calls on further paths are one node, whose total is their own time.
 */
#ifndef KT_CMD_COMMON_CALL_TREE_H
#define KT_CMD_COMMON_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/span.h>

#include "base/table.h"

#ifndef CALL_PATHS_MAX
#define CALL_PATHS_MAX (1u << 18)
#endif
#define CALL_DEPTH_MAX 256

/* In addition to the kinds of spans. */
enum call_kind {
	CALL_ROOT = KTRACE_SPAN_ROOM,
	CALL_THREAD,
	CALL_MORE, /* all further paths */
};

struct call_node {
	struct call_node *parent; /* NULL: the root */
	struct call_node *first;  /* of its children */
	struct call_node *next;	  /* child of the same parent */
	int kind;		  /* enum ktrace_span_kind or call_kind */
	uint32_t tid;		  /* of a thread */
	uint32_t depth;		  /* the root has 0 */
	char *name;
	uint64_t calls;
	uint64_t errors;
	uint64_t total; /* ns */
	uint64_t self;
};

/* What nodes are ordered by, the most first. */
enum call_column {
	CALL_TOTAL,
	CALL_SELF,
	CALL_CALLS,
	CALL_ERRORS,
	CALL_COLUMNS,
};

/* All zero: an empty tree. */
struct call_tree {
	bool by_thread;		/* below the root are threads */
	struct call_node root;	/* its numbers: the sums; total is self */
	struct call_node *more; /* NULL: all paths have nodes */
	struct table nodes;	/* by parent, kind and name */
};

/*
 * Takes what ktrace_spans_event() has returned, @step, of an event; those of all events must be
 * taken.  @wants says which types of frames have nodes, by the event that begins them; what is
 * below others is below their callers.  @within: what the event ends is counted.  0 or
 * -ENOMEM.
 */
int call_tree_event(struct call_tree *tree, struct ktrace_spans *spans,
		    int step,
		    bool (*wants)(void *data, const struct ktrace_span *span),
		    void *data, bool within);
/*
 * Adds to @callers, which is empty, what @tree has, the other way round: below each function are
 * its callers, and below these theirs.  All numbers in a path are those of the function at its
 * top.  @depth: of paths; 0: any.  0 or -ENOMEM.
 */
int call_tree_invert(struct call_tree *callers, const struct call_tree *tree,
		     unsigned int depth);
/* Removes paths without calls, and puts all children into order. */
void call_tree_sort(struct call_tree *tree, enum call_column column);
uint64_t call_node_value(const struct call_node *node, enum call_column column);
void call_tree_free(struct call_tree *tree);

struct call_view {
	enum call_column column; /* as they were sorted by */
	double min; /* percent of all of this column: rows with less are left out */
	unsigned int depth; /* of what is shown; 0: any */
};

/* Prints a sorted tree: a line for each node, below its parent. */
void call_tree_print(const struct call_tree *tree,
		     const struct call_view *view);
/* Prints a member "tree" of a JSON object: an array of nodes, each with its depth. */
void call_tree_json(const struct call_tree *tree, const struct call_view *view);

#endif /* KT_CMD_COMMON_CALL_TREE_H */
