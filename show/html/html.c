// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A time line as one HTML page, which needs nothing else: neither files nor the network.
 *
 * All of it is in memory until the end (html.h), when the page is written (document.c); and a browser
 * has it in memory, too.  So only so many events are told; of those that follow, the page has how
 * many they were at which time, and says that they are not in it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/loss.h"
#include "html/html.h"

/* A page with that many has about 16 MB, and browsers need some seconds and 1 GB for it. */
#define EVENTS_MAX 4000000

/*
 * Steps of the tape: so many as that many switches make.  In a part of a trace events that are not shown
 * make some, too.
 */
#define STEPS_MAX (2 * EVENTS_MAX)

/* What the page has of the trace, before it is compressed, and the browser in memory: 256 MB. */
#define BYTES_MAX (256ull << 20)

/* An open slice. */
struct pending {
	enum owner owner;
	struct call_view *call;
	struct row row;
	const char *category;
	uint32_t cpu;
	char name[64]; /* no span has a longer one */
};

static int no_memory(void)
{
	return error_set(-ENOMEM, "out of memory");
}

/* What a step has returned. */
static int step_end(const struct html *h, int err)
{
	return err || h->tape.failed ? no_memory() : 0;
}

/* ---- threads and tracks --------------------------------------------------- */

static int lane_rename(struct html *h, struct lane *lane, const char *comm)
{
	uint32_t word;

	if (words_get(&h->shapes.words, comm, strlen(comm), &word))
		return -ENOMEM;
	if (lane->nr_names && lane->names[lane->nr_names - 1] == word)
		return 0;
	if (lane->nr_names < NAMES_MAX)
		lane->nr_names++;
	lane->names[lane->nr_names - 1] = word;
	return 0;
}

/* Whom an event with this tid is of from now on. */
static int lane_known(struct html *h, struct lane *lane)
{
	struct lane *before = table_find(&h->threads, lane->tid);

	if (before)
		table_remove(&h->threads, lane->tid, before);
	return table_add(&h->threads, lane->tid, lane);
}

static struct lane *lane_make(struct html *h,
			      const struct ktrace_timeline_thread *thread)
{
	struct lane **lanes =
		array_grow(h->lanes, h->nr_lanes, sizeof(*h->lanes));
	struct lane *lane = calloc(1, sizeof(*lane));

	if (lanes)
		h->lanes = lanes;
	if (!lanes || !lane) {
		free(lane);
		return NULL;
	}
	lane->owner = OWNER_THREAD;
	lane->number = h->nr_lanes;
	lane->tid = thread->tid;
	lane->cpu = thread->cpu;
	h->lanes[h->nr_lanes++] = lane;
	return lane_known(h, lane) ? NULL : lane;
}

/* NULL: out of memory, as the next one. */
static struct lane *lane_of(struct html *h,
			    struct ktrace_timeline_thread *thread)
{
	struct lane *lane = thread->data ?: lane_make(h, thread);

	if (!lane)
		return NULL;
	thread->data = lane;
	/* It may become known later. */
	lane->tgid = thread->tgid;
	return lane_rename(h, lane, thread->comm) ? NULL : lane;
}

static struct strip *strip_of(struct html *h,
			      struct ktrace_timeline_track *track)
{
	struct strip **strips, *strip = track->data;

	if (strip)
		return strip;
	strips = array_grow(h->strips, h->nr_strips, sizeof(*h->strips));
	if (!strips)
		return NULL;
	h->strips = strips;
	strip = calloc(1, sizeof(*strip));
	if (!strip)
		return NULL;
	strip->owner = OWNER_TRACK;
	strip->number = h->nr_strips;
	strip->kind = track->kind;
	strip->of = track->number;
	h->strips[h->nr_strips++] = strip;
	track->data = strip;
	if (track->thread)
		strip->lane = lane_of(h, track->thread);
	return track->thread && !strip->lane ? NULL : strip;
}

