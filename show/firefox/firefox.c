// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A profile for https://profiler.firefox.com, in its "processed" format
 * (docs-developer/processed-profile-format.md and CHANGELOG-formats.md of firefox-devtools/profiler;
 * version 48, which the profiler brings up to date).
 *
 * Each thread has markers (its calls, functions, markers and other events, with their arguments), and
 * a sample for each time that it ran.  What belongs to CPUs and
 * not to threads (interrupts, requests, losses) is in a thread "CPUs".
 *
 * The format has a column for each value of a thread, one after another, so all of it is in memory
 * until the end.  More than a limit is refused.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loss.h"
#include "base/table.h"
#include "viewer.h"

#define LIMIT 200000000 /* bytes */

/* What a thread takes at least in the file: the names of its tables. */
#define LANE_TEXT 1000

enum column {
	MARKER_NAME,
	MARKER_BEGIN,
	MARKER_END,
	MARKER_PHASE,
	MARKER_CATEGORY,
	MARKER_DATA,
	SAMPLE_STACK,
	SAMPLE_TIME,
	SAMPLE_WEIGHT,
	SAMPLE_CPU,
	STACK_FRAME,
	STACK_PREFIX,
	FUNCTION_NAME,
	TEXTS,
	COLUMNS_NR,
};

/* A column: the elements of a JSON array. */
struct column_text {
	char *text;
	size_t size, room;
	uint32_t nr;
};

/* A text of a thread, or a frame below a stack. */
struct known {
	const uint32_t *of; /* which: lane->texts or lane->stacks */
	uint32_t number;
	uint32_t prefix;
	size_t size;
	char text[];
};

struct lane {
	struct lane *next;
	uint32_t tid, tgid;
	char comm[64];
	uint32_t texts, stacks; /* how many there are */
	uint64_t last;		/* time of the last sample */
	struct column_text columns[COLUMNS_NR];
};

struct firefox {
	struct viewer viewer;
	struct lane *lanes, *last, *cpus;
	struct table threads; /* lanes, by the thread's id */
	/* struct known of all lanes, by hash: most lanes have few, and a table is large. */
	struct table known;
	uint64_t factor;       /* nobody can choose texts that have one hash */
	struct output scratch; /* into @text */
	struct column_text text;
	size_t size; /* of all columns */
	bool failed; /* there was no memory */
};

/* Memory does not grow without a limit, whatever comes. */
static int size_check(const struct firefox *f)
{
	if (f->failed)
		return error_set(-ENOMEM, "out of memory");
	return viewer_limit(&f->viewer, f->size);
}

/* ---- columns -------------------------------------------------------------- */

static void text_add(struct firefox *f, struct column_text *c, const char *text,
		     size_t size)
{
	if (c->room - c->size < size) {
		size_t room = c->size * 2 + size + 32;
		char *more = realloc(c->text, room);

		if (!more) {
			f->failed = true;
			return;
		}
		c->text = more;
		c->room = room;
	}
	memcpy(c->text + c->size, text, size);
	c->size += size;
	f->size += size;
}

/* The next element. */
static void element(struct firefox *f, struct lane *lane, enum column column,
		    const char *text, size_t size)
{
	struct column_text *c = &lane->columns[column];

	if (c->nr++)
		text_add(f, c, ",", 1);
	text_add(f, c, text, size);
}

static void __attribute__((format(printf, 4, 5)))
element_print(struct firefox *f, struct lane *lane, enum column column,
	      const char *format, ...)
{
	char text[64];
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	element(f, lane, column, text, n);
}

/* ns as milliseconds from the first event */
static void element_time(struct firefox *f, struct lane *lane,
			 enum column column, uint64_t time)
{
	uint64_t ns = time > f->viewer.begin ? time - f->viewer.begin : 0;

	element_print(f, lane, column, "%" PRIu64 ".%06u", ns / 1000000,
		      (unsigned int)(ns % 1000000));
}

