// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

/* A thread that is followed, and since when: the begin of the wait that it has ended. */
struct step {
	const struct record *of;
	uint64_t from;
};

struct walk {
	const struct path_world *world;
	struct path *path;
	struct step steps[PATH_DEPTH];
	unsigned int depth;
	uint64_t time; /* all behind it is done */
};

const char *path_note_text(enum path_note note)
{
	static const char *const notes[PATH_NOTE_NR] = {
		[PATH_NEW] = "new",
		[PATH_UNSEEN] =
			"it slept, and who has woken it is not in the trace",
		[PATH_AMBIGUOUS] = "or an interrupt that came upon it",
		[PATH_EARLY] = "just before it slept",
		[PATH_CUT] = "at least: then events are missing",
		[PATH_OPEN] = "at least: it was still waiting at the end",
		[PATH_LOST] = "events are missing",
		[PATH_BEFORE] = "nothing is known of the thread before",
		[PATH_FORGOTTEN] = "too long ago to be remembered",
		[PATH_DEEP] = "not followed: too many in each other",
	};

	return notes[note];
}

/* ---- sums ----------------------------------------------------------------- */

static bool waits_for_cpu(enum ktrace_timeline_states state)
{
	return state == KTRACE_STATE_RUNNABLE ||
	       state == KTRACE_STATE_PREEMPTED;
}

static int row_add(struct span_rows *rows, const struct span_row *key,
		   const char *title, uint64_t ns)
{
	struct span_row *row = span_rows_get(rows, key);

	if (!row || (title && span_row_title(row, title)))
		return -ENOMEM;
	return histogram_add(&row->ns, ns);
}

/* For what a wait was: what it ended with says more than the thread that waited. */
static void reason_make(const struct piece *piece, char *text, size_t size)
{
	char reason[REASON_ROOM];

	*text = '\0';
	if (piece->state == KTRACE_STATE_UNKNOWN)
		snprintf(text, size, "%s", path_note_text(piece->note));
	if (piece->state == KTRACE_STATE_UNKNOWN || !piece->reason)
		return;
	call_text_shorten(piece->reason->s, reason);
	if (piece->disk)
		snprintf(text, size, "%s: disk %u:%u", reason,
			 piece->disk >> 20, piece->disk & 0xfffff);
	else if (piece->waker && !piece->waker_tid)
		snprintf(text, size, "%s: %s", reason, piece->waker->s);
	else
		text_copy(text, size, reason);
}

static int sums_add(struct path *path, const struct piece *piece)
{
	bool full = path->states.nr >= PATH_ROWS;
	char reason[REASON_ROOM + 80];
	const struct span_row thread = {
		.kind = (enum ktrace_span_kind)piece->state,
		.tid = full ? 0 : piece->tid,
		.tgid = full ? 0 : piece->tgid,
		.name = (char *)"",
	};
	const struct span_row why = {.tid = piece->state, .name = reason};

	reason_make(piece, reason, sizeof(reason));
	if (path->reasons.nr >= PATH_ROWS)
		*reason = '\0';
	path->count++;
	path->notes[piece->note]++;
	return row_add(&path->states, &thread, full ? "others" : piece->comm->s,
		       piece->item.ns)
		       ?: row_add(&path->reasons, &why, NULL, piece->item.ns);
}

/* ---- pieces --------------------------------------------------------------- */

static void wait_tell(struct piece *piece, const struct past *past,
		      uint64_t time)
{
	static const enum path_note notes[] = {
		[PAST_UNSEEN] = PATH_UNSEEN, [PAST_WOKEN] = PATH_PLAIN,
		[PAST_EARLY] = PATH_EARLY,   [PAST_AMBIGUOUS] = PATH_AMBIGUOUS,
		[PAST_CUT] = PATH_CUT,	     [PAST_OPEN] = PATH_OPEN,
		[PAST_UNKNOWN] = PATH_LOST,
	};

	piece->reason = past->reason;
	/* The interval ends in it. */
	if (past->end > time) {
		piece->note = PATH_OPEN;
		return;
	}
	piece->note = notes[past->how];
	piece->waker_tid = past->waker_tid;
	piece->disk = past->disk;
	piece->waker = past->by;
	/* It has slept for some of it, and waited for a CPU then. */
	if (past->how == PAST_UNSEEN)
		piece->state = KTRACE_STATE_UNKNOWN;
}

