// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * States of threads: sched_switch says who runs and in which state the thread before was left,
 * and events of wakes who waits for a CPU.
 *
 * If a switch is missing, an event shows it: its thread is not the one that was running.  Then
 * nothing is known of the latter since its last event there.
 *
 * A gap concerns all threads that have no CPU, because any of them may have run there.  To look
 * at all would take long, so each thread knows how many gaps there were when its state began.
 *
 * A gap is told when it ends.  Until then the events of other CPUs come, and what they end may have
 * ended in the gap already; so the cursor is asked for the gaps that it is going to tell.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "cursor.h"
#include "timeline.h"

/* Bits of prev_state, as the header of the kernel that defines sched_switch names them. */
#define TASK_INTERRUPTIBLE   0x01
#define TASK_UNINTERRUPTIBLE 0x02
#define TASK_STOPPED	     0x04
#define TASK_TRACED	     0x08
#define EXIT_DEAD	     0x10
#define EXIT_ZOMBIE	     0x20
#define TASK_PARKED	     0x40
#define TASK_IDLE	     0x80

static enum ktrace_timeline_states state_left(uint64_t bits)
{
	if (bits & (EXIT_DEAD | EXIT_ZOMBIE))
		return KTRACE_STATE_DEAD;
	if (bits & (TASK_STOPPED | TASK_TRACED | TASK_PARKED))
		return KTRACE_STATE_STOPPED;
	if (bits & (TASK_INTERRUPTIBLE | TASK_IDLE))
		return KTRACE_STATE_SLEEPING;
	if (bits & TASK_UNINTERRUPTIBLE)
		return KTRACE_STATE_BLOCKED;
	return KTRACE_STATE_PREEMPTED;
}

static int state_tell(struct ktrace_timeline *t, struct thread *thread,
		      const struct ktrace_timeline_state *given)
{
	struct ktrace_timeline_state state = *given;

	if (!t->states || !t->calls.state)
		return 0;
	/* In a part of a trace, what is between two states of a thread is not known. */
	if (!t->shown && !thread->shown) {
		if (!thread->told)
			return 0;
		state.state = KTRACE_STATE_UNKNOWN;
	}
	if (state.begin < t->begin)
		state.begin = t->begin;
	if (state.end < state.begin ||
	    (state.end == state.begin && state.state == KTRACE_STATE_UNKNOWN))
		return 0;
	thread->told = true;
	return t->calls.state(t->calls.data, &state);
}

/* Since when events are missing whose loss was not told yet; 0: none are. */
static uint64_t losing_since(const struct ktrace_timeline *t)
{
	if (!t->cursor)
		return 0;
	return t->split ? t->split_gap : ktrace_cursor_losing_since(t->cursor);
}

/* Since when the thread's state is not known any more; 0: it is. */
static uint64_t gap_since(const struct ktrace_timeline *t,
			  const struct thread *thread)
{
	uint64_t gap;

	if (thread->state == KTRACE_STATE_RUNNING ||
	    thread->state == KTRACE_STATE_UNKNOWN)
		return 0;
	/* What was before a gap is known. */
	if (thread->gaps == t->gaps) {
		if (thread->doubted)
			return thread->since;
		gap = losing_since(t);
		if (!gap)
			return 0;
	} else if (t->gaps - thread->gaps > GAPS_MAX) {
		return thread->since;
	} else {
		gap = t->gap_of[thread->gaps % GAPS_MAX];
	}
	return gap < thread->since ? thread->since : gap;
}

/* Tells the state that ends at @time, and the part of it that is not known. */
static int state_end(struct ktrace_timeline *t, struct thread *thread,
		     uint64_t time, bool open)
{
	struct ktrace_timeline_state state = {
		.thread = &thread->public,
		.state = thread->state,
		.begin = thread->since,
		.end = time,
		.cpu = thread->cpu,
		.open = open,
		.cut = thread->cut,
		.runs = thread->runs,
		.next_cpu = thread->next_cpu,
		.unbegun = thread->unbegun,
	};
	uint64_t gap = gap_since(t, thread);
	int err;

	if (!thread->known)
		return 0;
	if (thread->state == KTRACE_STATE_RUNNING) {
		state.priority = thread->priority;
		state.wake = thread->wake;
	}
	if (!gap)
		return state_tell(t, thread, &state);
	state.end = gap < time ? gap : time;
	state.open = false;
	state.cut = true;
	state.runs = false;
	err = state_tell(t, thread, &state);
	state.cut = state.unbegun = false;
	state.runs = thread->runs;
	state.state = KTRACE_STATE_UNKNOWN;
	state.begin = state.end;
	state.end = time;
	state.open = open;
	return err ?: state_tell(t, thread, &state);
}