static int scratch_write(void *data, const char *text, size_t size)
{
	struct firefox *f = data;

	text_add(f, &f->text, text, size);
	f->size -= size;
	return f->failed ? -ENOMEM : 0;
}

static const struct known *known_find(const struct firefox *f,
				      const uint32_t *of, uint64_t hash,
				      const char *text, size_t size,
				      uint32_t prefix)
{
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&f->known, hash, slot))) {
		const struct known *known = slot->value;

		if (known->of == of && known->prefix == prefix &&
		    known->size == size && !memcmp(known->text, text, size))
			return known;
	}
	return NULL;
}

/* *@fresh: it was not known; its number is the next one. */
static uint32_t known_get(struct firefox *f, uint32_t *of, const char *text,
			  size_t size, uint32_t prefix, bool *fresh)
{
	uint64_t hash = table_mix(table_hash_secret(text, size, f->factor),
				  prefix ^ (uintptr_t)of, f->factor);
	const struct known *old = known_find(f, of, hash, text, size, prefix);
	struct known *known;

	*fresh = !old;
	if (old)
		return old->number;
	known = malloc(sizeof(*known) + size);
	if (!known || table_add(&f->known, hash, known)) {
		free(known);
		f->failed = true;
		return 0;
	}
	known->of = of;
	known->number = (*of)++;
	known->prefix = prefix;
	known->size = size;
	memcpy(known->text, text, size);
	f->size += sizeof(*known) + size;
	return known->number;
}

/* A string of the thread, by its number. */
static uint32_t text_number(struct firefox *f, struct lane *lane,
			    const char *text, size_t size)
{
	bool fresh;
	uint32_t number = known_get(f, &lane->texts, text, size, 0, &fresh);

	if (!fresh || f->failed)
		return number;
	output_flush(&f->scratch);
	f->text.size = 0;
	json_string(&f->scratch, (const uint8_t *)text, size);
	output_flush(&f->scratch);
	element(f, lane, TEXTS, f->text.text, f->text.size);
	return number;
}

/* ---- threads -------------------------------------------------------------- */

static struct lane *lane_create(struct firefox *f, uint32_t tid, uint32_t tgid,
				const char *name)
{
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane) {
		f->failed = true;
		return NULL;
	}
	lane->tid = tid;
	lane->tgid = tgid;
	snprintf(lane->comm, sizeof(lane->comm), "%s", name);
	if (f->last)
		f->last->next = lane;
	else
		f->lanes = lane;
	f->last = lane;
	f->size += sizeof(*lane) + LANE_TEXT;
	return lane;
}

static struct lane *lane_of_thread(struct firefox *f,
				   struct ktrace_timeline_thread *thread)
{
	struct lane *lane = table_find(&f->threads, thread->id);

	if (lane)
		return lane;
	lane = lane_create(f, thread->tid, thread->tgid ?: thread->tid,
			   thread->comm);
	if (lane && table_add(&f->threads, thread->id, lane))
		f->failed = true;
	return lane;
}

static struct lane *lane_of_cpus(struct firefox *f)
{
	if (!f->cpus)
		f->cpus = lane_create(f, 0, 0, "CPUs");
	return f->cpus;
}

static struct lane *lane_of(struct firefox *f,
			    const struct ktrace_timeline_track *track)
{
	return track->thread ? lane_of_thread(f, track->thread)
			     : lane_of_cpus(f);
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
	enum category category;
	char name[64]; /* no span has a longer one */
	size_t size;   /* of the arguments */
	char text[];
};

/* Adds "fd=3, count=4096" to f->text, which is JSON when it is quoted. */
static void arguments_join(struct firefox *f)
{
	const struct arguments *arguments = &f->viewer.arguments;

	for (uint32_t i = 0; i < arguments->nr; i++) {
		const struct argument *a = &arguments->list[i];

		if (f->text.size)
			scratch_write(f, ", ", 2);
		scratch_write(f, a->name, strlen(a->name));
		scratch_write(f, "=", 1);
		scratch_write(f, a->text, a->size);
	}
}

