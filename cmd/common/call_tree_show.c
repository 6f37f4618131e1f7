// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>

#include "call_tree.h"
#include "value.h"

struct show {
	const struct call_view *view;
	uint64_t whole; /* all of the column */
	uint64_t rows;
	uint64_t cut; /* rows with less than view->min */
	void (*row)(struct show *show, const struct call_node *node);
};

static double percent(const struct show *show, const struct call_node *node)
{
	uint64_t value = call_node_value(node, show->view->column);

	return show->whole ? 100.0 * value / show->whole : 0;
}

/* The recursion is limited by CALL_DEPTH_MAX. */
static void children_show(struct show *show, const struct call_node *parent)
{
	if (show->view->depth && parent->depth == show->view->depth)
		return;
	for (const struct call_node *node = parent->first; node;
	     node = node->next) {
		/* A thread has no calls of its own. */
		if (node->kind != CALL_THREAD &&
		    percent(show, node) < show->view->min) {
			show->cut++;
			continue;
		}
		show->row(show, node);
		show->rows++;
		children_show(show, node);
	}
}

static void tree_show(struct show *show, const struct call_tree *tree)
{
	/* The total of all is their own time: so nothing counts twice. */
	show->whole = call_node_value(&tree->root, show->view->column);
	children_show(show, &tree->root);
}

static const char *kind_name(int kind)
{
	if (kind == CALL_THREAD)
		return "thread";
	return kind == CALL_MORE ? "more" : ktrace_span_kind_name(kind);
}

/* ---- text ----------------------------------------------------------------- */

static void name_print(const struct call_node *node)
{
	if (node->kind == CALL_MORE || node->kind == KTRACE_SPAN_FUNCTION) {
		print_text(stdout, node->name);
		return;
	}
	printf("%s ", kind_name(node->kind));
	print_text(stdout, node->name);
	if (node->kind == CALL_THREAD)
		printf("-%u", node->tid);
}

static void row_print(struct show *show, const struct call_node *node)
{
	if (node->kind == CALL_THREAD)
		printf("%*s", 14 + 4 * 10 + 7 + 2, "");
	else
		printf("%14s %9s %6.2f %9s %9s %9s  ",
		       count_text(node->calls).s, ns_text(node->total).s,
		       percent(show, node), ns_text(node->self).s,
		       ns_text(node->calls ? node->total / node->calls : 0).s,
		       count_text(node->errors).s);
	printf("%*s", 2 * (int)(node->depth - 1), "");
	name_print(node);
	putchar('\n');
}

void call_tree_print(const struct call_tree *tree, const struct call_view *view)
{
	struct show show = {.view = view, .row = row_print};

	if (!tree->root.first) {
		puts("no calls: record functions with -F 'vfs_*', or syscalls "
		     "with -e 'syscalls:*'");
		return;
	}
	printf("%14s %9s %6s %9s %9s %9s  %s\n", "calls", "total", "%", "self",
	       "average", "errors", "function");
	tree_show(&show, tree);
	if (show.cut)
		printf("%14s rows have less than %g %%; they and what is "
		       "below them are not shown: --min 0 shows all\n",
		       count_text(show.cut).s, view->min);
	if (tree->more && tree->more->calls)
		printf("%14s calls are in [more]: there are more than %u paths, "
		       "or some are deeper than %d calls\n",
		       count_text(tree->more->calls).s, CALL_PATHS_MAX,
		       CALL_DEPTH_MAX);
	else if (tree->more)
		printf("%14s more than %u paths, or some are deeper than %d "
		       "calls: some callers are not shown\n",
		       "", CALL_PATHS_MAX, CALL_DEPTH_MAX);
}

/* ---- JSON ----------------------------------------------------------------- */

static void row_json(struct show *show, const struct call_node *node)
{
	printf("%s\n{\"depth\":%u,\"kind\":\"%s\",\"name\":",
	       show->rows ? "," : "", node->depth - 1, kind_name(node->kind));
	print_json(stdout, node->name);
	if (node->kind == CALL_THREAD)
		printf(",\"tid\":%u", node->tid);
	printf(",\"calls\":%lu,\"errors\":%lu,\"total\":%lu,\"self\":%lu}",
	       node->calls, node->errors, node->total, node->self);
}

void call_tree_json(const struct call_tree *tree, const struct call_view *view)
{
	struct show show = {.view = view, .row = row_json};

	fputs("\"tree\":[", stdout);
	tree_show(&show, tree);
	putchar(']');
}
