// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A table of stacks, the heaviest first: how many events had each, and what they weighed.
 *
 *	     events   share    total us      min us      avg us      p99 us      max us  stack
 *	         12  52.1 %    1200.250       3.100     100.021     801.000     801.000  \
 *						dbench: schedule <- do_nanosleep <- ...
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "merged.h"

/* Numbers that are counted by events only have no distribution. */
#define EVENTS "%15" PRIu64 " %5.1f %%"
#define COLUMN 12

static int stacks_open(struct ktrace_output *show)
{
	struct merged *m = (struct merged *)show;

	m->folds.histograms = show->merged.weight != KTRACE_WEIGHT_EVENTS;
	return merged_open(show);
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

static void head_put(struct merged *m)
{
	static const char *const columns[] = {"total", "min", "avg", "p99",
					      "max"};
	bool times = m->show.merged.weight == KTRACE_WEIGHT_OFF_CPU;

	words_put(&m->output, "%15s %7s", "events", "share");
	for (int i = 0; m->folds.histograms && i < 5; i++)
		words_put(&m->output, " %*s%s", times ? COLUMN - 3 : COLUMN,
			  columns[i], times ? " us" : "");
	output_puts(&m->output, "  stack\n");
}

static void value_put(struct merged *m, uint64_t value)
{
	if (m->show.merged.weight == KTRACE_WEIGHT_OFF_CPU)
		words_put(&m->output, " %*" PRIu64 ".%03u", COLUMN - 4,
			  value / 1000, (unsigned int)(value % 1000));
	else
		words_put(&m->output, " %*" PRIu64, COLUMN, value);
}

static double share_of(const struct merged *m, uint64_t weight)
{
	return m->folds.weight ? 100.0 * weight / m->folds.weight : 0;
}

static void row_put(struct merged *m, const struct fold *fold)
{
	const struct histogram *h = &fold->weights;

	words_put(&m->output, EVENTS, fold->events, share_of(m, fold->weight));
	if (m->folds.histograms) {
		value_put(m, h->total);
		value_put(m, h->min);
		value_put(m, h->total / h->count);
		value_put(m, histogram_quantile(h, 99));
		value_put(m, h->max);
	}
	output_puts(&m->output, "  ");
	output_puts(&m->output, fold_name(&m->folds, fold, 0));
	for (uint32_t i = fold->nr - 1; i; i--) {
		output_puts(&m->output, i == fold->nr - 1 ? ": " : " <- ");
		output_puts(&m->output, fold_name(&m->folds, fold, i));
	}
	output_puts(&m->output, "\n");
}

/* What is not in the rows. */
static void rest_put(struct merged *m, struct fold *const *more, size_t nr)
{
	uint64_t events = 0, weight = 0;

	for (size_t i = 0; i < nr; i++) {
		events += more[i]->events;
		weight += more[i]->weight;
	}
	if (nr)
		words_put(&m->output,
			  EVENTS "  in %zu more stacks: --head 0 shows all\n",
			  events, share_of(m, weight), nr);
	if (m->folds.off.unknown)
		words_put(&m->output,
			  "%15" PRIu64 "          times are not known, because "
			  "events were lost\n",
			  m->folds.off.unknown);
}

static void stacks_put(struct merged *m, struct fold *const *folds, size_t nr)
{
	uint64_t limit = m->show.merged.limit;
	size_t rows = limit && limit < nr ? limit : nr;

	head_put(m);
	for (size_t i = 0; i < rows && !m->output.err; i++)
		row_put(m, folds[i]);
	rest_put(m, folds + rows, nr - rows);
}

static int stacks_finish(struct ktrace_output *show)
{
	return merged_finish(show, fold_compare_weight, stacks_put);
}

const struct show_ops show_stacks = {
	.kind.name = "stacks",
	.kind.what = "a table of stacks, the most frequent first",
	.kind.hidden = true,
	.size = sizeof(struct merged),
	.open = stacks_open,
	.event = merged_event,
	.loss = merged_loss,
	.hidden = merged_hidden,
	.hidden_loss = merged_loss,
	.finish = stacks_finish,
	.pause = merged_pause,
	.release = merged_release,
};
