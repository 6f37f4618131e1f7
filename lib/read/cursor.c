// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A cursor: all CPUs in one order.
 *
 * Each stream has a current item.  A heap holds the streams, ordered by (time,
 * CPU); the first one is read on.  As long as it stays before all others, which
 * is most of the time, the heap does not change: one comparison with the limit
 * is enough.
 *
 * A trace that is still being written is complete up to some clock.  A cursor
 * stops before the first item that is later, keeps that item, and continues
 * there when the trace has grown.
 *
 * Headers of packets and task records say who runs; only the events show the
 * result.  So the cursor must read also what is not wanted; what is long before may be skipped
 * (seek.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "cursor.h"
#include "machine.h"
#include "trace.h"

/* Limit of all windows together; the other memory is small. */
#define WINDOWS_MAX (64u << 20)
/* Disk space is freed in pieces of at least this size. */
#define FORGET_STEP (1u << 16)

struct cursor_stream {
	struct stream stream;
	struct current current;
	bool wanted;
	bool at_end; /* a trace that grows may move it */
	uint64_t forgotten;
};

struct ktrace_cursor {
	struct ktrace *trace;
	struct cursor_stream **heap;
	size_t nr_heap;
	uint64_t limit; /* the first stream may be read up to this clock */
	bool started;	/* the first stream's item was returned */
	int failed;
	size_t nr_types;
	uint64_t round; /* of the trace's growth: the last that was looked at */

	struct ktrace_event event;
	struct ktrace_loss loss;

	struct machine machine;
	bool seeks; /* what ends before @from is to be skipped */
	struct seek seek;
	size_t line; /* the clock's hint */
	uint64_t from;
	uint64_t to;
	bool (*want)(const struct ktrace_type *type, void *data);
	void *data;
	uint64_t time;	    /* of the last item */
	uint8_t *unwanted;  /* by number; NULL: all are wanted */
	size_t nr_asked;    /* there are so many in it */
	uint8_t *completed; /* the payload of a short record, with zeros */
	size_t completed_size;

	struct cursor_stream *streams;
	size_t nr_streams;
	size_t room;	 /* number of streams: see trace_source() */
	uint32_t window; /* of each */
	uint32_t *cpus;	 /* the wanted ones; NULL: all */
	size_t nr_cpus;
	void (*wait)(void *data);
	bool (*stop)(void *data);
	void *wait_data;
	bool over;     /* all that follows is later than @to */
	uint64_t done; /* clock: all up to here was delivered */
};

static bool stream_before(const struct cursor_stream *a,
			  const struct cursor_stream *b)
{
	if (a->stream.clock != b->stream.clock)
		return a->stream.clock < b->stream.clock;
	return a->stream.cpu < b->stream.cpu;
}

static void heap_down(struct ktrace_cursor *cursor, size_t i)
{
	struct cursor_stream **heap = cursor->heap;
	struct cursor_stream *moved = heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < cursor->nr_heap; i = child) {
		if (child + 1 < cursor->nr_heap &&
		    stream_before(heap[child + 1], heap[child]))
			child++;
		if (!stream_before(heap[child], moved))
			break;
		heap[i] = heap[child];
	}
	heap[i] = moved;
}

/* Sets how far the first stream may go before another one is due. */
static void heap_limit(struct ktrace_cursor *cursor)
{
	struct cursor_stream **heap = cursor->heap;
	const struct cursor_stream *second;

	cursor->limit = cursor->trace->until;
	if (cursor->nr_heap < 2)
		return;
	second = heap[1];
	if (cursor->nr_heap > 2 && stream_before(heap[2], second))
		second = heap[2];
	if (second->stream.clock > cursor->limit)
		return;
	cursor->limit = second->stream.clock;
	if (heap[0]->stream.cpu > second->stream.cpu && cursor->limit)
		cursor->limit--;
}

/* The first stream has moved on or, if @ended, has no more items. */
static noinline void heap_update(struct ktrace_cursor *cursor, bool ended)
{
	if (ended) {
		cursor->heap[0]->at_end = true;
		cursor->heap[0] = cursor->heap[--cursor->nr_heap];
	}
	if (cursor->nr_heap)
		heap_down(cursor, 0);
	heap_limit(cursor);
}