static void state_begin(struct ktrace_timeline *t, struct thread *thread,
			enum ktrace_timeline_states state, uint64_t time,
			uint32_t cpu)
{
	thread->state = state;
	thread->since = time;
	thread->cpu = cpu;
	thread->public.state = state;
	thread->public.since = time;
	thread->public.last_cpu = cpu;
	thread->known = true;
	thread->shown = t->shown;
	thread->gaps = t->gaps;
	thread->doubted = false;
	thread->cut = false;
	thread->runs = false;
	thread->unbegun = false;
	if (state != KTRACE_STATE_RUNNING && state != KTRACE_STATE_RUNNABLE)
		thread->wake = 0;
}

/* What the thread that has the CPU does is not known since @time. */
static int state_forget(struct ktrace_timeline *t, struct cpu *cpu,
			uint64_t time)
{
	struct thread *thread = cpu->current;
	int err;

	cpu->current = NULL;
	if (!thread)
		return 0;
	if (time < thread->since)
		time = thread->since;
	thread->cut = true;
	err = state_end(t, thread, time, false);
	state_begin(t, thread, KTRACE_STATE_UNKNOWN, time, cpu->cpu);
	if (!err && t->states && t->begin && t->calls.unknown)
		err = t->calls.unknown(t->calls.data, cpu->cpu,
				       time < t->begin ? t->begin : time);
	return err;
}

/*
 * How long its state has lasted is not known.  If it was ready to run, it may have run since; if
 * it slept, it may have been woken.
 */
static void state_doubt(struct thread *thread)
{
	thread->doubted = true;
}

/* It has ended some time: another thread has its number, say. */
int state_vanish(struct ktrace_timeline *t, struct thread *thread)
{
	struct cpu *cpu = thread->state == KTRACE_STATE_RUNNING
				  ? table_find(&t->cpus, thread->cpu)
				  : NULL;
	int err = 0;

	if (cpu && cpu->current == thread)
		err = state_forget(t, cpu, cpu->last);
	state_doubt(thread);
	return err ?: state_end(t, thread, t->now, false);
}

/* The thread runs on the CPU from now on. */
static int state_run(struct ktrace_timeline *t, struct cpu *cpu,
		     struct thread *thread, uint64_t time)
{
	struct cpu *other;
	int err = 0;

	/* It has been taken to another CPU, and there the switch is missing. */
	if (thread->state == KTRACE_STATE_RUNNING) {
		other = table_find(&t->cpus, thread->cpu);
		if (other && other->current == thread)
			err = state_forget(t, other, other->last);
	}
	thread->runs = true;
	thread->next_cpu = cpu->cpu;
	err = err ?: state_end(t, thread, time, false);
	/* It may have run since it was woken, and another one may have woken it. */
	if (gap_since(t, thread))
		thread->wake = 0;
	state_begin(t, thread, KTRACE_STATE_RUNNING, time, cpu->cpu);
	thread->priority = 0;
	cpu->current = thread;
	cpu->last = time;
	return err;
}

int state_runs(struct ktrace_timeline *t, const struct ktrace_event *event)
{
	struct cpu *cpu = cpu_get(t, event->cpu);
	struct thread *thread = thread_get(t, event->tid, event->cpu);
	int err = 0;

	if (cpu && cpu->current && cpu->current == thread &&
	    thread->task == event->task) {
		cpu->last = event->time;
		return 0;
	}
	/* The number is that of a thread of another process, whose end is missing. */
	if (thread && thread->public.tgid && event->tgid &&
	    thread->public.tgid != event->tgid) {
		err = state_vanish(t, thread);
		thread_remove(t, thread);
	}
	thread = thread_of(t, event);
	if (err)
		return err;
	if (!thread || !cpu)
		return error_set(-ENOMEM, "out of memory");
	if (cpu->current != thread) {
		err = state_forget(t, cpu, cpu->last);
		state_doubt(thread);
		err = err ?: state_run(t, cpu, thread, event->time);
	}
	cpu->last = event->time;
	return err ?: t->err;
}

