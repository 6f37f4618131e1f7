// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A trace that is read while it grows gives the same as when it is complete: the same
 * events and losses, in the same order, of the same tasks, in whatever steps its streams
 * grow.
 */
#include "check.h"
#include "maker.h"
#include "rnd.h"
#include "scratch.h"

#include <ktrace.h>

#include "read/follow.h"
#include "read/trace.h"

#define CPUS   3
#define EVENTS 60000
#define BEGIN  5000000000000ull
#define STEP   1000

/* The metadata: without and with its last line. */
static struct ktrace_memory head, end;

/* For each packet of a CPU: its begin in time and its end in the file. */
static struct packets {
	size_t nr;
	struct {
		uint64_t begin;
		uint64_t end;
	} list[512];
} packets[CPUS];

static int live_open(bool forget, struct ktrace **live)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY);
	int err = trace_open_live(fd, directory, forget, NULL, live);

	close(fd);
	return err;
}

static void metadata_write(const struct ktrace_memory *text, bool append)
{
	char path[512];
	int fd;

	path_of(path, "metadata");
	fd = open(path, O_WRONLY | (append ? O_APPEND : O_TRUNC));
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, text->data, text->size), text->size);
	close(fd);
}

static void packets_find(uint32_t cpu)
{
	struct packets *p = &packets[cpu];
	struct ktrace_memory stream;
	char name[8];
	size_t at = 0;

	snprintf(name, sizeof(name), "cpu%u", cpu);
	stream = load(name);
	while (at < stream.size) {
		struct kt_packet packet;

		memcpy(&packet, (const char *)stream.data + at, sizeof(packet));
		at += (packet.used + 7) & ~7u;
		CHECK(p->nr < 512);
		p->list[p->nr].begin = packet.begin;
		p->list[p->nr++].end = at;
	}
	free((void *)stream.data);
}

/* CPUs of different speed, tasks that switch, and a reader that is too slow. */
static void make(void)
{
	struct maker_wakeup wake = {.comm = "woken", .pid = 4};
	struct maker_switch to = {.prev_pid = 1, .next_pid = 2};
	struct maker *maker;
	const char *line;

	if (head.size)
		return;
	scratch_make();
	maker = maker_create(directory, CPUS, 4, false, 99);
	CHECK(maker);
	for (uint32_t i = 0; i < EVENTS; i++) {
		uint32_t cpu = rnd(10) < 7 ? 0 : 1 + !rnd(40);
		static const char *const comms[] = {"one", "two", "three"};
		uint32_t tid = 10 + rnd(3);

		maker_time(maker, BEGIN + i * STEP);
		maker_stall(maker, 0, i > 30000 && i < 45000);
		if (rnd(20)) {
			maker_event(maker, cpu, MAKER_WAKEUP, &wake,
				    sizeof(wake));
			continue;
		}
		to.next_pid = tid;
		maker_event(maker, cpu, MAKER_SWITCH, &to, sizeof(to));
		maker_run(maker, cpu, tid, 10, comms[tid - 10]);
	}
	CHECK(maker_lost(maker, 0) > 0);
	CHECK_EQ(maker_finish(maker, false), 0);
	head = load("metadata");
	line = strstr(head.data, "{\"type\":\"end\"");
	CHECK(line);
	end.data = line;
	end.size = strlen(line);
	head.size -= end.size;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		packets_find(cpu);
}

/* The next item as a line; false: there is none at present. */
static bool item_next(struct ktrace_cursor *cursor, char *line, uint64_t *time)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	int item = ktrace_cursor_next(cursor);

	CHECK(item >= 0);
	*line = '\0';
	if (item == KTRACE_EVENT) {
		*time = event->time;
		snprintf(line, 256, "%lu cpu%u %s %u %u %s", event->time,
			 event->cpu, event->type->name, event->tid, event->tgid,
			 event->comm);
	} else if (item == KTRACE_LOSS) {
		*time = loss->time;
		snprintf(line, 256, "%lu cpu%u lost %lu %d", loss->time,
			 loss->cpu, loss->count, loss->cause);
	}
	return item != KTRACE_END;
}