/* {"type":"ktrace","what":"..."}, of what is in f->text. */
static void data_put(struct firefox *f, struct lane *lane)
{
	static const char head[] = "{\"type\":\"ktrace\",\"what\":";
	size_t size = f->text.size;
	char *copy = malloc(size + 1);

	if (!copy) {
		f->failed = true;
		return;
	}
	if (size)
		memcpy(copy, f->text.text, size);
	f->text.size = 0;
	output_write(&f->scratch, head, sizeof(head) - 1);
	json_string(&f->scratch, (const uint8_t *)copy, size);
	output_write(&f->scratch, "}", 1);
	output_flush(&f->scratch);
	element(f, lane, MARKER_DATA, f->text.text, f->text.size);
	f->text.size = 0;
	free(copy);
}

/* Its data is in f->text.  @end 0: it has no length. */
static int marker_put(struct firefox *f, struct lane *lane, const char *name,
		      enum category category, uint64_t begin, uint64_t end)
{
	uint32_t number;

	if (!lane)
		return error_set(-ENOMEM, "out of memory");
	data_put(f, lane);
	number = text_number(f, lane, name, strlen(name));
	element_print(f, lane, MARKER_NAME, "%u", number);
	element_time(f, lane, MARKER_BEGIN, begin);
	if (end)
		element_time(f, lane, MARKER_END, end);
	else
		element(f, lane, MARKER_END, "null", 4);
	/* Instant, and Interval. */
	element_print(f, lane, MARKER_PHASE, "%d", !!end);
	element_print(f, lane, MARKER_CATEGORY, "%d", category);
	f->text.size = 0;
	return size_check(f);
}

static int begin_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct firefox *f = data;
	struct marker *marker;
	struct call_view *call;

	if (arguments_begin(&f->viewer.arguments, event, &call))
		return error_set(-ENOMEM, "out of memory");
	f->text.size = 0;
	arguments_join(f);
	marker = malloc(sizeof(*marker) + f->text.size);
	if (!marker) {
		arguments_call_free(call);
		return error_set(-ENOMEM, "out of memory");
	}
	slice->data = marker;
	marker->call = call;
	marker->category = category_of(slice->span);
	marker->size = f->text.size;
	snprintf(marker->name, sizeof(marker->name), "%s", slice->span->name);
	if (marker->size)
		memcpy(marker->text, f->text.text, marker->size);
	return 0;
}

static int end_tell(void *data, struct ktrace_timeline_slice *slice,
		    const struct ktrace_event *event)
{
	const char *why = viewer_end_text(slice->how);
	struct marker *marker = slice->data;
	struct firefox *f = data;

	f->text.size = 0;
	scratch_write(f, marker->text, marker->size);
	if (event) {
		if (arguments_end(&f->viewer.arguments, event, marker->call))
			return error_set(-ENOMEM, "out of memory");
		arguments_join(f);
	} else if (why) {
		scratch_write(f, " end: ", 6);
		scratch_write(f, why, strlen(why));
	}
	return marker_put(f, lane_of(f, slice->track), marker->name,
			  marker->category, slice->begin, slice->end);
}

static int whole_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct firefox *f = data;

	if (arguments_event(&f->viewer.arguments, event))
		return error_set(-ENOMEM, "out of memory");
	f->text.size = 0;
	arguments_join(f);
	return marker_put(f, lane_of(f, slice->track), slice->span->name,
			  category_of(slice->span), slice->begin, slice->end);
}

static int point_tell(void *data, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event)
{
	struct firefox *f = data;

	if (arguments_event(&f->viewer.arguments, event))
		return error_set(-ENOMEM, "out of memory");
	f->text.size = 0;
	arguments_join(f);
	return marker_put(f, lane_of(f, track), event->type->name,
			  CATEGORY_OTHER, event->time, 0);
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
	f->text.size = 0;
	scratch_write(f, text, strlen(text));
	return marker_put(f, lane_of_cpus(f),
			  loss_is_event(loss->cause) ? "events lost"
						     : "task records lost",
			  CATEGORY_LOST, loss->from,
			  loss->time < loss->from ? loss->from : loss->time);
}

