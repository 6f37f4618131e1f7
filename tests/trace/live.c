// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A trace that is read while it grows gives the same as when it is complete: the same
 * events and losses, in the same order, of the same tasks, in whatever steps its streams
 * grow.  Who reads it is who writes it; follow.c has a reader of its own.
 */
#include "growing.h"

#include "read/trace.h"

static int live_open(bool forget, struct ktrace **live)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY);
	int err = trace_open_live(fd, directory, forget, NULL, live);

	close(fd);
	return err;
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
