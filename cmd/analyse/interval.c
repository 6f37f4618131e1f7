// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Intervals of threads' time: which are open, and what the longest ones consist of. */
#include <errno.h>
#include <stdlib.h>

#include "chain.h"

/* When so many states of all threads are in memory, paths are made as far as they are known. */
#define HISTORY_MANY (HISTORY_MAX / 8)

/* Wakes tell who has woken only if no interrupt goes unseen. */
static bool irqs_known(struct why *w)
{
	static const char *const events[] = {
		"irq:irq_handler_entry",
		"irq:softirq_entry",
		"irq_vectors:*_entry",
	};
	bool known = true;

	for (int i = 0; i < 3; i++)
		known &= need_seen(&w->chain->irqs[i], w->types, events[i]);
	return known;
}

static void path_mark(struct path *path, bool likely)
{
	if (path)
		path->likely = likely;
}

/* Which paths will be shown, if all that are open end now? */
static int likely_find(struct why *w, const struct interval *taken)
{
	struct chain *c = w->chain;
	struct longest likely = {
		.size = sizeof(struct chain_path),
		.max = w->worst,
	};
	struct chain_path of = {
		.item.ns = taken->end - taken->begin,
		.path = taken->path,
	};
	int err = 0;

	path_mark(taken->path, false);
	/* Else it is one of those that are open. */
	if (taken->end)
		err = longest_add(&likely, &of);
	for (size_t nr = 0; !err && nr < c->paths.nr; nr++) {
		of = *(struct chain_path *)longest_get(&c->paths, nr);
		path_mark(of.path, false);
		err = longest_add(&likely, &of);
	}
	for (struct interval *i = c->open; !err && i; i = i->older) {
		of.path = i->path;
		of.item.ns = w->now > i->begin ? w->now - i->begin : 0;
		path_mark(i->path, false);
		err = longest_add(&likely, &of);
	}
	for (size_t nr = 0; nr < likely.nr; nr++)
		path_mark(((struct chain_path *)longest_get(&likely, nr))->path,
			  true);
	longest_free(&likely);
	return err;
}

static void path_fit(const struct chain *c, struct path *path)
{
	if (path)
		path_limit(path, path->likely ? c->pieces_max : c->others_max);
}

static void paths_fit(struct chain *c, struct path *taken)
{
	path_fit(c, taken);
	for (size_t nr = 0; nr < c->paths.nr; nr++)
		path_fit(c, ((struct chain_path *)longest_get(&c->paths, nr))
				    ->path);
	for (struct interval *i = c->open; i; i = i->older)
		path_fit(c, i->path);
}

/* So much is thrown away at once that this is seldom done. */
static int memory_limit(struct why *w, struct interval *taken)
{
	struct chain *c = w->chain;

	if (c->pieces <= CHAIN_TOTAL)
		return 0;
	/* All have this already. */
	if (c->pieces_max == 1) {
		path_limit(taken->path, 1);
		return 0;
	}
	if (likely_find(w, taken))
		return -ENOMEM;
	paths_fit(c, taken->path);
	while (c->pieces > CHAIN_TOTAL / 4 * 3 && c->pieces_max > 1) {
		if (c->others_max > 1)
			c->others_max /= 2;
		else
			c->pieces_max /= 2;
		paths_fit(c, taken->path);
	}
	return 0;
}

int interval_path(struct why *w, struct interval *i, uint64_t to)
{
	const struct path_world world = {
		.history = &w->chain->history,
		.runs = &w->chain->runs,
		.pieces_max = w->chain->pieces_max,
		.total = &w->chain->pieces,
		.follows = irqs_known(w),
	};

	return path_go(&world, i, to) ?: memory_limit(w, i);
}

struct interval *interval_create(struct record *of, uint64_t begin)
{
	struct interval *i = calloc(1, sizeof(*i));

	if (!i)
		return NULL;
	i->kept = KEPT_INTERVAL;
	i->of = of;
	i->begin = i->done = begin;
	return i;
}

