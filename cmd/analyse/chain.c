// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace why --chain: what a time line tells becomes history, and intervals become paths. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"

/*
 * When a thread has had so many states, the path up to then is made: of spans, of which many are
 * not shown; and of all that a thread does.
 */
#define STATES_MAX  4096
#define STATES_LIFE 64
static uint64_t value_of(const struct ktrace_event *event, const char *name)
{
	const struct ktrace_field *field = ktrace_field_find(event->type, name);

	return field ? ktrace_field_int(event, field) : 0;
}

static bool is_sched(const struct ktrace_event *event, const char *name)
{
	return !event->type->marker && !strcmp(event->type->system, "sched") &&
	       !strcmp(event->type->name, name);
}

/* NULL: out of memory. */
static struct record *record_get(struct why *w,
				 struct ktrace_timeline_thread *thread)
{
	struct record *record = history_get(&w->chain->history, thread);

	record->born = record->born ?: thread->born;
	return record;
}

/* ---- states ---------------------------------------------------------------- */

/* Why the thread waits, if it does now: it has just ceased to run. */
static int reason_find(struct record *record)
{
	char reason[REASON_ROOM];
	struct text *text = NULL;
	bool in_call = doing_reason(&record->doing, reason);

	if (in_call && record->call)
		text = text_get(record->call);
	else if (!in_call && record->reason != record->call && record->reason &&
		 !strcmp(record->reason->s, reason))
		return 0;
	else
		text = text_create(reason);
	if (!text)
		return -ENOMEM;
	if (in_call && !record->call)
		record->call = text_get(text);
	text_put(record->reason);
	record->reason = text;
	return 0;
}

/* The call has ended, or nothing more is known of it.  @text "": only its name is known. */
static int call_settle(struct record *record, const char *text)
{
	int err = 0;

	if (record->call && *text)
		err = text_set(record->call, text);
	text_put(record->call);
	record->call = NULL;
	return err;
}

static void past_make(const struct ktrace_timeline_state *s,
		      struct record *record, struct past *past)
{
	*past = (struct past){
		.begin = s->begin,
		.end = s->end,
		.state = s->state,
		.runs = s->runs,
		.cpu = s->runs ? s->next_cpu : s->cpu,
	};
	if (s->state == KTRACE_STATE_UNKNOWN)
		past->how = PAST_UNKNOWN;
	if (!past_is_wait(past))
		return;
	past->reason = text_get(record->reason);
	past->how = s->open ? PAST_OPEN : s->cut ? PAST_CUT : PAST_UNSEEN;
}

static int cpu_ran(struct chain *c, const struct ktrace_timeline_state *s)
{
	int err;

	c->runs.since = c->history.horizon ?: 1;
	err = runs_add(&c->runs, s);

	/* No interrupt switches. */
	if (!err && !s->cut && !s->open)
		err = interrupts_none(&c->interrupts, s->cpu);
	return err;
}

static int paths_go(struct why *w, struct record *record, uint64_t to)
{
	uint64_t max = w->of ? STATES_MAX : STATES_LIFE;
	int err = 0;

	for (struct interval *i = record->intervals; !err && i; i = i->outer)
		if (++i->states >= max && to > i->done && to <= w->end)
			err = interval_path(w, i, to);
	return err;
}

static int state_told(void *why, const struct ktrace_timeline_state *s)
{
	struct why *w = why;
	bool ran = s->state == KTRACE_STATE_RUNNING;
	struct record *record;
	struct past past;
	int err = ran ? cpu_ran(w->chain, s) : 0;

	if (err || !s->thread->tid)
		return err;
	record = record_get(w, s->thread);
	if (!record)
		return -ENOMEM;
	if (s->state == KTRACE_STATE_STOPPED && record->doing.faults) {
		record->doing.faults = false;
		err = reason_find(record);
	}
	past_make(s, record, &past);
	err = err ?: history_add(&w->chain->history, record, &past);
	if (ran)
		err = err ?: reason_find(record);
	err = err ?: life_begin(w, record, s->begin);
	if (ran)
		err = err ?: paths_go(w, record, s->end);
	if (!err && s->state == KTRACE_STATE_DEAD)
		err = life_end(w, record, s->begin);
	return err ?: w->chain->err;
}

/* ---- wakes ------------------------------------------------------------------ */

static int waker_find(struct why *w, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event, struct past *past)
{
	struct record *record;
	struct waker waker;

	interrupts_waker(&w->chain->interrupts, track, event, &waker);
	text_put(past->by);
	past->by = NULL;
	past->how = waker.ambiguous ? PAST_AMBIGUOUS : PAST_WOKEN;
	past->waker = 0;
	past->waker_tid = waker.tid;
	past->waker_tgid = waker.tgid;
	past->disk = waker.disk;
	if (!waker.tid || !track->thread) {
		past->by = text_create(waker.name);
		return past->by ? 0 : -ENOMEM;
	}
	record = record_get(w, track->thread);
	if (!record)
		return -ENOMEM;
	past->waker = record->id;
	past->by = text_get(record->name);
	return 0;
}

