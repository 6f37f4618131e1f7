// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace why: what a time line tells becomes sums of threads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "why.h"

#define IRQS_MAX 8 /* whose names are kept, of those in each other */

/* What interrupts a CPU. */
struct cpu_irqs {
	uint32_t depth;
	char names[IRQS_MAX][64];
};

/* ---- threads -------------------------------------------------------------- */

static void text_copy(char *to, size_t room, const char *from)
{
	size_t size = strlen(from);

	if (size >= room)
		size = room - 1;
	memcpy(to, from, size);
	to[size] = '\0';
}

/* Has another one had the same number? */
static bool number_is_known(const struct why *w, uint32_t tid)
{
	const struct why_thread *t = w->threads;

	while (t && t->tid != tid)
		t = t->next;
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
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return -ENOMEM;
		t->id = thread->id;
		t->tid = thread->tid;
		t->born = number_is_known(w, thread->tid);
		t->next = w->threads;
		w->threads = t;
		thread->data = t;
		if (w->worst) {
			t->worst = calloc(w->worst, sizeof(*t->worst));
			if (!t->worst)
				return -ENOMEM;
		}
	}
	t->tgid = thread->tgid;
	comm_copy(t->comm, thread->comm);
	*found = t;
	return 0;
}

void why_gone(void *why, void *theirs)
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

/*
 * The begin of a call's text with its first argument, which often says for what it waits:
 * "read(3</dev/tty>, ...)".
 */
static void reason_shorten(const char *text, char reason[REASON_ROOM])
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

static int waits_merge(struct why_thread *t, const char *reason)
{
	struct span_row *row;
	int err = 0;

	for (int i = 0; !err && i < KTRACE_STATE_NR; i++) {
		struct histogram *waited = &t->call.waited[i];

		if (!waited->count)
			continue;
		row = reason_row(t, i, reason, t->call.name);
		err = row ? histogram_merge(&row->ns, waited) : -ENOMEM;
		histogram_free(waited);
	}
	return err;
}

/* The call has ended, or nothing more is known of it. */
static int call_settle(struct why_thread *t)
{
	const char *text = *t->text ? t->text : t->call.name;
	char reason[REASON_ROOM];
	int err;

	if (!t->call.number)
		return 0;
	reason_shorten(text, reason);
	err = waits_merge(t, reason);
	for (size_t i = 0; i < t->nr_worst; i++)
		if (t->worst[i].call == t->call.number)
			text_copy(t->worst[i].reason, REASON_ROOM, text);
	if (t->last.call == t->call.number)
		text_copy(t->last.reason, REASON_ROOM, text);
	t->in_own_call = false;
	*t->text = '\0';
	return err;
}

int why_text(void *why, uint32_t tid, const char *text, size_t size)
{
	struct why *w = why;
	struct why_thread *t = w->threads;

	while (t && (t->tid != tid || !(t->returned || t->in_call)))
		t = t->next;
	size = text[size - 1] == '\n' ? size - 1 : size;
	/* Signals have lines, too. */
	if (!t || !memchr(text, '(', size) || *text == '-' || *text == '+')
		return 0;
	if (size >= REASON_ROOM)
		size = REASON_ROOM - 1;
	memcpy(t->text, text, size);
	t->text[size] = '\0';
	return 0;
}

int why_settle(struct why *w)
{
	struct why_thread *t = w->returned;

	w->returned = NULL;
	if (!t)
		return 0;
	t->returned = false;
	return call_settle(t);
}

/*
 * Why the thread waits, if it does now.  Some work of a call is done on the way back to the
 * program, when the call has returned for those who look: files are closed there, for instance.
 */
static void reason_find(struct why_thread *t)
{
	static const char outside[] = "outside of calls";
	const char *reason = "not known";

	t->in_own_call = t->in_call && !t->locks;
	if (t->locks)
		reason = "lock";
	else if (t->in_call)
		reason = t->call.name;
	else if (t->faults)
		reason = "page fault";
	else if (t->calls_known)
		reason = outside;
	text_copy(t->reason, REASON_ROOM, reason);
	if (reason == outside && t->call.number)
		snprintf(t->reason, REASON_ROOM, "%s, after %s", outside,
			 t->call.name);
}