static uint64_t cursor_time(struct ktrace_cursor *cursor, uint64_t clock)
{
	uint64_t time =
		clock_convert(&cursor->trace->clock, &cursor->line, clock);

	/* It goes back only if the calibration is damaged. */
	if (unlikely(time < cursor->time))
		time = cursor->time;
	cursor->time = time;
	return time;
}

/* The stream said that it was complete up to a later time. */
static noinline void cursor_late(const struct ktrace_cursor *cursor,
				 const struct cursor_stream *s)
{
	if (!s->stream.source->programs)
		trace_warn(cursor->trace,
			   "cpu%u: events come later than the stream says: "
			   "they are shown with the time of those before them",
			   s->stream.source->number);
}

/* Puts zeros where the record was cut short. */
static noinline void cursor_complete(struct ktrace_cursor *cursor,
				     const struct kt_walk *walk)
{
	struct ktrace_event *event = &cursor->event;

	memcpy(cursor->completed, walk->payload, walk->size);
	memset(cursor->completed + walk->size, 0,
	       event->type->size - walk->size);
	event->payload = cursor->completed;
	event->size = event->type->size;
}

/* Variants that were found since have no place in the array yet. */
static bool cursor_refuses(const struct ktrace_cursor *cursor,
			   const struct ktrace_type *type)
{
	return likely(type->number < cursor->nr_asked)
		       ? cursor->unwanted[type->number]
		       : !cursor->want(type, cursor->data);
}

static int cursor_fail(struct ktrace_cursor *cursor, int err)
{
	cursor->failed = err;
	if (err == -ENOMEM)
		return error_set(err, "out of memory");
	return error_set(err, "cannot read the trace: %s", strerror(-err));
}

/* If what was skipped cannot be read, the next call says so. */
static noinline void cursor_make_sure(struct ktrace_cursor *cursor,
				      struct task *task, uint64_t clock)
{
	int err = machine_make_sure(&cursor->machine, task, clock);

	if (err)
		cursor_fail(cursor, err);
}

/* Makes an event from the first stream's record.  False: it is not wanted. */
static bool cursor_event(struct ktrace_cursor *cursor,
			 const struct cursor_stream *s)
{
	const struct ktrace_types *types = cursor->trace->types;
	const struct kt_walk *walk = &s->stream.walk;
	struct ktrace_event *event = &cursor->event;
	struct task *task = s->current.task;

	if (unlikely(!s->wanted))
		return false;
	event->type = ktrace_types_find(types, walk->id);
	if (unlikely(!event->type))
		return false; /* its text could not be parsed: no memory */
	event->payload = walk->payload;
	event->size = walk->size;
	if (unlikely(walk->size < event->type->size))
		cursor_complete(cursor, walk);
	if (unlikely(types->nr_variants))
		event->type = types_variant(types, event->type, event->payload,
					    event->size);
	if (cursor->unwanted && cursor_refuses(cursor, event->type))
		return false;
	if (unlikely(walk->time < cursor->done))
		cursor_late(cursor, s);
	event->time = cursor_time(cursor, walk->time);
	if (unlikely(event->time < cursor->from))
		return false;
	if (unlikely(cursor->machine.seek) && unlikely(!task->sure))
		cursor_make_sure(cursor, task, walk->time);
	event->cpu = s->stream.cpu;
	event->tid = task->tid;
	event->tgid = task->tgid;
	event->comm = task->comm;
	event->task = task->serial;
	return true;
}

static bool cursor_loss(struct ktrace_cursor *cursor,
			const struct cursor_stream *s)
{
	const struct clock *clock = &cursor->trace->clock;
	struct ktrace_loss *loss = &cursor->loss;
	size_t line;

	if (!s->wanted)
		return false;
	line = clock_hint(clock, s->stream.from);
	loss->from = clock_convert(clock, &line, s->stream.from);
	loss->time = cursor_time(cursor, s->stream.clock);
	if (loss->time < cursor->from)
		return false;
	loss->cpu = s->stream.cpu;
	loss->cause = s->stream.cause;
	loss->count = s->stream.count;
	loss->programs = s->stream.source->programs;
	loss->user = s->stream.source->user;
	return true;
}

