// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The calls that branches show, each below its caller: see branch_show.h.
 *
 * A return belongs to the call whose instruction is just before the place it goes to, and ends all
 * calls inside of that.  A jump into the middle of a function that is open, as of longjmp(), ends all
 * calls inside of that one.  A caller that the buffer does not have any more is seen when it is
 * returned to.
 */
#include <string.h>

#include "base/arena.h"
#include "base/table.h"
#include "branch_show.h"
#include "cmd.h"

#define DEPTH_INDENTED 64

/* Of the open calls, so many are searched: a hostile program may have millions. */
#define OPEN_MAX 10000

/* The longest instruction, of a call for instance. */
#define INSTRUCTION_MAX 15

struct node {
	/* The branch that led there; or, if that was lost, one from there. */
	size_t entry;
	bool to;
	enum {
		CALLED,
		SENT,	/* by the kernel */
		JUMPED, /* its caller is that of who jumped */
		BEGUN,	/* before what the buffer has */
	} how;
	uint64_t from; /* the instruction that called it, or was interrupted */
	struct node *parent, *first, *last, *next;
	uint64_t hash; /* of it and of what it calls */
	size_t times;  /* how often it comes, one behind the other */
};

struct calls {
	const struct branch_show *show;
	size_t thread;
	struct arena arena;
	struct node top; /* above all */
	/* Of these, the last one that something missing is behind. */
	struct node *before;
	struct node *now;
	bool failed;
	bool killed; /* the thread, in @now */
};

/* ---- building ------------------------------------------------------------- */

static struct node *node_add(struct calls *calls, struct node *parent,
			     size_t entry, bool to, int how, uint64_t from)
{
	struct node *node = arena_alloc(&calls->arena, sizeof(*node));

	if (!node) {
		calls->failed = true;
		return calls->now;
	}
	node->entry = entry;
	node->to = to;
	node->how = how;
	node->from = from;
	node->parent = parent;
	node->times = 1;
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	return node;
}

static bool place_of(const struct calls *calls, size_t entry, bool to,
		     struct ktrace_branch_place *place)
{
	return ktrace_branches_place(calls->show->branches, calls->thread,
				     entry, to, place);
}

/* Is it the first instruction of a function? */
static bool is_begin(const struct calls *calls, size_t entry)
{
	struct ktrace_branch_place place;

	return place_of(calls, entry, true, &place) && place.function &&
	       !place.behind;
}

/* What the compiler has put elsewhere is a part of the function. */
static bool is_part(const char *a, const char *b)
{
	size_t length = strlen(a);

	return !strncmp(a, b, length) &&
	       (!b[length] || !strncmp(b + length, ".cold", strlen(".cold")));
}

static bool is_same_function(const struct calls *calls, size_t entry)
{
	struct ktrace_branch_place from, to;

	return place_of(calls, entry, false, &from) &&
	       place_of(calls, entry, true, &to) && from.function &&
	       to.function && !strcmp(from.file, to.file) &&
	       (is_part(from.function, to.function) ||
		is_part(to.function, from.function));
}

static bool has_returned(const struct node *node, uint64_t to)
{
	return node->how == CALLED && to > node->from &&
	       to - node->from <= INSTRUCTION_MAX;
}

/* A system call that begins again is two bytes before. */
static bool has_come_back(const struct node *node, uint64_t to)
{
	return node->how == SENT && to + 2 >= node->from &&
	       to - node->from + 2 <= INSTRUCTION_MAX + 2;
}

/* The innermost call that ends with this; NULL: none does. */
static struct node *ended_by(struct calls *calls, uint64_t to,
			     bool (*ends)(const struct node *, uint64_t))
{
	struct node *node = calls->now;

	for (int i = 0; i < OPEN_MAX && node != &calls->top; i++) {
		if (ends(node, to))
			return node;
		node = node->parent;
	}
	return NULL;
}

