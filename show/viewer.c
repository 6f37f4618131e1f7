// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <inttypes.h>

#include "base/loss.h"
#include "viewer.h"

static int bytes_write(void *data, const char *text, size_t size)
{
	struct viewer *v = data;

	v->written += size;
	return v->show.write(v->show.data, text, size);
}

int viewer_open(struct ktrace_output *show, const struct viewer_ops *ops)
{
	struct viewer *v = (struct viewer *)show;

	v->ops = ops;
	if (output_init(&v->output, bytes_write, v) ||
	    arguments_init(&v->arguments, show->trace))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

void viewer_close(struct viewer *v)
{
	ktrace_timeline_destroy(v->timeline);
	arguments_destroy(&v->arguments);
	output_destroy(&v->output);
}

static int timeline_make(struct viewer *v)
{
	struct ktrace_timeline_calls calls = v->ops->calls;

	if (v->timeline)
		return 0;
	calls.size = sizeof(calls);
	calls.data = v;
	return ktrace_timeline_create(v->show.cursor, &calls, &v->timeline);
}

/* The first event or loss that is shown; @time 0: there was none. */
static int viewer_begin(struct viewer *v, uint64_t time)
{
	int err = timeline_make(v);

	if (err || v->begun)
		return err;
	v->begun = true;
	v->begin = v->end = time;
	return v->ops->begin ? v->ops->begin(v) : 0;
}

int viewer_limit(const struct viewer *v, uint64_t bytes)
{
	uint64_t limit = v->ops->limit;

	if (!limit || bytes <= limit)
		return 0;
	return error_set(-EFBIG,
			 "more than %" PRIu64
			 " MB, which no viewer reads: take a part of the trace "
			 "with --from, --until or -e, or --to perfetto, which "
			 "has no limit",
			 limit / 1000000);
}

static int viewer_check(struct viewer *v)
{
	return v->output.err ?: viewer_limit(v, v->written);
}

/* If it takes no more, what is open ends. */
static int viewer_stop(struct viewer *v)
{
	if (v->stopped || !v->ops->full || !v->ops->full(v))
		return 0;
	v->stopped = true;
	return ktrace_timeline_finish(v->timeline);
}

/* A loss is known when it ends, and may have begun before the rest: that part of it is told. */
static int loss_cut(struct viewer *v, const struct ktrace_loss *loss)
{
	struct ktrace_loss cut = *loss;

	if (!v->ops->calls.loss || loss->from >= v->end) {
		if (loss_is_event(loss->cause))
			v->left_out_lost += loss->count;
		return 0;
	}
	if (cut.time > v->end)
		cut.time = v->end;
	return v->ops->calls.loss(v, &cut);
}

int viewer_event(struct ktrace_output *show, const struct ktrace_event *event)
{
	struct viewer *v = (struct viewer *)show;
	int err = viewer_stop(v);

	if (v->stopped) {
		v->show.left_out++;
		return err;
	}
	err = viewer_begin(v, event->time);
	v->told++;
	if (v->end < event->time)
		v->end = event->time;
	err = err ?: ktrace_timeline_event(v->timeline, event, true);
	return err ?: viewer_check(v);
}

int viewer_hidden(struct ktrace_output *show, const struct ktrace_event *event)
{
	struct viewer *v = (struct viewer *)show;
	int err = viewer_stop(v);

	if (v->stopped)
		return err;
	err = timeline_make(v);
	err = err ?: ktrace_timeline_event(v->timeline, event, false);
	return err ?: viewer_check(v);
}

int viewer_loss(struct ktrace_output *show, const struct ktrace_loss *loss)
{
	struct viewer *v = (struct viewer *)show;
	int err = viewer_stop(v);

	if (v->stopped)
		return err ?: loss_cut(v, loss);
	err = viewer_begin(v, loss->from);
	if (v->end < loss->time)
		v->end = loss->time;
	err = err ?: ktrace_timeline_loss(v->timeline, loss, true);
	return err ?: viewer_check(v);
}

int viewer_hidden_loss(struct ktrace_output *show,
		       const struct ktrace_loss *loss)
{
	struct viewer *v = (struct viewer *)show;
	int err = viewer_stop(v);

	if (v->stopped)
		return err;
	err = timeline_make(v);
	err = err ?: ktrace_timeline_loss(v->timeline, loss, false);
	return err ?: viewer_check(v);
}

int viewer_finish(struct ktrace_output *show)
{
	struct viewer *v = (struct viewer *)show;
	int err;

	if (v->finished)
		return error_set(-EINVAL, "it is finished");
	v->finished = true;
	err = viewer_begin(v, 0);
	if (!err && !v->stopped)
		err = ktrace_timeline_finish(v->timeline);
	if (!err && v->ops->end)
		err = v->ops->end(v);
	err = err ?: output_flush(&v->output);
	return err ?: viewer_check(v);
}

/* A viewer gets all of it, once. */
int viewer_pause(struct ktrace_output *show)
{
	return output_flush(&((struct viewer *)show)->output);
}

const char *viewer_track_name(const struct ktrace_timeline_track *track)
{
	static const char *const names[KTRACE_TRACK_NR] = {
		[KTRACE_TRACK_CPU] = "interrupts",
		[KTRACE_TRACK_CALLS] = "system calls",
		[KTRACE_TRACK_RAW_CALLS] = "raw system calls",
		[KTRACE_TRACK_FUNCTIONS] = "functions",
		[KTRACE_TRACK_MARKERS] = "markers",
		[KTRACE_TRACK_REQUESTS] = "block requests",
	};

	return names[track->kind];
}

const char *viewer_category(const struct ktrace_span *span)
{
	return ktrace_span_kind_name(span->kind);
}

const char *viewer_end_text(enum ktrace_timeline_end how)
{
	switch (how) {
	case KTRACE_SLICE_LOST:
		return "may be among lost events";
	case KTRACE_SLICE_UNENDED:
		return "not recorded";
	case KTRACE_SLICE_DIED:
		return "its thread ended in it";
	case KTRACE_SLICE_OPEN:
		return "later than what is exported";
	default:
		return NULL;
	}
}