/* Finds the types that are not wanted.  -ENOMEM. */
static int cursor_find_unwanted(struct ktrace_cursor *cursor)
{
	const struct ktrace_types *types = cursor->trace->types;
	size_t i;

	if (!cursor->want)
		return 0;
	types_take_all(types);
	free(cursor->unwanted);
	cursor->unwanted = calloc(types->count + 1, 1);
	cursor->nr_asked = 0;
	if (!cursor->unwanted)
		return -ENOMEM;
	cursor->nr_asked = types->count;
	for (i = 0; i < types->count; i++)
		cursor->unwanted[i] =
			!cursor->want(types->types[i], cursor->data);
	return 0;
}

/* Makes room for any payload that must be completed.  -ENOMEM. */
static int cursor_make_room(struct ktrace_cursor *cursor)
{
	const struct ktrace_types *types = cursor->trace->types;
	size_t size = 0;

	for (size_t i = 0; i < types->count; i++)
		if (types->types[i]->short_size && types->types[i]->size > size)
			size = types->types[i]->size;
	if (size <= cursor->completed_size)
		return 0;
	free(cursor->completed);
	cursor->completed = malloc(size);
	cursor->completed_size = cursor->completed ? size : 0;
	return cursor->completed ? 0 : -ENOMEM;
}

/* Looks at the types again if new ones were added. */
static int cursor_types(struct ktrace_cursor *cursor)
{
	if (cursor->nr_types == types_total(cursor->trace->types))
		return 0;
	cursor->nr_types = types_total(cursor->trace->types);
	machine_find_switch(&cursor->machine);
	return cursor_make_room(cursor) ?: cursor_find_unwanted(cursor);
}

/* Frees the disk space of what was read. */
static void stream_forget(struct cursor_stream *s)
{
	uint64_t end = s->stream.position & ~(FORGET_STEP - 1ull);

	if (end == s->forgotten)
		return;
	/* If the file system cannot do it, the file stays: no harm. */
	fallocate(s->stream.source->fd,
		  FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, s->forgotten,
		  end - s->forgotten);
	s->stream.trace->forgotten += end - s->forgotten;
	s->forgotten = end;
}

static void streams_forget(struct ktrace_cursor *cursor)
{
	for (size_t i = 0; cursor->trace->forget && i < cursor->nr_streams; i++)
		stream_forget(&cursor->streams[i]);
}

static bool cpu_wanted(const struct ktrace_cursor *cursor, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < cursor->nr_cpus; i++) {
		if (cursor->cpus[i] == cpu)
			return true;
	}
	return !cursor->nr_cpus;
}

/* Behind those that were recorded are those that were woven. */
static const struct stream_source *source_at(const struct ktrace *trace,
					     size_t i)
{
	return i < trace->nr_sources
		       ? &trace->sources[i]
		       : &trace->woven.sources[i - trace->nr_sources];
}

/* Adds the trace's next source, of which nothing was read yet. */
static int stream_add(struct ktrace_cursor *cursor)
{
	size_t i = cursor->nr_streams;
	struct cursor_stream *s = &cursor->streams[i];
	struct ktrace *trace = cursor->trace;
	int err;

	err = stream_init(&s->stream, trace, source_at(trace, i),
			  !trace->overwrite, cursor->window);
	if (err)
		return err;
	cursor->nr_streams++;
	s->wanted = cpu_wanted(cursor, s->stream.cpu);
	s->at_end = true;
	return current_init(&cursor->machine, &s->current, s->stream.source);
}

/* Continues the streams that were at their end. */
static int streams_refill(struct ktrace_cursor *cursor)
{
	size_t i;

	for (i = 0; i < cursor->nr_streams; i++) {
		struct cursor_stream *s = &cursor->streams[i];
		int item;

		if (!s->at_end)
			continue;
		item = stream_next(&s->stream);
		if (item < 0)
			return item;
		if (item == STREAM_END)
			continue;
		s->at_end = false;
		cursor->heap[cursor->nr_heap++] = s;
	}
	for (i = cursor->nr_heap / 2; i-- > 0;)
		heap_down(cursor, i);
	heap_limit(cursor);
	return 0;
}

/* The next item of a stream whose item was delivered, or -errno. */
static __always_inline int cursor_advance(struct ktrace_cursor *cursor,
					  struct cursor_stream *s)
{
	int err;

