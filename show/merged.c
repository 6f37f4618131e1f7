// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "merged.h"

int merged_open(struct ktrace_output *show)
{
	struct merged *m = (struct merged *)show;

	if (output_init(&m->output, show->write, show->data))
		return error_set(-ENOMEM, "out of memory");
	return folds_init(&m->folds, show->trace, &show->merged, show->frames);
}

static int event_merge(struct ktrace_output *show,
		       const struct ktrace_event *event, bool shown)
{
	struct folds *folds = &((struct merged *)show)->folds;
	int err = folds_event(folds, event, shown);

	show->counted = folds->events;
	return err;
}

int merged_event(struct ktrace_output *show, const struct ktrace_event *event)
{
	return event_merge(show, event, true);
}

int merged_hidden(struct ktrace_output *show, const struct ktrace_event *event)
{
	return event_merge(show, event, false);
}

int merged_loss(struct ktrace_output *show, const struct ktrace_loss *loss)
{
	folds_loss(&((struct merged *)show)->folds, loss);
	return 0;
}

/* A stack is written once, with all that it weighs. */
int merged_pause(struct ktrace_output *show)
{
	return 0;
}

int merged_compare(struct ktrace_output *show, struct ktrace *trace)
{
	struct folds *folds = &((struct merged *)show)->folds;

	if (folds->compares)
		return error_set(-EINVAL,
				 "two traces can be compared, not more");
	return folds_turn(folds, trace);
}

int merged_finish(struct ktrace_output *show,
		  int (*compare)(const void *a, const void *b, void *folds),
		  void (*put)(struct merged *merged, struct fold *const *folds,
			      size_t nr))
{
	struct merged *m = (struct merged *)show;
	struct fold **sorted;
	size_t nr;
	int err = folds_check(&m->folds);

	if (err)
		return err;
	sorted = folds_sorted(&m->folds, compare, &nr);
	if (!sorted)
		return -ENOMEM;
	put(m, sorted, nr);
	free(sorted);
	folds_clear(&m->folds);
	return output_flush(&m->output);
}

void merged_release(struct ktrace_output *show)
{
	struct merged *m = (struct merged *)show;

	folds_free(&m->folds);
	output_destroy(&m->output);
}
