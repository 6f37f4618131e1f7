// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Folded stacks, for tools that draw flame graphs: a line for each stack of each program,
 * outermost function first, and what its events weigh.
 *
 *	dbench;entry_SYSCALL_64_after_hwframe;do_syscall_64;...;kmalloc_trace 1234
 *
 * Events whose type has no stack are not counted.
 */
#include <errno.h>
#include <stdlib.h>

#include "fold.h"
#include "show.h"

struct folded {
	struct ktrace_output show;
	struct output output;
	struct folds folds;
};

static int folded_open(struct ktrace_output *show)
{
	struct folded *f = (struct folded *)show;

	if (output_init(&f->output, show->write, show->data))
		return error_set(-ENOMEM, "out of memory");
	return folds_init(&f->folds, show->trace, &show->merged);
}

static int folded_event(struct ktrace_output *show,
			const struct ktrace_event *event)
{
	return folds_event(&((struct folded *)show)->folds, event, true);
}

static int folded_hidden(struct ktrace_output *show,
			 const struct ktrace_event *event)
{
	return folds_event(&((struct folded *)show)->folds, event, false);
}

static int folded_loss(struct ktrace_output *show,
		       const struct ktrace_loss *loss)
{
	folds_loss(&((struct folded *)show)->folds, loss);
	return 0;
}

static void fold_put(struct output *output, const struct folds *folds,
		     const struct fold *fold)
{
	for (uint32_t i = 0; i < fold->nr; i++) {
		if (i)
			output_add(output, ";", 1);
		output_puts(output, folds->name[fold->frames[i]]);
	}
	output_room(output, 64);
	output_add(output, " ", 1);
	output->p = put_u64(output->p, fold->weight);
	output_add(output, "\n", 1);
}

static int folded_finish(struct ktrace_output *show)
{
	struct folded *f = (struct folded *)show;
	struct fold **sorted;
	size_t nr;
	int err = folds_check(&f->folds);

	if (err)
		return err;
	sorted = folds_sorted(&f->folds, fold_compare_weight, &nr);
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < nr && !f->output.err; i++)
		fold_put(&f->output, &f->folds, sorted[i]);
	free(sorted);
	folds_clear(&f->folds);
	return output_flush(&f->output);
}

/* A stack is written once, with all that it weighs. */
static int folded_pause(struct ktrace_output *show)
{
	return 0;
}

static void folded_release(struct ktrace_output *show)
{
	struct folded *f = (struct folded *)show;

	folds_free(&f->folds);
	output_destroy(&f->output);
}

const struct show_ops show_folded = {
	.kind.name = "folded",
	.kind.what = "stacks and how many events had them, for flame graphs",
	.size = sizeof(struct folded),
	.open = folded_open,
	.event = folded_event,
	.loss = folded_loss,
	.hidden = folded_hidden,
	.finish = folded_finish,
	.pause = folded_pause,
	.release = folded_release,
};
