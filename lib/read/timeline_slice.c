// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Slices: they begin and end on their tracks. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "timeline.h"

/* ---- slices --------------------------------------------------------------- */

static struct thread *thread_of_track(struct track *track)
{
	return (struct thread *)track->public.thread;
}

static void given_up_add(struct ktrace_timeline *t, struct slice *slice)
{
	if (slice->public.data && t->calls.gone)
		t->calls.gone(t->calls.data, slice->public.data);
	slice->public.data = NULL;
	slice->given_up = true;
	slice->older = t->given_up;
	if (t->given_up)
		t->given_up->newer = slice;
	t->given_up = slice;
}

/* Its span has ended, or will not. */
static void given_up_remove(struct ktrace_timeline *t, struct slice *slice)
{
	if (slice->older)
		slice->older->newer = slice->newer;
	if (slice->newer)
		slice->newer->older = slice->older;
	else
		t->given_up = slice->older;
	free(slice);
}

void slices_forget(struct ktrace_timeline *t)
{
	while (t->given_up)
		given_up_remove(t, t->given_up);
}

static bool is_call(const struct track *track)
{
	return track->public.kind == KTRACE_TRACK_CALLS ||
	       track->public.kind == KTRACE_TRACK_RAW_CALLS;
}

/*
 * The two events of a call's begin follow each other, in any order.  A slice whose end was not
 * recorded is no twin of later calls: other events of calls lie between.
 */
static void twin_find(struct thread *thread, struct slice *slice)
{
	struct slice *other = thread->call;

	thread->call = slice;
	if (!other || other->public.track == slice->public.track)
		return;
	if (other->public.track->kind == KTRACE_TRACK_RAW_CALLS)
		other->public.twin = true;
	else
		slice->public.twin = true;
	thread->call = NULL;
}

/* The innermost slice of the track ends.  @span: it still has one. */
static int slice_pop(struct ktrace_timeline *t, struct track *track,
		     const struct ktrace_event *event, bool span)
{
	struct thread *thread = thread_of_track(track);
	struct slice *slice = track->top;
	int err = 0;

	track->top = slice->outer;
	track->nr--;
	if (thread && is_call(track) &&
	    (slice == thread->call || slice->public.how == KTRACE_SLICE_ENDED))
		thread->call = NULL;
	if (slice->shown) {
		track->public.time = slice->public.end;
		if (t->calls.end)
			err = t->calls.end(t->calls.data, &slice->public,
					   event);
	}
	if (span)
		given_up_add(t, slice);
	else
		slice_free(t, slice);
	if (track->public.kind == KTRACE_TRACK_REQUESTS) {
		track->free = t->requests_free;
		t->requests_free = track;
	}
	if (thread) {
		thread->nr_open--;
		thread_put(t, thread);
	}
	return err;
}

/*
 * Ends a slice, and those around it that were over before.  What is inside of it ends later, and
 * so does it then.
 */
static int slice_end(struct ktrace_timeline *t, struct slice *slice,
		     const struct ktrace_event *event)
{
	struct track *track = (struct track *)slice->public.track;
	struct slice *outer = slice;
	uint64_t end = slice->public.end;
	int err = 0;

	slice->over = true;
	while (!err && outer && track->top == outer && outer->over) {
		outer = outer->outer;
		if (track->top->public.end < end)
			track->top->public.end = end;
		err = slice_pop(t, track, track->top == slice ? event : NULL,
				false);
	}
	return err;
}

/* Ends are missing: nobody draws a track that is so deep. */
static int track_give_up(struct ktrace_timeline *t, struct track *track)
{
	struct slice *slice;
	int err = 0;

	while (!err && (slice = track->top)) {
		bool span = !slice->over;

		if (span)
			slice->public.how = KTRACE_SLICE_UNENDED;
		slice->public.span = NULL;
		slice->public.end = t->now < track->public.time
					    ? track->public.time
					    : t->now;
		err = slice_pop(t, track, NULL, span);
	}
	return err;
}

static int slice_begin(struct ktrace_timeline *t,
		       const struct ktrace_event *event,
		       const struct ktrace_span *span)
{
	struct track *track = track_of_span(t, event, span);
	struct slice *slice = track ? calloc(1, sizeof(*slice)) : NULL;
	struct thread *thread;
	int err = 0;

	if (!slice)
		return error_set(-ENOMEM, "out of memory");
	if (track->nr == SLICES_MAX)
		err = track_give_up(t, track);
	ktrace_spans_keep(t->spans, slice);
	slice->public.track = &track->public;
	slice->public.span = span;
	slice->public.begin = event->time;
	slice->tid = event->tid;
	slice->shown = t->shown;
	slice->outer = track->top;
	track->top = slice;
	track->nr++;
	thread = thread_of_track(track);
	if (thread)
		thread->nr_open++;
	if (thread && is_call(track))
		twin_find(thread, slice);
	if (err || !slice->shown || !t->calls.begin)
		return err;
	track->public.time = event->time;
	return t->calls.begin(t->calls.data, &slice->public, event);
}