/* ---- samples -------------------------------------------------------------- */

#define NO_PREFIX UINT32_MAX

/* The stack of a function below another stack, by its number. */
static uint32_t stack_number(struct firefox *f, struct lane *lane,
			     uint32_t prefix, const char *name, size_t size)
{
	bool fresh;
	uint32_t number =
		known_get(f, &lane->stacks, name, size, prefix, &fresh);
	uint32_t text;

	if (!fresh || f->failed)
		return number;
	text = text_number(f, lane, name, size);
	element_print(f, lane, FUNCTION_NAME, "%u", text);
	element_print(f, lane, STACK_FRAME, "%u", number);
	if (prefix == NO_PREFIX)
		element(f, lane, STACK_PREFIX, "null", 4);
	else
		element_print(f, lane, STACK_PREFIX, "%u", prefix);
	return number;
}

/* A time that the thread ran. */
static int state_tell(void *data, const struct ktrace_timeline_state *state)
{
	uint64_t ns = state->end - state->begin, end = state->end;
	struct firefox *f = data;
	struct lane *lane;
	uint32_t stack;

	if (state->state != KTRACE_STATE_RUNNING || !state->thread->tid)
		return 0;
	lane = lane_of_thread(f, state->thread);
	if (!lane)
		return error_set(-ENOMEM, "out of memory");
	stack = stack_number(f, lane, NO_PREFIX, state->thread->comm,
			     strlen(state->thread->comm));
	if (end < lane->last)
		end = lane->last;
	lane->last = end;
	element_print(f, lane, SAMPLE_STACK, "%u", stack);
	element_time(f, lane, SAMPLE_TIME, end);
	element_print(f, lane, SAMPLE_WEIGHT, "%" PRIu64 ".%06u", ns / 1000000,
		      (unsigned int)(ns % 1000000));
	element_print(f, lane, SAMPLE_CPU, "%" PRIu64 ".%03u", ns / 1000,
		      (unsigned int)(ns % 1000));
	return size_check(f);
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

static void text_put(struct firefox *f, const char *text)
{
	json_string(&f->viewer.output, (const uint8_t *)text, strlen(text));
}

static void number_put(struct firefox *f, uint64_t number)
{
	output_room(&f->viewer.output, 64);
	f->viewer.output.p = put_u64(f->viewer.output.p, number);
}

/* "name":[...] */
static void column_put(struct firefox *f, const char *name,
		       const struct column_text *column)
{
	put(f, "\"");
	put(f, name);
	put(f, "\":[");
	output_write(&f->viewer.output, column->text, column->size);
	put(f, "],");
}

/* A column of the same value, so often. */
static void constant_put(struct firefox *f, const char *name, const char *value,
			 uint32_t nr)
{
	put(f, "\"");
	put(f, name);
	put(f, "\":[");
	for (uint32_t i = 0; i < nr; i++) {
		put(f, i ? "," : "");
		put(f, value);
	}
	put(f, "],");
}

static void length_put(struct firefox *f, uint32_t nr)
{
	put(f, "\"length\":");
	number_put(f, nr);
	put(f, "}");
}

static void samples_put(struct firefox *f, const struct column_text *columns)
{
	put(f, ",\n\"samples\":{\"weightType\":\"tracing-ms\",");
	column_put(f, "stack", &columns[SAMPLE_STACK]);
	column_put(f, "time", &columns[SAMPLE_TIME]);
	column_put(f, "weight", &columns[SAMPLE_WEIGHT]);
	column_put(f, "threadCPUDelta", &columns[SAMPLE_CPU]);
	length_put(f, columns[SAMPLE_TIME].nr);
}

static void markers_put(struct firefox *f, const struct column_text *columns)
{
	put(f, ",\n\"markers\":{");
	column_put(f, "name", &columns[MARKER_NAME]);
	column_put(f, "startTime", &columns[MARKER_BEGIN]);
	column_put(f, "endTime", &columns[MARKER_END]);
	column_put(f, "phase", &columns[MARKER_PHASE]);
	column_put(f, "category", &columns[MARKER_CATEGORY]);
	column_put(f, "data", &columns[MARKER_DATA]);
	length_put(f, columns[MARKER_NAME].nr);
}

/* Each stack has a frame and a function of its own, with its number. */
static void stacks_put(struct firefox *f, const struct column_text *columns)
{
	uint32_t nr = columns[STACK_FRAME].nr;

	put(f, ",\n\"stackTable\":{");
	column_put(f, "frame", &columns[STACK_FRAME]);
	column_put(f, "prefix", &columns[STACK_PREFIX]);
	constant_put(f, "category", "0", nr);
	constant_put(f, "subcategory", "0", nr);
	length_put(f, nr);
	put(f, ",\n\"frameTable\":{");
	column_put(f, "func", &columns[STACK_FRAME]);
	constant_put(f, "address", "-1", nr);
	constant_put(f, "inlineDepth", "0", nr);
	constant_put(f, "category", "0", nr);
	constant_put(f, "subcategory", "0", nr);
	constant_put(f, "nativeSymbol", "null", nr);
	constant_put(f, "innerWindowID", "null", nr);
	constant_put(f, "implementation", "null", nr);
	constant_put(f, "line", "null", nr);
	constant_put(f, "column", "null", nr);
	length_put(f, nr);
	put(f, ",\n\"funcTable\":{");
	column_put(f, "name", &columns[FUNCTION_NAME]);
	constant_put(f, "isJS", "false", nr);
	constant_put(f, "relevantForJS", "false", nr);
	constant_put(f, "resource", "-1", nr);
	constant_put(f, "fileName", "null", nr);
	constant_put(f, "lineNumber", "null", nr);
	constant_put(f, "columnNumber", "null", nr);
	length_put(f, nr);
}

static void lane_put(struct firefox *f, const struct lane *lane)
{
	put(f, "{\"processType\":\"default\",\"processStartupTime\":0,"
	       "\"processShutdownTime\":null,\"registerTime\":0,"
	       "\"unregisterTime\":null,\"pausedRanges\":[],"
	       "\"showMarkersInTimeline\":true,\"isMainThread\":");
	put(f, lane->tid == lane->tgid ? "true" : "false");
	put(f, ",\"name\":");
	text_put(f, lane->comm);
	put(f, ",\"processName\":");
	text_put(f, lane->comm);
	put(f, ",\"pid\":\"");
	number_put(f, lane->tgid);
	put(f, "\",\"tid\":");
	number_put(f, lane->tid);
	samples_put(f, lane->columns);
	markers_put(f, lane->columns);
	stacks_put(f, lane->columns);
	put(f, ",\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],"
	       "\"type\":[],\"length\":0},\"nativeSymbols\":{\"libIndex\":[],"
	       "\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},"
	       "\n\"stringArray\":[");
	output_write(&f->viewer.output, lane->columns[TEXTS].text,
		     lane->columns[TEXTS].size);
	put(f, "]}");
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
	for (const struct lane *lane = f->lanes; lane; lane = lane->next) {
		put(f, lane == f->lanes ? "\n" : ",\n");
		lane_put(f, lane);
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

	f->factor = table_factor();
	if (output_init(&f->scratch, scratch_write, f))
		return error_set(-ENOMEM, "out of memory");
	return viewer_open(show, &firefox_ops);
}

static void firefox_release(struct ktrace_output *show)
{
	struct firefox *f = (struct firefox *)show;
	struct lane *lane;
	size_t at = 0;
	void *known;

	viewer_close(&f->viewer);
	while ((lane = f->lanes)) {
		f->lanes = lane->next;
		for (int i = 0; i < COLUMNS_NR; i++)
			free(lane->columns[i].text);
		free(lane);
	}
	while ((known = table_each(&f->known, &at)))
		free(known);
	table_free(&f->known);
	table_free(&f->threads);
	output_destroy(&f->scratch);
	free(f->text.text);
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
