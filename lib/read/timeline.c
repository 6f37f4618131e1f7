// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The time line: what an event is to threads, CPUs and tracks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "timeline.h"

/* ---- what an event is ----------------------------------------------------- */

static bool is_number(const struct ktrace_field *field)
{
	return field && field->kind <= KTRACE_POINTER;
}

static void switch_find(struct role *role)
{
	const struct ktrace_type *type = role->type;

	role->state = ktrace_field_find(type, "prev_state");
	role->comm = ktrace_field_find(type, "next_comm");
	role->pid = ktrace_field_find(type, "next_pid");
	role->priority = ktrace_field_find(type, "prev_prio");
	role->new_priority = ktrace_field_find(type, "next_prio");
	if (is_number(role->state) && is_number(role->pid))
		role->part = PART_SWITCH;
}

static void wake_find(struct role *role, enum part part)
{
	role->comm = ktrace_field_find(role->type, "comm");
	role->pid = ktrace_field_find(role->type, "pid");
	role->cpu = ktrace_field_find(role->type, "target_cpu");
	if (is_number(role->pid))
		role->part = part;
}

static void role_find(struct role *role, const struct ktrace_type *type)
{
	*role = (struct role){.type = type};
	if (type->marker || strcmp(type->system, "sched") != 0)
		return;
	if (!strcmp(type->name, "sched_switch"))
		switch_find(role);
	else if (!strcmp(type->name, "sched_waking"))
		wake_find(role, PART_WAKING);
	else if (!strcmp(type->name, "sched_wakeup"))
		wake_find(role, PART_WAKEUP);
	else if (!strcmp(type->name, "sched_wakeup_new"))
		wake_find(role, PART_WAKE_NEW);
}

bool ktrace_timeline_type(const struct ktrace_type *type)
{
	struct role role;

	role_find(&role, type);
	return role.part || ktrace_span_type(type);
}

static const struct role *role_get(struct ktrace_timeline *t,
				   const struct ktrace_type *type)
{
	struct role *role;

	if (type->number >= t->nr_roles) {
		size_t nr = type->number + 256;
		struct role *roles = realloc(t->roles, nr * sizeof(*roles));

		if (!roles)
			return NULL;
		memset(roles + t->nr_roles, 0,
		       (nr - t->nr_roles) * sizeof(*roles));
		t->roles = roles;
		t->nr_roles = nr;
	}
	role = &t->roles[type->number];
	if (role->type != type)
		role_find(role, type);
	t->wakings |= role->part == PART_WAKING;
	return role;
}

/* ---- events --------------------------------------------------------------- */

static int point_tell(struct ktrace_timeline *t,
		      const struct ktrace_event *event)
{
	struct track *track;

	if (!t->shown || !t->calls.point)
		return 0;
	track = track_of_event(t, event);
	if (!track)
		return error_set(-ENOMEM, "out of memory");
	track->public.time = event->time;
	return t->calls.point(t->calls.data, &track->public, event);
}

static int event_take(struct ktrace_timeline *t, const struct role *role,
		      const struct ktrace_event *event)
{
	bool taken = false;
	int err = 0, step;

	t->states |= role->part == PART_SWITCH;
	if (!event->type->marker)
		err = state_runs(t, event);
	if (err)
		return err;
	step = ktrace_spans_event(t->spans, event);
	if (step < 0)
		return step;
	err = t->err ?: slices_step(t, event, step, &taken);
	if (!err && role->part == PART_SWITCH) {
		taken = true;
		interrupts_end(t->spans, event->cpu);
		err = t->err ?: state_switch(t, role, event);
	} else if (!err && role->part) {
		err = state_wake(t, role, event, &taken);
	}
	return err ?: taken ? 0 : point_tell(t, event);
}

int ktrace_timeline_event(struct ktrace_timeline *t,
			  const struct ktrace_event *event, bool shown)
{
	const struct role *role = role_get(t, event->type);

	if (!role)
		return error_set(-ENOMEM, "out of memory");
	t->now = event->time;
	t->shown = shown;
	if (shown && !t->begin)
		t->begin = event->time;
	return event_take(t, role, event) ?: t->err;
}