/* A slice without a begin. */
static int slice_whole(struct ktrace_timeline *t, struct track *track,
		       const struct ktrace_span *span,
		       const struct ktrace_event *event)
{
	struct ktrace_timeline_slice slice = {
		.track = &track->public,
		.span = span,
		.begin = span->begin,
		.end = span->end,
	};

	return t->calls.whole ? t->calls.whole(t->calls.data, &slice, event)
			      : 0;
}

static int slice_ended(struct ktrace_timeline *t,
		       const struct ktrace_event *event,
		       const struct ktrace_span *span)
{
	struct slice *slice = span->data;
	struct track *track = slice ? (struct track *)slice->public.track
				    : track_of_span(t, event, span);
	int err = 0;

	if (!track)
		return error_set(-ENOMEM, "out of memory");
	if (t->shown && !(slice && slice->shown))
		err = slice_whole(t, track, span, event);
	if (!slice || err)
		return err;
	slice->public.span = track->top == slice ? span : NULL;
	slice->public.end = span->end;
	return slice_end(t, slice, event);
}

/* A thread that was not the first of its process has that one's number after an exec. */
static int thread_replace(struct ktrace_timeline *t,
			  const struct ktrace_event *event,
			  const struct ktrace_span *span)
{
	struct thread *thread;
	int err;

	if (span->owner != KTRACE_SPAN_OF_THREAD || span->tid == event->tid)
		return 0;
	thread = thread_find(t, span->tid);
	if (!thread)
		return 0;
	err = state_vanish(t, thread);
	thread_remove(t, thread);
	return err;
}

/* *@taken: it was the end of something. */
static int slices_end(struct ktrace_timeline *t,
		      const struct ktrace_event *event,
		      const struct ktrace_span *span, bool *taken)
{
	struct slice *slice = span->data;
	int err;

	if (span->kind == KTRACE_SPAN_CPU)
		return 0;
	if (slice && slice->given_up) {
		given_up_remove(t, slice);
		return 0;
	}
	*taken = true;
	err = slice_ended(t, event, span);
	return err ?: thread_replace(t, event, span);
}

int slices_step(struct ktrace_timeline *t, const struct ktrace_event *event,
		int step, bool *taken)
{
	const struct ktrace_span *span;
	int err = 0;

	if (step & KTRACE_SPAN_ENDS) {
		span = ktrace_spans_ended(t->spans);
		err = slices_end(t, event, span, taken);
	}
	if (!err && step & KTRACE_SPAN_BEGINS) {
		span = ktrace_spans_begun(t->spans);
		if (span->kind != KTRACE_SPAN_CPU) {
			*taken = true;
			err = slice_begin(t, event, span);
		}
	}
	return err;
}

static enum ktrace_timeline_end end_of(const struct ktrace_span_counts *counts,
				       const uint64_t *count)
{
	if (count == &counts->lost)
		return KTRACE_SLICE_LOST;
	return count == &counts->died ? KTRACE_SLICE_DIED
				      : KTRACE_SLICE_UNENDED;
}

void slices_drop(void *timeline, const struct open_span *open,
		 const uint64_t *count)
{
	struct ktrace_timeline *t = timeline;
	struct slice *slice = open->span.data;
	uint64_t end = t->lost_at ?: t->now;

	if (!slice)
		return;
	if (slice->given_up) {
		given_up_remove(t, slice);
		return;
	}
	slice->public.span = NULL;
	slice->public.how = end_of(&t->spans->counts[open->span.kind], count);
	/* What came between the begin of the gap and its end was told before. */
	if (end < slice->public.track->time)
		end = slice->public.track->time;
	slice->public.end =
		end < slice->public.begin ? slice->public.begin : end;
	t->err = t->err ?: slice_end(t, slice, NULL);
}

int slices_finish(struct ktrace_timeline *t, struct track *track)
{
	int err = 0;

	for (struct slice *slice = track->top; !err && slice;
	     slice = slice->outer) {
		if (!slice->shown || !t->calls.end)
			continue;
		slice->public.span = NULL;
		if (!slice->over)
			slice->public.how = KTRACE_SLICE_OPEN;
		slice->public.end = t->now < track->public.time
					    ? track->public.time
					    : t->now;
		err = t->calls.end(t->calls.data, &slice->public, NULL);
	}
	return err;
}