/* All that there was until now, or since something is missing, was called by a function seen only now. */
static void caller_found(struct calls *calls, size_t entry)
{
	struct node *caller =
		node_add(calls, &calls->top, entry, true, BEGUN, 0);
	struct node *before = calls->before;

	if (calls->failed)
		return;
	/* It is the last one, behind those that become its own. */
	caller->first = before ? before->next : calls->top.first;
	if (caller->first == caller)
		caller->first = NULL;
	for (struct node *node = caller->first; node; node = node->next) {
		node->parent = caller;
		if (node->next != caller)
			continue;
		node->next = NULL;
		caller->last = node;
	}
	if (before)
		before->next = caller;
	else
		calls->top.first = caller;
	calls->now = caller;
}

static void sent_take(struct calls *calls, size_t entry, uint64_t from,
		      uint64_t to)
{
	struct node *ended = ended_by(calls, to, has_come_back);

	calls->now =
		ended ? ended->parent
		      : node_add(calls, calls->now, entry, true, SENT, from);
}

/* The innermost call of the function into which a branch goes; NULL: it is not open. */
static struct node *open_call(struct calls *calls, size_t entry)
{
	struct ktrace_branch_place to, place;
	struct node *node = calls->now;

	if (!place_of(calls, entry, true, &to) || !to.function)
		return NULL;
	for (int i = 0; i < OPEN_MAX && node != &calls->top;
	     i++, node = node->parent)
		if (place_of(calls, node->entry, node->to, &place) &&
		    place.function && !strcmp(place.file, to.file) &&
		    !strcmp(place.function, to.function))
			return node;
	return NULL;
}

/*
 * A jump to where a function begins: by the linker's table, or instead of a call and a return.  Or
 * back into one that is open.
 */
static void jump_take(struct calls *calls, size_t entry)
{
	struct node *now = calls->now;
	struct ktrace_branch_place place;

	if (is_same_function(calls, entry))
		return;
	if (!is_begin(calls, entry)) {
		calls->now = open_call(calls, entry) ?: now;
		return;
	}
	if (now != &calls->top && !now->first &&
	    (!place_of(calls, now->entry, now->to, &place) ||
	     !place.function)) {
		now->entry = entry;
		now->to = true;
		return;
	}
	if (now == &calls->top || now->how == BEGUN) {
		calls->now =
			node_add(calls, &calls->top, entry, true, BEGUN, 0);
		return;
	}
	calls->now =
		node_add(calls, now->parent, entry, true, now->how, now->from);
}

static void return_take(struct calls *calls, size_t entry, uint64_t to)
{
	struct node *ended = ended_by(calls, to, has_returned);

	if (ended)
		calls->now = ended->parent;
	/* A handler of a signal returns to code that goes back by a system call. */
	else if (calls->now->how == SENT)
		return;
	else if (is_begin(calls, entry))
		jump_take(calls, entry);
	else
		caller_found(calls, entry);
}

static void branch_take(struct calls *calls, size_t entry)
{
	struct ktrace_branch branch = ktrace_branches_get(calls->show->branches,
							  calls->thread, entry);

	/* What it has done before is not known, if anything. */
	if (branch.kind == KTRACE_BRANCH_BEGINS) {
		calls->now = &calls->top;
		calls->before = calls->top.last;
	}
	/* Where it is at first, nobody has called. */
	if (calls->now == &calls->top && !ktrace_branch_is_stamp(&branch))
		calls->now =
			node_add(calls, &calls->top, entry, false, BEGUN, 0);
	switch (branch.kind) {
	case KTRACE_BRANCH_CALL:
	case KTRACE_BRANCH_INDIRECT_CALL:
		calls->now = node_add(calls, calls->now, entry, true, CALLED,
				      branch.from);
		break;
	case KTRACE_BRANCH_RETURN:
		return_take(calls, entry, branch.to);
		break;
	case KTRACE_BRANCH_SENT:
		sent_take(calls, entry, branch.from, branch.to);
		break;
	case KTRACE_BRANCH_JUMP:
	case KTRACE_BRANCH_CONDITIONAL:
	case KTRACE_BRANCH_INDIRECT:
		jump_take(calls, entry);
		break;
	default:
		break;
	}
}