/* ---- states --------------------------------------------------------------- */

static bool is_wait(enum ktrace_timeline_states state)
{
	return state == KTRACE_STATE_SLEEPING ||
	       state == KTRACE_STATE_BLOCKED || state == KTRACE_STATE_STOPPED;
}

static void worst_add(struct why *w, struct why_thread *t,
		      const struct wait *wait)
{
	uint64_t ns = wait->end - wait->begin;
	size_t at = t->nr_worst;

	while (at && t->worst[at - 1].end - t->worst[at - 1].begin < ns)
		at--;
	if (at == w->worst)
		return;
	if (t->nr_worst < w->worst)
		t->nr_worst++;
	memmove(&t->worst[at + 1], &t->worst[at],
		(t->nr_worst - at - 1) * sizeof(*t->worst));
	t->worst[at] = *wait;
}

/* Nobody else can have ended the last wait. */
static void last_end(struct why *w, struct why_thread *t)
{
	if (!t->last.end)
		return;
	if (!*t->last.waker.name && !t->last.least)
		t->unwoken++;
	worst_add(w, t, &t->last);
	t->last.end = 0;
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
	if (t->in_own_call)
		return histogram_add(&t->call.waited[s->state], end - begin);
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
	t->begin = t->born && first > w->begin ? first : w->begin;
	t->end = t->begin;
}

static int state_add(struct why *w, struct why_thread *t,
		     const struct ktrace_timeline_state *s)
{
	uint64_t begin = s->begin, end = s->end;

	last_end(w, t);
	if (s->state == KTRACE_STATE_DEAD)
		t->dead = true;
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
	if (is_wait(s->state))
		return wait_add(t, s, begin, end);
	if (s->state == KTRACE_STATE_RUNNABLE ||
	    s->state == KTRACE_STATE_PREEMPTED)
		return instead_find(w, t, s, begin, end);
	return 0;
}

int why_state(void *why, const struct ktrace_timeline_state *s)
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

static int irq_change(struct why *w, const struct ktrace_timeline_slice *slice,
		      bool begins)
{
	uint32_t number = slice->track->number;
	struct cpu_irqs *cpu = table_find(&w->cpus, number);

	if (!cpu) {
		cpu = calloc(1, sizeof(*cpu));
		if (!cpu || table_add(&w->cpus, number, cpu)) {
			free(cpu);
			return -ENOMEM;
		}
	}
	if (!begins)
		cpu->depth--;
	else if (cpu->depth++ < IRQS_MAX)
		snprintf(cpu->names[cpu->depth - 1], sizeof(*cpu->names),
			 "%s %s", ktrace_span_kind_name(slice->span->kind),
			 slice->span->name);
	return 0;
}

static bool is_call(const struct why *w,
		    const struct ktrace_timeline_track *track)
{
	return track->kind ==
	       (w->typed ? KTRACE_TRACK_CALLS : KTRACE_TRACK_RAW_CALLS);
}

static bool is_lock(const struct ktrace_event *event)
{
	return event && !event->type->marker &&
	       !strcmp(event->type->system, "lock");
}

int why_begin(void *why, struct ktrace_timeline_slice *slice,
	      const struct ktrace_event *event)
{
	struct ktrace_timeline_track *track = slice->track;
	struct why *w = why;
	struct why_thread *t;
	int err;

	if (track->kind == KTRACE_TRACK_CPU)
		return irq_change(w, slice, true);
	if (!track->thread)
		return 0;
	err = thread_find(w, track->thread, &t);
	if (err || !t)
		return err;
	if (is_lock(event)) {
		t->locks++;
		slice->data = t;
	} else if (is_call(w, track)) {
		t->in_call = t->calls_known = true;
		t->faults = false;
		t->call.number = ++w->calls;
		text_copy(t->call.name, sizeof(t->call.name),
			  slice->span->name);
	}
	return 0;
}

