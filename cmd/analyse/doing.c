// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <string.h>

#include <ktrace/syscall.h>

#include "doing.h"
#include "runs.h"

bool doing_is_wait(enum ktrace_timeline_states state)
{
	return state == KTRACE_STATE_SLEEPING ||
	       state == KTRACE_STATE_BLOCKED || state == KTRACE_STATE_STOPPED;
}

bool doing_is_call(const struct ktrace_timeline_track *track)
{
	return track->kind == KTRACE_TRACK_CALLS ||
	       track->kind == KTRACE_TRACK_RAW_CALLS;
}

/* The program runs: a page fault is over. */
static bool is_of_program(const struct ktrace_event *event)
{
	return event->type->marker ||
	       (!strcmp(event->type->system, "signal") &&
		!strcmp(event->type->name, "signal_deliver"));
}

static bool is_lock(const struct ktrace_event *event)
{
	return event && !event->type->marker &&
	       !strcmp(event->type->system, "lock");
}

/* A lock that it has waited for before is not that of a later wait. */
static void locks_forget(struct doing *d, uint64_t time)
{
	d->locks = 0;
	d->unlocked = time;
}

/* Else it is the call that the event of all calls has told, or will. */
bool doing_call_is_new(const struct doing *d,
		       const struct ktrace_timeline_slice *slice)
{
	return !slice->twin && !(d->slice && d->slice->twin);
}

/* The name is that of the output. */
void doing_call_begin(struct doing *d,
		      const struct ktrace_timeline_slice *slice)
{
	const struct ktrace_call *call = ktrace_call_find(slice->span->type);

	if (slice->twin)
		return;
	d->slice = slice;
	d->calls_known = true;
	d->faults = false;
	locks_forget(d, slice->begin);
	text_copy(d->call, sizeof(d->call),
		  call ? call->shown : slice->span->name);
}

void doing_call_end(struct doing *d, const struct ktrace_timeline_slice *slice)
{
	d->slice = NULL;
	d->faults = false;
	locks_forget(d, slice->end);
	d->calls_known = slice->how != KTRACE_SLICE_LOST;
}

bool doing_begin(struct doing *d, const struct ktrace_event *event,
		 bool ends_known)
{
	if (is_of_program(event))
		d->faults = false;
	if (!is_lock(event) || !ends_known)
		return false;
	d->locks++;
	return true;
}

void doing_lock_end(struct doing *d, const struct ktrace_timeline_slice *slice)
{
	if (d->locks && slice->begin >= d->unlocked)
		d->locks--;
}

bool doing_is_point(const struct ktrace_event *event)
{
	return is_of_program(event) ||
	       (!strcmp(event->type->system, "exceptions") &&
		!strncmp(event->type->name, "page_fault_", 11));
}

void doing_point(struct doing *d, const struct ktrace_event *event)
{
	d->faults = !is_of_program(event);
}

bool doing_reason(const struct doing *d, char reason[REASON_ROOM])
{
	static const char outside[] = "outside of calls";
	const char *found = "not known";

	if (d->locks)
		found = "lock";
	else if (d->slice)
		found = d->call;
	else if (d->faults)
		found = "page fault";
	else if (d->calls_known)
		found = outside;
	text_copy(reason, REASON_ROOM, found);
	if (found == outside && *d->call)
		snprintf(reason, REASON_ROOM, "%s, after %s", outside, d->call);
	return d->slice && !d->locks;
}

void call_text_shorten(const char *text, char reason[REASON_ROOM])
{
	const char *tail = "";
	size_t size = 0;
	int depth = 0;
	bool quoted = false;

	for (; text[size] && size < REASON_ROOM - 8; size++) {
		char c = text[size];

		if (quoted && c == '\\' && text[size + 1])
			size++;
		else if (c == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (strchr("([{<", c))
			depth++;
		else if (strchr(")]}>", c) && !--depth)
			break;
		else if (c == ',' && depth == 1)
			break;
	}
	if (text[size])
		tail = text[size] == ')' ? ")" : ", ...)";
	snprintf(reason, REASON_ROOM, "%.*s%s", (int)size, text, tail);
}

bool call_text_is_of(const char *text, size_t size, const char *call)
{
	size_t name = strlen(call);

	/* These have a number as name. */
	if (!strcmp(call, "unknown"))
		return size > 8 && !memcmp(text, "syscall_", 8);
	return size > name && !memcmp(text, call, name) && text[name] == '(';
}