void interval_open(struct chain *c, struct interval *i)
{
	i->wanted = true;
	i->outer = i->of->intervals;
	i->of->intervals = i;
	i->older = c->open;
	if (c->open)
		c->open->newer = i;
	c->open = i;
}

void interval_close(struct chain *c, struct interval *i)
{
	struct interval **of = &i->of->intervals;

	if (!i->wanted)
		return;
	while (*of != i)
		of = &(*of)->outer;
	*of = i->outer;
	if (i->older)
		i->older->newer = i->newer;
	if (i->newer)
		i->newer->older = i->older;
	else
		c->open = i->older;
}

/* Its thread may end with the same event, and has to be remembered. */
void interval_wait(struct chain *c, struct interval *i)
{
	i->of->ended++;
	i->outer = c->ended;
	c->ended = i;
}

struct interval *interval_waiting(struct chain *c)
{
	struct interval *i = c->ended;

	if (!i)
		return NULL;
	c->ended = i->outer;
	i->of->ended--;
	return i;
}

void interval_free(struct interval *i)
{
	path_free(i->path);
	free(i);
}

static void path_name(const struct interval *i)
{
	struct path *path = i->path;

	path->tid = i->of->tid;
	path->tgid = i->of->tgid;
	text_copy(path->comm, sizeof(path->comm), i->of->name->s);
	text_copy(path->name, sizeof(path->name), i->name);
	path->begin = i->begin;
	path->end = i->end;
}

int interval_take(struct why *w, struct interval *i)
{
	struct chain *c = w->chain;
	struct chain_path kept = {.item.ns = i->end - i->begin};
	const struct chain_path *shortest;
	int err = 0;

	c->matched++;
	if (longest_takes(&c->paths, kept.item.ns)) {
		err = interval_path(w, i, i->end);
		if (!err) {
			path_name(i);
			shortest = longest_displaced(&c->paths);
			if (shortest)
				path_free(shortest->path);
			kept.path = i->path;
			i->path = NULL;
			err = longest_add(&c->paths, &kept);
		}
	}
	interval_free(i);
	return err;
}

uint64_t intervals_horizon(void *data)
{
	struct why *w = data;
	struct chain *c = w->chain;
	uint64_t horizon = c->wholes ? 0 : w->now;

	for (struct interval *i = c->ended; i; i = i->outer)
		if (i->done < horizon)
			horizon = i->done;
	for (struct interval *i = c->open; i; i = i->older) {
		const struct record *of = i->of;
		bool runs =
			of->thread && of->thread->state == KTRACE_STATE_RUNNING;
		uint64_t needed = i->done;

		if (c->history.total > HISTORY_MANY && runs) {
			if (of->told > i->done)
				c->err =
					c->err ?: interval_path(w, i, of->told);
			needed = w->now;
		}
		if (needed < horizon)
			horizon = needed;
	}
	return horizon;
}

int life_begin(struct why *w, struct record *record, uint64_t first)
{
	uint64_t begin = w->begin;
	struct interval *i;

	if (w->of || record->lives ||
	    !who_match_thread(&w->who, record->tid, record->tgid,
			      record->name->s))
		return 0;
	if (record->born)
		begin = record->born;
	else if (record->again)
		begin = first;
	if (begin < w->begin)
		begin = w->begin;
	i = interval_create(record, begin < w->end ? begin : w->end);
	if (!i)
		return -ENOMEM;
	record->lives = true;
	interval_open(w->chain, i);
	return 0;
}

/* At most one of them is no span. */
int life_end(struct why *w, struct record *record, uint64_t end)
{
	struct interval *i = record->intervals;

	if (w->of || !i)
		return 0;
	interval_close(w->chain, i);
	i->end = end < w->end ? end : w->end;
	if (i->end < i->begin)
		i->end = i->begin;
	return interval_take(w, i);
}
