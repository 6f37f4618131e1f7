// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace why: what a time line tells becomes sums of threads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "why.h"

/* ---- threads -------------------------------------------------------------- */

static struct why_thread *thread_create(struct why *w,
					struct ktrace_timeline_thread *thread)
{
	struct why_thread *t = calloc(1, sizeof(*t));
	struct why_thread *before = table_find(&w->by_tid, thread->tid);

	if (!t)
		return NULL;
	if (before)
		table_remove(&w->by_tid, thread->tid, before);
	if (table_add(&w->by_tid, thread->tid, t)) {
		free(t);
		return NULL;
	}
	t->id = thread->id;
	t->tid = thread->tid;
	t->again = before;
	t->worst.size = sizeof(struct wait);
	t->worst.max = w->worst;
	*(w->last ?: &w->threads) = t;
	w->last = &t->next;
	thread->data = t;
	return t;
}

/* *@found: NULL: it is not wanted.  0 or -ENOMEM. */
static int thread_find(struct why *w, struct ktrace_timeline_thread *thread,
		       struct why_thread **found)
{
	struct why_thread *t = thread->data;

	*found = NULL;
	if (!t &&
	    (!thread->tid || !who_match_thread(&w->who, thread->tid,
					       thread->tgid, thread->comm)))
		return 0;
	t = t ?: thread_create(w, thread);
	if (!t)
		return -ENOMEM;
	t->born = thread->born;
	t->tgid = thread->tgid;
	text_copy(t->comm, sizeof(t->comm), thread->comm);
	*found = t;
	return 0;
}

static bool why_wants(const struct why *w, const struct ktrace_event *event)
{
	const struct why_thread *t = table_find(&w->by_tid, event->tid);

	return w->returned || (t && !t->dead);
}

static void why_gone(void *why, void *theirs)
{
	struct why_thread *t = theirs;

	t->dead = true;
}

static int row_add(struct span_rows *rows, uint32_t tid, uint32_t tgid,
		   const char *name, uint64_t ns)
{
	const struct span_row key = {
		.tid = tid, .tgid = tgid, .name = (char *)name};
	struct span_row *row = span_rows_get(rows, &key);

	return row ? histogram_add(&row->ns, ns) : -ENOMEM;
}

/* ---- reasons -------------------------------------------------------------- */

static struct span_row *reason_row(struct why_thread *t,
				   enum ktrace_timeline_states state,
				   const char *reason, const char *call)
{
	const struct span_row key = {
		.tid = state,
		.name = (char *)(t->reasons.nr < REASONS_MAX ? reason : call)};

	return span_rows_get(&t->reasons, &key);
}

static int waits_merge(struct why_thread *t, const char *reason)
{
	struct span_row *row;
	int err = 0;

	for (int i = 0; !err && i < KTRACE_STATE_NR; i++) {
		struct histogram *waited = &t->call.times[i];

		if (!waited->count)
			continue;
		row = reason_row(t, i, reason, t->doing.call);
		err = row ? histogram_merge(&row->ns, waited) : -ENOMEM;
		histogram_free(waited);
	}
	return err;
}

/* The call has ended, or nothing more is known of it. */
static int call_settle(struct why_thread *t)
{
	const char *text = *t->text ? t->text : t->doing.call;
	char reason[REASON_ROOM];
	int err = 0;

	if (t->call.number && t->call.waited) {
		call_text_shorten(text, reason);
		err = waits_merge(t, reason);
		if (t->last.call == t->call.number)
			text_copy(t->last.reason, REASON_ROOM, text);
	}
	for (size_t i = 0; t->call.kept && i < t->worst.nr; i++) {
		struct wait *wait = longest_get(&t->worst, i);

		if (wait->call == t->call.number)
			text_copy(wait->reason, REASON_ROOM, text);
	}
	t->call.number = 0;
	t->call.waited = t->call.kept = t->in_own_call = false;
	*t->text = '\0';
	return err;
}

/* After an exec the thread may have another number than at the call's begin. */
static int why_text(void *why, uint32_t tid, const char *text, size_t size)
{
	struct why *w = why;
	struct why_thread *t = w->returned ?: table_find(&w->by_tid, tid);

	size = text[size - 1] == '\n' ? size - 1 : size;
	if (!t || !(t->returned || t->doing.slice) ||
	    !call_text_is_of(text, size, t->doing.call))
		return 0;
	if (size >= REASON_ROOM)
		size = REASON_ROOM - 1;
	memcpy(t->text, text, size);
	t->text[size] = '\0';
	return 0;
}

static int why_settle(struct why *w)
{
	struct why_thread *t = w->returned;

	w->returned = NULL;
	if (!t)
		return 0;
	t->returned = false;
	return call_settle(t);
}

/* Why the thread waits, if it does now. */
static void reason_find(struct why_thread *t)
{
	t->in_own_call = doing_reason(&t->doing, t->reason);
}

/* ---- states --------------------------------------------------------------- */

