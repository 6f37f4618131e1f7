// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Folded stacks, for tools that draw flame graphs: a line for each stack of each program,
 * outermost function first, and how many events had it.
 *
 *	dbench;entry_SYSCALL_64_after_hwframe;do_syscall_64;...;kmalloc_trace 1234
 *
 * Events without a stack are not counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "program.h"
#include "show.h"
#include "stack.h"

/* One line. */
struct fold {
	uint64_t count;
	uint32_t id;
	char comm[16];
};

struct folded {
	struct ktrace_output show;
	struct output output;
	struct fold *folds; /* open addressing; count 0: free */
	size_t room, nr;    /* room: 0, or a power of two */
};

static int folded_open(struct ktrace_output *show)
{
	struct folded *f = (struct folded *)show;

	if (output_init(&f->output, show->write, show->data))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

static size_t hash_of(uint32_t id, const char comm[16])
{
	uint64_t words[2], hash;

	memcpy(words, comm, sizeof(words));
	hash = (words[0] ^ id) * 0x9e3779b97f4a7c15ull;
	hash = (hash ^ words[1]) * 0x9e3779b97f4a7c15ull;
	return hash >> 32;
}

/* The place of this one, or a free one. */
static struct fold *fold_find(const struct folded *f, uint32_t id,
			      const char comm[16])
{
	size_t i = hash_of(id, comm);

	for (;; i++) {
		struct fold *fold = &f->folds[i & (f->room - 1)];

		if (!fold->count ||
		    (fold->id == id &&
		     !memcmp(fold->comm, comm, sizeof(fold->comm))))
			return fold;
	}
}

static int grow(struct folded *f)
{
	struct folded old = *f;

	f->room = old.room ? old.room * 2 : 1024;
	f->folds = calloc(f->room, sizeof(*f->folds));
	if (!f->folds) {
		*f = old;
		return error_set(-ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < old.room; i++)
		if (old.folds[i].count)
			*fold_find(f, old.folds[i].id, old.folds[i].comm) =
				old.folds[i];
	free(old.folds);
	return 0;
}

static int folded_event(struct ktrace_output *show,
			const struct ktrace_event *event)
{
	struct folded *f = (struct folded *)show;
	struct ktrace_stack stack;
	struct fold *fold;
	char comm[16] = "";

	/* Of an event with both, the kernel's counts. */
	if (!ktrace_event_stack(show->trace, event, &stack) &&
	    !ktrace_event_user_stack(show->trace, event, &stack))
		return 0;
	if (!stack.id)
		return 0;
	if (f->nr * 2 >= f->room && grow(f))
		return -ENOMEM;
	memcpy(comm, event->comm, strnlen(event->comm, sizeof(comm)));
	fold = fold_find(f, stack.id, comm);
	if (!fold->count++) {
		fold->id = stack.id;
		memcpy(fold->comm, comm, sizeof(comm));
		f->nr++;
	}
	return 0;
}

static int folded_loss(struct ktrace_output *show,
		       const struct ktrace_loss *loss)
{
	return 0;
}

/* The most frequent first. */
static int fold_compare(const void *a, const void *b)
{
	const struct fold *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return memcmp(x->comm, y->comm, sizeof(x->comm));
}

/* A space or a semicolon would end the name. */
static void comm_put(struct output *output, const char comm[16])
{
	for (int i = 0; i < 16 && comm[i]; i++) {
		char c = comm[i];

		if (c <= ' ' || c == ';' || c == 127)
			c = '_';
		output_add(output, &c, 1);
	}
}

static int folded_finish(struct ktrace_output *show)
{
	struct folded *f = (struct folded *)show;
	struct output *output = &f->output;
	struct ktrace_stack stack;

	if (f->room)
		qsort(f->folds, f->room, sizeof(*f->folds), fold_compare);
	for (size_t i = 0; i < f->nr && !output->err; i++) {
		const struct fold *fold = &f->folds[i];

		if (!ktrace_stack_find(show->trace, fold->id, &stack))
			continue;
		comm_put(output, fold->comm);
		for (uint32_t j = stack.nr; j; j--) {
			output_add(output, ";", 1);
			stack_frame_put(output, show->trace, &stack, j - 1,
					FRAME_NAME);
		}
		output_room(output, 64);
		output_add(output, " ", 1);
		output->p = put_u64(output->p, fold->count);
		output_add(output, "\n", 1);
	}
	free(f->folds);
	f->folds = NULL;
	f->nr = f->room = 0;
	return output_flush(output);
}

static void folded_release(struct ktrace_output *show)
{
	struct folded *f = (struct folded *)show;

	free(f->folds);
	output_destroy(&f->output);
}

const struct show_ops show_folded = {
	.kind.name = "folded",
	.kind.what = "stacks and how many events had them, for flame graphs",
	.size = sizeof(struct folded),
	.open = folded_open,
	.event = folded_event,
	.loss = folded_loss,
	.finish = folded_finish,
	.release = folded_release,
};
