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
 *
 * A whole call is told by one event, after the calls inside it.  So what has finished is kept
 * for each thread, until a call tells that it was around it.  What nobody claims is older
 * than all calls to come, so it does no harm; when there is no room, the two oldest become one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#include "span_owner.h"

static struct open_span *thread_frame(const struct ktrace_spans *spans,
				      const struct ktrace_event *event,
				      uint64_t serial)
{
	const struct span_owner *owner;
	uint64_t id[SPAN_KEYS];

	owner_id_kernel(id, KTRACE_SPAN_OF_THREAD, event);
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
struct open_span *interrupt_frame(const struct ktrace_spans *spans,
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

/* ---- finished calls ------------------------------------------------------- */

#define FINISHED_MAX 64
/* More are forgotten, all of them. */
#define FINISHED_THREADS_MAX 4096

struct finished_calls {
	uint32_t nr;
	struct {
		uint64_t begin;
		uint64_t took;
	} calls[FINISHED_MAX]; /* none is inside another; the latest last */
};

void frames_destroy(struct ktrace_spans *spans)
{
	size_t at = 0;
	void *calls;

	while ((calls = table_each(&spans->finished, &at)))
		free(calls);
	table_free(&spans->finished);
	spans->finished = (struct table){0};
}

/* Of the event's thread.  NULL: out of memory. */
static struct finished_calls *finished_get(struct ktrace_spans *spans,
					   const struct ktrace_event *event)
{
	static const uint64_t no_keys[SPAN_KEYS];
	struct finished_calls *calls;
	uint64_t id[SPAN_KEYS], thread;

	owner_id(id, KTRACE_SPAN_OF_THREAD, event, no_keys);
	thread = id[0] << 32 | id[1];
	calls = table_find(&spans->finished, thread);
	if (calls)
		return calls;
	if (spans->finished.nr == FINISHED_THREADS_MAX)
		frames_destroy(spans);
	calls = calloc(1, sizeof(*calls));
	if (calls && table_add(&spans->finished, thread, calls)) {
		free(calls);
		return NULL;
	}
	return calls;
}

/* Adds a call, in place of those inside it.  Returns how long these took. */
static uint64_t finished_add(struct finished_calls *calls, uint64_t begin,
			     uint64_t took)
{
	uint64_t inside = 0;
	uint32_t *nr = &calls->nr;

	while (*nr && calls->calls[*nr - 1].begin >= begin)
		inside += calls->calls[--*nr].took;
	if (*nr == FINISHED_MAX) {
		calls->calls[0].took += calls->calls[1].took;
		memmove(&calls->calls[1], &calls->calls[2],
			(--*nr - 1) * sizeof(calls->calls[0]));
	}
	calls->calls[*nr].begin = begin;
	calls->calls[(*nr)++].took = took;
	return inside;
}

/* ---- ends ----------------------------------------------------------------- */

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
static uint64_t own_time(uint64_t took, uint64_t inside)
{
	return took > inside ? took - inside : 0;
}

/* Then the time of this interrupt does not count in the call. */
static bool is_pause_of(const struct ktrace_spans *spans,
			const struct open_span *open,
			const struct open_span *call)
{
	return spans->pauses & KTRACE_PAUSE_INTERRUPTS &&
	       open->span.owner == KTRACE_SPAN_OF_CPU &&
	       call->span.owner == KTRACE_SPAN_OF_THREAD;
}

int frame_end(struct ktrace_spans *spans, struct open_span *open,
	      const struct span_role *role, const struct ktrace_event *event)
{
	struct ktrace_span *span = &open->span;
	struct finished_calls *calls;

	/* A trace has whole calls or others, seldom both. */
	if (spans->finished.nr && span->kind == KTRACE_SPAN_FUNCTION) {
		calls = finished_get(spans, event);
		if (!calls)
			return error_set(-ENOMEM, "out of memory");
		/* The time that it returns is in @open->inside already. */
		finished_add(calls, span->begin, span->took);
	}
	span->self = own_time(span->took, open->inside);
	open->inside = 0;
	span->error = error_of(role, event);
	spans->caller = frame_around(spans, event, open);
	if (spans->caller && !is_pause_of(spans, open, spans->caller))
		spans->caller->inside += span->took;
	return 0;
}

int frame_whole(struct ktrace_spans *spans, struct open_span *open,
		const struct span_role *role, const struct ktrace_event *event)
{
	struct finished_calls *calls = finished_get(spans, event);
	struct ktrace_span *span = &open->span;

	if (!calls)
		return error_set(-ENOMEM, "out of memory");
	span->self = own_time(span->took,
			      finished_add(calls, span->begin, span->took));
	span->error = error_of(role, event);
	spans->caller = frame_around(spans, event, open);
	if (spans->caller && spans->caller->span.begin > span->begin)
		spans->caller = NULL;
	/*
	 * The time of the calls inside it was added before.  But how much of it was a pause is
	 * not known, so it cannot be told from what is around it.
	 */
	if (spans->caller && !spans->pauses)
		spans->caller->inside += span->self;
	return 0;
}
