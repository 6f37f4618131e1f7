// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A table of stacks, the heaviest first: how many events had each, and what they weighed.
 *
 *	     events   share    total us      min us      avg us      p99 us      max us  stack
 *	         12  52.1 %    1200.250       3.100     100.021     801.000     801.000  \
 *						dbench: schedule <- do_nanosleep <- ...
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fold.h"
#include "show.h"

/* Numbers that are counted by events only have no distribution. */
#define EVENTS "%15" PRIu64 " %5.1f %%"
#define COLUMN 12

struct stacks {
	struct ktrace_output show;
	struct output output;
	struct folds folds;
};

static int stacks_open(struct ktrace_output *show)
{
	struct stacks *s = (struct stacks *)show;

	if (output_init(&s->output, show->write, show->data))
		return error_set(-ENOMEM, "out of memory");
	s->folds.histograms = show->merged.weight != KTRACE_WEIGHT_EVENTS;
	return folds_init(&s->folds, show->trace, &show->merged);
}

static int stacks_event(struct ktrace_output *show,
			const struct ktrace_event *event)
{
	return folds_event(&((struct stacks *)show)->folds, event, true);
}

static int stacks_hidden(struct ktrace_output *show,
			 const struct ktrace_event *event)
{
	return folds_event(&((struct stacks *)show)->folds, event, false);
}

static int stacks_loss(struct ktrace_output *show,
		       const struct ktrace_loss *loss)
{
	folds_loss(&((struct stacks *)show)->folds, loss);
	return 0;
}

static void __attribute__((format(printf, 2, 3)))
words_put(struct output *output, const char *format, ...)
{
	va_list ap;
	int n;

	output_room(output, 256);
	va_start(ap, format);
	n = vsnprintf(output->p, 256, format, ap);
	va_end(ap);
	output->p += n < 256 ? n : 255;
}

static void head_put(struct stacks *s)
{
	static const char *const columns[] = {"total", "min", "avg", "p99",
					      "max"};
	bool times = s->show.merged.weight == KTRACE_WEIGHT_OFF_CPU;

	words_put(&s->output, "%15s %7s", "events", "share");
	for (int i = 0; s->folds.histograms && i < 5; i++)
		words_put(&s->output, " %*s%s", times ? COLUMN - 3 : COLUMN,
			  columns[i], times ? " us" : "");
	output_puts(&s->output, "  stack\n");
}

static void value_put(struct stacks *s, uint64_t value)
{
	if (s->show.merged.weight == KTRACE_WEIGHT_OFF_CPU)
		words_put(&s->output, " %*" PRIu64 ".%03u", COLUMN - 4,
			  value / 1000, (unsigned int)(value % 1000));
	else
		words_put(&s->output, " %*" PRIu64, COLUMN, value);
}

static double share_of(const struct stacks *s, uint64_t weight)
{
	return s->folds.weight ? 100.0 * weight / s->folds.weight : 0;
}

static void row_put(struct stacks *s, const struct fold *fold)
{
	const struct histogram *h = &fold->weights;

	words_put(&s->output, EVENTS, fold->events, share_of(s, fold->weight));
	if (s->folds.histograms) {
		value_put(s, h->total);
		value_put(s, h->min);
		value_put(s, h->total / h->count);
		value_put(s, histogram_quantile(h, 99));
		value_put(s, h->max);
	}
	output_puts(&s->output, "  ");
	output_puts(&s->output, s->folds.name[fold->frames[0]]);
	for (uint32_t i = fold->nr - 1; i; i--) {
		output_puts(&s->output, i == fold->nr - 1 ? ": " : " <- ");
		output_puts(&s->output, s->folds.name[fold->frames[i]]);
	}
	output_puts(&s->output, "\n");
}

/* What is not in the rows. */
static void rest_put(struct stacks *s, struct fold *const *more, size_t nr)
{
	uint64_t events = 0, weight = 0;

	for (size_t i = 0; i < nr; i++) {
		events += more[i]->events;
		weight += more[i]->weight;
	}
	if (nr)
		words_put(&s->output,
			  EVENTS "  in %zu more stacks: --head 0 shows all\n",
			  events, share_of(s, weight), nr);
	if (s->folds.off.unknown)
		words_put(&s->output,
			  "%15" PRIu64 "          times are not known, because "
			  "events were lost\n",
			  s->folds.off.unknown);
}

static int stacks_finish(struct ktrace_output *show)
{
	struct stacks *s = (struct stacks *)show;
	struct fold **sorted;
	size_t nr, rows;
	int err = folds_check(&s->folds);

	if (err)
		return err;
	sorted = folds_sorted(&s->folds, fold_compare_weight, &nr);
	if (!sorted)
		return -ENOMEM;
	rows = show->merged.limit && show->merged.limit < nr
		       ? show->merged.limit
		       : nr;
	head_put(s);
	for (size_t i = 0; i < rows && !s->output.err; i++)
		row_put(s, sorted[i]);
	rest_put(s, sorted + rows, nr - rows);
	free(sorted);
	folds_clear(&s->folds);
	return output_flush(&s->output);
}

/* There is one table, of all events. */
static int stacks_pause(struct ktrace_output *show)
{
	return 0;
}

static void stacks_release(struct ktrace_output *show)
{
	struct stacks *s = (struct stacks *)show;

	folds_free(&s->folds);
	output_destroy(&s->output);
}

const struct show_ops show_stacks = {
	.kind.name = "stacks",
	.kind.what = "a table of stacks, the most frequent first",
	.size = sizeof(struct stacks),
	.open = stacks_open,
	.event = stacks_event,
	.loss = stacks_loss,
	.hidden = stacks_hidden,
	.finish = stacks_finish,
	.pause = stacks_pause,
	.release = stacks_release,
};