	if (unlikely(s->current.switching)) {
		s->current.switching = false;
		err = current_switch(&cursor->machine, &s->current, &s->stream,
				     s->current.next);
		if (err)
			return err;
	}
	return stream_next(&s->stream);
}

/* Streams that come or grow may have older items, and then the first stream is another. */
static int cursor_leave(struct ktrace_cursor *cursor)
{
	int item = cursor_advance(cursor, cursor->heap[0]);

	if (item < 0)
		return item;
	heap_update(cursor, item == STREAM_END);
	cursor->started = false;
	return 0;
}

/* Skips what ends before the time that is wanted. */
static int cursor_seek(struct ktrace_cursor *cursor)
{
	struct stream **streams =
		calloc(cursor->nr_streams + 1, sizeof(*streams));
	int err;

	cursor->seeks = false;
	if (!streams)
		return -ENOMEM;
	for (size_t i = 0; i < cursor->nr_streams; i++)
		streams[i] = &cursor->streams[i].stream;
	err = seek_begin(&cursor->seek, cursor->trace, streams,
			 cursor->nr_streams, cursor->from);
	free(streams);
	if (!err && cursor->seek.nr)
		cursor->machine.seek = &cursor->seek;
	return err == -EBADMSG ? 0 : err;
}

/* The trace has grown, or nothing of it was read yet. */
static noinline int cursor_resume(struct ktrace_cursor *cursor)
{
	int err;

	cursor->round = cursor->trace->round;
	err = cursor->seeks ? cursor_seek(cursor) : 0;
	err = err ?: cursor_types(cursor);
	if (!err && cursor->started && cursor->nr_heap)
		err = cursor_leave(cursor);
	streams_forget(cursor);
	while (!err && cursor->nr_streams < cursor->trace->nr_sources &&
	       cursor->nr_streams < cursor->room)
		err = stream_add(cursor);
	return err ?: streams_refill(cursor);
}

/* KTRACE_END: the end of what is there now. */
static inline int cursor_step(struct ktrace_cursor *cursor)
{
	int err;

	if (unlikely(cursor->failed))
		return cursor->failed;
	if (unlikely(cursor->round != cursor->trace->round)) {
		err = cursor_resume(cursor);
		if (err)
			return cursor_fail(cursor, err);
	}
	while (cursor->nr_heap) {
		struct cursor_stream *s = cursor->heap[0];

		if (likely(cursor->started)) {
			int item = cursor_advance(cursor, s);

			if (unlikely(item < 0))
				return cursor_fail(cursor, item);
			if (unlikely(s->stream.clock > cursor->limit ||
				     item == STREAM_END)) {
				heap_update(cursor, item == STREAM_END);
				if (!cursor->nr_heap)
					break;
				s = cursor->heap[0];
				cursor->started = false;
			}
		}
		if (unlikely(!cursor->started) &&
		    s->stream.clock > cursor->trace->until) {
			cursor->done = cursor->trace->until;
			return KTRACE_END;
		}
		cursor->started = true;

		if (likely(s->stream.item == STREAM_RECORD)) {
			if (likely(s->stream.walk.id >= KT_ID_FIRST)) {
				current_event(&cursor->machine, &s->current,
					      &s->stream.walk);
				if (!cursor_event(cursor, s))
					continue;
				if (unlikely(cursor->event.time > cursor->to)) {
					cursor->over = true;
					break;
				}
				return KTRACE_EVENT;
			}
			err = current_record(&cursor->machine, &s->current,
					     &s->stream);
		} else if (s->stream.item == STREAM_LOSS) {
			if (!cursor_loss(cursor, s))
				continue;
			if (cursor->loss.time > cursor->to) {
				cursor->over = true;
				break;
			}
			return KTRACE_LOSS;
		} else {
			err = current_packet(&cursor->machine, &s->current,
					     &s->stream);
		}
		if (unlikely(err))
			return cursor_fail(cursor, err);
	}
	cursor->nr_heap = 0;
	cursor->started = false;
	cursor->done = cursor->trace->until;
	return KTRACE_END;
}