/* The texts are not yet its own.  What @past was until @walk->time, from @begin on. */
static void piece_make(const struct walk *walk, const struct past *past,
		       uint64_t begin, struct piece *piece)
{
	const struct record *of = walk->steps[walk->depth].of;

	memset(piece, 0, sizeof(*piece));
	piece->item.ns = walk->time - begin;
	piece->begin = begin;
	piece->depth = walk->depth;
	piece->state = past->state;
	piece->tid = of->tid;
	piece->tgid = of->tgid;
	piece->cpu = past->cpu;
	piece->comm = of->name;
	if (past_is_wait(past))
		wait_tell(piece, past, walk->time);
	else if (past->state == KTRACE_STATE_UNKNOWN)
		piece->note = PATH_LOST;
}

static void piece_drop(void *item)
{
	struct piece *piece = item;

	text_put(piece->comm);
	text_put(piece->reason);
	text_put(piece->waker);
	free(piece->instead);
}

/* It is long enough; @instead is its own. */
static int piece_keep(struct path *path, struct longest *longest,
		      struct piece *piece)
{
	struct piece *shortest = longest_displaced(longest);
	int err;

	if (shortest)
		piece_drop(shortest);
	else
		++*path->total;
	text_get(piece->comm);
	text_get(piece->reason);
	text_get(piece->waker);
	err = longest_add(longest, piece);
	if (!err)
		return 0;
	piece_drop(piece);
	--*path->total;
	return err;
}

static int piece_instead(const struct walk *walk, const struct past *past,
			 struct piece *piece)
{
	struct instead instead;

	if (!waits_for_cpu(piece->state) || !past->runs)
		return 0;
	if (instead_find(&instead, walk->world->runs, past->cpu, piece->begin,
			 piece_end(piece)))
		return -ENOMEM;
	piece->instead = instead_keep(&instead);
	return piece->instead ? 0 : -ENOMEM;
}

static int piece_add(struct walk *walk, const struct past *past,
		     struct piece *piece)
{
	struct path *path = walk->path;
	bool around = path_is_around(piece->note);
	struct longest *longest = around ? &path->waits : &path->pieces;
	int err = around ? 0 : sums_add(path, piece);

	if (err || !longest_takes(longest, piece->item.ns))
		return err;
	if (!around)
		err = piece_instead(walk, past, piece);
	return err ?: piece_keep(path, longest, piece);
}

/* ---- the way back --------------------------------------------------------- */

/* The thread that has ended this wait; NULL: none that can be followed, and *@note says why. */
static const struct record *waker_of(const struct walk *walk,
				     const struct past *past, uint8_t *note)
{
	const struct record *waker;

	if (!past_is_wait(past) || past->end != walk->time ||
	    past->how != PAST_WOKEN || !past->waker)
		return NULL;
	if (!walk->world->follows) {
		*note = PATH_AMBIGUOUS;
		return NULL;
	}
	if (walk->depth + 1 == PATH_DEPTH) {
		*note = PATH_DEEP;
		return NULL;
	}
	waker = table_find(&walk->world->history->by_id, past->waker);
	if (!waker)
		*note = PATH_FORGOTTEN;
	return waker;
}

static void step_in(struct walk *walk, const struct record *of, uint64_t from)
{
	walk->steps[++walk->depth] = (struct step){of, from};
}

/* Nothing is known of the thread until then.  If it was new, the one that made it is followed. */
static int unknown_go(struct walk *walk, const struct past *past)
{
	const struct step *step = &walk->steps[walk->depth];
	const struct record *creator = NULL;
	uint64_t begin = past->begin > step->from ? past->begin : step->from;
	struct piece piece;

	if (step->of->creator && step->of->born == walk->time &&
	    walk->depth + 1 < PATH_DEPTH && walk->world->follows)
		creator = table_find(&walk->world->history->by_id,
				     step->of->creator);
	piece_make(walk, past, begin, &piece);
	if (creator) {
		piece.note = PATH_NEW;
		piece.waker_tid = creator->tid;
		piece.waker = creator->name;
		step_in(walk, creator, step->from);
		return piece_add(walk, past, &piece);
	}
	piece.note = past->begin ? PATH_LOST : PATH_BEFORE;
	if (!past->begin && step->of->next != step->of->nr)
		piece.note = PATH_FORGOTTEN;
	walk->time = begin;
	return piece_add(walk, past, &piece);
}

