// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/syscall.h>

#include "base/loss.h"
#include "common/family.h"
#include "tally.h"

uint64_t sums_wall(const struct sums *sums)
{
	uint64_t wall = 0;

	for (int i = 0; i < KTRACE_STATE_NR; i++)
		wall += sums->states[i];
	return wall;
}

void sums_add(struct sums *sums, const struct sums *more)
{
	for (int i = 0; i < KTRACE_STATE_NR; i++)
		sums->states[i] += more->states[i];
	sums->switches += more->switches;
	sums->preemptions += more->preemptions;
	sums->calls += more->calls;
	sums->errors += more->errors;
	sums->events += more->events;
}

/* ---- threads --------------------------------------------------------------- */

static void thread_want(const struct tally *t, struct tally_thread *thread)
{
	if (thread->wanted || !thread->tid ||
	    !who_match_thread(t->who, thread->tid, thread->tgid, thread->comm))
		return;
	thread->wanted = !t->family || family_has(t->family, thread->tid) ||
			 family_has(t->family, thread->tgid);
	thread->shown |= thread->wanted;
}

/* Whose name or process is known now. */
static void thread_name(const struct tally *t, struct tally_thread *thread,
			uint32_t tgid, const char *comm)
{
	thread->tgid = tgid ?: thread->tgid;
	if (strcmp(comm, "<...>") != 0 || !*thread->comm)
		text_copy(thread->comm, sizeof(thread->comm), comm);
	/* A name that fits no more is another one: see who_match_thread(). */
	if (t->who->comm)
		thread->wanted = false;
	thread_want(t, thread);
}

static struct tally_thread *thread_create(struct tally *t, uint32_t tid)
{
	struct tally_thread *thread = calloc(1, sizeof(*thread));

	if (!thread || table_add(&t->by_tid, tid, thread)) {
		free(thread);
		return NULL;
	}
	thread->id = ++t->ids;
	thread->tid = tid;
	thread->upto = t->begin;
	thread->next = t->threads;
	thread->link = &t->threads;
	if (t->threads)
		t->threads->link = &thread->next;
	t->threads = thread;
	t->nr_threads++;
	return thread;
}

/*
 * A number that is free may be that of a stranger soon.  That of a process is not free while it has
 * threads, even if the first one has ended, and new ones are known by it.
 */
static void family_end(struct tally *t, const struct tally_thread *ended)
{
	uint32_t tgid = ended->tgid ?: ended->tid;
	bool lives = false;

	if (ended->tid != tgid)
		family_remove(t->family, ended->tid);
	if ((ended->tid != tgid && !ended->orphan) ||
	    !family_has(t->family, tgid))
		return;
	for (struct tally_thread *thread = t->threads; thread;
	     thread = thread->next) {
		if (thread->dead || thread->tgid != tgid)
			continue;
		thread->orphan = true;
		lives = true;
	}
	if (!lives)
		family_remove(t->family, tgid);
}

static void thread_die(struct tally *t, struct tally_thread *thread)
{
	if (thread->dead)
		return;
	thread->dead = true;
	table_remove(&t->by_tid, thread->tid, thread);
	if (t->family)
		family_end(t, thread);
}

static void thread_free(struct tally *t, struct tally_thread *thread)
{
	*thread->link = thread->next;
	if (thread->next)
		thread->next->link = thread->link;
	t->nr_threads--;
	free(thread);
}

/* NULL: out of memory. */
static struct tally_thread *thread_find(struct tally *t,
					struct ktrace_timeline_thread *theirs)
{
	struct tally_thread *thread = theirs->data;

	if (!thread) {
		thread = table_find(&t->by_tid, theirs->tid);
		/* That of another thread, whose end is missing. */
		if (thread && thread->known) {
			thread_die(t, thread);
			thread = NULL;
		}
		thread = thread ?: thread_create(t, theirs->tid);
		if (!thread)
			return NULL;
		thread->known = true;
		theirs->data = thread;
	}
	thread_name(t, thread, theirs->tgid, theirs->comm);
	return thread;
}