/* Like the recorder: writes all packets that began by then, and maybe more. */
static void grow(struct ktrace *trace, uint64_t until, uint32_t more)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		const struct packets *p = &packets[cpu];
		uint32_t extra = more ? rnd(more) : 0;
		uint64_t size = 0;

		for (size_t i = 0; i < p->nr; i++) {
			if (p->list[i].begin > until && !extra--)
				break;
			size = p->list[i].end;
		}
		CHECK_EQ(trace_grow(trace, cpu, false, size, false), 0);
	}
	trace_advance(trace, until);
}

/* Follows in steps of @step ticks; @more packets are ahead of what is complete. */
static void follow(uint64_t step, uint32_t more, bool forget)
{
	struct ktrace_cursor *whole, *cursor;
	struct ktrace *trace, *live;
	char expected[256], line[256], path[512];
	uint64_t until = BEGIN, time, items = 0;

	make();
	path_of(path, "metadata");
	metadata_write(&head, false);
	CHECK_EQ(live_open(forget, &live), 0);
	CHECK_EQ(ktrace_cursor_create(live, NULL, &cursor), 0);
	CHECK(ktrace_get_info(live)->live);
	metadata_write(&end, true);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &whole), 0);
	CHECK(!item_next(cursor, line, &time));

	for (bool last = false; !last;) {
		last = until > BEGIN + (uint64_t)EVENTS * STEP;
		if (last) {
			grow(live, UINT64_MAX - 1, 0);
			CHECK_EQ(trace_complete(live), 0);
			CHECK(!ktrace_get_info(live)->live);
		} else {
			grow(live, until, more);
		}
		while (item_next(cursor, line, &time)) {
			CHECK(item_next(whole, expected, &time));
			CHECK_STR(line, expected);
			CHECK(last || time <= maker_monotonic(until));
			items++;
		}
		until += 1 + rnd(2 * step);
	}
	CHECK(!item_next(whole, expected, &time));
	CHECK(items > EVENTS / 2);
	CHECK(!ktrace_warning(live, 0));
	ktrace_cursor_destroy(whole);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	ktrace_close(live);
}

TEST(growing_in_small_steps)
{
	follow(100 * STEP, 0, false);
}

TEST(growing_in_large_steps)
{
	follow(7000 * STEP, 0, false);
}

TEST(packets_ahead_of_what_is_whole)
{
	follow(300 * STEP, 4, false);
	follow(5000 * STEP, 20, false);
}

TEST(all_at_once)
{
	follow(2ull * EVENTS * STEP, 0, false);
}

/*
 * A program may write whatever times into its ring: while a reader is in the middle of one stream,
 * another one comes whose items are older.  Each item is shown once.
 */
TEST(older_items_in_the_middle)
{
	struct ktrace_cursor *whole, *cursor;
	struct ktrace *trace, *live;
	char line[256], path[512];
	uint64_t time, items = 0, expected = 0;

	make();
	path_of(path, "metadata");
	metadata_write(&head, false);
	CHECK_EQ(live_open(false, &live), 0);
	CHECK_EQ(ktrace_cursor_create(live, NULL, &cursor), 0);
	metadata_write(&end, true);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &whole), 0);
	while (item_next(whole, line, &time))
		expected++;

	CHECK_EQ(trace_grow(live, 0, false,
			    packets[0].list[packets[0].nr - 1].end, false),
		 0);
	trace_advance(live, UINT64_MAX - 2);
	for (int i = 0; i < 1000; i++, items++)
		CHECK(item_next(cursor, line, &time));
	grow(live, UINT64_MAX - 1, 0);
	CHECK_EQ(trace_complete(live), 0);
	while (item_next(cursor, line, &time))
		items++;
	CHECK_EQ(items, expected);
	ktrace_cursor_destroy(whole);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	ktrace_close(live);
}

static void line_add(struct ktrace *live, const char *text)
{
	struct ktrace_memory line = {text, strlen(text)};

	metadata_write(&line, true);
	CHECK_EQ(trace_refresh(live), 0);
}

/*
 * If the names of an event's field come after it was shown, a reader that holds the old
 * fields keeps them unchanged.
 */