/*
 * The event of the wake itself tells who wakes.  If it came while the thread still ran, the thread
 * has then slept for a moment until the second half of the same wake.
 */
static int wait_end(struct why *w, const struct ktrace_timeline_wake *wake,
		    struct record *record, const struct ktrace_event *event)
{
	struct past *past = history_wait(record, wake->time);
	struct past *early = &record->early;

	if (!past || past->how != PAST_UNSEEN)
		return 0;
	if (is_sched(event, "sched_waking"))
		return waker_find(w, wake->track, event, past);
	if (!record->is_early || !is_sched(event, "sched_wakeup"))
		return 0;
	past->how = PAST_EARLY;
	past->by = text_get(early->by);
	past->waker_tid = early->waker_tid;
	past->waker_tgid = early->waker_tgid;
	past->disk = early->disk;
	return 0;
}

static int woken(void *why, const struct ktrace_timeline_wake *wake,
		 const struct ktrace_event *event)
{
	struct why *w = why;
	struct record *record = record_get(w, wake->thread);
	struct past made = {0};
	int err;

	if (!record)
		return -ENOMEM;
	err = wait_end(w, wake, record, event);
	record->is_early = false;
	if (err || !is_sched(event, "sched_wakeup_new"))
		return err;
	record->doing.calls_known = true;
	err = waker_find(w, wake->track, event, &made);
	if (!err && made.how == PAST_WOKEN)
		record->creator = made.waker;
	text_put(made.by);
	return err;
}

/* A wake of a thread that is awake. */
static int woken_early(struct why *w, struct ktrace_timeline_track *track,
		       const struct ktrace_event *event, bool second)
{
	struct record *record =
		table_find(&w->chain->history.by_tid, value_of(event, "pid"));

	if (!record || !record->thread)
		return 0;
	record->is_early =
		!second && record->thread->state == KTRACE_STATE_RUNNING;
	return record->is_early ? waker_find(w, track, event, &record->early)
				: 0;
}

static int point_told(void *why, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event)
{
	struct why *w = why;
	struct record *record;

	if (is_sched(event, "sched_waking"))
		return woken_early(w, track, event, false);
	if (is_sched(event, "sched_wakeup"))
		return woken_early(w, track, event, true);
	if (!track->thread || !track->thread->tid || !doing_is_point(event))
		return 0;
	record = record_get(w, track->thread);
	if (!record)
		return -ENOMEM;
	doing_point(&record->doing, event);
	return 0;
}

static int loss_told(void *why, const struct ktrace_loss *loss)
{
	struct why *w = why;

	if (!loss->programs)
		interrupts_lost(&w->chain->interrupts, loss->cpu);
	return 0;
}

/* ---- slices ----------------------------------------------------------------- */

/* "syscalls:openat", or "openat" of whatever. */
static bool is_wanted(const struct why *w, const struct record *record,
		      const struct ktrace_span *span)
{
	char name[256];

	if (!w->of || span->owner != KTRACE_SPAN_OF_THREAD ||
	    (!who_is_all(&w->who) &&
	     !who_match_thread(&w->who, record->tid, record->tgid,
			       record->name->s)))
		return false;
	if (!strchr(w->of, ':'))
		return !fnmatch(w->of, span->name, 0);
	snprintf(name, sizeof(name), "%s:%s", span->type->system, span->name);
	return !fnmatch(w->of, name, 0);
}

static int call_begin(struct why *w, struct record *record,
		      const struct ktrace_timeline_slice *slice, uint32_t cpu)
{
	int err = interrupts_none(&w->chain->interrupts, cpu);

	if (!err && doing_call_is_new(&record->doing, slice))
		err = call_settle(record, "");
	doing_call_begin(&record->doing, slice);
	return err ?: life_begin(w, record, slice->begin);
}

static int interval_begin(struct why *w, struct record *record,
			  struct ktrace_timeline_slice *slice, bool lock)
{
	bool wanted = is_wanted(w, record, slice->span);
	struct interval *i;

	if (!wanted && !lock)
		return 0;
	i = interval_create(record, slice->begin);
	if (!i)
		return -ENOMEM;
	i->lock = lock;
	i->is_call = doing_is_call(slice->track);
	if (wanted)
		interval_open(w->chain, i);
	slice->data = i;
	return 0;
}