static int step_go(struct walk *walk)
{
	const struct step *step = &walk->steps[walk->depth];
	const struct record *waker;
	struct past past;
	struct piece piece;
	uint64_t begin;
	int err;

	if (!history_at(step->of, walk->time, &past))
		return unknown_go(walk, &past);
	begin = past.begin > step->from ? past.begin : step->from;
	piece_make(walk, &past, begin, &piece);
	waker = waker_of(walk, &past, &piece.note);
	if (waker) {
		piece.note = PATH_FOLLOWED;
		err = piece_add(walk, &past, &piece);
		step_in(walk, waker, begin);
		return err;
	}
	walk->time = begin;
	return piece_add(walk, &past, &piece);
}

static struct path *path_create(const struct path_world *world)
{
	struct path *path = calloc(1, sizeof(*path));

	if (!path)
		return NULL;
	path->pieces.size = sizeof(struct piece);
	path->pieces.max = world->pieces_max;
	path->waits.size = sizeof(struct piece);
	path->waits.max = 4 * world->pieces_max + PATH_DEPTH;
	path->total = world->total;
	return path;
}

void path_limit(struct path *path, size_t max)
{
	*path->total -= path->pieces.nr + path->waits.nr;
	if (path->pieces.max > max)
		longest_limit(&path->pieces, max, piece_drop);
	if (path->waits.max > 4 * max)
		longest_limit(&path->waits, 4 * max, piece_drop);
	*path->total += path->pieces.nr + path->waits.nr;
}

/* Each step goes back in time, or is one deeper at the same time: so this ends. */
int path_go(const struct path_world *world, struct interval *interval,
	    uint64_t to)
{
	struct walk walk = {
		.world = world,
		.steps = {{interval->of, interval->done}},
		.time = to,
	};
	int err = 0;

	interval->path = interval->path ?: path_create(world);
	if (!interval->path)
		return -ENOMEM;
	walk.path = interval->path;
	while (!err) {
		if (walk.time > walk.steps[walk.depth].from)
			err = step_go(&walk);
		else if (walk.depth)
			walk.depth--;
		else
			break;
	}
	if (to > interval->done)
		interval->done = to;
	interval->states = 0;
	return err;
}

static int piece_compare(const void *a, const void *b)
{
	const struct piece *x = *(const struct piece *const *)a;
	const struct piece *y = *(const struct piece *const *)b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/*
 * Of the waits, only those that a shown piece is in are left.  From the end on, the piece that comes
 * next in time tells whether there is one.
 */
static void waits_leave(struct path *path)
{
	/* By depth: the begin of the next piece that is deeper; UINT64_MAX: there is none. */
	uint64_t next[PATH_DEPTH];
	size_t left = path->nr_shown;

	memset(next, 0xff, sizeof(next));
	for (size_t i = path->nr_shown; i--;) {
		const struct piece *piece = path->shown[i];

		if (!path_is_around(piece->note))
			for (unsigned int d = 0; d < piece->depth; d++)
				next[d] = piece->begin;
		else if (next[piece->depth] >= piece_end(piece))
			continue;
		path->shown[--left] = piece;
	}
	path->nr_shown -= left;
	memmove(path->shown, path->shown + left,
		path->nr_shown * sizeof(*path->shown));
}

int path_end(struct path *path)
{
	size_t nr = path->pieces.nr;

	path->nr_shown = nr + path->waits.nr;
	if (!path->nr_shown)
		return 0;
	path->shown = malloc(path->nr_shown * sizeof(*path->shown));
	if (!path->shown)
		return -ENOMEM;
	for (size_t i = 0; i < path->nr_shown; i++)
		path->shown[i] = i < nr ? longest_get(&path->pieces, i)
					: longest_get(&path->waits, i - nr);
	qsort(path->shown, path->nr_shown, sizeof(*path->shown), piece_compare);
	waits_leave(path);
	return 0;
}

static void pieces_free(struct longest *pieces)
{
	for (size_t i = 0; i < pieces->nr; i++)
		piece_drop(longest_get(pieces, i));
	longest_free(pieces);
}

void path_free(struct path *path)
{
	if (!path)
		return;
	*path->total -= path->pieces.nr + path->waits.nr;
	pieces_free(&path->pieces);
	pieces_free(&path->waits);
	free(path->shown);
	span_rows_free(&path->states);
	span_rows_free(&path->reasons);
	free(path);
}