/* ---- walking, without recursion: calls may be as deep as the buffer is long -- */

static struct node *deepest(struct node *node)
{
	while (node->first)
		node = node->first;
	return node;
}

/* Behind all that it calls; NULL: it was the last one. */
static struct node *next_behind(const struct node *node)
{
	return node->next ? deepest(node->next) : node->parent;
}

static struct node *next_before(const struct node *node, const struct node *top,
				int *depth)
{
	if (node->first) {
		++*depth;
		return node->first;
	}
	while (node != top && !node->next) {
		node = node->parent;
		--*depth;
	}
	return node == top ? NULL : node->next;
}

/* ---- folding -------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* Functions are the same if they are at the same address, and called in the same way. */
static uint64_t own_hash(const struct calls *calls, const struct node *node)
{
	struct ktrace_branch branch = ktrace_branches_get(
		calls->show->branches, calls->thread, node->entry);
	struct ktrace_branch_place place;
	uint64_t address = node->to ? branch.to : branch.from;

	if (place_of(calls, node->entry, node->to, &place) && place.function)
		address = place.offset - place.behind +
			  table_hash(place.file, strlen(place.file));
	return mix(mix(calls->killed && node == calls->now, address),
		   node->how);
}

/* Calls behind each other that are the same, with all that they call, become one. */
static void calls_fold(struct calls *calls)
{
	for (struct node *node = deepest(&calls->top); node;
	     node = next_behind(node)) {
		if (node != &calls->top)
			node->hash = own_hash(calls, node);
		for (struct node *call = node->first; call; call = call->next) {
			while (call->next && call->next->hash == call->hash) {
				call->times++;
				call->next = call->next->next;
			}
			node->hash =
				mix(mix(node->hash, call->hash), call->times);
		}
	}
}

/* ---- printing ------------------------------------------------------------- */

static void node_print(const struct calls *calls, const struct node *node,
		       int depth)
{
	FILE *f = calls->show->file;

	/* Deeper ones would be lines of mostly blanks: there the depth is a number. */
	if (depth > DEPTH_INDENTED)
		fprintf(f, "  %*s(%d) ", 2 * (DEPTH_INDENTED - 1), "", depth);
	else
		fprintf(f, "  %*s", 2 * (depth - 1), "");
	if (node->how == SENT)
		fputs("sent to ", f);
	branch_function_print(calls->show, calls->thread, node->entry,
			      node->to);
	if (node->times > 1)
		fprintf(f, "  ×%zu", node->times);
	if (node == calls->now && calls->killed)
		fputs("  <- killed here", f);
	fputc('\n', f);
}

static int thread_show(const struct branch_show *show, size_t number,
		       const struct ktrace_branch_thread *thread)
{
	struct calls calls = {.show = show, .thread = number};
	const struct node *node;
	int status = EXIT_OK, depth = 0;
	size_t last;

	calls.now = &calls.top;
	for (size_t i = branch_show_first(show, thread);
	     !calls.failed && i < thread->nr; i++)
		branch_take(&calls, i);
	if (calls.failed) {
		status = failed("out of memory");
	} else {
		calls.killed = branch_signal(show, number, &last);
		calls_fold(&calls);
		node = &calls.top;
		while ((node = next_before(node, &calls.top, &depth)))
			node_print(&calls, node, depth);
	}
	arena_destroy(&calls.arena);
	return status;
}

int branch_show_calls(const struct branch_show *show)
{
	const struct ktrace_branch_thread *thread;
	int status = EXIT_OK;

	for (size_t i = 0;
	     !status && (thread = ktrace_branches_thread(show->branches, i));
	     i++) {
		branch_head_print(show, i);
		status = thread_show(show, i, thread);
		branch_end_print(show, i);
	}
	return status;
}
