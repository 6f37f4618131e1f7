// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_tree.h"

/* More than names of functions of the kernel have (KSYM_NAME_LEN). */
#define NAME_ROOM 1024

/* ---- nodes ---------------------------------------------------------------- */

static void sum_add(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

static uint64_t node_hash(const struct call_node *key)
{
	uint64_t hash = table_hash(key->name, strlen(key->name));

	hash ^= (uintptr_t)key->parent * 0x9e3779b97f4a7c15ull;
	return hash + key->kind + ((uint64_t)key->tid << 32);
}

static bool node_is(const struct call_node *node, const struct call_node *key)
{
	return node->parent == key->parent && node->kind == key->kind &&
	       node->tid == key->tid && !strcmp(node->name, key->name);
}

/* NULL: out of memory. */
static struct call_node *node_add(struct call_tree *tree,
				  const struct call_node *key, uint64_t hash)
{
	struct call_node *node = malloc(sizeof(*node));

	if (!node)
		return NULL;
	*node = *key;
	node->name = strdup(key->name);
	if (!node->name || table_add(&tree->nodes, hash, node)) {
		free(node->name);
		free(node);
		return NULL;
	}
	node->depth = key->parent->depth + 1;
	node->next = key->parent->first;
	key->parent->first = node;
	return node;
}

static struct call_node *more_get(struct call_tree *tree)
{
	const struct call_node key = {
		.parent = &tree->root,
		.kind = CALL_MORE,
		.name = "[more]",
	};

	if (!tree->more)
		tree->more = node_add(tree, &key, node_hash(&key));
	return tree->more;
}

/* The child of @parent; it is made if it is new.  NULL: out of memory. */
static struct call_node *node_get(struct call_tree *tree,
				  struct call_node *parent, int kind,
				  uint32_t tid, const char *name)
{
	char cut[NAME_ROOM];
	struct call_node key = {
		.parent = parent,
		.kind = kind,
		.tid = tid,
		.name = (char *)name,
	};
	struct table_slot *slot = NULL;
	uint64_t hash;

	/* Each path has a copy, and names of hostile traces are long. */
	if (strnlen(name, NAME_ROOM) == NAME_ROOM) {
		snprintf(cut, sizeof(cut), "%s", name);
		key.name = cut;
	}
	hash = node_hash(&key);
	if (kind == CALL_MORE || parent->kind == CALL_MORE ||
	    parent->depth == CALL_DEPTH_MAX)
		return more_get(tree);
	while ((slot = table_next(&tree->nodes, hash, slot)))
		if (node_is(slot->value, &key))
			return slot->value;
	return tree->nodes.nr < CALL_PATHS_MAX ? node_add(tree, &key, hash)
					       : more_get(tree);
}

/* ---- calls ---------------------------------------------------------------- */

static bool span_is_frame(const struct ktrace_span *span)
{
	return span->kind == KTRACE_SPAN_SYSCALL ||
	       span->kind == KTRACE_SPAN_FUNCTION ||
	       span->kind == KTRACE_SPAN_IRQ ||
	       span->kind == KTRACE_SPAN_SOFTIRQ;
}

/* What is around the frame that the last event began or ended.  NULL: out of memory. */
static struct call_node *caller_node(struct call_tree *tree,
				     const struct ktrace_spans *spans,
				     const struct ktrace_span *span)
{
	const struct ktrace_span *caller = ktrace_spans_caller(spans);

	if (caller && caller->data)
		return caller->data;
	if (!tree->by_thread)
		return &tree->root;
	return node_get(tree, &tree->root, CALL_THREAD, span->tid, span->comm);
}

static struct call_node *span_node(struct call_tree *tree,
				   const struct ktrace_spans *spans,
				   const struct ktrace_span *span)
{
	struct call_node *parent = caller_node(tree, spans, span);
	/* The name of a span is cut. */
	const char *name = span->kind == KTRACE_SPAN_FUNCTION ? span->type->name
							      : span->name;

	return parent ? node_get(tree, parent, span->kind, 0, name) : NULL;
}

/* Those in the node for further paths may have been called by others in it. */
static void numbers_add(struct call_node *to, const struct call_node *from)
{
	bool own = to->kind == CALL_MORE || to->kind == CALL_ROOT;

	to->calls += from->calls;
	to->errors += from->errors;
	sum_add(&to->self, from->self);
	sum_add(&to->total, own ? from->self : from->total);
}

static void span_count(struct call_tree *tree, struct call_node *node,
		       const struct ktrace_span *span)
{
	const struct call_node call = {
		.calls = 1,
		.errors = span->error != 0,
		.self = span->self,
		.total = span->took,
	};

	numbers_add(node, &call);
	numbers_add(&tree->root, &call);
}

int call_tree_event(struct call_tree *tree, struct ktrace_spans *spans,
		    int step,
		    bool (*wants)(void *data, const struct ktrace_span *span),
		    void *data, bool within)
{
	const struct ktrace_span *span = ktrace_spans_ended(spans);
	struct call_node *node;

	tree->root.kind = CALL_ROOT;
	if (step & KTRACE_SPAN_ENDS && span_is_frame(span) && within &&
	    wants(data, span)) {
		node = span->data ?: span_node(tree, spans, span);
		if (!node)
			return -ENOMEM;
		span_count(tree, node, span);
	}
	span = ktrace_spans_begun(spans);
	if (!(step & KTRACE_SPAN_BEGINS) || !span_is_frame(span))
		return 0;
	node = wants(data, span) ? span_node(tree, spans, span)
				 : caller_node(tree, spans, span);
	if (!node)
		return -ENOMEM;
	ktrace_spans_keep(spans, node);
	return 0;
}

/* ---- the other way round -------------------------------------------------- */

static int path_invert(struct call_tree *callers, const struct call_node *node,
		       unsigned int depth)
{
	const struct call_node *from = node;
	struct call_node *to = &callers->root;

	numbers_add(&callers->root, node);
	for (; from->parent; from = from->parent) {
		to = node_get(callers, to, from->kind, from->tid, from->name);
		if (!to)
			return -ENOMEM;
		/* What the node is counted in is there: its callers are left out. */
		if (to->kind == CALL_MORE && from != node)
			break;
		numbers_add(to, node);
		if (!--depth)
			break;
	}
	return 0;
}

int call_tree_invert(struct call_tree *callers, const struct call_tree *tree,
		     unsigned int depth)
{
	const struct call_node *node;
	size_t at = 0;
	int err = 0;

	callers->root.kind = CALL_ROOT;
	while (!err && (node = table_each(&tree->nodes, &at)))
		if (node->calls)
			err = path_invert(callers, node, depth);
	return err;
}

/* ---- order ---------------------------------------------------------------- */

uint64_t call_node_value(const struct call_node *node, enum call_column column)
{
	switch (column) {
	case CALL_SELF:
		return node->self;
	case CALL_CALLS:
		return node->calls;
	case CALL_ERRORS:
		return node->errors;
	default:
		return node->total;
	}
}

static bool node_is_before(const struct call_node *x, const struct call_node *y,
			   enum call_column column)
{
	uint64_t of_x = call_node_value(x, column);
	uint64_t of_y = call_node_value(y, column);

	if (of_x != of_y)
		return of_x > of_y;
	if (x->kind != y->kind)
		return x->kind < y->kind;
	if (x->tid != y->tid)
		return x->tid < y->tid;
	return strcmp(x->name, y->name) < 0;
}

/* Merges two lists that are in order. */
static struct call_node *lists_merge(struct call_node *a, struct call_node *b,
				     enum call_column column)
{
	struct call_node *first = NULL, **end = &first;

	while (a && b) {
		struct call_node **least =
			node_is_before(b, a, column) ? &b : &a;

		*end = *least;
		end = &(*end)->next;
		*least = *end;
	}
	*end = a ?: b;
	return first;
}

static struct call_node *list_sort(struct call_node *list,
				   enum call_column column)
{
	struct call_node *middle = list, *end = list, *half;

	if (!list || !list->next)
		return list;
	while (end->next && end->next->next) {
		middle = middle->next;
		end = end->next->next;
	}
	half = middle->next;
	middle->next = NULL;
	return lists_merge(list_sort(list, column), list_sort(half, column),
			   column);
}

/* Returns whether there are calls in the node or below it. */
static bool node_sort(struct call_node *node, enum call_column column)
{
	struct call_node **link = &node->first;

	while (*link) {
		if (node_sort(*link, column))
			link = &(*link)->next;
		else
			*link = (*link)->next;
	}
	node->first = list_sort(node->first, column);
	return node->calls || node->first;
}

void call_tree_sort(struct call_tree *tree, enum call_column column)
{
	node_sort(&tree->root, column);
}

void call_tree_free(struct call_tree *tree)
{
	struct call_node *node;
	size_t at = 0;

	while ((node = table_each(&tree->nodes, &at))) {
		free(node->name);
		free(node);
	}
	table_free(&tree->nodes);
}
