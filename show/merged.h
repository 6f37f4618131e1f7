/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the outputs of merged stacks have in common: they take all events into folds (fold.h),
 * and print at the end.
 */
#ifndef KT_SHOW_MERGED_H
#define KT_SHOW_MERGED_H

#include "fold.h"
#include "output.h"
#include "show.h"

struct merged {
	struct ktrace_output show;
	struct output output;
	struct folds folds;
};

/* For struct show_ops of an output that begins with a struct merged. */
int merged_open(struct ktrace_output *show);
int merged_event(struct ktrace_output *show, const struct ktrace_event *event);
int merged_hidden(struct ktrace_output *show, const struct ktrace_event *event);
int merged_loss(struct ktrace_output *show, const struct ktrace_loss *loss);
int merged_pause(struct ktrace_output *show);
int merged_compare(struct ktrace_output *show, struct ktrace *trace);
void merged_release(struct ktrace_output *show);

/* @put prints the folds, which are in this order. */
int merged_finish(struct ktrace_output *show,
		  int (*compare)(const void *a, const void *b, void *folds),
		  void (*put)(struct merged *merged, struct fold *const *folds,
			      size_t nr));

#endif /* KT_SHOW_MERGED_H */
