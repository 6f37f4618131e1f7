// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A time line in the Trace Event Format of Chrome: JSON, an object for each begin and end.
 *
 *	{"displayTimeUnit":"ns","otherData":{"start":"12.000000400"},"traceEvents":[
 *	{"ph":"B","pid":7,"tid":7,"ts":0.111,"cat":"syscall","name":"read","args":{"fd":3}},…
 *
 * Times are microseconds from the first event, with three decimals: a number of nanoseconds
 * since the machine was started would not fit what JavaScript has.  Slices of a thread's other
 * tracks, and its states, are shown as threads of their own, because slices must be nested.
 * CPUs are threads of the process 0.
 *
 * These files are large, and viewers load all of them: more than a limit is refused.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/loss.h"
#include "base/table.h"
#include "viewer.h"

#define LIMIT 200000000 /* bytes */

/* Above all numbers of threads: what a row shows of the thread whose number is below. */
#define ROW	  10000000u
#define ROW_CPU	  (ROW * 10) /* of the process 0: who runs on a CPU */
#define ROW_LOST  (ROW * 11)
#define ROW_STATE (ROW * 9)

struct chrome {
	struct viewer viewer;
	struct table named; /* rows and processes; the value says nothing */
	bool any;	    /* event was written */
};

static struct output *output_of(struct chrome *c)
{
	return &c->viewer.output;
}

static void put(struct chrome *c, const char *text)
{
	output_puts(output_of(c), text);
}

static void number_put(struct chrome *c, uint64_t number)
{
	output_room(output_of(c), 64);
	output_of(c)->p = put_u64(output_of(c)->p, number);
}

static void text_put(struct chrome *c, const char *text, size_t size)
{
	json_string(output_of(c), (const uint8_t *)text, size);
}

/* ns as microseconds */
static void us_put(struct chrome *c, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03u", ns / 1000,
		 (unsigned int)(ns % 1000));
	put(c, text);
}

struct row {
	uint32_t pid, tid;
};

static void event_begin(struct chrome *c, const char *phase, struct row row)
{
	put(c, c->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	c->any = true;
	put(c, phase);
	put(c, "\",\"pid\":");
	number_put(c, row.pid);
	put(c, ",\"tid\":");
	number_put(c, row.tid);
}

static void time_put(struct chrome *c, uint64_t time)
{
	uint64_t begin = c->viewer.begin;

	put(c, ",\"ts\":");
	us_put(c, time > begin ? time - begin : 0);
}

static void name_put(struct chrome *c, const char *category, const char *name)
{
	put(c, ",\"cat\":");
	text_put(c, category, strlen(category));
	put(c, ",\"name\":");
	text_put(c, name, strlen(name));
}

/* JavaScript has no larger integers. */
#define EXACT_MAX (1ll << 53)

static void arguments_put(struct chrome *c)
{
	const struct arguments *arguments = &c->viewer.arguments;

	put(c, ",\"args\":{");
	for (uint32_t i = 0; i < arguments->nr; i++) {
		const struct argument *a = &arguments->list[i];

		put(c, i ? "," : "");
		text_put(c, a->name, strlen(a->name));
		put(c, ":");
		if (a->is_number && a->number <= EXACT_MAX &&
		    a->number >= -EXACT_MAX)
			output_write(output_of(c), a->text, a->size);
		else
			text_put(c, a->text, a->size);
	}
	put(c, "}");
}

static void argument_put(struct chrome *c, const char *name, const char *text)
{
	put(c, ",\"args\":{\"");
	put(c, name);
	put(c, "\":");
	text_put(c, text, strlen(text));
	put(c, "}");
}

static int event_end(struct chrome *c)
{
	put(c, "}");
	return output_of(c)->err;
}

/* ---- rows ----------------------------------------------------------------- */

static int meta_put(struct chrome *c, struct row row, const char *what,
		    const char *name)
{
	event_begin(c, "M", row);
	put(c, ",\"name\":\"");
	put(c, what);
	put(c, "\"");
	argument_put(c, "name", name);
	return event_end(c);
}

/* Is named once, with the first name that it has. */
static int row_name(struct chrome *c, struct row row, const char *what,
		    const char *name)
{
	bool process = !strcmp(what, "process_name");
	uint64_t id = process ? 1ull << 63 | row.pid
			      : (uint64_t)row.pid << 32 | row.tid;

	if (table_find(&c->named, id))
		return 0;
	if (table_add(&c->named, id, c))
		return error_set(-ENOMEM, "out of memory");
	return meta_put(c, row, what, name);
}

static int cpu_row(struct chrome *c, uint32_t first, uint32_t cpu,
		   const char *what, struct row *row)
{
	char name[192];
	int err;

	*row = (struct row){0, first + cpu};
	snprintf(name, sizeof(name), "CPU %u%s", cpu, what);
	err = row_name(c, (struct row){0}, "process_name", "CPUs");
	return err ?: row_name(c, *row, "thread_name", name);
}

static int thread_row(struct chrome *c,
		      const struct ktrace_timeline_thread *thread,
		      uint32_t first, const char *what, struct row *row)
{
	uint32_t tgid = thread->tgid ?: thread->tid;
	char name[128];
	int err = 0;

	*row = (struct row){tgid, first + thread->tid};
	/* Each CPU has one, and all have the number 0. */
	if (!thread->tid) {
		snprintf(name, sizeof(name), " idle %.32s", what);
		return cpu_row(c, first + ROW / 2, thread->cpu, name, row);
	}
	if (thread->tid == tgid)
		err = row_name(c, *row, "process_name", thread->comm);
	snprintf(name, sizeof(name), "%s%s%s", thread->comm, *what ? " " : "",
		 what);
	return err ?: row_name(c, *row, "thread_name", name);
}

static int track_row(struct chrome *c,
		     const struct ktrace_timeline_track *track, struct row *row)
{
	uint32_t first = ROW * track->kind;

	if (track->kind == KTRACE_TRACK_CALLS)
		return thread_row(c, track->thread, 0, "", row);
	if (track->thread)
		return thread_row(c, track->thread,
				  first + ROW_LOST * track->number,
				  viewer_track_name(track), row);
	if (track->kind == KTRACE_TRACK_CPU)
		return cpu_row(c, 1, track->number, " interrupts", row);
	*row = (struct row){0, first + track->number};
	return row_name(c, *row, "thread_name", viewer_track_name(track));
}

/* ---- events --------------------------------------------------------------- */

static int begin_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct chrome *c = data;
	struct call_view *call;
	struct row row;
	int err = track_row(c, slice->track, &row);

	if (err)
		return err;
	if (arguments_begin(&c->viewer.arguments, event, &call))
		return error_set(-ENOMEM, "out of memory");
	slice->data = call;
	event_begin(c, "B", row);
	time_put(c, slice->begin);
	name_put(c, viewer_category(slice->span), slice->span->name);
	arguments_put(c);
	return event_end(c);
}

static int end_tell(void *data, struct ktrace_timeline_slice *slice,
		    const struct ktrace_event *event)
{
	const char *why = viewer_end_text(slice->how);
	struct chrome *c = data;
	struct row row;
	int err = track_row(c, slice->track, &row);

	if (err)
		return err;
	if (event && arguments_end(&c->viewer.arguments, event, slice->data))
		return error_set(-ENOMEM, "out of memory");
	event_begin(c, "E", row);
	time_put(c, slice->end);
	if (event)
		arguments_put(c);
	else if (why)
		argument_put(c, "end", why);
	return event_end(c);
}

/* What has a begin and a length.  What began before all that is shown has no time here. */
static void complete_begin(struct chrome *c, struct row row, uint64_t begin,
			   uint64_t end, const char *category, const char *name)
{
	if (begin < c->viewer.begin)
		begin = c->viewer.begin;
	if (end < begin)
		end = begin;
	event_begin(c, "X", row);
	time_put(c, begin);
	put(c, ",\"dur\":");
	us_put(c, end - begin);
	name_put(c, category, name);
}

static int whole_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct chrome *c = data;
	struct row row;
	int err = track_row(c, slice->track, &row);

	if (err)
		return err;
	if (arguments_event(&c->viewer.arguments, event))
		return error_set(-ENOMEM, "out of memory");
	complete_begin(c, row, slice->begin, slice->end,
		       viewer_category(slice->span), slice->span->name);
	arguments_put(c);
	return event_end(c);
}

