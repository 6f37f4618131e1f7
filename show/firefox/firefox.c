// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A profile for https://profiler.firefox.com, in its "processed" format
 * (docs-developer/processed-profile-format.md and CHANGELOG-formats.md of firefox-devtools/profiler;
 * version 48, which the profiler brings up to date).
 *
 * Each thread has markers: its calls, functions, markers and other events, with their arguments, and
 * with their stacks as what has caused them.  What belongs to CPUs and not to threads (interrupts,
 * requests, losses) is in a thread "CPUs".  Samples are those of ktrace record -F -g; without them,
 * each time that a thread ran is one.
 *
 * All of a profile is in memory until the end (lane.h).  More than a limit is refused.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loss.h"
#include "fold_path.h"
#include "lane.h"
#include "stack.h"
#include "viewer.h"

#define LIMIT 200000000 /* bytes */

struct firefox {
	struct viewer viewer;
	struct lanes lanes;
	struct fold_paths paths; /* of stacks */
	bool sampled; /* one with a stack has come; else each time that a thread ran is a sample */
};

/* Memory does not grow without a limit, whatever comes. */
static int size_check(const struct firefox *f)
{
	if (f->lanes.failed)
		return error_set(-ENOMEM, "out of memory");
	return viewer_limit(&f->viewer, f->lanes.size);
}

static void element_time(struct firefox *f, struct lane *lane,
			 enum lane_column column, uint64_t time)
{
	lane_time(&f->lanes, lane, column,
		  time > f->viewer.begin ? time - f->viewer.begin : 0);
}

static struct lane *lane_of(struct firefox *f,
			    const struct ktrace_timeline_track *track)
{
	return track->thread ? lane_of_thread(&f->lanes, track->thread)
			     : lane_of_cpus(&f->lanes);
}

/* ---- stacks --------------------------------------------------------------- */

/* The stack that has these frames above @below. */
static int path_number(struct firefox *f, struct lane *lane, uint32_t id,
		       uint32_t *below)
{
	const struct fold_path *path;
	int err = fold_paths_stack(&f->paths, f->viewer.show.trace, id,
				   f->viewer.show.frames | FRAME_NAME, &path);

	for (uint32_t i = 0; !err && i < path->nr; i++) {
		const char *name = f->paths.name[path->frames[i]];

		*below =
			lane_stack(&f->lanes, lane, *below, name, strlen(name));
	}
	return err;
}

/* The stack of a thread of which nothing else is known. */
static uint32_t thread_number(struct firefox *f, struct lane *lane,
			      const char *comm)
{
	return lane_stack(&f->lanes, lane, LANE_NO_STACK, comm,
			  strnlen(comm, 16));
}

/*
 * Sets *@number to the event's stack, the program's name outermost, as where stacks are merged;
 * LANE_NO_STACK: it has none.  The program has called the kernel.
 */
static int event_stack(struct firefox *f, struct lane *lane,
		       const struct ktrace_event *event, uint32_t *number)
{
	const struct ktrace *trace = f->viewer.show.trace;
	struct ktrace_stack kernel, user;
	bool in_kernel = ktrace_event_stack(trace, event, &kernel);
	bool in_user = ktrace_event_user_stack(trace, event, &user);
	int err = 0;

	*number = LANE_NO_STACK;
	if (!in_kernel && !in_user)
		return 0;
	*number = thread_number(f, lane, event->comm);
	if (in_user)
		err = path_number(f, lane, user.id, number);
	if (!err && in_kernel)
		err = path_number(f, lane, kernel.id, number);
	return err;
}

/* ---- samples -------------------------------------------------------------- */

/* Readers need them in the order of their times. */
static void sample_time(struct firefox *f, struct lane *lane, uint64_t time)
{
	if (time < lane->last)
		time = lane->last;
	lane->last = time;
	element_time(f, lane, SAMPLE_TIME, time);
}

static int sample_put(struct firefox *f, struct ktrace_timeline_thread *thread,
		      const struct ktrace_event *event)
{
	struct lane *lane = lane_of_thread(&f->lanes, thread);
	uint32_t stack;

	/* The times that threads ran are not needed. */
	if (!f->sampled)
		lanes_samples_clear(&f->lanes);
	f->sampled = true;
	if (!lane || event_stack(f, lane, event, &stack))
		return error_set(-ENOMEM, "out of memory");
	if (stack == LANE_NO_STACK)
		stack = thread_number(f, lane, event->comm);
	lane_print(&f->lanes, lane, SAMPLE_STACK, "%u", stack);
	sample_time(f, lane, event->time);
	lane_add(&f->lanes, lane, SAMPLE_WEIGHT, "1", 1);
	return size_check(f);
}