/* At the end of what is there: waits for more data. */
static noinline int cursor_wait(struct ktrace_cursor *cursor)
{
	int item = KTRACE_END;

	while (item == KTRACE_END && !cursor->over) {
		int more;

		cursor->over = trace_is_past(cursor->trace, cursor->to);
		if (cursor->over)
			break;
		if (cursor->wait)
			cursor->wait(cursor->wait_data);
		if (cursor->stop && cursor->stop(cursor->wait_data))
			break;
		streams_forget(cursor);
		more = cursor->trace->pump(cursor->trace);
		if (more < 0)
			return cursor->failed = more;
		if (!more)
			break;
		item = cursor_step(cursor);
	}
	return item;
}

int ktrace_cursor_next(struct ktrace_cursor *cursor)
{
	int item = cursor_step(cursor);

	if (unlikely(item == KTRACE_END) && cursor->trace->pump)
		return cursor_wait(cursor);
	return item;
}

const struct ktrace_event *ktrace_cursor_event(
	const struct ktrace_cursor *cursor)
{
	return &cursor->event;
}

const struct ktrace_loss *ktrace_cursor_loss(const struct ktrace_cursor *cursor)
{
	return &cursor->loss;
}

struct cursor_place cursor_place(const struct ktrace_cursor *cursor)
{
	const struct cursor_stream *s = cursor->heap[0];

	return (struct cursor_place){
		.stream = s - cursor->streams,
		.runs = s->current.runs,
		.programs = s->stream.source->programs,
		.user = s->stream.source->user,
	};
}

bool cursor_runs_on(const struct ktrace_cursor *cursor,
		    const struct cursor_place *place)
{
	return !place->programs &&
	       cursor->streams[place->stream].current.runs == place->runs;
}

bool cursor_is_losing(const struct ktrace_cursor *cursor,
		      const struct cursor_place *place)
{
	uint64_t now = cursor->heap[0]->stream.clock;

	for (size_t i = 1; i < cursor->nr_heap; i++) {
		const struct stream *stream = &cursor->heap[i]->stream;

		if (stream->item == STREAM_LOSS && stream->from < now &&
		    stream->source->programs == place->programs &&
		    stream->source->user == place->user)
			return true;
	}
	return false;
}

uint64_t ktrace_cursor_losing_since(const struct ktrace_cursor *cursor)
{
	const struct clock *clock = &cursor->trace->clock;
	uint64_t now, from;
	size_t line;

	if (!cursor->nr_heap)
		return 0;
	now = from = cursor->heap[0]->stream.clock;
	for (size_t i = 1; i < cursor->nr_heap; i++) {
		const struct stream *stream = &cursor->heap[i]->stream;

		if (unlikely(stream->item == STREAM_LOSS) &&
		    stream->from < from && !stream->source->programs)
			from = stream->from;
	}
	if (from == now)
		return 0;
	line = clock_hint(clock, from);
	return clock_convert(clock, &line, from);
}

uint64_t cursor_losing(const struct ktrace_cursor *cursor, const uint32_t *cpu)
{
	const struct clock *clock = &cursor->trace->clock;
	uint64_t from = UINT64_MAX;
	size_t line;

	for (size_t i = 0; i < cursor->nr_heap; i++) {
		const struct stream *stream = &cursor->heap[i]->stream;

		if (stream->item == STREAM_LOSS && stream->from < from &&
		    !stream->source->programs &&
		    (!cpu || stream->source->cpu == *cpu))
			from = stream->from;
	}
	if (from == UINT64_MAX)
		return 0;
	line = clock_hint(clock, from);
	return clock_convert(clock, &line, from);
}

void cursor_count_sleep(struct ktrace_cursor *cursor)
{
	cursor->machine.counts_sleep = true;
	cursor->seeks = false;
}

/* Who needs all tasks, and asks before anything is read, gets all that the trace tells. */
const struct tasks *cursor_tasks(const struct ktrace_cursor *cursor)
{
	((struct ktrace_cursor *)cursor)->seeks = false;
	return &cursor->machine.tasks;
}

const struct ktrace_types *cursor_trace_types(
	const struct ktrace_cursor *cursor)
{
	return ktrace_get_types(cursor->trace);
}