/* Nobody else can have ended the last wait. */
static int last_end(struct why_thread *t)
{
	struct wait *last = &t->last;
	int err;

	if (!last->end)
		return 0;
	if (!*last->waker.name && !last->least)
		t->unwoken++;
	last->item.ns = last->end - last->begin;
	if (last->call && last->call == t->call.number &&
	    longest_takes(&t->worst, last->item.ns))
		t->call.kept = true;
	err = longest_add(&t->worst, last);
	last->end = 0;
	return err;
}

static int wait_add(struct why_thread *t, const struct ktrace_timeline_state *s,
		    uint64_t begin, uint64_t end)
{
	struct span_row *row;

	t->last = (struct wait){
		.begin = begin,
		.end = end,
		.state = s->state,
		.call = t->in_own_call ? t->call.number : 0,
		.least = s->open || s->cut || begin > s->begin || end < s->end,
	};
	text_copy(t->last.reason, REASON_ROOM, t->reason);
	if (t->in_own_call) {
		t->call.waited = true;
		return histogram_add(&t->call.times[s->state], end - begin);
	}
	row = reason_row(t, s->state, t->reason, t->reason);
	return row ? histogram_add(&row->ns, end - begin) : -ENOMEM;
}

static int instead_add(void *data, const struct run *run)
{
	struct why_thread *t = data;
	uint64_t ns = run->end - run->begin;

	if (run->tid)
		return row_add(&t->instead, run->tid, run->tgid, run->comm, ns);
	t->idle += ns;
	return 0;
}

/* It waits for a CPU.  Where it would have run is known if it did. */
static int instead_find(struct why *w, struct why_thread *t,
			const struct ktrace_timeline_state *s, uint64_t begin,
			uint64_t end)
{
	uint64_t nobody = end - begin;
	int err = 0;

	if (s->runs)
		err = runs_between(&w->runs, s->next_cpu, begin, end,
				   instead_add, t, &nobody);
	t->nobody += nobody;
	return err;
}

/* Time of which nothing was told. */
static void time_pass(struct why_thread *t, uint64_t to)
{
	if (to <= t->end)
		return;
	t->states[KTRACE_STATE_UNKNOWN] += to - t->end;
	t->counts[KTRACE_STATE_UNKNOWN]++;
	t->end = to;
}

static void life_begin(const struct why *w, struct why_thread *t,
		       uint64_t first)
{
	if (t->born)
		first = t->born;
	else if (!t->again)
		first = w->begin;
	t->begin = first < w->begin ? w->begin
		   : first > w->end ? w->end
				    : first;
	t->end = t->begin;
}

static int state_add(struct why *w, struct why_thread *t,
		     const struct ktrace_timeline_state *s)
{
	uint64_t begin = s->begin, end = s->end;

	if (last_end(t))
		return -ENOMEM;
	if (s->state == KTRACE_STATE_DEAD)
		t->dead = true;
	/* A page fault does not stop a thread: it has returned from that. */
	if (s->state == KTRACE_STATE_STOPPED && t->doing.faults) {
		t->doing.faults = false;
		reason_find(t);
	}
	if (begin < w->begin)
		begin = w->begin;
	if (end > w->end)
		end = w->end;
	if (end <= begin)
		return 0;
	if (!t->end)
		life_begin(w, t, begin);
	time_pass(t, begin);
	t->states[s->state] += end - begin;
	t->counts[s->state]++;
	t->end = end;
	if (doing_is_wait(s->state))
		return wait_add(t, s, begin, end);
	if (s->state == KTRACE_STATE_RUNNABLE ||
	    s->state == KTRACE_STATE_PREEMPTED)
		return instead_find(w, t, s, begin, end);
	return 0;
}

static int why_state(void *why, const struct ktrace_timeline_state *s)
{
	struct why *w = why;
	struct why_thread *t;
	int err;

	err = s->state == KTRACE_STATE_RUNNING ? runs_add(&w->runs, s) : 0;
	err = err ?: thread_find(w, s->thread, &t);
	if (err || !t)
		return err;
	err = state_add(w, t, s);
	if (s->state == KTRACE_STATE_RUNNING)
		reason_find(t);
	return err;
}

/* ---- calls, interrupts and wakes ------------------------------------------- */

static int call_begin(struct why *w, struct why_thread *t,
		      const struct ktrace_timeline_slice *slice)
{
	int err = 0;

	if (doing_call_is_new(&t->doing, slice)) {
		err = call_settle(t);
		t->call.number = ++w->calls;
	}
	doing_call_begin(&t->doing, slice);
	return err;
}

static int why_begin(void *why, struct ktrace_timeline_slice *slice,
		     const struct ktrace_event *event)
{
	struct ktrace_timeline_track *track = slice->track;
	struct why *w = why;
	struct why_thread *t;
	int err;

	if (track->kind == KTRACE_TRACK_CPU)
		return interrupts_change(&w->interrupts, slice, true);
	if (!track->thread)
		return 0;
	err = thread_find(w, track->thread, &t);
	if (err || !t)
		return err;
	if (doing_is_call(track))
		return call_begin(w, t, slice);
	if (doing_begin(&t->doing, event,
			need_seen(&w->locks_end, w->types,
				  "lock:contention_end")))
		slice->data = t;
	return 0;
}

