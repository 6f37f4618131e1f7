// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>

#include "cmd.h"
#include "stat_tree.h"

struct reading {
	struct call_tree *tree;
	struct ktrace_cursor *cursor;
	struct ktrace_spans *spans;
	struct query *query;
	struct count *lost;
};

static bool span_wanted(void *data, const struct ktrace_span *span)
{
	struct query *query = data;

	return query_wants_type(query, span->type) &&
	       call_scope_wants(&query->calls, span);
}

static int loss_count(const struct reading *r)
{
	const struct ktrace_loss *loss = ktrace_cursor_loss(r->cursor);

	ktrace_spans_loss(r->spans, loss);
	if (!query_wants(r->query, NULL, loss->cpu, loss->time))
		return 0;
	return count_loss(r->lost, loss);
}

static int calls_read(struct reading *r)
{
	const struct ktrace_event *event = ktrace_cursor_event(r->cursor);
	int err = 0, item, step;

	while (!err && (item = ktrace_cursor_next(r->cursor)) > 0) {
		if (item == KTRACE_LOSS) {
			err = loss_count(r);
			continue;
		}
		step = ktrace_spans_event(r->spans, event);
		if (step <= 0)
			err = step;
		else
			err = call_tree_event(
				r->tree, r->spans, step, span_wanted, r->query,
				query_wants(r->query, NULL, event->cpu,
					    event->time));
	}
	return err ?: item;
}

int stat_tree_read(struct call_tree *tree, struct ktrace *trace,
		   struct query *query,
		   const struct ktrace_cursor_options *options,
		   struct count *lost,
		   struct ktrace_span_counts counts[KTRACE_SPAN_NR])
{
	struct reading r = {.tree = tree, .query = query, .lost = lost};
	struct ktrace_cursor_options all = *options;
	int err;

	query_widen(query, &all, true);
	err = ktrace_cursor_create(trace, &all, &r.cursor);
	if (!err)
		err = ktrace_spans_create(r.cursor, &r.spans);
	if (!err)
		err = call_scope_spans(&query->calls, r.spans);
	if (!err)
		err = calls_read(&r);
	for (int i = 0; !err && i < KTRACE_SPAN_NR; i++)
		counts[i] = *ktrace_spans_counts(r.spans, i);
	ktrace_spans_destroy(r.spans);
	ktrace_cursor_destroy(r.cursor);
	return err;
}
