// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "html/callers.h"
#include "stack.h"

#define NOT_RECORDED "[not_recorded]"
#define NO_FRAME     UINT32_MAX

int callers_init(struct callers *c)
{
	return fold_paths_init(&c->paths);
}

/* ---- frames --------------------------------------------------------------- */

/* Numbers in a table of pointers: none of these is NULL. */
static void *number_pack(uint32_t number)
{
	return (void *)((uintptr_t)number + 1);
}

static uint32_t number_unpack(void *packed)
{
	return (uintptr_t)packed - 1;
}

/* The frame of this name below @parent.  0 or -ENOMEM, as all that follow. */
static int frame_get(struct callers *c, uint32_t parent, uint32_t name,
		     uint32_t *frame)
{
	uint64_t key = (uint64_t)(parent + 1) << 32 | name;
	void *known = table_find(&c->frames, key);

	if (known) {
		*frame = number_unpack(known);
		return 0;
	}
	*frame = c->nr_frames++;
	if (table_add(&c->frames, key, number_pack(*frame)))
		return -ENOMEM;
	return column_put(&c->columns[CALLERS_PARENT],
			  parent == NO_FRAME ? 0 : *frame - parent) ||
			       column_put(&c->columns[CALLERS_NAME], name)
		       ? -ENOMEM
		       : 0;
}

static int frame_named(struct callers *c, struct words *texts, const char *name,
		       size_t size, uint32_t *frame)
{
	uint32_t text;

	return words_get(texts, name, size, &text)
		       ?: frame_get(c, *frame, text, frame);
}

/* All frames of a stack, called by *@frame, which becomes the innermost one. */
static int stack_get(struct callers *c, const struct ktrace *trace, uint32_t id,
		     unsigned int form, struct words *texts, uint32_t *frame)
{
	uint64_t key = (uint64_t)*frame << 32 | id;
	void *known = table_find(&c->stacks, key);
	const struct fold_path *path;
	int err;

	if (known) {
		*frame = number_unpack(known);
		return 0;
	}
	err = fold_paths_stack(&c->paths, trace, id, form | FRAME_NAME, &path);
	for (uint32_t i = 0; !err && i < path->nr; i++) {
		const char *name = c->paths.name[path->frames[i]];

		err = frame_named(c, texts, name, strlen(name), frame);
	}
	while (c->nr_names < c->paths.nr_names)
		c->names_size += strlen(c->paths.name[c->nr_names++]) + 1;
	return err ?: table_add(&c->stacks, key, number_pack(*frame));
}

static int event_stack(struct callers *c, const struct ktrace *trace,
		       const struct ktrace_event *event, unsigned int form,
		       struct words *texts, uint32_t *frame)
{
	struct ktrace_stack kernel, user;
	bool in_kernel = ktrace_event_stack(trace, event, &kernel);
	bool in_user = ktrace_event_user_stack(trace, event, &user);
	int err;

	*frame = NO_FRAME;
	err = frame_named(c, texts, event->comm, strnlen(event->comm, 16),
			  frame);
	if (!err && in_user)
		err = stack_get(c, trace, user.id, form, texts, frame);
	if (!err && in_kernel)
		err = stack_get(c, trace, kernel.id, form, texts, frame);
	if (!err && !in_user && !in_kernel)
		err = frame_named(c, texts, NOT_RECORDED,
				  sizeof(NOT_RECORDED) - 1, frame);
	return err;
}

/* ---- calls ---------------------------------------------------------------- */

static int what_get(struct callers *c, const struct ktrace_type *type,
		    struct words *words)
{
	char name[512];

	if (c->type == type->fields)
		return 0;
	snprintf(name, sizeof(name), "%s:%s", type->system, type->name);
	c->type = type->fields;
	return words_get(words, name, strlen(name), &c->what);
}

int callers_add(struct callers *c, const struct ktrace *trace,
		const struct ktrace_event *event, unsigned int form,
		const struct tape *tape, uint64_t time, uint32_t thread,
		struct words *words, struct words *texts)
{
	uint64_t steps = tape->columns[COLUMN_STEP].nr;
	struct column *columns = c->columns;
	uint32_t frame;
	int err;

	err = event_stack(c, trace, event, form, texts, &frame);
	err = err ?: what_get(c, event->type, words);
	err = err
		      ?: column_put_split_signed(&columns[CALLERS_TIME],
						 (int64_t)(time - tape->time));
	err = err ?: column_put(&columns[CALLERS_STEPS], steps - c->steps);
	c->steps = steps;
	err = err ?: column_put(&columns[CALLERS_THREAD], thread);
	err = err ?: column_put(&columns[CALLERS_CPU], event->cpu);
	err = err ?: column_put(&columns[CALLERS_WHAT], c->what);
	return err ?: column_put(&columns[CALLERS_FRAME], frame);
}

uint64_t callers_size(const struct callers *c)
{
	const struct fold_paths *p = &c->paths;
	uint64_t size = (c->frames.size + c->stacks.size + p->names.size +
			 p->paths.size + p->stacks.size) *
			sizeof(struct table_slot);

	size += p->nr_frames * sizeof(uint32_t) + c->names_size +
		p->room_names * sizeof(*p->name);

	for (int i = 0; i < CALLERS_NR; i++)
		size += c->columns[i].size;
	return size;
}

void callers_free(struct callers *c)
{
	fold_paths_free(&c->paths);
	table_free(&c->frames);
	table_free(&c->stacks);
	for (int i = 0; i < CALLERS_NR; i++)
		column_free(&c->columns[i]);
}