TEST(names_that_come_later)
{
	const struct ktrace_field *fields;
	const struct ktrace_type *type;
	struct ktrace *live;

	make();
	metadata_write(&head, false);
	CHECK_EQ(live_open(false, &live), 0);
	type = ktrace_types_find(ktrace_get_types(live), MAKER_WAKEUP);
	fields = type->fields;
	CHECK_STR(fields[1].name, "pid");
	/* An event that does not exist, a field that does not exist, and a field of text. */
	line_add(live, "{\"type\":\"names\",\"id\":99,\"field\":0,"
		       "\"symbols\":[[1,\"ONE\"]]}\n"
		       "{\"type\":\"names\",\"id\":17,\"field\":99,"
		       "\"symbols\":[[1,\"ONE\"]]}\n"
		       "{\"type\":\"names\",\"id\":17,\"field\":0,"
		       "\"symbols\":[[1,\"ONE\"]]}\n"
		       "{\"type\":\"names\",\"id\":17,\"field\":1}\n");
	CHECK(type->fields == fields);
	line_add(live, "{\"type\":\"names\",\"id\":17,\"field\":1,"
		       "\"ctype\":\"enum e\",\"symbols\":[[1,\"ONE\"],"
		       "[2,\"TWO\"]]}\n");
	CHECK(type->fields != fields);
	CHECK(!fields[1].names);
	CHECK_EQ(type->fields[1].names->count, 2);
	CHECK_STR(type->fields[1].names->names[1].name, "TWO");
	CHECK_STR(type->fields[1].ctype, "enum e");
	CHECK_STR(type->fields[2].name, fields[2].name);
	/* The first names count. */
	fields = type->fields;
	line_add(live, "{\"type\":\"names\",\"id\":17,\"field\":1,"
		       "\"symbols\":[[1,\"UNO\"]]}\n");
	CHECK(type->fields == fields);
	CHECK_EQ(type->fields[1].names->count, 2);
	ktrace_close(live);
}

/* ---- by another process, on disk ------------------------------------------ */

/* The recorder's side: it writes when the cursor is about to wait. */
static struct recorder {
	struct ktrace_memory streams[CPUS];
	uint64_t written[CPUS];
	int files[CPUS]; /* -1: not made yet */
	int metadata;
	uint64_t until, step, rounds;
	bool ended;
} recorder;

static void recorder_begin(uint64_t step)
{
	char path[512], name[8];

	recorder.until = BEGIN;
	recorder.step = step;
	recorder.rounds = 0;
	recorder.ended = false;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		snprintf(name, sizeof(name), "cpu%u", cpu);
		if (!recorder.streams[cpu].data)
			recorder.streams[cpu] = load(name);
		path_of(path, name);
		unlink(path);
		recorder.files[cpu] = -1;
		recorder.written[cpu] = 0;
	}
	metadata_write(&head, false);
	path_of(path, "metadata");
	recorder.metadata = open(path, O_WRONLY | O_APPEND);
	CHECK(recorder.metadata >= 0);
	CHECK(follow_hold(recorder.metadata, FOLLOW_RECORDER));
}

static void stream_write(uint32_t cpu, uint64_t size)
{
	const struct ktrace_memory *stream = &recorder.streams[cpu];
	uint64_t *written = &recorder.written[cpu];
	char path[512], name[8];

	if (size > stream->size)
		size = stream->size;
	if (size <= *written)
		return;
	if (recorder.files[cpu] < 0) {
		snprintf(name, sizeof(name), "cpu%u", cpu);
		path_of(path, name);
		recorder.files[cpu] = open(path, O_WRONLY | O_CREAT, 0600);
		CHECK(recorder.files[cpu] >= 0);
	}
	CHECK_EQ(pwrite(recorder.files[cpu],
			(const char *)stream->data + *written, size - *written,
			*written),
		 size - *written);
	*written = size;
}

static void text_write(const char *text, size_t size)
{
	CHECK_EQ(write(recorder.metadata, text, size), size);
}

/* Packets that began by then, and some bytes of those behind them. */
static void streams_write(uint64_t until)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		const struct packets *p = &packets[cpu];
		uint64_t size = 0;

		for (size_t i = 0; i < p->nr && p->list[i].begin <= until; i++)
			size = p->list[i].end;
		stream_write(cpu, size + (rnd(2) ? rnd(100000) : 0));
	}
}

static void recorder_end(void)
{
	recorder.ended = true;
	streams_write(UINT64_MAX);
	text_write(end.data, end.size);
	close(recorder.metadata);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (recorder.files[cpu] >= 0)
			close(recorder.files[cpu]);
}

