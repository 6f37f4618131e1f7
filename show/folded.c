// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Folded stacks, for tools that draw flame graphs: a line for each stack of each program,
 * outermost function first, and what its events weigh.
 *
 *	dbench;entry_SYSCALL_64_after_hwframe;do_syscall_64;...;kmalloc_trace 1234
 *
 * Of two traces that are compared, there are both weights, that of the trace before first.
 *
 * Events whose type has no stack are not counted.
 */

#include "merged.h"

static void weight_put(struct output *output, uint64_t weight)
{
	output_add(output, " ", 1);
	output_room(output, 64);
	output->p = put_u64(output->p, weight);
}

static void fold_put(struct output *output, const struct folds *folds,
		     const struct fold *fold)
{
	for (uint32_t i = 0; i < fold->nr; i++) {
		if (i)
			output_add(output, ";", 1);
		output_puts(output, fold_name(folds, fold, i));
	}
	if (folds->compares)
		weight_put(output, fold->before.weight);
	weight_put(output, fold->weight);
	output_add(output, "\n", 1);
}

static void folded_put(struct merged *merged, struct fold *const *folds,
		       size_t nr)
{
	for (size_t i = 0; i < nr && !merged->output.err; i++)
		fold_put(&merged->output, &merged->folds, folds[i]);
}

static int folded_finish(struct ktrace_output *show)
{
	return merged_finish(show, fold_compare_weight, folded_put);
}

const struct show_ops show_folded = {
	.kind.name = "folded",
	.kind.what = "stacks and how many events had them, for flame graphs",
	.kind.hidden = true,
	.size = sizeof(struct merged),
	.open = merged_open,
	.event = merged_event,
	.loss = merged_loss,
	.hidden = merged_hidden,
	.hidden_loss = merged_loss,
	.finish = folded_finish,
	.pause = merged_pause,
	.compare = merged_compare,
	.release = merged_release,
};