/* A call that ends with its event has its text when that has been taken. */
static int call_end(struct why *w, struct why_thread *t,
		    const struct ktrace_timeline_slice *slice)
{
	doing_call_end(&t->doing, slice);
	/* The state in which it waits there is told after this. */
	if (slice->how == KTRACE_SLICE_OPEN)
		return 0;
	if (slice->how != KTRACE_SLICE_ENDED)
		return call_settle(t);
	t->returned = true;
	w->returned = t;
	return 0;
}

static int why_end(void *why, struct ktrace_timeline_slice *slice,
		   const struct ktrace_event *event)
{
	struct ktrace_timeline_track *track = slice->track;
	struct why *w = why;
	struct why_thread *t;
	int err;

	if (track->kind == KTRACE_TRACK_CPU)
		return interrupts_change(&w->interrupts, slice, false);
	if (!track->thread)
		return 0;
	err = thread_find(w, track->thread, &t);
	if (err || !t)
		return err;
	if (slice->data) {
		doing_lock_end(&t->doing, slice);
		slice->data = NULL;
	} else if (slice == t->doing.slice) {
		return call_end(w, t, slice);
	}
	return 0;
}

static int why_wake(void *why, const struct ktrace_timeline_wake *wake,
		    const struct ktrace_event *event)
{
	struct why *w = why;
	struct why_thread *t;
	int err = thread_find(w, wake->thread, &t);

	if (err || !t)
		return err;
	if (!t->end && !strcmp(event->type->name, "sched_wakeup_new"))
		t->doing.calls_known = true;
	if (!t->last.end || t->last.end != wake->time)
		return 0;
	interrupts_waker(&w->interrupts, wake->track, event, &t->last.waker);
	return row_add(&t->wakers, t->last.waker.tid, t->last.waker.tgid,
		       t->last.waker.name, t->last.end - t->last.begin);
}

static int why_point(void *why, struct ktrace_timeline_track *track,
		     const struct ktrace_event *event)
{
	struct why_thread *t;
	int err;

	if (!track->thread || !doing_is_point(event))
		return 0;
	err = thread_find(why, track->thread, &t);
	if (!err && t)
		doing_point(&t->doing, event);
	return err;
}

/* ---- the end --------------------------------------------------------------- */

static int why_finish(struct why *w)
{
	int err = 0;

	for (struct why_thread *t = w->threads; t; t = t->next) {
		err = err ?: last_end(t);
		err = err ?: call_settle(t);
		longest_sort(&t->worst);
		if (!t->end)
			life_begin(w, t, w->begin);
		if (!t->dead)
			time_pass(t, w->end);
	}
	return err;
}

void why_free(struct why *w)
{
	struct why_thread *t;

	while ((t = w->threads)) {
		w->threads = t->next;
		span_rows_free(&t->reasons);
		span_rows_free(&t->wakers);
		span_rows_free(&t->instead);
		for (int i = 0; i < KTRACE_STATE_NR; i++)
			histogram_free(&t->call.times[i]);
		longest_free(&t->worst);
		free(t);
	}
	interrupts_free(&w->interrupts);
	table_free(&w->by_tid);
	runs_free(&w->runs);
	count_free(&w->lost);
	query_free(&w->query);
	who_free(&w->who);
}

static bool why_is_empty(const struct why *w)
{
	return !w->threads;
}

const struct why_kind why_threads = {
	.needs =
		{
			.list =
				{
					{"sched:sched_switch"},
					{"sched:sched_waking|sched:sched_wakeup",
					 "waits for a CPU are taken for sleep, and who has woken is not known"},
					{"sched:sched_wakeup",
					 "where sched_waking was lost, threads are not known until they run"},
					{"syscalls:sys_enter_*|compat_syscalls:sys_enter_*|"
					 "raw_syscalls:sys_enter",
					 "which call a thread waits in is not known"},
					{"irq:irq_handler_entry|irq:softirq_entry|irq_vectors:*_entry",
					 "interrupts that wake are taken for the threads that they interrupt"},
					{"exceptions:page_fault_user",
					 "page faults are not told from other waits outside of calls"},
					{"lock:contention_begin",
					 "waits for locks are those of the call"},
					{"lock:contention_end",
					 "waits for locks are those of the call"},
				},
			.record = "--decode -e 'sched:*,syscalls:*,irq:*,"
				  "irq_vectors:*,exceptions:page_fault_*,"
				  "lock:contention_*'",
			.what = "where the time of a thread went",
		},
	.calls =
		{
			.state = why_state,
			.begin = why_begin,
			.end = why_end,
			.wake = why_wake,
			.point = why_point,
			.gone = why_gone,
		},
	.wants = why_wants,
	.text = why_text,
	.settle = why_settle,
	.finish = why_finish,
	.is_empty = why_is_empty,
	.print = why_print,
	.json = why_json,
};