static int slice_begun(void *why, struct ktrace_timeline_slice *slice,
		       const struct ktrace_event *event)
{
	struct ktrace_timeline_track *track = slice->track;
	struct why *w = why;
	struct record *record;
	bool lock = false;
	int err = 0;

	if (track->kind == KTRACE_TRACK_CPU)
		return interrupts_change(&w->chain->interrupts, slice, true);
	if (!track->thread || !track->thread->tid)
		return 0;
	record = record_get(w, track->thread);
	if (!record)
		return -ENOMEM;
	if (doing_is_call(track))
		err = call_begin(w, record, slice, event->cpu);
	else
		lock = doing_begin(&record->doing, event,
				   need_seen(&w->chain->locks_end, w->types,
					     "lock:contention_end"));
	return err ?: interval_begin(w, record, slice, lock);
}

static int call_end(struct why *w, struct record *record,
		    const struct ktrace_timeline_slice *slice)
{
	doing_call_end(&record->doing, slice);
	/* The state in which it waits there is told after this. */
	if (slice->how == KTRACE_SLICE_OPEN)
		return 0;
	if (slice->how != KTRACE_SLICE_ENDED)
		return call_settle(record, "");
	w->chain->returned = record;
	return 0;
}

static void interval_name(struct interval *i, const struct ktrace_span *span)
{
	snprintf(i->name, sizeof(i->name), "%s:%s", span->type->system,
		 span->name);
}

static void interval_leave(struct chain *c, struct interval *i,
			   enum ktrace_timeline_end how)
{
	if (how == KTRACE_SLICE_DIED)
		c->died++;
	else if (how == KTRACE_SLICE_OPEN)
		c->unclosed++;
	else
		c->cut++;
	interval_free(i);
}

static void interval_end(struct why *w, struct interval *i,
			 const struct ktrace_timeline_slice *slice)
{
	struct chain *c = w->chain;

	interval_close(c, i);
	if (!i->wanted || slice->twin || slice->end < w->begin ||
	    i->begin > w->end) {
		interval_free(i);
	} else if (slice->end > w->end) {
		interval_leave(c, i, KTRACE_SLICE_OPEN);
	} else if (!slice->span) {
		interval_leave(c, i, slice->how);
	} else {
		i->end = slice->end;
		interval_name(i, slice->span);
		interval_wait(c, i);
	}
}

static int request_end(struct why *w, const struct ktrace_event *event)
{
	if (event)
		interrupts_disk(&w->chain->interrupts, event->cpu,
				value_of(event, "dev"));
	return 0;
}

static int slice_ended(void *why, struct ktrace_timeline_slice *slice,
		       const struct ktrace_event *event)
{
	struct ktrace_timeline_track *track = slice->track;
	struct interval *i = slice->data;
	struct why *w = why;
	struct record *record;
	int err = 0;

	if (track->kind == KTRACE_TRACK_CPU)
		return interrupts_change(&w->chain->interrupts, slice, false);
	if (track->kind == KTRACE_TRACK_REQUESTS)
		return request_end(w, event);
	if (!track->thread || !track->thread->tid)
		return 0;
	record = record_get(w, track->thread);
	if (!record)
		return -ENOMEM;
	if (i && i->lock)
		doing_lock_end(&record->doing, slice);
	if (doing_is_call(track) && event)
		err = interrupts_none(&w->chain->interrupts, event->cpu);
	if (!err && slice == record->doing.slice)
		err = call_end(w, record, slice);
	slice->data = NULL;
	if (i)
		interval_end(w, i, slice);
	return err;
}

/* A span that is told when it ends. */
static int slice_whole(void *why, struct ktrace_timeline_slice *slice,
		       const struct ktrace_event *event)
{
	struct why *w = why;
	struct record *record;
	struct interval *i;

	if (!w->of || !slice->track->thread || !slice->track->thread->tid)
		return 0;
	record = record_get(w, slice->track->thread);
	if (!record)
		return -ENOMEM;
	if (slice->end < w->begin || slice->end > w->end ||
	    !is_wanted(w, record, slice->span))
		return 0;
	i = interval_create(record, slice->begin);
	if (!i)
		return -ENOMEM;
	i->end = slice->end;
	interval_name(i, slice->span);
	interval_wait(w->chain, i);
	w->chain->wholes = true;
	return 0;
}

static void kept_gone(void *why, void *theirs)
{
	struct record *record = theirs;
	struct why *w = why;
	struct chain *c = w->chain;

	if (*(const enum kept *)theirs == KEPT_INTERVAL) {
		interval_close(c, theirs);
		interval_free(theirs);
		return;
	}
	if (c->returned == record)
		c->returned = NULL;
	/* The end of the thread is not in the trace. */
	c->err = c->err ?: life_end(w, record, record->told);
	history_gone(&c->history, record);
}