static void gone(void *data, void *theirs)
{
	struct tally_thread *thread = theirs;
	struct tally *t = data;

	/* At the end, slices that are open have data, too. */
	if (t->ending)
		return;
	thread_die(t, thread);
	thread->gone = true;
}

/* ---- states ---------------------------------------------------------------- */

static int row_add(struct span_rows *rows, const struct span_row *key,
		   uint64_t ns, int error)
{
	struct span_row *row = span_rows_get(rows, key);

	if (!row)
		return -ENOMEM;
	row->errors += error != 0;
	return histogram_add(&row->ns, ns);
}

static int wait_add(struct tally *t, const struct tally_thread *thread,
		    enum ktrace_timeline_states state, uint64_t ns)
{
	char reason[REASON_ROOM];
	const struct span_row key = {
		.kind = (enum ktrace_span_kind)state,
		.tid = (uint32_t)thread->id,
		.tgid = thread->id >> 32,
		.name = reason,
	};

	doing_reason(&thread->doing, reason);
	return row_add(&t->waits, &key, ns, 0);
}

/* Time of which nothing was told. */
static void time_pass(struct tally_thread *thread, uint64_t to)
{
	if (to <= thread->upto)
		return;
	thread->sums.states[KTRACE_STATE_UNKNOWN] += to - thread->upto;
	thread->upto = to;
}

static int state_add(struct tally *t, struct tally_thread *thread,
		     const struct ktrace_timeline_state *s)
{
	uint64_t begin = s->begin > thread->upto ? s->begin : thread->upto;

	if (s->end <= begin)
		return 0;
	thread->least |= s->cut || s->state == KTRACE_STATE_UNKNOWN;
	time_pass(thread, begin);
	thread->sums.states[s->state] += s->end - begin;
	thread->upto = s->end;
	return doing_is_wait(s->state)
		       ? wait_add(t, thread, s->state, s->end - begin)
		       : 0;
}

static int state_told(void *data, const struct ktrace_timeline_state *s)
{
	struct tally *t = data;
	struct tally_thread *thread;
	uint64_t begin = s->begin > t->begin ? s->begin : t->begin;

	t->doubts |=
		s->end > begin && (s->cut || s->state == KTRACE_STATE_UNKNOWN);
	if (!s->thread->tid) {
		if (s->state == KTRACE_STATE_RUNNING && s->end > begin)
			t->idle += s->end - begin;
		return 0;
	}
	thread = thread_find(t, s->thread);
	if (!thread)
		return -ENOMEM;
	if (s->state == KTRACE_STATE_DEAD)
		thread_die(t, thread);
	return state_add(t, thread, s);
}

/* ---- calls, functions and wakes -------------------------------------------- */

/* NULL: it is of no thread.  0 or -ENOMEM. */
static int thread_of(struct tally *t, const struct ktrace_timeline_track *track,
		     struct tally_thread **thread)
{
	*thread = NULL;
	if (!track->thread || !track->thread->tid)
		return 0;
	*thread = thread_find(t, track->thread);
	return *thread ? 0 : -ENOMEM;
}

static int slice_begun(void *data, struct ktrace_timeline_slice *slice,
		       const struct ktrace_event *event)
{
	struct tally_thread *thread;
	struct tally *t = data;
	int err = thread_of(t, slice->track, &thread);

	if (err || !thread)
		return err;
	if (doing_is_call(slice->track))
		doing_call_begin(&thread->doing, slice);
	else if (doing_begin(&thread->doing, event,
			     need_seen(&t->locks_end, t->types,
				       "lock:contention_end")))
		slice->data = thread;
	return 0;
}

/* As people write it; those of the events of all calls have only numbers. */
static const char *call_name(const struct ktrace_timeline_slice *slice)
{
	const struct ktrace_call *call =
		slice->track->kind == KTRACE_TRACK_CALLS
			? ktrace_call_find(slice->span->type)
			: NULL;

	return call ? call->shown : slice->span->name;
}