/* ---- what the time line tells --------------------------------------------- */

static void state_put(struct html *h, struct lane *lane, uint64_t bits,
		      uint64_t begin, uint64_t end)
{
	tape_step(&h->tape, TAPE_STATE, end);
	tape_put(&h->tape, COLUMN_STATE_THREAD, lane->number);
	tape_put(&h->tape, COLUMN_STATE, bits);
	tape_put(&h->tape, COLUMN_STATE_BEGIN,
		 lane->end == begin && begin ? 0 : end - begin + 1);
	lane->end = end;
}

static void unknown_put(struct html *h, struct lane *lane)
{
	const struct unknown *u = &lane->unknown;

	if (u->begin != u->end)
		state_put(h, lane,
			  tape_state_bits(KTRACE_STATE_UNKNOWN, u->open, false,
					  false, u->cpu),
			  u->begin, u->end);
	lane->unknown = (struct unknown){0};
}

/* Each event that is not shown may make one: those that touch are one. */
static void unknown_add(struct html *h, struct lane *lane,
			const struct ktrace_timeline_state *state)
{
	uint64_t begin = html_time(h, state->begin);
	struct unknown *u = &lane->unknown;

	if (u->begin == u->end || u->end != begin) {
		unknown_put(h, lane);
		u->begin = begin;
	}
	u->end = html_time(h, state->end);
	u->cpu = state->cpu;
	u->open = state->open;
}

static int state_tell(void *data, const struct ktrace_timeline_state *state)
{
	struct html *h = data;
	struct lane *lane = lane_of(h, state->thread);
	bool woken;

	if (!lane)
		return no_memory();
	if (state->state == KTRACE_STATE_UNKNOWN) {
		unknown_add(h, lane, state);
		return step_end(h, 0);
	}
	unknown_put(h, lane);
	woken = state->state == KTRACE_STATE_RUNNING && state->wake &&
		state->wake == lane->wake;
	state_put(h, lane,
		  tape_state_bits(state->state, state->open, woken, state->cut,
				  state->cpu),
		  html_time(h, state->begin), html_time(h, state->end));
	return step_end(h, 0);
}

static int begin_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct html *h = data;
	struct pending *p = calloc(1, sizeof(*p));

	if (!p)
		return no_memory();
	p->owner = OWNER_SLICE;
	p->category = viewer_category(slice->span);
	p->cpu = event->cpu;
	snprintf(p->name, sizeof(p->name), "%s", slice->span->name);
	slice->data = p;
	if (arguments_begin(&h->viewer.arguments, event, &p->call))
		return no_memory();
	return step_end(h, row_add(&h->shapes, &p->row, &h->viewer.arguments));
}

static int slice_put(struct html *h, struct ktrace_timeline_slice *slice,
		     const char *name, const char *category, uint32_t cpu)
{
	struct strip *strip = strip_of(h, slice->track);
	uint64_t end = html_time(h, slice->end);
	uint32_t shape;

	if (!strip || shapes_put(&h->shapes, SHAPE_SLICE, name, category,
				 &h->row, &shape))
		return no_memory();
	tape_step(&h->tape, TAPE_SLICE, end);
	tape_put(&h->tape, COLUMN_SLICE_TRACK, strip->number);
	tape_put(&h->tape, COLUMN_SLICE_SHAPE, shape);
	tape_put_split(&h->tape, COLUMN_SLICE_LENGTH,
		       slice->end > slice->begin ? slice->end - slice->begin
						 : 0);
	tape_put(&h->tape, COLUMN_SLICE_END, slice->how);
	tape_put(&h->tape, COLUMN_SLICE_CPU, cpu);
	return step_end(h, 0);
}