/* ---- the texts of calls ------------------------------------------------------ */

static bool chain_wants(const struct why *w, const struct ktrace_event *event)
{
	return true;
}

static int chain_text(void *why, uint32_t tid, const char *text, size_t size)
{
	struct why *w = why;
	struct chain *c = w->chain;
	struct record *record =
		c->returned ?: table_find(&c->history.by_tid, tid);
	char copy[REASON_ROOM];

	size = text[size - 1] == '\n' ? size - 1 : size;
	if (!record || !(c->returned || record->doing.slice) ||
	    !call_text_is_of(text, size, record->doing.call))
		return 0;
	if (size >= sizeof(copy))
		size = sizeof(copy) - 1;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (c->returned)
		memcpy(c->text, copy, sizeof(copy));
	return record->call ? text_set(record->call, copy) : 0;
}

/* After each event. */
static int chain_settle(struct why *w)
{
	struct chain *c = w->chain;
	struct interval *i;
	int err = 0;

	while ((i = interval_waiting(c))) {
		if (i->is_call && i->of == c->returned && *c->text)
			text_copy(i->name, sizeof(i->name), c->text);
		err = err ?: interval_take(w, i);
	}
	if (c->returned)
		err = err ?: call_settle(c->returned, c->text);
	c->returned = NULL;
	*c->text = '\0';
	return err ?: c->err;
}

/* ---- begin and end ----------------------------------------------------------- */

static int chain_begin(struct why *w)
{
	struct chain *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	w->chain = c;
	c->history.horizon_find = intervals_horizon;
	c->history.data = w;
	c->paths.size = sizeof(struct chain_path);
	c->paths.max = w->worst;
	c->pieces_max = chain_pieces(w);
	c->others_max = c->pieces_max;
	return 0;
}

static int chain_finish(struct why *w)
{
	struct chain *c = w->chain;
	int err = chain_settle(w);

	/* Intervals of spans have ended with their slices. */
	while (!err && !w->of && c->open)
		err = life_end(w, c->open->of, w->end);
	longest_sort(&c->paths);
	for (size_t i = 0; !err && i < c->paths.nr; i++) {
		const struct chain_path *p = longest_get(&c->paths, i);

		err = path_end(p->path);
	}
	return err;
}

void chain_free(struct chain *c)
{
	struct interval *i;

	if (!c)
		return;
	while ((i = c->open)) {
		c->open = i->older;
		interval_free(i);
	}
	while ((i = interval_waiting(c)))
		interval_free(i);
	for (size_t nr = 0; nr < c->paths.nr; nr++) {
		const struct chain_path *p = longest_get(&c->paths, nr);

		path_free(p->path);
	}
	longest_free(&c->paths);
	history_free(&c->history);
	interrupts_free(&c->interrupts);
	runs_free(&c->runs);
	free(c);
}

static bool chain_is_empty(const struct why *w)
{
	const struct chain *c = w->chain;

	return !c->matched && !(c->cut + c->died + c->unclosed);
}

const struct why_kind why_chain = {
	.needs =
		{
			.list =
				{
					{"sched:sched_switch"},
					{"sched:sched_waking"},
					{"sched:sched_wakeup_new",
					 "who has made new threads is not known"},
					{"irq:irq_handler_entry",
					 "no waker is followed: it may be an interrupt"},
					{"irq:softirq_entry",
					 "no waker is followed: it may be an interrupt"},
					{"irq_vectors:*_entry",
					 "no waker is followed: it may be an interrupt"},
					{"syscalls:sys_enter_*|compat_syscalls:sys_enter_*|"
					 "raw_syscalls:sys_enter",
					 "which call a thread waits in is not known"},
					{"exceptions:page_fault_user",
					 "page faults are not told from other waits outside of calls"},
					{"lock:contention_begin",
					 "waits for locks are those of the call"},
					{"lock:contention_end",
					 "waits for locks are those of the call"},
					{"block:block_rq_complete",
					 "which disk was waited for is not known"},
				},
			.record = "--decode -e 'sched:*,syscalls:*,irq:*,"
				  "irq_vectors:*,exceptions:page_fault_*,"
				  "lock:contention_*,block:block_rq_*'",
			.what = "chains of wakes",
		},
	.calls =
		{
			.state = state_told,
			.begin = slice_begun,
			.end = slice_ended,
			.whole = slice_whole,
			.wake = woken,
			.point = point_told,
			.loss = loss_told,
			.gone = kept_gone,
		},
	.begin = chain_begin,
	.wants = chain_wants,
	.text = chain_text,
	.settle = chain_settle,
	.finish = chain_finish,
	.is_empty = chain_is_empty,
	.print = chain_print,
	.json = chain_json,
};