static int slice_count(struct tally *t, struct tally_thread *thread,
		       const struct ktrace_timeline_slice *slice)
{
	const struct ktrace_span *span = slice->span;
	struct span_row key = {0};
	struct span_rows *rows = &t->functions;

	if (!span || slice->end < t->begin)
		return 0;
	key.kind = span->kind;
	key.name = (char *)span->name;
	if (doing_is_call(slice->track)) {
		/* Another slice is the same call. */
		if (slice->twin)
			return 0;
		/* Its end, and the begin of another one, were not recorded. */
		if (slice->begin < t->calls_changed &&
		    slice->end > t->calls_changed)
			return 0;
		thread->sums.calls++;
		thread->sums.errors += span->error != 0;
		t->all.calls++;
		t->all.errors += span->error != 0;
		rows = &t->calls;
		key.name = (char *)call_name(slice);
	} else if (slice->track->kind != KTRACE_TRACK_FUNCTIONS) {
		return 0;
	}
	return thread->wanted ? row_add(rows, &key, span->took, span->error)
			      : 0;
}

static int slice_ended(void *data, struct ktrace_timeline_slice *slice,
		       const struct ktrace_event *event)
{
	struct tally_thread *thread;
	struct tally *t = data;
	int err = thread_of(t, slice->track, &thread);

	if (err || !thread)
		return err;
	err = slice_count(t, thread, slice);
	if (slice->data) {
		doing_lock_end(&thread->doing, slice);
		slice->data = NULL;
	} else if (slice == thread->doing.slice) {
		doing_call_end(&thread->doing, slice);
	}
	return err;
}

static int slice_whole(void *data, struct ktrace_timeline_slice *slice,
		       const struct ktrace_event *event)
{
	struct tally_thread *thread;
	int err = thread_of(data, slice->track, &thread);

	return err || !thread ? err : slice_count(data, thread, slice);
}

static int wake_told(void *data, const struct ktrace_timeline_wake *wake,
		     const struct ktrace_event *event)
{
	struct tally *t = data;
	struct tally_thread *thread;

	if (strcmp(event->type->name, "sched_wakeup_new") != 0)
		return 0;
	thread = thread_find(t, wake->thread);
	if (!thread)
		return -ENOMEM;
	thread->doing = (struct doing){.calls_known = true};
	thread->upto = wake->time > t->begin ? wake->time : t->begin;
	return 0;
}

static int point_told(void *data, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event)
{
	struct tally_thread *thread;
	int err;

	if (!doing_is_point(event))
		return 0;
	err = thread_of(data, track, &thread);
	if (!err && thread)
		doing_point(&thread->doing, event);
	return err;
}

/* ---- events ---------------------------------------------------------------- */

static bool is_type(const struct ktrace_event *event, const char *name,
		    const struct ktrace_type **type, const char *field,
		    const struct ktrace_field **found)
{
	if (event->type == *type)
		return true;
	if (*type || event->type->marker ||
	    strcmp(event->type->system, "sched") != 0 ||
	    strcmp(event->type->name, name) != 0)
		return false;
	*found = ktrace_field_find(event->type, field);
	*type = *found ? event->type : NULL;
	return *type;
}

/* Idle threads have no row, so their switches count for all only. */
static void switch_count(struct tally *t, struct tally_thread *thread,
			 const struct ktrace_event *event)
{
	bool preempted = !(ktrace_field_int(event, t->prev_state) & 0xff);

	t->all.switches++;
	if (!thread)
		return;
	thread->sums.switches++;
	thread->sums.preemptions += preempted;
	t->all.preemptions += preempted;
}

static int events_grow(struct tally *t, uint32_t number)
{
	size_t nr = number + 256ull;
	uint64_t *events = realloc(t->events, nr * sizeof(*events));

	if (!events)
		return -ENOMEM;
	memset(events + t->nr_events, 0, (nr - t->nr_events) * sizeof(*events));
	t->events = events;
	t->nr_events = nr;
	return 0;
}

