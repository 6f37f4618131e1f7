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
	if (piece->state == KTRACE_STATE_UNKNOWN || !*piece->reason)
		return;
	call_text_shorten(piece->reason, reason);
	if (piece->disk)
		snprintf(text, size, "%s: disk %u:%u", reason,
			 piece->disk >> 20, piece->disk & 0xfffff);
	else if (*piece->waker && !piece->waker_tid)
		snprintf(text, size, "%s: %s", reason, piece->waker);
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
	return row_add(&path->states, &thread, full ? "others" : piece->comm,
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

	if (past->reason)
		text_copy(piece->reason, sizeof(piece->reason),
			  past->reason->s);
	/* The interval ends in it. */
	if (past->end > time) {
		piece->note = PATH_OPEN;
		return;
	}
	piece->note = notes[past->how];
	piece->waker_tid = past->waker_tid;
	piece->disk = past->disk;
	if (past->by)
		text_copy(piece->waker, sizeof(piece->waker), past->by->s);
	/* It has slept for some of it, and waited for a CPU then. */
	if (past->how == PAST_UNSEEN)
		piece->state = KTRACE_STATE_UNKNOWN;
}

/* What @past was until @walk->time, from @begin on. */
static void piece_make(const struct walk *walk, const struct past *past,
		       uint64_t begin, struct piece *piece)
{
	const struct record *of = walk->steps[walk->depth].of;

	memset(piece, 0, sizeof(*piece));
	piece->item.ns = walk->time - begin;
	piece->begin = begin;
	piece->end = walk->time;
	piece->depth = walk->depth;
	piece->state = past->state;
	piece->tid = of->tid;
	piece->tgid = of->tgid;
	piece->cpu = past->cpu;
	text_copy(piece->comm, sizeof(piece->comm), of->name->s);
	if (past_is_wait(past))
		wait_tell(piece, past, walk->time);
	else if (past->state == KTRACE_STATE_UNKNOWN)
		piece->note = PATH_LOST;
}

static int piece_add(struct walk *walk, const struct past *past,
		     struct piece *piece)
{
	struct path *path = walk->path;
	int err;

	if (path_is_around(piece->note))
		return longest_add(&path->waits, piece);
	err = sums_add(path, piece);
	if (err || !longest_takes(&path->pieces, piece->item.ns))
		return err;
	if (waits_for_cpu(piece->state) && past->runs)
		err = instead_find(&piece->instead, walk->world->runs,
				   past->cpu, piece->begin, piece->end);
	else if (waits_for_cpu(piece->state))
		piece->instead.unknown = piece->item.ns;
	return err ?: longest_add(&path->pieces, piece);
}

/* ---- the way back --------------------------------------------------------- */

/* The thread that has ended this wait; NULL: none that can be followed, and *@note says why. */
static const struct record *waker_of(const struct walk *walk,
				     const struct past *past,
				     enum path_note *note)
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
		text_copy(piece.waker, sizeof(piece.waker), creator->name->s);
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
	return path;
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
	const struct piece *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Is a piece in it that is shown? */
static bool is_around(const struct path *path, size_t at)
{
	const struct piece *around = &path->shown[at];

	for (size_t i = at + 1; i < path->nr_shown; i++) {
		const struct piece *piece = &path->shown[i];

		if (piece->begin >= around->end)
			break;
		if (!path_is_around(piece->note) &&
		    piece->depth > around->depth)
			return true;
	}
	return false;
}

int path_end(struct path *path)
{
	size_t nr = path->pieces.nr, kept = 0;

	path->nr_shown = nr + path->waits.nr;
	if (!path->nr_shown)
		return 0;
	path->shown = malloc(path->nr_shown * sizeof(*path->shown));
	if (!path->shown)
		return -ENOMEM;
	for (size_t i = 0; i < path->nr_shown; i++)
		path->shown[i] =
			*(struct piece *)(i < nr ? longest_get(&path->pieces, i)
						 : longest_get(&path->waits,
							       i - nr));
	qsort(path->shown, path->nr_shown, sizeof(*path->shown), piece_compare);
	/* What lies behind is not changed yet. */
	for (size_t i = 0; i < path->nr_shown; i++)
		if (!path_is_around(path->shown[i].note) || is_around(path, i))
			path->shown[kept++] = path->shown[i];
	path->nr_shown = kept;
	return 0;
}

void path_free(struct path *path)
{
	if (!path)
		return;
	longest_free(&path->pieces);
	longest_free(&path->waits);
	free(path->shown);
	span_rows_free(&path->states);
	span_rows_free(&path->reasons);
	free(path);
}
