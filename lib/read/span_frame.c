// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Frames: spans that call each other.  Calls are on the stack of their thread, interrupts
 * on that of their CPU.  While a CPU handles an interrupt it runs the thread that was
 * interrupted, and what the handler calls is a call of this thread.  So the two stacks
 * are one, in the order in which frames began:
 *
 *	thread 812	| read | vfs_read |		     | timer_fn |
 *	CPU 0				  | irq timer |
 *
 * Here read calls vfs_read, in which the interrupt comes, whose handler calls timer_fn.
 */
#include <string.h>

#include "span_owner.h"

void owner_id(uint64_t id[SPAN_KEYS], enum ktrace_span_owner kind,
	      const struct ktrace_event *event, const uint64_t keys[SPAN_KEYS])
{
	id[0] = kind == KTRACE_SPAN_OF_THREAD ? event->tid : event->cpu;
	/* Each CPU has its own idle thread, and all have the number 0. */
	id[1] = kind == KTRACE_SPAN_OF_THREAD && !event->tid ? event->cpu : 0;
	if (kind == KTRACE_SPAN_OF_REQUEST)
		memcpy(id, keys, SPAN_KEYS * sizeof(*id));
}

static struct open_span *thread_frame(const struct ktrace_spans *spans,
				      const struct ktrace_event *event,
				      uint64_t serial)
{
	static const uint64_t no_keys[SPAN_KEYS];
	const struct span_owner *owner;
	uint64_t id[SPAN_KEYS];

	owner_id(id, KTRACE_SPAN_OF_THREAD, event, no_keys);
	owner = owner_find(spans, KTRACE_SPAN_OF_THREAD, id);
	/* A thread of another process had this number: see owner_of(). */
	if (owner && owner->tgid && event->tgid && owner->tgid != event->tgid)
		return NULL;
	return owner_frame(owner, serial);
}

/*
 * An interrupt whose exit is not recorded seems to be open.  It has ended for certain if its
 * CPU has run another thread since.
 */
static struct open_span *interrupt_frame(const struct ktrace_spans *spans,
					 const struct ktrace_event *event,
					 uint64_t serial)
{
	const uint64_t id[SPAN_KEYS] = {event->cpu};
	struct open_span *open;

	if (!spans->counts[KTRACE_SPAN_IRQ].open &&
	    !spans->counts[KTRACE_SPAN_SOFTIRQ].open)
		return NULL;
	open = owner_frame(owner_find(spans, KTRACE_SPAN_OF_CPU, id), serial);
	if (!open || open->span.tid != event->tid ||
	    (spans->cursor && !cursor_runs_on(spans->cursor, &open->place)))
		return NULL;
	return open;
}

struct open_span *frame_around(const struct ktrace_spans *spans,
			       const struct ktrace_event *event,
			       const struct open_span *open)
{
	struct open_span *thread, *interrupt;

	if (open->span.kind == KTRACE_SPAN_SYSCALL)
		return NULL;
	thread = thread_frame(spans, event, open->serial);
	interrupt = interrupt_frame(spans, event, open->serial);
	if (!thread || !interrupt)
		return thread ?: interrupt;
	return thread->serial > interrupt->serial ? thread : interrupt;
}

static int error_of(const struct span_role *role,
		    const struct ktrace_event *event)
{
	const struct ktrace_field *field = role->result;

	return field ? ktrace_field_error(field, ktrace_field_int(event, field))
		     : 0;
}

/*
 * A call may end later than the one around it: sys_exit happens in a function that was called
 * before.  So more time may seem to be inside a frame than it took.
 */
void frame_end(struct ktrace_spans *spans, struct open_span *open,
	       const struct span_role *role, const struct ktrace_event *event)
{
	struct ktrace_span *span = &open->span;
	uint64_t took = span->end - span->begin;

	span->self = took > open->inside ? took - open->inside : 0;
	open->inside = 0;
	span->error = error_of(role, event);
	spans->caller = frame_around(spans, event, open);
	if (spans->caller)
		spans->caller->inside += took;
}

void frame_whole(struct ktrace_spans *spans, struct open_span *open,
		 const struct span_role *role, const struct ktrace_event *event)
{
	struct ktrace_span *span = &open->span;

	span->self = span->end - span->begin;
	span->error = error_of(role, event);
	spans->caller = frame_around(spans, event, open);
	if (spans->caller && spans->caller->span.begin > span->begin)
		spans->caller = NULL;
}