static int event_count(struct tally *t, const struct ktrace_event *event)
{
	struct tally_thread *thread = NULL;
	uint32_t number = event->type->number;

	if (event->tid) {
		thread = table_find(&t->by_tid, event->tid)
				 ?: thread_create(t, event->tid);
		if (!thread)
			return -ENOMEM;
		if (!thread->known)
			thread_name(t, thread, event->tgid, event->comm);
		thread->sums.events++;
	}
	t->all.events++;
	if (is_type(event, "sched_switch", &t->switch_type, "prev_state",
		    &t->prev_state))
		switch_count(t, thread, event);
	if (thread ? !thread->wanted : !who_is_all(t->who) || t->family)
		return 0;
	if (number >= t->nr_events && events_grow(t, number))
		return -ENOMEM;
	t->events[number]++;
	return 0;
}

static int fork_follow(struct tally *t, const struct ktrace_event *event)
{
	if (!family_has(t->family, event->tid) &&
	    !family_has(t->family, event->tgid))
		return 0;
	return family_add(t->family, ktrace_field_int(event, t->child));
}

int tally_event(struct tally *t, const struct ktrace_event *event)
{
	int err = 0;

	if (event->time >= t->begin)
		err = event_count(t, event);
	if (!err && t->family &&
	    is_type(event, "sched_process_fork", &t->fork_type, "child_pid",
		    &t->child))
		err = fork_follow(t, event);
	return err ?: ktrace_timeline_event(t->timeline, event, true);
}

int tally_loss(struct tally *t, const struct ktrace_loss *loss)
{
	if (loss_is_event(loss->cause) && loss->time >= t->begin) {
		t->lost += loss->count;
		t->lost_all += loss->count;
	}
	return ktrace_timeline_loss(t->timeline, loss, true);
}

/* ---- intervals -------------------------------------------------------------- */

int tally_create(struct tally *t, const struct ktrace_cursor *cursor)
{
	const struct ktrace_timeline_calls calls = {
		.size = sizeof(calls),
		.data = t,
		.state = state_told,
		.begin = slice_begun,
		.end = slice_ended,
		.whole = slice_whole,
		.wake = wake_told,
		.point = point_told,
		.gone = gone,
	};

	return ktrace_timeline_create(cursor, &calls, &t->timeline);
}

int tally_close(struct tally *t, uint64_t time)
{
	int err = ktrace_timeline_split(t->timeline, time);

	t->end = time;
	for (struct tally_thread *thread = t->threads; !err && thread;
	     thread = thread->next) {
		if (!thread->dead)
			time_pass(thread, time);
		sums_add(&t->all,
			 &(struct sums){
				 .states[KTRACE_STATE_RUNNING] =
					 thread->sums
						 .states[KTRACE_STATE_RUNNING],
			 });
	}
	return err;
}

void tally_next(struct tally *t)
{
	struct tally_thread *thread, *next;

	for (thread = t->threads; thread; thread = next) {
		next = thread->next;
		thread->sums = (struct sums){0};
		thread->least = false;
		thread->shown = thread->wanted;
		thread->upto = t->end;
		if (t->begin < t->calls_changed && t->end >= t->calls_changed &&
		    thread->doing.unlocked < t->calls_changed)
			thread->doing = (struct doing){0};
		if (thread->dead && (thread->gone || !thread->known))
			thread_free(t, thread);
	}
	span_rows_free(&t->waits);
	span_rows_free(&t->calls);
	span_rows_free(&t->functions);
	if (t->events)
		memset(t->events, 0, t->nr_events * sizeof(*t->events));
	t->all = (struct sums){0};
	t->idle = t->lost = t->losing = 0;
	t->unplaced = t->doubts = false;
	t->begin = t->end;
}

void tally_free(struct tally *t)
{
	t->ending = true;
	ktrace_timeline_destroy(t->timeline);
	while (t->threads)
		thread_free(t, t->threads);
	table_free(&t->by_tid);
	span_rows_free(&t->waits);
	span_rows_free(&t->calls);
	span_rows_free(&t->functions);
	free(t->events);
}
