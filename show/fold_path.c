// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <ktrace.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fold_path.h"
#include "stack.h"

/*
 * Frames of all paths: 256 MB.  No recorder writes so many different stacks; a trace that is made
 * to harm can have more, because its stacks may overlap.
 */
#define FRAMES_ALL_MAX (64u << 20)
/* All functions of a stack, and a word on how it ends. */
#define FRAMES_MAX (KT_STACK_MAX * (KTRACE_INLINED_MAX + 1) + 1)

struct name {
	uint32_t number;
	char text[];
};

static int no_memory(void)
{
	return error_set(-ENOMEM, "out of memory");
}

int fold_paths_init(struct fold_paths *paths)
{
	paths->factor = table_factor();
	return output_init(&paths->text, NULL, NULL) ? no_memory() : 0;
}

/* ---- names ---------------------------------------------------------------- */

static int name_add(struct fold_paths *paths, const char *text, size_t length,
		    uint64_t hash, uint32_t *number)
{
	struct name *name = malloc(sizeof(*name) + length + 1);

	if (paths->nr_names == paths->room_names) {
		uint32_t room = paths->room_names ? paths->room_names * 2 : 256;
		const char **more =
			realloc(paths->name, room * sizeof(*paths->name));

		if (more) {
			paths->name = more;
			paths->room_names = room;
		}
	}
	if (!name || paths->nr_names == paths->room_names ||
	    table_add(&paths->names, hash, name)) {
		free(name);
		return no_memory();
	}
	memcpy(name->text, text, length);
	name->text[length] = '\0';
	*number = name->number = paths->nr_names++;
	paths->name[name->number] = name->text;
	return 0;
}

int fold_paths_name(struct fold_paths *paths, uint32_t *number)
{
	struct table_slot *slot = NULL;
	struct output *text = &paths->text;
	size_t length = text->p - text->buf;
	uint64_t hash = table_hash_secret(text->buf, length, paths->factor);

	text->p = text->buf;
	while ((slot = table_next(&paths->names, hash, slot))) {
		const struct name *name = slot->value;

		if (strncmp(name->text, text->buf, length) ||
		    name->text[length])
			continue;
		*number = name->number;
		return 0;
	}
	return name_add(paths, text->buf, length, hash, number);
}

/* ---- paths ---------------------------------------------------------------- */

/* Frames of a path that is being made: innermost first. */
struct draft {
	uint32_t nr;
	uint32_t frames[FRAMES_MAX];
};

static int draft_take(struct fold_paths *paths, struct draft *draft)
{
	uint32_t number;
	int err = fold_paths_name(paths, &number);

	if (!err && draft->nr < FRAMES_MAX)
		draft->frames[draft->nr++] = number;
	return err;
}

static int draft_make(struct fold_paths *paths, const struct ktrace *trace,
		      uint32_t id, unsigned int form, struct draft *draft)
{
	struct stack_part part = {0};
	struct ktrace_stack stack;
	const char *end;
	int err = 0;

	draft->nr = 0;
	if (paths->nr_frames > FRAMES_ALL_MAX) {
		output_puts(&paths->text, "[too_many_stacks]");
		return draft_take(paths, draft);
	}
	ktrace_stack_find(trace, id, &stack);
	while (!err && stack_part_next(trace, &stack, form, &part)) {
		stack_part_put(&paths->text, trace, &stack, &part, form);
		err = draft_take(paths, draft);
	}
	end = stack_end_name(stack.end);
	if (!err && end) {
		output_puts(&paths->text, end);
		err = draft_take(paths, draft);
	}
	return err;
}

/* Outermost first: so paths of the same callers begin alike. */
static struct fold_path *path_make(const struct draft *draft, uint64_t factor)
{
	struct fold_path *path =
		malloc(sizeof(*path) + draft->nr * sizeof(path->frames[0]));

	if (!path)
		return NULL;
	path->hash = 0;
	path->power = 1;
	path->nr = draft->nr;
	for (uint32_t i = 0; i < draft->nr; i++) {
		path->frames[i] = draft->frames[draft->nr - 1 - i];
		path->hash = path->hash * factor + path->frames[i] + 1;
		path->power *= factor;
	}
	return path;
}

/* The path that is known, or this one.  NULL: no memory. */
static struct fold_path *path_keep(struct fold_paths *paths,
				   struct fold_path *path)
{
	struct table_slot *slot = NULL;

	while ((slot = table_next(&paths->paths, path->hash, slot))) {
		struct fold_path *known = slot->value;

		if (known->nr == path->nr &&
		    !memcmp(known->frames, path->frames,
			    path->nr * sizeof(path->frames[0]))) {
			free(path);
			return known;
		}
	}
	if (!table_add(&paths->paths, path->hash, path)) {
		paths->nr_frames += path->nr;
		return path;
	}
	free(path);
	return NULL;
}

int fold_paths_stack(struct fold_paths *paths, const struct ktrace *trace,
		     uint32_t id, unsigned int form,
		     const struct fold_path **result)
{
	struct fold_path *path = table_find(&paths->stacks, id);
	struct draft draft;
	int err;

	*result = path;
	if (path)
		return 0;
	err = draft_make(paths, trace, id, form, &draft);
	if (err)
		return err;
	path = path_make(&draft, paths->factor);
	path = path ? path_keep(paths, path) : NULL;
	if (!path || table_add(&paths->stacks, id, path))
		return no_memory();
	*result = path;
	return 0;
}

void fold_paths_turn(struct fold_paths *paths)
{
	table_free(&paths->stacks);
	paths->stacks = (struct table){0};
}

void fold_paths_clear(struct fold_paths *paths)
{
	void *value;
	size_t at;

	for (at = 0; (value = table_each(&paths->paths, &at));)
		free(value);
	for (at = 0; (value = table_each(&paths->names, &at));)
		free(value);
	table_free(&paths->stacks);
	table_free(&paths->paths);
	table_free(&paths->names);
	free(paths->name);
	paths->name = NULL;
	paths->nr_frames = 0;
	paths->nr_names = paths->room_names = 0;
}

void fold_paths_free(struct fold_paths *paths)
{
	fold_paths_clear(paths);
	output_destroy(&paths->text);
}
