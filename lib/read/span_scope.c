// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which calls of functions are spans, if that depends on what is around them: as the kernel
 * decides it while it records (kernel/source/function/scope.c).
 *
 * All calls are kept while they are open, so that each return finds its own.  Those that are
 * left out are hidden: nothing else looks at them.  Each has the state of its thread since
 * it began, so the state of the next one comes from the innermost, and a call whose end is
 * missing leaves no trace.
 */
#include <errno.h>

#include "base/error.h"
#include "span_owner.h"

static bool state_is_empty(const struct span_state *state)
{
	return !state->depth && !state->cut && !state->within;
}

/*
 * The state around a call that began at @begin, before the frame @serial.  A system call has
 * nothing of the functions around its first event, which return at once.  But functions may be
 * within it.
 */
static struct span_state state_around(const struct span_owner *owner,
				      uint64_t begin, uint64_t serial)
{
	const struct open_span *call = NULL;
	struct span_state state = {0};

	for (uint32_t i = owner ? owner->nr : 0; i-- > 0;) {
		const struct open_span *open = &owner->open[i];

		if (open->serial >= serial || open->span.begin > begin)
			continue;
		if (open->span.kind == KTRACE_SPAN_SYSCALL &&
		    open->state.within)
			call = open;
		if (open->span.kind == KTRACE_SPAN_FUNCTION) {
			state = open->state;
			break;
		}
	}
	if (call && state_is_empty(&state))
		state.outermost = call->serial;
	state.within |= !!call;
	return state;
}

/* Does an interrupt make the call that has come since the outermost of @state? */
static bool is_in_between(const struct ktrace_spans *spans,
			  const struct span_state *state,
			  const struct ktrace_event *event, uint64_t serial)
{
	const struct open_span *interrupt;

	if (state_is_empty(state))
		return false;
	interrupt = interrupt_frame(spans, event, serial);
	return interrupt && interrupt->serial > state->outermost;
}

/* How deep is the thread with this call?  0: it is hidden. */
static uint32_t depth_with(const struct ktrace_span_scope *scope,
			   const struct span_state *state,
			   enum ktrace_span_part part)
{
	bool may_begin = state->within || !scope->within;
	bool root = part == KTRACE_SPAN_ROOT && may_begin;
	bool top = part == KTRACE_SPAN_TOP && may_begin && !state->depth;

	if (!scope->depth || state->depth < scope->depth)
		return state->depth || root || top ? state->depth + 1 : 0;
	/* A root is shown wherever it is called, and what it calls with it. */
	return root ? 1 : 0;
}

/* Can calls be shown because of this one, though it is in an interrupt? */
static bool begins(const struct ktrace_span_scope *scope,
		   enum ktrace_span_part part)
{
	return part == KTRACE_SPAN_AROUND ||
	       (part == KTRACE_SPAN_ROOT && !scope->within);
}

/* False: the call is hidden. */
static bool state_enter(const struct ktrace_spans *spans,
			struct span_state *state, enum ktrace_span_part part,
			const struct ktrace_event *event, uint64_t serial)
{
	uint32_t depth;

	if (spans->scope.no_interrupts &&
	    is_in_between(spans, state, event, serial)) {
		/* But a root in an interrupt is one, whatever it interrupts. */
		if (!begins(&spans->scope, part))
			return false;
		*state = (struct span_state){0};
	}
	if (state->cut)
		return false;
	depth = depth_with(&spans->scope, state, part);
	if (part != KTRACE_SPAN_CUT && part != KTRACE_SPAN_AROUND && !depth)
		return false;
	if (state_is_empty(state))
		state->outermost = serial;
	switch (part) {
	case KTRACE_SPAN_CUT:
		state->cut = true;
		return false;
	case KTRACE_SPAN_AROUND:
		state->within = true;
		return false;
	default:
		state->depth = depth;
		return true;
	}
}

void scope_enter(struct ktrace_spans *spans, const struct span_owner *owner,
		 struct open_span *open, const struct span_role *role,
		 const struct ktrace_event *event)
{
	if (!spans->scope.part)
		return;
	/* It is never hidden. */
	if (open->span.kind == KTRACE_SPAN_SYSCALL)
		open->state.within =
			spans->scope.within && role->part == KTRACE_SPAN_AROUND;
	if (open->span.kind != KTRACE_SPAN_FUNCTION)
		return;
	open->state = state_around(owner, open->span.begin, open->serial);
	open->hidden = !state_enter(spans, &open->state, role->part, event,
				    open->serial);
	spans->hidden = open->hidden;
}

int ktrace_spans_scope(struct ktrace_spans *spans,
		       const struct ktrace_span_scope *scope)
{
	if (scope->size < sizeof(*scope) || !scope->part)
		return error_set(-EINVAL, "struct ktrace_span_scope: its size "
					  "or its function is not set");
	spans->scope = *scope;
	return 0;
}

bool ktrace_spans_hidden(const struct ktrace_spans *spans)
{
	return spans->hidden;
}