static int end_tell(void *data, struct ktrace_timeline_slice *slice,
		    const struct ktrace_event *event)
{
	const char *why = viewer_end_text(slice->how);
	struct html *h = data;
	struct pending *p = slice->data;
	int err;

	h->row.nr = 0;
	err = row_join(&h->row, &p->row);
	if (event && !err)
		err = arguments_end(&h->viewer.arguments, event, p->call)
			      ?: row_add(&h->shapes, &h->row,
					 &h->viewer.arguments);
	if (why && !err)
		err = row_add_text(&h->shapes, &h->row, "end", why);
	return step_end(h, err)
		       ?: slice_put(h, slice, p->name, p->category, p->cpu);
}

static int whole_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct html *h = data;
	int err;

	h->row.nr = 0;
	err = arguments_event(&h->viewer.arguments, event)
		      ?: row_add(&h->shapes, &h->row, &h->viewer.arguments);
	return step_end(h, err)
		       ?: slice_put(h, slice, slice->span->name,
				    viewer_category(slice->span),
				    slice->span->begin_cpu);
}

/* The columns of TAPE_WAKE begin like those of TAPE_POINT. */
static int event_put(struct html *h, enum tape_step step,
		     enum tape_column columns,
		     struct ktrace_timeline_track *track,
		     const struct ktrace_event *event)
{
	enum shape_of of = step == TAPE_WAKE ? SHAPE_WAKE : SHAPE_POINT;
	struct strip *strip = strip_of(h, track);
	uint32_t shape;
	int err;

	if (!strip)
		return no_memory();
	h->row.nr = 0;
	err = arguments_event(&h->viewer.arguments, event)
		      ?: row_add(&h->shapes, &h->row, &h->viewer.arguments);
	err = err
		      ?: shapes_put(&h->shapes, of, event->type->name,
				    event->type->system, &h->row, &shape);
	if (err)
		return no_memory();
	tape_step(&h->tape, step, html_time(h, event->time));
	tape_put(&h->tape, columns, strip->number);
	tape_put(&h->tape, columns + 1, shape);
	tape_put(&h->tape, columns + 2, event->cpu);
	return step_end(h, 0);
}

static int point_tell(void *data, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event)
{
	return event_put(data, TAPE_POINT, COLUMN_POINT_TRACK, track, event);
}

static int wake_tell(void *data, const struct ktrace_timeline_wake *wake,
		     const struct ktrace_event *event)
{
	struct html *h = data;
	struct lane *lane = lane_of(h, wake->thread);
	int err;

	if (!lane)
		return no_memory();
	lane->wake = wake->id;
	err = event_put(h, TAPE_WAKE, COLUMN_WAKE_TRACK, wake->track, event);
	tape_put(&h->tape, COLUMN_WAKE_THREAD, lane->number);
	return err ?: step_end(h, 0);
}

static int loss_tell(void *data, const struct ktrace_loss *loss)
{
	const char *cause = loss_cause(loss->cause);
	struct html *h = data;
	uint32_t word;

	if (words_get(&h->shapes.words, cause, strlen(cause), &word))
		return no_memory();
	tape_step(&h->tape, TAPE_LOSS, html_time(h, loss->time));
	tape_put(&h->tape, COLUMN_LOSS_CPU, loss->cpu);
	tape_put(&h->tape, COLUMN_LOSS_LENGTH,
		 loss->time > loss->from ? loss->time - loss->from : 0);
	tape_put(&h->tape, COLUMN_LOSS_COUNT,
		 loss_is_event(loss->cause) ? loss->count : 0);
	tape_put(&h->tape, COLUMN_LOSS_CAUSE, word);
	tape_put(&h->tape, COLUMN_LOSS_PROGRAMS, loss->programs);
	return step_end(h, 0);
}

/* The lanes and strips are needed until the end. */
static void data_free(void *data, void *theirs)
{
	struct pending *p = theirs;

	if (p->owner != OWNER_SLICE)
		return;
	arguments_call_free(p->call);
	row_free(&p->row);
	free(p);
}