static int point_tell(void *data, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event)
{
	struct chrome *c = data;
	struct row row;
	int err = track_row(c, track, &row);

	if (err)
		return err;
	if (arguments_event(&c->viewer.arguments, event))
		return error_set(-ENOMEM, "out of memory");
	event_begin(c, "i", row);
	put(c, ",\"s\":\"t\"");
	time_put(c, event->time);
	name_put(c, event->type->system, event->type->name);
	arguments_put(c);
	return event_end(c);
}

/* An arrow begins or ends. */
static int flow_put(struct chrome *c, const char *phase, struct row row,
		    uint64_t time, uint64_t id)
{
	event_begin(c, phase, row);
	time_put(c, time);
	name_put(c, "wake", "wake");
	put(c, ",\"id\":");
	number_put(c, id);
	if (*phase == 'f')
		put(c, ",\"bp\":\"e\"");
	return event_end(c);
}

static int wake_tell(void *data, const struct ktrace_timeline_wake *wake,
		     const struct ktrace_event *event)
{
	struct chrome *c = data;
	struct row row;
	int err = point_tell(c, wake->track, event);

	err = err ?: track_row(c, wake->track, &row);
	return err ?: flow_put(c, "s", row, wake->time, wake->id);
}

static int run_tell(struct chrome *c, const struct ktrace_timeline_state *state)
{
	char name[64];
	struct row row;
	int err = cpu_row(c, ROW_CPU, state->cpu, "", &row);

	if (err)
		return err;
	snprintf(name, sizeof(name), "%s %u", state->thread->comm,
		 state->thread->tid);
	complete_begin(c, row, state->begin, state->end, "cpu", name);
	return event_end(c);
}

