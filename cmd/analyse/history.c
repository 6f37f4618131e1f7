// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"

/* ---- texts ---------------------------------------------------------------- */

struct text *text_create(const char *s)
{
	struct text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->owners = 1;
	text->s = strdup(s);
	if (text->s)
		return text;
	free(text);
	return NULL;
}

struct text *text_get(struct text *text)
{
	if (text)
		text->owners++;
	return text;
}

void text_put(struct text *text)
{
	if (!text || --text->owners)
		return;
	free(text->s);
	free(text);
}

int text_set(struct text *text, const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		return -ENOMEM;
	free(text->s);
	text->s = copy;
	return 0;
}

/* ---- threads -------------------------------------------------------------- */

static struct record *record_create(struct history *h,
				    struct ktrace_timeline_thread *thread)
{
	struct record *before = table_find(&h->by_tid, thread->tid);
	struct record *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	if (table_add(&h->by_id, thread->id, record)) {
		free(record);
		return NULL;
	}
	thread->data = record;
	record->id = thread->id;
	record->kept = KEPT_RECORD;
	record->thread = thread;
	record->tid = thread->tid;
	record->again = before;
	record->name = text_create(thread->comm);
	if (!record->name)
		return NULL;
	if (before)
		table_remove(&h->by_tid, thread->tid, before);
	return table_add(&h->by_tid, thread->tid, record) ? NULL : record;
}

struct record *history_get(struct history *h,
			   struct ktrace_timeline_thread *thread)
{
	struct record *record = thread->data ?: record_create(h, thread);
	struct text *name;

	if (!record)
		return NULL;
	record->tgid = thread->tgid;
	if (!strcmp(record->name->s, thread->comm))
		return record;
	/* What it did before, it did with the old name. */
	name = text_create(thread->comm);
	if (!name)
		return NULL;
	text_put(record->name);
	record->name = name;
	return record;
}

static void past_free(struct past *past)
{
	text_put(past->reason);
	text_put(past->by);
}

static void record_free(struct record *record)
{
	for (size_t i = 1; i <= record->nr; i++)
		past_free(
			&record->ring[(record->next - i) & (record->room - 1)]);
	text_put(record->early.by);
	text_put(record->call);
	text_put(record->reason);
	text_put(record->name);
	free(record->ring);
	free(record);
}

static void record_forget(struct history *h, struct record *record)
{
	table_remove(&h->by_id, record->id, record);
	if (table_find(&h->by_tid, record->tid) == record)
		table_remove(&h->by_tid, record->tid, record);
	h->total -= record->nr;
	record_free(record);
}

static void horizon_move(struct history *h)
{
	uint64_t horizon = h->horizon_find(h->data);

	if (horizon > h->horizon)
		h->horizon = horizon;
}

/* To ask for each of them would take long. */
static void dead_forget(struct history *h)
{
	struct record *record;

	horizon_move(h);
	while ((record = h->dead) && !record->ended &&
	       (record->told <= h->horizon || h->total >= HISTORY_MAX)) {
		h->dead = record->next_dead;
		h->nr_dead--;
		record_forget(h, record);
	}
	h->many_dead = 2 * h->nr_dead + 64;
}

void history_gone(struct history *h, struct record *record)
{
	record->thread = NULL;
	record->doing.slice = NULL;
	*(h->dead ? h->last_dead : &h->dead) = record;
	h->last_dead = &record->next_dead;
	if (++h->nr_dead > h->many_dead)
		dead_forget(h);
}

/* ---- states --------------------------------------------------------------- */

static struct past *ring_at(const struct record *record, size_t i)
{
	return &record->ring[(record->next - record->nr + i) &
			     (record->room - 1)];
}

static void oldest_forget(struct history *h, struct record *record)
{
	past_free(ring_at(record, 0));
	record->nr--;
	h->total--;
}

static void old_forget(struct history *h, struct record *record)
{
	while (record->nr && ring_at(record, 0)->end <= h->horizon)
		oldest_forget(h, record);
}

static int ring_grow(struct record *record)
{
	size_t room = record->room ? record->room * 2 : RING_MIN;
	struct past *ring = malloc(room * sizeof(*ring));

	if (!ring)
		return -ENOMEM;
	for (size_t i = 0; i < record->nr; i++)
		ring[(record->next - record->nr + i) & (room - 1)] =
			*ring_at(record, i);
	free(record->ring);
	record->ring = ring;
	record->room = room;
	return 0;
}

/* To ask for the horizon each time would take long, if many intervals are open. */
static int room_make(struct history *h, struct record *record)
{
	if (record->nr < record->room)
		return 0;
	if (record->nr && record->next - record->asked >= record->room / 2) {
		record->asked = record->next;
		horizon_move(h);
		old_forget(h, record);
		if (h->total >= HISTORY_MAX)
			dead_forget(h);
	}
	if (record->room && record->nr <= record->room / 2)
		return 0;
	if (record->room < RING_MIN || h->total < HISTORY_MAX)
		return ring_grow(record);
	if (record->nr == record->room)
		oldest_forget(h, record);
	return 0;
}

int history_add(struct history *h, struct record *record, struct past *past)
{
	int err = 0;

	if (past->end != past->begin)
		err = room_make(h, record);
	/* Not before: to find the horizon, paths may be made of what is known until then. */
	record->told = past->end;
	if (err || past->end == past->begin) {
		past_free(past);
		return err;
	}
	record->ring[record->next++ & (record->room - 1)] = *past;
	record->nr++;
	h->total++;
	return 0;
}

bool past_is_wait(const struct past *past)
{
	return doing_is_wait(past->state);
}

struct past *history_wait(struct record *record, uint64_t end)
{
	struct past *last;

	if (!record->nr)
		return NULL;
	last = ring_at(record, record->nr - 1);
	return last->end == end && past_is_wait(last) ? last : NULL;
}

/* It has not ended: it is the one in which the thread is now. */
static bool now_at(const struct record *record, uint64_t time,
		   struct past *past)
{
	const struct ktrace_timeline_thread *thread = record->thread;

	*past = (struct past){.begin = record->told, .end = time};
	if (!thread || thread->state != KTRACE_STATE_RUNNING ||
	    !thread->since || thread->since >= time)
		return false;
	past->begin = thread->since;
	past->state = KTRACE_STATE_RUNNING;
	past->cpu = thread->last_cpu;
	return true;
}

bool history_at(const struct record *record, uint64_t time, struct past *past)
{
	size_t first = 0, behind = record->nr;

	if (time > record->told)
		return now_at(record, time, past);
	while (first < behind) {
		size_t middle = first + (behind - first) / 2;

		if (ring_at(record, middle)->begin < time)
			first = middle + 1;
		else
			behind = middle;
	}
	*past = (struct past){.end = time};
	if (!first)
		return false;
	if (ring_at(record, first - 1)->end < time) {
		past->begin = ring_at(record, first - 1)->end;
		return false;
	}
	*past = *ring_at(record, first - 1);
	return true;
}

void history_free(struct history *h)
{
	struct record *record;
	size_t at = 0;

	while ((record = table_each(&h->by_id, &at)))
		record_free(record);
	table_free(&h->by_id);
	table_free(&h->by_tid);
}