uint64_t ktrace_cursor_position(const struct ktrace_cursor *cursor)
{
	uint64_t sum = 0;
	size_t i;

	/* Of what info.bytes counts. */
	for (i = 0; i < cursor->nr_streams; i++)
		if (!cursor->streams[i].stream.source->woven)
			sum += cursor->streams[i].stream.position;
	return sum;
}

static bool wants_branches(const struct ktrace_cursor *cursor)
{
	const struct ktrace_types *types = cursor->trace->types;

	for (size_t i = 0; i < types->count; i++)
		if (types->types[i]->branch &&
		    !(cursor->unwanted &&
		      cursor_refuses(cursor, types->types[i])))
			return true;
	return false;
}

static int cursor_streams(struct ktrace_cursor *cursor)
{
	struct ktrace *trace = cursor->trace;
	bool branches = wants_branches(cursor);
	size_t nr = trace->nr_sources;
	int err = branches ? woven_make(trace) : 0;

	if (err)
		return err;
	nr += branches ? trace->woven.nr_sources : 0;
	/* More may come: the windows of all are to be bounded. */
	cursor->window = trace->pump ? STREAM_WINDOW_MIN : STREAM_WINDOW_MAX;
	while (cursor->window > STREAM_WINDOW_MIN &&
	       cursor->window > WINDOWS_MAX / (trace->nr_sources + 1))
		cursor->window /= 2;
	cursor->room = trace->pump ? STREAMS_MAX : nr;
	cursor->streams = calloc(cursor->room + 1, sizeof(*cursor->streams));
	cursor->heap = calloc(cursor->room + 1, sizeof(*cursor->heap));
	if (!cursor->streams || !cursor->heap)
		return -ENOMEM;
	while (!err && cursor->nr_streams < nr)
		err = stream_add(cursor);
	/* The first call of cursor_step() reads them. */
	cursor->seeks = cursor->from && !branches && seek_is_possible(trace);
	if (cursor->seeks)
		cursor->round--;
	return err ?: cursor->seeks ? 0 : streams_refill(cursor);
}

/* A copy, because streams may be added when the caller's list is gone. */
static int cursor_cpus(struct ktrace_cursor *cursor,
		       const struct ktrace_cursor_options *options)
{
	size_t size = options->nr_cpus * sizeof(*options->cpus);

	if (!size)
		return 0;
	cursor->cpus = malloc(size);
	if (!cursor->cpus)
		return -ENOMEM;
	memcpy(cursor->cpus, options->cpus, size);
	cursor->nr_cpus = options->nr_cpus;
	return 0;
}

int ktrace_cursor_create(struct ktrace *trace,
			 const struct ktrace_cursor_options *wishes,
			 struct ktrace_cursor **result)
{
	struct ktrace_cursor_options options;
	struct ktrace_cursor *cursor;
	int err;

	err = sized_copy(&options, sizeof(options), wishes);
	if (err)
		return err;
	if (trace->frames && trace->claimed)
		return error_set(-EBUSY, "a stream can be read only once");
	trace->claimed = true;
	cursor = calloc(1, sizeof(*cursor));
	if (!cursor)
		return error_set(-ENOMEM, "out of memory");
	cursor->trace = trace;
	cursor->from = options.from;
	cursor->to = options.to ? options.to : UINT64_MAX;
	cursor->want = options.want;
	cursor->data = options.data;
	cursor->wait = options.wait;
	cursor->stop = options.stop;
	cursor->wait_data = options.wait_data;
	cursor->round = trace->round;

	err = machine_init(&cursor->machine, trace);
	if (!err)
		err = cursor_types(cursor);
	if (!err)
		err = cursor_cpus(cursor, &options);
	if (!err)
		err = cursor_streams(cursor);
	if (err) {
		cursor_fail(cursor, err);
		ktrace_cursor_destroy(cursor);
		return err;
	}
	*result = cursor;
	return 0;
}

void ktrace_cursor_destroy(struct ktrace_cursor *cursor)
{
	size_t i;

	if (!cursor)
		return;
	for (i = 0; i < cursor->nr_streams; i++)
		stream_destroy(&cursor->streams[i].stream);
	machine_destroy(&cursor->machine);
	seek_free(&cursor->seek);
	free(cursor->streams);
	free(cursor->heap);
	free(cursor->unwanted);
	free(cursor->completed);
	free(cursor->cpus);
	free(cursor);
}
