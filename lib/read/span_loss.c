// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Losses: spans that may have ended in the gap are not paired any more.
 *
 * Those of the kernel's events and of each user's programs have lists of their own, and a loss
 * concerns one of them.
 */
#include "span_owner.h"

/* May the span have ended in the gap? */
static bool open_is_hit(const struct ktrace_spans *spans,
			const struct span_owner *owner,
			const struct open_span *open,
			const struct ktrace_loss *loss)
{
	if (spans->cursor && (open->place.programs != loss->programs ||
			      open->place.user != loss->user))
		return false;
	if (open->span.begin_cpu == loss->cpu)
		return true;
	switch (owner->kind) {
	case KTRACE_SPAN_OF_CPU:
	case KTRACE_SPAN_OF_RUN:
		return false;
	case KTRACE_SPAN_OF_THREAD:
		return !spans->cursor ||
		       !cursor_runs_on(spans->cursor, &open->place);
	default:
		return true;
	}
}

static void owner_lose(struct ktrace_spans *spans, struct span_owner *owner,
		       const struct ktrace_loss *loss)
{
	/* The spans of another CPU are not looked at: there may be many. */
	if ((owner->kind == KTRACE_SPAN_OF_CPU ||
	     owner->kind == KTRACE_SPAN_OF_RUN) &&
	    owner->id[0] != loss->cpu)
		return;
	for (uint32_t i = owner->nr; i-- > 0;) {
		if (open_is_hit(spans, owner, &owner->open[i], loss))
			open_drop(spans, owner, i,
				  &counts_of(spans, owner, i)->lost);
	}
	if (!loss->programs) {
		owner->ambiguous = 0;
		owner_relist(spans, owner, IN_KERNEL);
	}
	owner_put(spans, owner);
}

static void list_lose(struct ktrace_spans *spans, const struct span_list *list,
		      enum owner_list which, const struct ktrace_loss *loss)
{
	struct span_owner *owner, *next;

	for (owner = list->oldest; owner; owner = next) {
		next = owner->links[which].newer;
		owner_lose(spans, owner, loss);
	}
}

void ktrace_spans_loss(struct ktrace_spans *spans,
		       const struct ktrace_loss *loss)
{
	if (!spans->cursor || !loss->programs) {
		list_lose(spans, &spans->lists[IN_KERNEL], IN_KERNEL, loss);
		return;
	}
	for (uint32_t i = 0; i < spans->nr_users; i++)
		if (spans->users[i] == loss->user)
			list_lose(spans, &spans->programs[i + 1], IN_PROGRAMS,
				  loss);
	list_lose(spans, &spans->programs[0], IN_PROGRAMS, loss);
}