int ktrace_timeline_loss(struct ktrace_timeline *t,
			 const struct ktrace_loss *loss, bool shown)
{
	t->shown = shown;
	if (shown && !t->begin)
		t->begin = loss->from;
	if (loss->cause != KTRACE_LOST_TASK) {
		t->lost_at = loss->from;
		ktrace_spans_loss(t->spans, loss);
		t->lost_at = 0;
		if (!loss->programs)
			state_loss(t, loss);
	}
	if (!t->err && shown && t->calls.loss)
		t->err = t->calls.loss(t->calls.data, loss);
	return t->err;
}

int ktrace_timeline_split(struct ktrace_timeline *t, uint64_t time)
{
	int err = t->err;

	/* A state that ends with the first switch is told then. */
	if (!t->states)
		return err;
	state_split_begin(t, time);
	for (struct thread *thread = t->oldest; !err && thread;
	     thread = thread->newer)
		if (!thread->gone)
			err = state_split(t, thread);
	t->split = 0;
	return err;
}

int ktrace_timeline_finish(struct ktrace_timeline *t)
{
	struct track *track;
	struct cpu *cpu;
	size_t at = 0;
	int err = t->err;

	for (struct thread *thread = t->oldest; !err && thread;
	     thread = thread->newer) {
		for (track = thread->tracks; !err && track; track = track->next)
			err = slices_finish(t, track);
		if (!err && !thread->gone)
			err = state_finish(t, thread);
	}
	while (!err && (cpu = table_each(&t->cpus, &at)))
		if (cpu->track)
			err = slices_finish(t, cpu->track);
	for (track = t->requests; !err && track; track = track->next)
		err = slices_finish(t, track);
	return err;
}

/* ---- the time line -------------------------------------------------------- */

int ktrace_timeline_create(const struct ktrace_cursor *cursor,
			   const struct ktrace_timeline_calls *calls,
			   struct ktrace_timeline **timeline)
{
	struct ktrace_timeline *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return error_set(-ENOMEM, "out of memory");
	t->cursor = cursor;
	err = sized_copy(&t->calls, sizeof(t->calls), calls);
	err = err ?: ktrace_spans_create(cursor, &t->spans);
	if (err) {
		free(t);
		return err;
	}
	t->spans->dropped = slices_drop;
	t->spans->dropped_data = t;
	*timeline = t;
	return 0;
}

void ktrace_timeline_destroy(struct ktrace_timeline *t)
{
	struct track *track;
	struct cpu *cpu;
	size_t at = 0;

	if (!t)
		return;
	ktrace_spans_destroy(t->spans);
	slices_forget(t);
	while (t->oldest)
		thread_free(t, t->oldest);
	while ((cpu = table_each(&t->cpus, &at))) {
		if (cpu->track)
			track_free(t, cpu->track);
		free(cpu);
	}
	while ((track = t->requests)) {
		t->requests = track->next;
		track_free(t, track);
	}
	table_free(&t->threads);
	table_free(&t->cpus);
	free(t->roles);
	free(t);
}

const char *ktrace_timeline_state_name(unsigned int state)
{
	static const char *const names[KTRACE_STATE_NR] = {
		[KTRACE_STATE_UNKNOWN] = "unknown",
		[KTRACE_STATE_RUNNING] = "running",
		[KTRACE_STATE_RUNNABLE] = "runnable",
		[KTRACE_STATE_PREEMPTED] = "preempted",
		[KTRACE_STATE_SLEEPING] = "sleeping",
		[KTRACE_STATE_BLOCKED] = "blocked",
		[KTRACE_STATE_STOPPED] = "stopped",
		[KTRACE_STATE_DEAD] = "dead",
	};

	return state < KTRACE_STATE_NR ? names[state] : NULL;
}