static int64_t value_of(const struct ktrace_event *event,
			const struct ktrace_field *field)
{
	return field ? ktrace_field_int(event, field) : 0;
}

/* That of a field, with its name. */
static struct thread *thread_named(struct ktrace_timeline *t, uint32_t tid,
				   uint32_t cpu,
				   const struct ktrace_event *event,
				   const struct ktrace_field *comm)
{
	struct thread *thread = thread_get(t, tid, cpu);
	const uint8_t *name;
	size_t size;

	if (!thread || !tid || !comm || comm->kind <= KTRACE_POINTER)
		return thread;
	name = ktrace_field_bytes(event, comm, &size);
	if (size)
		thread_rename(thread, name, size);
	return thread;
}

static int state_leave(struct ktrace_timeline *t, struct cpu *cpu,
		       const struct role *role,
		       const struct ktrace_event *event)
{
	struct thread *thread = cpu->current;
	enum ktrace_timeline_states left =
		state_left(value_of(event, role->state));
	int err;

	if (left == KTRACE_STATE_DEAD && thread->public.tid)
		ktrace_spans_exit(t->spans, thread->public.tid);
	thread->priority = value_of(event, role->priority);
	err = state_end(t, thread, event->time, false);
	cpu->current = NULL;
	/* The idle thread always runs, where no other does. */
	if (!thread->public.tid)
		left = KTRACE_STATE_PREEMPTED;
	state_begin(t, thread, left, event->time, event->cpu);
	if (left != KTRACE_STATE_DEAD)
		return err;
	err = err ?: state_end(t, thread, event->time, false);
	thread_remove(t, thread);
	return err ?: t->err;
}

int state_switch(struct ktrace_timeline *t, const struct role *role,
		 const struct ktrace_event *event)
{
	uint32_t tid = value_of(event, role->pid);
	struct cpu *cpu;
	struct thread *next;
	int err = state_runs(t, event);

	if (err)
		return err;
	cpu = cpu_get(t, event->cpu);
	err = state_leave(t, cpu, role, event);
	/* No thread has such a number: the trace is damaged. */
	if (err || tid >= TASKS_MAX)
		return err;
	next = thread_named(t, tid, event->cpu, event, role->comm);
	if (!next)
		return error_set(-ENOMEM, "out of memory");
	err = state_run(t, cpu, next, event->time);
	next->priority = value_of(event, role->new_priority);
	return err;
}

static int wake_tell(struct ktrace_timeline *t, struct thread *thread,
		     const struct ktrace_event *event)
{
	struct track *track = track_of_event(t, event);
	const struct ktrace_timeline_wake wake = {
		.id = thread->wake,
		.time = event->time,
		.track = track ? &track->public : NULL,
		.thread = &thread->public,
	};

	if (!track)
		return error_set(-ENOMEM, "out of memory");
	track->public.time = event->time;
	return t->calls.wake(t->calls.data, &wake, event);
}

/*
 * Where it is to run.  Viewers make room for all CPUs up to the highest one, so a damaged trace must
 * not invent any: only those count that have events.
 */
static uint32_t cpu_of_wake(const struct ktrace_timeline *t,
			    const struct role *role,
			    const struct ktrace_event *event)
{
	uint32_t cpu = value_of(event, role->cpu);

	return role->cpu && table_find(&t->cpus, cpu) ? cpu : event->cpu;
}

/* Types of a stream come while it is read. */
static bool wakings_known(struct ktrace_timeline *t)
{
	const struct ktrace_types *types;

	if (t->wakings || !t->cursor)
		return t->wakings;
	types = cursor_trace_types(t->cursor);
	for (; t->nr_types < ktrace_types_count(types); t->nr_types++) {
		const struct ktrace_type *type =
			ktrace_types_get(types, t->nr_types);

		t->wakings |= !type->marker && !strcmp(type->system, "sched") &&
			      !strcmp(type->name, "sched_waking");
	}
	return t->wakings;
}