/* A time that the thread ran. */
static int state_tell(void *data, const struct ktrace_timeline_state *state)
{
	uint64_t ns = state->end - state->begin;
	struct firefox *f = data;
	struct lane *lane;
	uint32_t stack;

	if (state->state != KTRACE_STATE_RUNNING || !state->thread->tid)
		return 0;
	lane = lane_of_thread(&f->lanes, state->thread);
	if (!lane)
		return error_set(-ENOMEM, "out of memory");
	/* A thread that ran is there, even if no sample met it. */
	if (f->sampled)
		return size_check(f);
	stack = thread_number(f, lane, state->thread->comm);
	lane_print(&f->lanes, lane, SAMPLE_STACK, "%u", stack);
	sample_time(f, lane, state->end);
	lane_time(&f->lanes, lane, SAMPLE_WEIGHT, ns);
	lane_print(&f->lanes, lane, SAMPLE_CPU, "%" PRIu64 ".%03u", ns / 1000,
		   (unsigned int)(ns % 1000));
	return size_check(f);
}

/* ---- markers -------------------------------------------------------------- */

/* The categories of meta. */
enum category {
	CATEGORY_OTHER,
	CATEGORY_CALL,
	CATEGORY_FUNCTION,
	CATEGORY_INTERRUPT,
	CATEGORY_LOST,
};

static enum category category_of(const struct ktrace_span *span)
{
	switch (span->kind) {
	case KTRACE_SPAN_SYSCALL:
		return CATEGORY_CALL;
	case KTRACE_SPAN_FUNCTION:
		return CATEGORY_FUNCTION;
	case KTRACE_SPAN_IRQ:
	case KTRACE_SPAN_SOFTIRQ:
		return CATEGORY_INTERRUPT;
	default:
		return CATEGORY_OTHER;
	}
}

/* What an open slice needs at its end. */
struct marker {
	struct call_view *call;
	uint32_t stack; /* LANE_NO_STACK: it has none */
	enum category category;
	char name[64]; /* no span has a longer one */
	size_t size;   /* of the arguments */
	char text[];
};

/* Adds "fd=3, count=4096" to the text, which is JSON when it is quoted. */
static void arguments_join(struct firefox *f)
{
	const struct arguments *arguments = &f->viewer.arguments;

	for (uint32_t i = 0; i < arguments->nr; i++) {
		const struct argument *a = &arguments->list[i];

		if (f->lanes.text.size)
			lanes_text_add(&f->lanes, ", ", 2);
		lanes_text_add(&f->lanes, a->name, strlen(a->name));
		lanes_text_add(&f->lanes, "=", 1);
		lanes_text_add(&f->lanes, a->text, a->size);
	}
}

/* {"type":"ktrace","what":"...","cause":{"stack":3}}, of what is in the text. */
static void data_put(struct firefox *f, struct lane *lane, uint32_t stack)
{
	static const char head[] = "{\"type\":\"ktrace\",\"what\":";
	struct output *scratch = &f->lanes.scratch;
	struct column *text = &f->lanes.text;
	size_t size = text->size;
	char *copy = malloc(size + 1);
	char cause[64] = "";

	if (!copy) {
		f->lanes.failed = true;
		return;
	}
	if (size)
		memcpy(copy, text->text, size);
	text->size = 0;
	output_write(scratch, head, sizeof(head) - 1);
	json_string(scratch, (const uint8_t *)copy, size);
	if (stack != LANE_NO_STACK)
		snprintf(cause, sizeof(cause), ",\"cause\":{\"stack\":%u}",
			 stack);
	output_puts(scratch, cause);
	output_puts(scratch, "}");
	output_flush(scratch);
	lane_add(&f->lanes, lane, MARKER_DATA, text->text, text->size);
	text->size = 0;
	free(copy);
}

