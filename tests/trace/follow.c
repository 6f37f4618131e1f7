// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A trace on disk that is read while another process records it, which the test plays. */
#include "growing.h"

#include <errno.h>
#include <pthread.h>

#include "read/follow.h"

/* The recorder's side: it writes when the cursor is about to wait. */
static struct recorder {
	struct ktrace_memory streams[CPUS];
	uint64_t written[CPUS];
	int files[CPUS]; /* -1: not made yet */
	int metadata;
	off_t point; /* where the line is; 0: nowhere yet */
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
	recorder.metadata = open(path, O_RDWR);
	CHECK(recorder.metadata >= 0);
	CHECK(lseek(recorder.metadata, 0, SEEK_END) > 0);
	recorder.point = 0;
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

/* What of a line is written now, and what later: a reader sees a mix of the old one and the new one. */
static void point_write(const char *line, size_t from, size_t to)
{
	if (!recorder.point)
		recorder.point = lseek(recorder.metadata, 0, SEEK_END);
	CHECK_EQ(pwrite(recorder.metadata, line + from, to - from,
			recorder.point + from),
		 to - from);
	CHECK(lseek(recorder.metadata, 0, SEEK_END) > 0);
}

/* The line may come in two writes, or long behind the packets. */
static bool recorder_round(void *data)
{
	static char line[POINT_SIZE + 1];
	static size_t first;

	if (recorder.ended)
		return false;
	recorder.rounds++;
	if (first < POINT_SIZE && recorder.rounds > 1) {
		point_write(line, first, POINT_SIZE);
		first = POINT_SIZE;
		return false;
	}
	if (recorder.until > BEGIN + (uint64_t)EVENTS * STEP) {
		recorder_end();
		return false;
	}
	recorder.until += 1 + rnd(2 * recorder.step);
	streams_write(recorder.until);
	point_print(line, recorder.until);
	first = rnd(2) ? POINT_SIZE : rnd(POINT_SIZE);
	point_write(line, 0, first);
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
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
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
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
	CHECK(!ktrace_get_info(trace)->live);
	ktrace_close(trace);
	CHECK_EQ(ktrace_open_follow(-1, "/nowhere", &trace), -ENOENT);
}

TEST(the_metadata_does_not_grow_by_points)
{
	struct ktrace_memory text;
	const char *line;

	follow_disk(1000 * STEP, 0, BEGIN);
	text = load("metadata");
	line = strstr(text.data, "\"point\"");
	CHECK(line);
	CHECK(!strstr(line + 1, "\"point\""));
	free((void *)text.data);
}

/* ---- a recorder that does what the test says -------------------------------- */

#define END_OF_ALL "{\"type\":\"end\",\"reason\":\"test\",\"cpus\":[%s]}\n"

/* Its metadata, with the lock, and no streams. */
static void script_begin(size_t size)
{
	char path[512];

	make();
	recorder_begin(STEP);
	path_of(path, "metadata");
	CHECK(!truncate(path, size));
	CHECK_EQ(lseek(recorder.metadata, size, SEEK_SET), size);
}

static void script_write(const char *text)
{
	text_write(text, strlen(text));
}

static void script_end(const char *cpus)
{
	char line[256];

	snprintf(line, sizeof(line), END_OF_ALL, cpus);
	script_write(line);
	close(recorder.metadata);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (recorder.files[cpu] >= 0)
			close(recorder.files[cpu]);
}

static void script_point(uint64_t clock)
{
	char line[POINT_SIZE + 1];

	point_print(line, clock);
	point_write(line, 0, POINT_SIZE);
}

static void script_remove(const char *name)
{
	char path[512];

	path_of(path, name);
	unlink(path);
}

/* How many events a cursor of these options delivers. */
static uint64_t events_count(struct ktrace *trace,
			     struct ktrace_cursor_options *options)
{
	struct ktrace_cursor *cursor;
	uint64_t events = 0;
	int item;