/* It was woken before this event, and nobody has seen that. */
static bool wake_is_missing(struct ktrace_timeline *t, const struct role *role,
			    const struct thread *thread)
{
	if (role->part != PART_WAKEUP || !wakings_known(t))
		return false;
	return !thread->known || thread->state == KTRACE_STATE_UNKNOWN ||
	       gap_since(t, thread);
}

int state_wake(struct ktrace_timeline *t, const struct role *role,
	       const struct ktrace_event *event, bool *wakes)
{
	uint32_t tid = value_of(event, role->pid);
	struct thread *thread;
	bool unbegun;
	int err;

	if (!tid || tid >= TASKS_MAX)
		return 0;
	thread = thread_get(t, tid, event->cpu);
	/* It has the number of one whose end is missing. */
	if (thread && role->part == PART_WAKE_NEW && thread->known) {
		err = state_vanish(t, thread);
		thread_remove(t, thread);
		if (err)
			return err;
	}
	thread = thread_named(t, tid, event->cpu, event, role->comm);
	if (!thread)
		return error_set(-ENOMEM, "out of memory");
	if (thread->known && !gap_since(t, thread) &&
	    (thread->state == KTRACE_STATE_RUNNING ||
	     thread->state == KTRACE_STATE_RUNNABLE ||
	     thread->state == KTRACE_STATE_PREEMPTED))
		return 0;
	unbegun = wake_is_missing(t, role, thread);
	err = state_end(t, thread, event->time, false);
	state_begin(t, thread, KTRACE_STATE_RUNNABLE, event->time,
		    cpu_of_wake(t, role, event));
	thread->unbegun = unbegun;
	if (role->part == PART_WAKE_NEW)
		thread->public.born = event->time;
	thread->wake = t->shown ? ++t->wakes : 0;
	*wakes = true;
	return err || !t->shown || !t->calls.wake ? err
						  : wake_tell(t, thread, event);
}

/*
 * Gaps are told when they end.  If one that was told before has begun later, what is known ends
 * with this one already.
 */
static void gap_add(struct ktrace_timeline *t, uint64_t from)
{
	uint64_t first = t->gaps < GAPS_MAX ? 0 : t->gaps - GAPS_MAX;

	for (uint64_t i = t->gaps; i-- > first;) {
		uint64_t *gap = &t->gap_of[i % GAPS_MAX];

		if (*gap <= from)
			break;
		*gap = from;
	}
	t->gap_of[t->gaps++ % GAPS_MAX] = from;
}

void state_loss(struct ktrace_timeline *t, const struct ktrace_loss *loss)
{
	struct cpu *cpu = table_find(&t->cpus, loss->cpu);
	uint64_t from = loss->from;

	gap_add(t, from);
	if (!cpu || !cpu->current)
		return;
	/* It runs until then for certain. */
	if (from < cpu->last)
		from = cpu->last;
	t->err = t->err ?: state_forget(t, cpu, from);
}

/* Where events are missing by now, nobody is known to run. */
static int run_split(struct ktrace_timeline *t, struct thread *thread)
{
	struct cpu *cpu = table_find(&t->cpus, thread->cpu);
	uint64_t gap = t->cursor ? cursor_losing(t->cursor, &thread->cpu) : 0;

	if (!gap || gap >= t->split || !cpu || cpu->current != thread)
		return 0;
	return state_forget(t, cpu, gap > cpu->last ? gap : cpu->last);
}

void state_split_begin(struct ktrace_timeline *t, uint64_t time)
{
	uint64_t gap = t->cursor ? cursor_losing(t->cursor, NULL) : 0;

	t->split = time;
	t->split_gap = gap < time ? gap : 0;
}

int state_split(struct ktrace_timeline *t, struct thread *thread)
{
	int err = 0;

	if (!thread->known || thread->since >= t->split)
		return 0;
	if (thread->state == KTRACE_STATE_RUNNING)
		err = run_split(t, thread);
	err = err ?: state_end(t, thread, t->split, true);
	if (thread->since < t->split)
		thread->since = t->split;
	return err;
}

int state_finish(struct ktrace_timeline *t, struct thread *thread)
{
	return state_end(t, thread, t->now, true);
}