/* Its arguments are in the text.  @end 0: it has no length. */
static int marker_put(struct firefox *f, struct lane *lane, const char *name,
		      enum category category, uint32_t stack, uint64_t begin,
		      uint64_t end)
{
	uint32_t number;

	if (!lane)
		return error_set(-ENOMEM, "out of memory");
	data_put(f, lane, stack);
	number = lane_text(&f->lanes, lane, name, strlen(name));
	lane_print(&f->lanes, lane, MARKER_NAME, "%u", number);
	element_time(f, lane, MARKER_BEGIN, begin);
	if (end)
		element_time(f, lane, MARKER_END, end);
	else
		lane_add(&f->lanes, lane, MARKER_END, "null", 4);
	/* Instant, and Interval. */
	lane_print(&f->lanes, lane, MARKER_PHASE, "%d", !!end);
	lane_print(&f->lanes, lane, MARKER_CATEGORY, "%d", category);
	f->lanes.text.size = 0;
	return size_check(f);
}

/* A marker with the arguments and the stack of one event. */
static int event_put(struct firefox *f, struct lane *lane, const char *name,
		     enum category category, uint64_t begin, uint64_t end,
		     const struct ktrace_event *event)
{
	uint32_t stack;

	if (!lane || event_stack(f, lane, event, &stack) ||
	    arguments_event(&f->viewer.arguments, event))
		return error_set(-ENOMEM, "out of memory");
	f->lanes.text.size = 0;
	arguments_join(f);
	return marker_put(f, lane, name, category, stack, begin, end);
}

static int begin_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct firefox *f = data;
	struct lane *lane = lane_of(f, slice->track);
	struct marker *marker;
	struct call_view *call;
	uint32_t stack;

	if (!lane || event_stack(f, lane, event, &stack) ||
	    arguments_begin(&f->viewer.arguments, event, &call))
		return error_set(-ENOMEM, "out of memory");
	f->lanes.text.size = 0;
	arguments_join(f);
	marker = malloc(sizeof(*marker) + f->lanes.text.size);
	if (!marker) {
		arguments_call_free(call);
		return error_set(-ENOMEM, "out of memory");
	}
	slice->data = marker;
	marker->call = call;
	marker->stack = stack;
	marker->category = category_of(slice->span);
	marker->size = f->lanes.text.size;
	snprintf(marker->name, sizeof(marker->name), "%s", slice->span->name);
	if (marker->size)
		memcpy(marker->text, f->lanes.text.text, marker->size);
	return 0;
}

static int end_tell(void *data, struct ktrace_timeline_slice *slice,
		    const struct ktrace_event *event)
{
	const char *why = viewer_end_text(slice->how);
	struct marker *marker = slice->data;
	struct firefox *f = data;

	f->lanes.text.size = 0;
	lanes_text_add(&f->lanes, marker->text, marker->size);
	if (event) {
		if (arguments_end(&f->viewer.arguments, event, marker->call))
			return error_set(-ENOMEM, "out of memory");
		arguments_join(f);
	} else if (why) {
		lanes_text_add(&f->lanes, " end: ", 6);
		lanes_text_add(&f->lanes, why, strlen(why));
	}
	return marker_put(f, lane_of(f, slice->track), marker->name,
			  marker->category, marker->stack, slice->begin,
			  slice->end);
}

static int whole_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct firefox *f = data;

	return event_put(f, lane_of(f, slice->track), slice->span->name,
			 category_of(slice->span), slice->begin, slice->end,
			 event);
}

/* A trace may have several types of it, and a part of a trace may have none of these events. */
static bool is_sample(const struct ktrace_type *type)
{
	return !type->marker && !strcmp(type->system, "profile") &&
	       !strcmp(type->name, "sample") && ktrace_type_stacks(type);
}

static int point_tell(void *data, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event)
{
	struct firefox *f = data;

	if (track->thread && is_sample(event->type))
		return sample_put(f, track->thread, event);
	return event_put(f, lane_of(f, track), event->type->name,
			 CATEGORY_OTHER, event->time, 0, event);
}

static int wake_tell(void *data, const struct ktrace_timeline_wake *wake,
		     const struct ktrace_event *event)
{
	return point_tell(data, wake->track, event);
}

static int loss_tell(void *data, const struct ktrace_loss *loss)
{
	struct firefox *f = data;
	char text[128];

	snprintf(text, sizeof(text), "cpu=%u, count=%" PRIu64 ", cause=%s",
		 loss->cpu, loss->count, loss_cause(loss->cause));
	f->lanes.text.size = 0;
	lanes_text_add(&f->lanes, text, strlen(text));
	return marker_put(f, lane_of_cpus(&f->lanes),
			  loss_is_event(loss->cause) ? "events lost"
						     : "task records lost",
			  CATEGORY_LOST, LANE_NO_STACK, loss->from,
			  loss->time < loss->from ? loss->from : loss->time);
}