/* A call that ends with its event has its text when that has been taken. */
static int call_end(struct why *w, struct why_thread *t,
		    enum ktrace_timeline_end how)
{
	t->in_call = false;
	t->calls_known = how != KTRACE_SLICE_LOST;
	/* The state in which it waits there is told after this. */
	if (how == KTRACE_SLICE_OPEN)
		return 0;
	if (how != KTRACE_SLICE_ENDED)
		return call_settle(t);
	t->returned = true;
	w->returned = t;
	return 0;
}

int why_end(void *why, struct ktrace_timeline_slice *slice,
	    const struct ktrace_event *event)
{
	struct ktrace_timeline_track *track = slice->track;
	struct why *w = why;
	struct why_thread *t;
	int err;

	if (track->kind == KTRACE_TRACK_CPU)
		return irq_change(w, slice, false);
	if (!track->thread)
		return 0;
	err = thread_find(w, track->thread, &t);
	if (err || !t)
		return err;
	if (slice->data) {
		t->locks--;
		slice->data = NULL;
	} else if (is_call(w, track) && t->in_call) {
		return call_end(w, t, slice->how);
	}
	return 0;
}

static void waker_find(struct why *w, const struct ktrace_timeline_wake *wake,
		       const struct ktrace_event *event, struct waker *waker)
{
	const struct cpu_irqs *cpu = table_find(&w->cpus, event->cpu);

	*waker = (struct waker){0};
	if (wake->track->kind == KTRACE_TRACK_CPU && cpu && cpu->depth &&
	    cpu->depth <= IRQS_MAX) {
		text_copy(waker->name, sizeof(waker->name),
			  cpu->names[cpu->depth - 1]);
	} else if (wake->track->kind == KTRACE_TRACK_CPU) {
		text_copy(waker->name, sizeof(waker->name),
			  "an interrupt, while the CPU was idle");
	} else {
		waker->tid = event->tid;
		waker->tgid = event->tgid;
		text_copy(waker->name, sizeof(waker->name), event->comm);
	}
}

int why_wake(void *why, const struct ktrace_timeline_wake *wake,
	     const struct ktrace_event *event)
{
	struct why *w = why;
	struct why_thread *t;
	int err = thread_find(w, wake->thread, &t);

	if (err || !t)
		return err;
	if (!t->end && !strcmp(event->type->name, "sched_wakeup_new"))
		t->born = t->calls_known = true;
	if (!t->last.end || t->last.end != wake->time)
		return 0;
	waker_find(w, wake, event, &t->last.waker);
	return row_add(&t->wakers, t->last.waker.tid, t->last.waker.tgid,
		       t->last.waker.name, t->last.end - t->last.begin);
}

int why_point(void *why, struct ktrace_timeline_track *track,
	      const struct ktrace_event *event)
{
	struct why_thread *t;
	int err;

	if (!track->thread || event->type->marker ||
	    strcmp(event->type->system, "exceptions") != 0 ||
	    strncmp(event->type->name, "page_fault_", 11) != 0)
		return 0;
	err = thread_find(why, track->thread, &t);
	if (!err && t)
		t->faults = true;
	return err;
}

/* ---- the end --------------------------------------------------------------- */

int why_finish(struct why *w)
{
	int err = 0;

	for (struct why_thread *t = w->threads; t; t = t->next) {
		last_end(w, t);
		err = err ?: call_settle(t);
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
	struct cpu_irqs *cpu;
	size_t at = 0;

	while ((t = w->threads)) {
		w->threads = t->next;
		span_rows_free(&t->reasons);
		span_rows_free(&t->wakers);
		span_rows_free(&t->instead);
		for (int i = 0; i < KTRACE_STATE_NR; i++)
			histogram_free(&t->call.waited[i]);
		free(t->worst);
		free(t);
	}
	while ((cpu = table_each(&w->cpus, &at)))
		free(cpu);
	table_free(&w->cpus);
	runs_free(&w->runs);
	count_free(&w->lost);
	query_free(&w->query);
	who_free(&w->who);
}
