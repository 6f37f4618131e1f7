// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Time in which a thread is in a span but does not run, because it is off its CPU, or because
 * of interrupts.
 *
 * Each thread has the sum of its pauses until now, and each span what that was when it began.
 * The difference is the span's.  So it does not matter how many spans are open.
 *
 * An interrupt may come in another one.  A CPU has the sum, too, of what its interrupts took by
 * themselves, so that the time of the inner one counts once; and for the outer one's calls.
 */
#include "span_owner.h"

/* Of the thread that the event is of; the cursor knows it. */
static uint64_t slept(const struct ktrace_spans *spans,
		      const struct ktrace_event *event)
{
	const struct task *task;

	if (!(spans->pauses & KTRACE_PAUSE_SLEEP) || !spans->cursor)
		return 0;
	task = tasks_find(cursor_tasks(spans->cursor), event->tid);
	return task ? task->slept : 0;
}

void pauses_begin(const struct ktrace_spans *spans,
		  const struct span_owner *owner, struct open_span *open,
		  const struct ktrace_event *event)
{
	open->interrupted = owner->interrupted;
	open->slept = slept(spans, event);
}

static uint64_t without(uint64_t took, uint64_t part)
{
	return took > part ? took - part : 0;
}

static void interrupt_end(struct ktrace_spans *spans, struct span_owner *cpu,
			  const struct open_span *open,
			  const struct ktrace_event *event)
{
	uint64_t inner = cpu->interrupted - open->interrupted;
	uint64_t own = without(open->span.took, inner);
	struct span_owner *thread;
	uint64_t id[SPAN_KEYS];

	cpu->interrupted += own;
	owner_id_kernel(id, KTRACE_SPAN_OF_THREAD, event);
	thread = owner_find(spans, KTRACE_SPAN_OF_THREAD, id);
	if (thread)
		thread->interrupted += own;
	for (uint32_t i = 0; i < spans->nr_users; i++) {
		thread = owner_of_user(spans, event->tid, i);
		if (thread)
			thread->interrupted += own;
	}
}

static void thread_end(const struct ktrace_spans *spans,
		       const struct span_owner *thread, struct open_span *open,
		       const struct ktrace_event *event)
{
	struct ktrace_span *span = &open->span;
	uint64_t now = slept(spans, event);

	span->took =
		without(span->took, thread->interrupted - open->interrupted);
	/* In an exec, a thread may get another number. */
	if (span->tid == event->tid && now > open->slept)
		span->took = without(span->took, now - open->slept);
}

void pauses_end(struct ktrace_spans *spans, struct span_owner *owner,
		struct open_span *open, const struct ktrace_event *event)
{
	struct ktrace_span *span = &open->span;

	span->took = span->end - span->begin;
	if (span->owner == KTRACE_SPAN_OF_THREAD)
		thread_end(spans, owner, open, event);
	else if (span->owner == KTRACE_SPAN_OF_CPU &&
		 spans->pauses & KTRACE_PAUSE_INTERRUPTS)
		interrupt_end(spans, owner, open, event);
}

void ktrace_spans_pauses(struct ktrace_spans *spans, unsigned int pauses)
{
	spans->pauses = pauses;
	if (spans->cursor && pauses & KTRACE_PAUSE_SLEEP)
		cursor_count_sleep((struct ktrace_cursor *)spans->cursor);
}