static void data_free(void *data, void *theirs)
{
	struct marker *marker = theirs;

	arguments_call_free(marker->call);
	free(marker);
}

/* ---- the profile ---------------------------------------------------------- */

static void put(struct firefox *f, const char *text)
{
	output_puts(&f->viewer.output, text);
}

static void number_put(struct firefox *f, uint64_t number)
{
	output_room(&f->viewer.output, 64);
	f->viewer.output.p = put_u64(f->viewer.output.p, number);
}

/* CLOCK_REALTIME of the first event, from the points at which both clocks were read: ms. */
static uint64_t start_of(const struct firefox *f)
{
	return f->viewer.begin ? ktrace_wall_time(f->viewer.show.trace,
						  f->viewer.begin) /
					 1000000
			       : 0;
}

static void meta_put(struct firefox *f)
{
	put(f, "{\"meta\":{\"interval\":1,\"startTime\":");
	number_put(f, start_of(f));
	put(f,
	    ",\"processType\":0,\"product\":\"ktrace\",\"stackwalk\":1,"
	    "\"debug\":false,\"version\":30,"
	    "\"preprocessedProfileVersion\":48,\"presymbolicated\":true,"
	    "\"symbolicated\":true,\"platform\":\"Linux\",\"oscpu\":\"Linux\","
	    "\n\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
	    "\"threadCPUDelta\":\"\\u00b5s\"},\n\"categories\":["
	    "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	    "{\"name\":\"System call\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
	    "{\"name\":\"Function\",\"color\":\"green\",\"subcategories\":[\"Other\"]},"
	    "{\"name\":\"Interrupt\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
	    "{\"name\":\"Lost events\",\"color\":\"red\",\"subcategories\":[\"Other\"]}],"
	    "\n\"markerSchema\":[{\"name\":\"ktrace\",\"display\":[\"marker-chart\","
	    "\"marker-table\",\"timeline-overview\"],"
	    "\"tooltipLabel\":\"{marker.name}\","
	    "\"tableLabel\":\"{marker.name} {marker.data.what}\","
	    "\"chartLabel\":\"{marker.name}\","
	    "\"data\":[{\"key\":\"what\",\"label\":\"What\","
	    "\"format\":\"string\",\"searchable\":true}]}]},\n");
}

static int firefox_end(struct viewer *viewer)
{
	struct firefox *f = (struct firefox *)viewer;

	meta_put(f);
	put(f, "\"libs\":[],\"pages\":[],\"counters\":[],"
	       "\"profilerOverhead\":[],\n\"threads\":[");
	for (const struct lane *lane = f->lanes.first; lane;
	     lane = lane->next) {
		put(f, lane == f->lanes.first ? "\n" : ",\n");
		lane_put(&f->viewer.output, lane,
			 f->sampled ? "samples" : "tracing-ms");
	}
	put(f, "]}\n");
	return f->viewer.output.err;
}

static const struct viewer_ops firefox_ops = {
	.calls.state = state_tell,
	.calls.begin = begin_tell,
	.calls.end = end_tell,
	.calls.whole = whole_tell,
	.calls.wake = wake_tell,
	.calls.point = point_tell,
	.calls.loss = loss_tell,
	.calls.gone = data_free,
	.end = firefox_end,
	.limit = LIMIT,
};

static int firefox_open(struct ktrace_output *show)
{
	struct firefox *f = (struct firefox *)show;

	if (lanes_init(&f->lanes) || fold_paths_init(&f->paths))
		return error_set(-ENOMEM, "out of memory");
	return viewer_open(show, &firefox_ops);
}

static void firefox_release(struct ktrace_output *show)
{
	struct firefox *f = (struct firefox *)show;

	viewer_close(&f->viewer);
	lanes_free(&f->lanes);
	fold_paths_free(&f->paths);
}

const struct show_ops show_firefox = {
	.kind.name = "firefox",
	.kind.what = "a profile for https://profiler.firefox.com",
	.kind.file = true,
	.kind.hidden = true,
	.size = sizeof(struct firefox),
	.open = firefox_open,
	.event = viewer_event,
	.hidden = viewer_hidden,
	.hidden_loss = viewer_hidden_loss,
	.loss = viewer_loss,
	.finish = viewer_finish,
	.pause = viewer_pause,
	.release = firefox_release,
};