/* The line may come in two writes, or long behind the packets. */
static bool recorder_round(void *data)
{
	static char line[64];
	static size_t rest;
	size_t first;

	if (recorder.ended)
		return false;
	recorder.rounds++;
	if (rest) {
		text_write(line + strlen(line) - rest, rest);
		rest = 0;
		return false;
	}
	if (recorder.until > BEGIN + (uint64_t)EVENTS * STEP) {
		recorder_end();
		return false;
	}
	recorder.until += 1 + rnd(2 * recorder.step);
	streams_write(recorder.until);
	snprintf(line, sizeof(line), "{\"type\":\"point\",\"clock\":%lu}\n",
		 recorder.until);
	first = rnd(2) ? strlen(line) : rnd(strlen(line));
	text_write(line, first);
	rest = strlen(line) - first;
	return false;
}

/* From @from (ns) on; 0: all.  @begun: so much was written before somebody reads. */
static void follow_disk(uint64_t step, uint64_t from, uint64_t begun)
{
	struct ktrace_cursor_options options = {
		.size = sizeof(options),
		.from = from,
		.stop = recorder_round,
	};
	struct ktrace_memory all = {0}, got = {0};
	FILE *expected = open_memstream((char **)&all.data, &all.size);
	FILE *f = open_memstream((char **)&got.data, &got.size);
	struct ktrace_cursor *cursor;
	char line[256];
	struct ktrace *trace;
	uint64_t time;

	make();
	metadata_write(&head, false);
	metadata_write(&end, true);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	while (item_next(cursor, line, &time))
		if (time >= from)
			fprintf(expected, "%s\n", line);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);

	recorder_begin(step);
	while (recorder.until < begun)
		recorder_round(NULL);
	CHECK_EQ(ktrace_open_follow(directory, &trace), 0);
	CHECK(ktrace_get_info(trace)->live);
	CHECK_EQ(ktrace_cursor_create(trace, &options, &cursor), 0);
	while (item_next(cursor, line, &time)) {
		/* Of what comes behind the last point, the end tells. */
		CHECK(recorder.ended ||
		      time <= maker_monotonic(recorder.until));
		fprintf(f, "%s\n", line);
	}
	CHECK(!ktrace_get_info(trace)->live);
	CHECK(!ktrace_warning(trace, 0));
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	fclose(expected);
	fclose(f);
	CHECK(all.size > 1000);
	CHECK_STR(got.data, all.data);
	free((void *)all.data);
	free((void *)got.data);
}

TEST(another_process_in_small_steps)
{
	follow_disk(1000 * STEP, 0, BEGIN);
	CHECK(recorder.rounds > EVENTS / 3000);
}

TEST(another_process_in_large_steps)
{
	follow_disk(7000 * STEP, 0, BEGIN);
}

TEST(another_process_begins_later)
{
	follow_disk(3000 * STEP, 0, BEGIN + 20000ull * STEP);
}

TEST(another_process_begins_in_the_middle)
{
	follow_disk(3000 * STEP, maker_monotonic(BEGIN + 25000ull * STEP),
		    BEGIN + 35000ull * STEP);
	follow_disk(3000 * STEP, maker_monotonic(BEGIN + 40000ull * STEP),
		    BEGIN + 10000ull * STEP);
}

TEST(nobody_records)
{
	struct ktrace *trace;

	make();
	metadata_write(&head, false);
	metadata_write(&end, true);
	CHECK_EQ(ktrace_open_follow(directory, &trace), 0);
	CHECK(!ktrace_get_info(trace)->live);
	ktrace_close(trace);
	CHECK_EQ(ktrace_open_follow("/nowhere", &trace), -ENOENT);
}

/* The last test, because the streams are empty afterwards. */
TEST(what_was_read_is_given_back)
{
	struct ktrace_cursor *cursor;
	struct stat before, after;
	struct ktrace *live;
	char path[512], line[256];
	uint64_t time;

	make();
	metadata_write(&head, false);
	path_of(path, "cpu0");
	CHECK(!stat(path, &before));
	CHECK_EQ(live_open(true, &live), 0);
	CHECK_EQ(ktrace_cursor_create(live, NULL, &cursor), 0);
	grow(live, UINT64_MAX - 1, 0);
	while (item_next(cursor, line, &time))
		continue;
	grow(live, UINT64_MAX - 1, 0);
	CHECK(!item_next(cursor, line, &time));
	CHECK(!stat(path, &after));
	CHECK_EQ(after.st_size, before.st_size);
	CHECK(after.st_blocks < before.st_blocks / 4);
	ktrace_cursor_destroy(cursor);
	ktrace_close(live);
}

CHECK_MAIN