/* Also if there is much text, or much that is not shown. */
static bool html_full(const struct viewer *viewer)
{
	const struct html *h = (const struct html *)viewer;
	uint64_t bytes = tape_size(&h->tape) + h->shapes.size +
			 callers_size(&h->callers) + h->shapes.words.size +
			 h->shapes.texts.size +
			 h->nr_lanes * sizeof(struct lane) +
			 h->nr_strips * sizeof(struct strip);

	return viewer->told >= EVENTS_MAX ||
	       h->tape.columns[COLUMN_STEP].nr >= STEPS_MAX ||
	       bytes >= BYTES_MAX;
}

/* All has been told. */
static int html_end(struct viewer *viewer)
{
	struct html *h = (struct html *)viewer;
	int err;

	for (uint32_t i = 0; i < h->nr_lanes; i++)
		unknown_put(h, h->lanes[i]);
	err = step_end(h, 0);
	return err ?: html_write(h);
}

/* ---- the output ----------------------------------------------------------- */

static const struct viewer_ops html_ops = {
	.calls.state = state_tell,
	.calls.begin = begin_tell,
	.calls.end = end_tell,
	.calls.whole = whole_tell,
	.calls.wake = wake_tell,
	.calls.point = point_tell,
	.calls.loss = loss_tell,
	.calls.gone = data_free,
	.end = html_end,
	.full = html_full,
};

static int html_open(struct ktrace_output *show)
{
	struct html *h = (struct html *)show;

	if (output_init(&h->json, html_embed, h) || callers_init(&h->callers))
		return no_memory();
	return viewer_open(show, &html_ops);
}

/* Who called: its thread has told what it did. */
static int stack_put(struct html *h, const struct ktrace_event *event)
{
	const struct lane *lane;

	if (!ktrace_type_stacks(event->type))
		return 0;
	/* There is an idle thread for each CPU. */
	lane = event->tid ? table_find(&h->threads, event->tid) : NULL;
	return callers_add(&h->callers, h->viewer.show.trace, event,
			   h->viewer.show.frames, &h->tape,
			   html_time(h, event->time),
			   lane ? lane->number + 1 : 0, &h->shapes.words,
			   &h->shapes.texts)
		       ? no_memory()
		       : 0;
}

static int html_event(struct ktrace_output *show,
		      const struct ktrace_event *event)
{
	struct html *h = (struct html *)show;
	int err = viewer_event(show, event);
	uint64_t begin = h->viewer.begin;

	density_add(&h->density, event->time > begin ? event->time - begin : 0);
	return err || h->viewer.stopped ? err : stack_put(h, event);
}

static int html_hidden(struct ktrace_output *show,
		       const struct ktrace_event *event)
{
	struct html *h = (struct html *)show;

	h->part = true;
	return viewer_hidden(show, event);
}

static void html_release(struct ktrace_output *show)
{
	struct html *h = (struct html *)show;

	/* First, because it tells what is gone. */
	viewer_close(&h->viewer);
	for (uint32_t i = 0; i < h->nr_lanes; i++)
		free(h->lanes[i]);
	for (uint32_t i = 0; i < h->nr_strips; i++)
		free(h->strips[i]);
	free(h->lanes);
	free(h->strips);
	row_free(&h->row);
	shapes_free(&h->shapes);
	callers_free(&h->callers);
	table_free(&h->threads);
	tape_free(&h->tape);
	output_destroy(&h->json);
}

const struct show_ops show_html = {
	.kind.name = "html",
	.kind.what = "a time line, as one HTML page for any browser",
	.kind.file = true,
	.kind.hidden = true,
	.size = sizeof(struct html),
	.open = html_open,
	.event = html_event,
	.hidden = html_hidden,
	.hidden_loss = viewer_hidden_loss,
	.loss = viewer_loss,
	.finish = viewer_finish,
	.pause = viewer_pause,
	.release = html_release,
};