	options->size = sizeof(*options);
	CHECK_EQ(ktrace_cursor_create(trace, options, &cursor), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0)
		events += item == KTRACE_EVENT;
	CHECK_EQ(item, 0);
	ktrace_cursor_destroy(cursor);
	return events;
}

static int script_rounds;

/* The file was seen, and its line comes now. */
static bool line_comes_late(void *data)
{
	if (++script_rounds == 3) {
		script_write("{\"type\":\"programs\",\"stream\":3,\"user\":0,"
			     "\"cpu\":1}\n");
		script_point(BEGIN + 2ull * EVENTS * STEP);
	} else if (script_rounds == 10) {
		script_end("");
	}
	return false;
}

/* Packets of CPU 1 are those of a stream with another number. */
TEST(a_stream_of_programs_before_its_line)
{
	struct ktrace_cursor_options options = {.stop = line_comes_late};
	char from[512], to[512];
	struct ktrace *trace;
	uint64_t events;

	script_begin(head.size);
	stream_write(1, UINT64_MAX);
	path_of(from, "cpu1");
	path_of(to, "programs3");
	CHECK(!rename(from, to));
	script_rounds = 0;
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
	events = events_count(trace, &options);
	CHECK(events > 100);
	CHECK(!ktrace_warning(trace, 0));
	CHECK_EQ(ktrace_get_info(trace)->cpus[0].cpu, 1);
	ktrace_close(trace);
	script_remove("programs3");
}

static bool end_comes(void *data)
{
	if (++script_rounds == 2)
		script_end(data ?: "");
	return false;
}

/* Its clock was not written, and never is. */
TEST(only_the_first_line)
{
	struct ktrace_cursor_options options = {.stop = end_comes};
	const char *first = memchr(head.data, '\n', head.size);
	struct ktrace *trace;

	script_begin(first + 1 - (const char *)head.data);
	stream_write(1, UINT64_MAX);
	script_point(BEGIN);
	script_rounds = 0;
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
	CHECK_EQ(events_count(trace, &options), 0);
	ktrace_close(trace);
}

static void *begin_comes(void *data)
{
	usleep(200000);
	text_write(head.data, head.size);
	return NULL;
}

TEST(the_first_line_is_waited_for)
{
	struct ktrace *trace;
	pthread_t thread;

	script_begin(0);
	CHECK(!pthread_create(&thread, NULL, begin_comes, NULL));
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
	CHECK(ktrace_get_info(trace)->nr_sync);
	pthread_join(thread, NULL);
	ktrace_close(trace);
	script_end("");
}

/* What the recorder has counted, and no file has. */
TEST(what_is_missing_at_the_end)
{
	struct ktrace_cursor_options options = {
		.stop = end_comes,
		.wait_data = "{\"cpu\":1,\"events\":7}",
	};
	struct ktrace *trace;
	bool link = false, missing = false;
	const char *warning;
	char path[512];

	script_begin(head.size);
	path_of(path, "cpu2");
	CHECK(!symlink("nowhere", path));
	script_rounds = 0;
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
	CHECK_EQ(events_count(trace, &options), 0);
	for (size_t i = 0; (warning = ktrace_warning(trace, i)); i++) {
		link |= !strncmp(warning, "cpu2: ", 6);
		missing |= strstr(warning, "cpu1: the file is missing") != NULL;
	}
	CHECK(link);
	CHECK(missing);
	CHECK_EQ(ktrace_get_info(trace)->nr_cpus, 1);
	ktrace_close(trace);
	script_remove("cpu2");
}

static bool metadata_shrinks(void *data)
{
	CHECK(!ftruncate(recorder.metadata, head.size - 10));
	return false;
}

TEST(metadata_that_shrinks)
{
	struct ktrace_cursor_options options = {
		.size = sizeof(options),
		.stop = metadata_shrinks,
	};
	struct ktrace_cursor *cursor;
	struct ktrace *trace;

	script_begin(head.size);
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, &options, &cursor), 0);
	CHECK_EQ(ktrace_cursor_next(cursor), -ESTALE);
	CHECK(strstr(ktrace_last_error(), "shorter"));
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	script_end("");
}

/* Nothing wanted comes, and the point says that nothing wanted can come. */
TEST(the_point_ends_a_cursor)
{
	struct ktrace_cursor_options options = {
		.to = maker_monotonic(BEGIN + 10 * STEP),
	};
	struct ktrace *trace;

	script_begin(head.size);
	stream_write(1, packets[1].list[0].end);
	script_point(BEGIN + 11 * STEP);
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
	events_count(trace, &options);
	CHECK(ktrace_get_info(trace)->live);
	ktrace_close(trace);
	script_end("");
}

static bool points_come(void *data)
{
	stream_write(0, packets[0].list[10].end);
	script_point(packets[0].list[5].begin + script_rounds++);
	return false;
}

/* Events up to the point, also if there are more; as often as one likes. */
TEST(what_has_happened_until_now)
{
	struct ktrace_cursor_options options = {0};
	uint64_t until, events, from;
	struct ktrace *trace;

	script_begin(head.size);
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
	script_rounds = 0;
	CHECK_EQ(ktrace_follow_now(trace, points_come, NULL, &until), 0);
	CHECK(until >= maker_monotonic(packets[0].list[5].begin) - 1);
	CHECK(until < maker_monotonic(packets[0].list[6].begin));
	options.size = sizeof(options);
	options.to = until;
	events = events_count(trace, &options);
	CHECK(events > 1000);
	CHECK_EQ(events_count(trace, &options), events);
	CHECK_EQ(ktrace_time_tail(trace, &options, 100, &from), 0);
	options.from = from;
	CHECK(events_count(trace, &options) < events);
	CHECK(events_count(trace, &options) >= 100);
	ktrace_close(trace);
	script_end("");
}

static bool half_a_packet_comes(void *data)
{
	const struct packets *p = &packets[0];

	if (++script_rounds == 2) {
		stream_write(0, p->list[5].end - 200);
		script_point(p->list[4].begin);
	} else if (script_rounds == 5) {
		stream_write(0, UINT64_MAX);
		script_end("");
	}
	return false;
}

/* Behind a packet that is damaged, one in the middle of which the file ends is whole later. */
TEST(half_a_packet_behind_damage)
{
	struct ktrace_cursor_options options = {.stop = half_a_packet_comes};
	struct ktrace *trace, *whole;
	uint64_t events;

	script_begin(head.size);
	stream_write(0, packets[0].list[3].end);
	CHECK_EQ(pwrite(recorder.files[0], "damage", 6, packets[0].list[1].end),
		 6);
	script_rounds = 0;
	CHECK_EQ(ktrace_open_follow(-1, directory, &trace), 0);
	events = events_count(trace, &options);
	ktrace_close(trace);
	CHECK_EQ(ktrace_open(directory, &whole), 0);
	CHECK_EQ(events_count(whole, &(struct ktrace_cursor_options){0}),
		 events);
	ktrace_close(whole);
}

CHECK_MAIN
