// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <signal.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "signal_pairs.h"

/*
 * Lines of other CPUs pass one that is held back, by this much: between both events of a signal lies
 * what is captured, a few microseconds.
 */
#define HOLD_NS 1000000ull

/* A machine may stop for a while: the other event may still come when this one was shown. */
#define LATE_NS 100000000ull

static void types_look(struct signal_pairs *pairs,
		       const struct ktrace_types *types)
{
	size_t nr = ktrace_types_count(types);

	for (; pairs->looked < nr; pairs->looked++) {
		const struct ktrace_type *type =
			ktrace_types_get(types, pairs->looked);

		if (type->marker || strcmp(type->system, "signal") != 0)
			continue;
		pairs->kernels |= !strcmp(type->name, "signal_deliver");
		if (strcmp(type->name, "signal_delivered") != 0)
			continue;
		pairs->kills |=
			ktrace_field_find(type, KTRACE_CAPTURED_EXIT_CODE) !=
			NULL;
		pairs->all |=
			ktrace_field_find(type, KTRACE_CAPTURED_HANDLER) !=
			NULL;
	}
}

/* Which of both tells more of the signal? */
enum rank {
	RANK_BARE, /* ours, without what it captures: a tracer had left it defined */
	RANK_KERNELS,
	RANK_OURS,
};

static enum rank rank_of(const struct ktrace_event *event,
			 const struct signal_view *view)
{
	const struct ktrace_type *type = event->type;

	if (strcmp(type->name, "signal_delivered") != 0)
		return RANK_KERNELS;
	if (ktrace_field_find(type, KTRACE_CAPTURED_HANDLER) ||
	    (view->number == SIGKILL &&
	     ktrace_field_find(type, KTRACE_CAPTURED_EXIT_CODE)))
		return RANK_OURS;
	return RANK_BARE;
}

/* May another event of the signal tell more? */
static bool may_wait(const struct signal_pairs *pairs, enum rank rank,
		     const struct signal_view *view)
{
	switch (rank) {
	case RANK_BARE:
		return pairs->kernels;
	case RANK_KERNELS:
		return pairs->all || (pairs->kills && view->number == SIGKILL);
	default:
		return false;
	}
}

static bool is_pair(const struct signal_held *held,
		    const struct ktrace_event *event,
		    const struct signal_view *view)
{
	return held->event.tid == event->tid && held->event.cpu == event->cpu &&
	       held->view.number == view->number &&
	       strcmp(held->event.type->name, event->type->name) != 0;
}

static void held_remove(struct signal_pairs *pairs, uint32_t i,
			struct signal_held *held)
{
	if (held)
		*held = pairs->held[i];
	pairs->nr--;
	memmove(&pairs->held[i], &pairs->held[i + 1],
		(pairs->nr - i) * sizeof(*pairs->held));
}

bool signal_pairs_next(struct signal_pairs *pairs,
		       const struct ktrace_event *event,
		       const struct signal_view *view, struct signal_held *held)
{
	for (uint32_t i = 0; i < pairs->nr; i++) {
		struct signal_held *h = &pairs->held[i];

		if (event && view && is_pair(h, event, view))
			continue;
		h->late = event && h->event.cpu != event->cpu &&
			  h->event.tid != event->tid;
		if (h->late && pairs->nr < SIGNALS_HELD &&
		    event->time - h->event.time < HOLD_NS)
			continue;
		held_remove(pairs, i, held);
		return true;
	}
	return false;
}

bool signal_pairs_waited(struct signal_pairs *pairs, struct signal_held *held)
{
	for (uint32_t i = 0; i < pairs->nr; i++) {
		if (!pairs->held[i].waited)
			continue;
		pairs->held[i].late = true;
		held_remove(pairs, i, held);
		return true;
	}
	return false;
}

void signal_pairs_round(struct signal_pairs *pairs)
{
	for (uint32_t i = 0; i < pairs->nr; i++)
		pairs->held[i].waited = true;
}

bool signal_pairs_lost(struct signal_pairs *pairs, uint32_t cpu,
		       struct signal_held *held)
{
	pairs->losses++;
	for (uint32_t i = 0; i < pairs->nr; i++) {
		if (pairs->held[i].event.cpu != cpu)
			continue;
		held_remove(pairs, i, held);
		return true;
	}
	return false;
}

/* Is it the other event of the signal that was the thread's last? */
static bool was_told(const struct signal_pairs *pairs,
		     const struct signal_last *last,
		     const struct ktrace_event *event,
		     const struct signal_view *view, bool more)
{
	return last->number == view->number && last->more != more &&
	       last->losses == pairs->losses &&
	       event->time - last->time < LATE_NS;
}

bool signal_pairs_take(struct signal_pairs *pairs, struct signal_last *last,
		       const struct ktrace_types *types,
		       const struct ktrace_event *event,
		       const struct signal_view *view)
{
	enum rank rank = rank_of(event, view);
	struct signal_held *held;
	bool waits;

	types_look(pairs, types);
	waits = may_wait(pairs, rank, view);
	for (uint32_t i = 0; !waits && i < pairs->nr; i++) {
		if (!is_pair(&pairs->held[i], event, view))
			continue;
		held_remove(pairs, i, NULL);
		*last = (struct signal_last){0};
		return true;
	}
	if (was_told(pairs, last, event, view, !waits)) {
		*last = (struct signal_last){0};
		return false;
	}
	*last = (struct signal_last){
		.number = view->number,
		.more = !waits,
		.losses = pairs->losses,
		.time = event->time,
	};
	/* signal_pairs_next() has made room. */
	if (!waits || pairs->nr == SIGNALS_HELD)
		return true;
	held = &pairs->held[pairs->nr++];
	*held = (struct signal_held){.event = *event, .view = *view};
	held->event.payload = NULL;
	held->event.size = 0;
	return false;
}