static int state_tell(void *data, const struct ktrace_timeline_state *state)
{
	bool runs = state->state == KTRACE_STATE_RUNNING;
	struct chrome *c = data;
	struct row row;
	int err = 0;

	/* Where nobody runs, there is nothing. */
	if (!state->thread->tid)
		return 0;
	if (runs)
		err = run_tell(c, state);
	err = err ?: thread_row(c, state->thread, ROW_STATE, "states", &row);
	if (err)
		return err;
	complete_begin(c, row, state->begin, state->end, "state",
		       ktrace_timeline_state_name(state->state));
	err = event_end(c);
	if (!err && runs && state->wake)
		err = flow_put(c, "f", row, state->begin, state->wake);
	return err;
}

static int loss_tell(void *data, const struct ktrace_loss *loss)
{
	const char *cause = loss_cause(loss->cause);
	struct chrome *c = data;
	struct row row;
	int err = cpu_row(c, ROW_LOST, loss->cpu, " losses", &row);

	if (err)
		return err;
	complete_begin(c, row, loss->from, loss->time, "lost",
		       loss_is_event(loss->cause) ? "events lost"
						  : "task records lost");
	put(c, ",\"args\":{\"count\":");
	number_put(c, loss->count);
	put(c, ",\"cause\":");
	text_put(c, cause, strlen(cause));
	put(c, "}");
	return event_end(c);
}

static void data_free(void *data, void *theirs)
{
	arguments_call_free(theirs);
}

/* ---- the output ----------------------------------------------------------- */

static int chrome_begin(struct viewer *viewer)
{
	struct chrome *c = (struct chrome *)viewer;

	put(c, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"start\":\"");
	output_room(output_of(c), 64);
	output_of(c)->p = put_time(output_of(c)->p, viewer->begin);
	put(c, "\"},\"traceEvents\":[");
	return output_of(c)->err;
}

static int chrome_end(struct viewer *viewer)
{
	struct chrome *c = (struct chrome *)viewer;

	put(c, "\n]}\n");
	return output_of(c)->err;
}

static const struct viewer_ops chrome_ops = {
	.calls.state = state_tell,
	.calls.begin = begin_tell,
	.calls.end = end_tell,
	.calls.whole = whole_tell,
	.calls.wake = wake_tell,
	.calls.point = point_tell,
	.calls.loss = loss_tell,
	.calls.gone = data_free,
	.begin = chrome_begin,
	.end = chrome_end,
	.limit = LIMIT,
};

static int chrome_open(struct ktrace_output *show)
{
	return viewer_open(show, &chrome_ops);
}

static void chrome_release(struct ktrace_output *show)
{
	struct chrome *c = (struct chrome *)show;

	viewer_close(&c->viewer);
	table_free(&c->named);
}

const struct show_ops show_chrome = {
	.kind.name = "chrome",
	.kind.what = "a time line in JSON, for chrome://tracing and others",
	.kind.file = true,
	.kind.hidden = true,
	.size = sizeof(struct chrome),
	.open = chrome_open,
	.event = viewer_event,
	.hidden = viewer_hidden,
	.hidden_loss = viewer_hidden_loss,
	.loss = viewer_loss,
	.finish = viewer_finish,
	.pause = viewer_pause,
	.release = chrome_release,
};
