// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Outputs for viewers, where the trace is unkind: how large they become, and what they cut off. */
#include <errno.h>
#include <inttypes.h>

#include <zlib.h>

#include "happen.h"
#include "shown.h"

#define LIMIT 200000000 /* bytes (show/firefox/firefox.c) */

static void change(uint32_t from, uint32_t to)
{
	struct maker_switch s = {.prev_pid = from,
				 .prev_prio = 120,
				 .prev_state = 1,
				 .next_pid = to,
				 .next_prio = 120};

	snprintf(s.next_comm, sizeof(s.next_comm), "%u", to);
	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, 0, MAKER_SWITCH, &s, sizeof(s)));
}

/* Counts what is written, and keeps none of it. */
static int count(void *data, const char *text, size_t size)
{
	uint64_t *bytes = data;

	*bytes += size;
	return 0;
}

/* The first error, or that of the end.  *@bytes: how many were written. */
static int exported(struct ktrace *trace, const char *kind, uint64_t *bytes)
{
	struct ktrace_output_options options = {
		.size = sizeof(options), .write = count, .data = bytes};
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;
	int err;

	*bytes = 0;
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	options.cursor = cursor;
	CHECK_EQ(ktrace_output_create(trace, kind, &options, &output), 0);
	err = ktrace_output_run(output, cursor, NULL, NULL);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	return err;
}

/* Threads that do nothing else than to run: they have no markers. */
TEST(firefox_threads)
{
	struct ktrace *trace;
	uint64_t bytes;

	begin_cpus(1);
	run(0, 1, 1);
	for (uint32_t tid = 1; tid < 130000; tid++)
		change(tid, tid + 1);
	trace = trace_end();
	CHECK_EQ(exported(trace, "firefox", &bytes), -EFBIG);
	CHECK(strstr(ktrace_last_error(), "more than 200 MB"));
	/* It is known before anything is written. */
	CHECK_EQ(bytes, 0);
	ktrace_close(trace);
}

/* What is refused would have been that large, or nearly so. */
TEST(firefox_size)
{
	struct ktrace *trace;
	uint64_t bytes;

	begin_cpus(1);
	run(0, 1, 1);
	for (uint32_t tid = 1; tid < 100000; tid++)
		change(tid, tid + 1);
	trace = trace_end();
	CHECK_EQ(exported(trace, "firefox", &bytes), 0);
	CHECK(bytes > LIMIT / 2 && bytes < LIMIT);
	ktrace_close(trace);
}

/* A gap that began before the part begins with it, and ends when it did. */
TEST(chrome_loss_before_a_part)
{
	struct ktrace_output_options options = {.size = sizeof(options)};
	const struct maker_plain plain = {1, 0};
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;
	struct ktrace *trace;
	const struct ktrace_event *event;
	const struct ktrace_loss *loss;
	uint64_t begin = 0;
	char want[64], text[4096] = "";
	FILE *file = tmpfile();
	int item;

	begin_cpus(2);
	gap_begin(1);
	maker_time(maker, clock_now += 10 * US);
	CHECK(maker_event(maker, 0, MAKER_PLAIN, &plain, sizeof(plain)));
	maker_time(maker, clock_now += 10 * US);
	gap_end(1);
	CHECK(maker_event(maker, 1, MAKER_PLAIN, &plain, sizeof(plain)));
	trace = trace_end();
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	event = ktrace_cursor_event(cursor);
	loss = ktrace_cursor_loss(cursor);
	options.cursor = cursor;
	options.fd = fileno(file);
	CHECK_EQ(ktrace_output_create(trace, "chrome", &options, &output), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_LOSS) {
			CHECK(loss->from < begin);
			CHECK(loss->time > begin);
			snprintf(want, sizeof(want),
				 "\"ts\":0.000,\"dur\":%" PRIu64 ".%03u,",
				 (loss->time - begin) / 1000,
				 (unsigned int)((loss->time - begin) % 1000));
			CHECK_EQ(ktrace_output_loss(output, loss), 0);
		} else if (event->cpu) {
			CHECK_EQ(ktrace_output_hidden(output, event), 0);
		} else {
			begin = event->time;
			CHECK_EQ(ktrace_output_event(output, event, NULL), 0);
		}
	}
	CHECK(begin);
	CHECK_EQ(ktrace_output_finish(output), 0);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	CHECK(pread(fileno(file), text, sizeof(text) - 1, 0) > 0);
	fclose(file);
	CHECK(strstr(text, want));
}

/* ---- pages ---------------------------------------------------------------- */

static unsigned int digit_of(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? found - digits : 0;
}

/* What the page says of its data: JSON. */
static char *head_of(const char *page)
{
	const char *from =
		strstr(page, "id=\"head\">") + strlen("id=\"head\">");
	size_t size = strcspn(from, "<"), n = 0;
	uLongf room = 1 << 20;
	uint8_t *packed = calloc(1, size);
	char *head = calloc(1, room);

	CHECK(packed && head);
	for (size_t i = 0; i + 4 <= size; i += 4) {
		uint32_t bits =
			digit_of(from[i]) << 18 | digit_of(from[i + 1]) << 12 |
			digit_of(from[i + 2]) << 6 | digit_of(from[i + 3]);

		for (int k = 16; k >= 0; k -= 8)
			packed[n++] = bits >> k;
	}
	CHECK_EQ(uncompress2((Bytef *)head, &room, packed,
			     &(uLong){from[size - 2] == '='   ? n - 2
				      : from[size - 1] == '=' ? n - 1
							      : n}),
		 Z_OK);
	free(packed);
	return head;
}

static int keep(void *data, const char *text, size_t size)
{
	return fwrite(text, 1, size, data) == size ? 0 : -ENOSPC;
}

/* The head of a page that has these events; *@bytes: of the page. */
static char *page_of(struct ktrace *trace,
		     bool (*shown)(const struct ktrace_event *event),
		     uint64_t *left_out, size_t *bytes)
{
	struct ktrace_output_options options = {.size = sizeof(options),
						.write = keep};
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;
	const struct ktrace_event *event;
	char *page, *head;
	int item;

	options.data = open_memstream(&page, bytes);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	event = ktrace_cursor_event(cursor);
	options.cursor = cursor;
	CHECK_EQ(ktrace_output_create(trace, "html", &options, &output), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0)
		CHECK_EQ(item == KTRACE_LOSS
				 ? ktrace_output_loss(
					   output, ktrace_cursor_loss(cursor))
			 : shown(event)
				 ? ktrace_output_event(output, event, NULL)
				 : ktrace_output_hidden(output, event),
			 0);
	CHECK_EQ(ktrace_output_finish(output), 0);
	*left_out = ktrace_output_left_out(output);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	fclose(options.data);
	head = head_of(page);
	free(page);
	return head;
}

static uint64_t member(const char *head, const char *name)
{
	const char *found = strstr(head, name);

	CHECK(found);
	return strtoull(found + strlen(name), NULL, 10);
}

/* How many values the columns have from this one on, one after another: [size,nr],[size,nr] ... */
static uint64_t column_nr(const char *head, int column)
{
	const char *at =
		strstr(head, "\"columns\":[") + strlen("\"columns\":[");

	while (column--)
		at = strchr(at, ']') + 2;
	return strtoull(strchr(at, ',') + 1, NULL, 10);
}

/* show/html/tape.h */
#define COLUMN_STEP	    0
#define COLUMN_STATE_THREAD 3
#define COLUMN_LOSS_CPU	    19

static bool first_cpu(const struct ktrace_event *event)
{
	return !event->cpu;
}

static bool any(const struct ktrace_event *event)
{
	(void)event;
	return true;
}

static void plain_on(uint32_t cpu)
{
	const struct maker_plain plain = {1, cpu};

	maker_time(maker, clock_now += 10 * US);
	CHECK(maker_event(maker, cpu, MAKER_PLAIN, &plain, sizeof(plain)));
}

/* A loss that ends behind the last event is in what is shown. */
TEST(html_loss_at_the_end)
{
	struct ktrace *trace;
	uint64_t left_out;
	size_t bytes;
	char *head;

	begin_cpus(2);
	plain_on(0);
	gap_begin(1);
	plain_on(0);
	maker_time(maker, clock_now += 1000 * US);
	gap_end(1);
	plain_on(1);
	trace = trace_end();
	head = page_of(trace, first_cpu, &left_out, &bytes);
	CHECK_EQ(column_nr(head, COLUMN_LOSS_CPU), 1);
	CHECK(member(head, "\"span\":") >= 1000000);
	free(head);
	ktrace_close(trace);
}

/* What is not shown makes one state of a thread, not one for each event. */
TEST(html_hidden_states)
{
	struct ktrace *trace;
	uint64_t left_out;
	size_t bytes;
	char *head;

	begin_cpus(2);
	run(0, 1, 1);
	for (uint32_t tid = 1; tid < 5; tid++)
		change(tid, tid + 1);
	for (uint32_t i = 0; i < 10000; i++) {
		struct maker_switch s = {.prev_pid = 1 + i % 4,
					 .prev_state = 1,
					 .next_pid = 1 + (i + 1) % 4};

		maker_time(maker, clock_now += US);
		CHECK(maker_event(maker, 1, MAKER_SWITCH, &s, sizeof(s)));
	}
	plain_on(0);
	trace = trace_end();
	head = page_of(trace, first_cpu, &left_out, &bytes);
	CHECK(column_nr(head, COLUMN_STATE_THREAD) > 4);
	CHECK(column_nr(head, COLUMN_STEP) < 100);
	free(head);
	ktrace_close(trace);
}

/*
 * Texts have a limit, too; so has a loss that ends where the rest is left out: the part of it that is
 * in the page is told.
 */
TEST(html_bytes)
{
	static char room[60000];
	struct maker_exec *exec = (void *)room;
	size_t size = sizeof(room) - sizeof(*exec);
	struct ktrace *trace;
	uint64_t left_out, kept;
	size_t bytes;
	char *head;

	exec->filename = size << 16 | sizeof(*exec);
	memset(exec->data, 'x', size - 1);
	begin_cpus(2);
	plain_on(0);
	gap_begin(1);
	for (uint32_t i = 0; i < 5000; i++) {
		snprintf(exec->data, 9, "%08u", i);
		exec->data[8] = '/';
		maker_time(maker, clock_now += US);
		CHECK(maker_event(maker, 0, MAKER_EXEC, exec, sizeof(room)));
	}
	gap_end(1);
	plain_on(1);
	trace = trace_end();
	head = page_of(trace, any, &left_out, &bytes);
	kept = (256 << 20) / size;
	CHECK(left_out > 5000 - kept - 10 && left_out < 5000 - kept + 10);
	CHECK_EQ(member(head, "\"leftOut\":"), left_out);
	CHECK_EQ(column_nr(head, COLUMN_LOSS_CPU), 1);
	CHECK_EQ(member(head, "\"leftOutLost\":"), 0);
	free(head);
	ktrace_close(trace);
}

#define HTML_MOST 4000000 /* events (show/html/html.c) */

/* What is more than a browser takes is left out, and counted; what is open ends there. */
TEST(html_left_out)
{
	const struct maker_plain plain = {1, 0};
	struct ktrace_output_options options = {.size = sizeof(options),
						.write = count};
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;
	struct ktrace *trace;
	uint64_t bytes = 0;

	options.data = &bytes;
	begin_cpus(1);
	run(0, 1, 1);
	change(1, 2);
	for (uint32_t i = 1; i < HTML_MOST; i++) {
		maker_time(maker, clock_now += 25);
		CHECK(maker_event(maker, 0, MAKER_PLAIN, &plain,
				  sizeof(plain)));
	}
	change(2, 3);
	change(3, 4);
	trace = trace_end();
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	options.cursor = cursor;
	CHECK_EQ(ktrace_output_create(trace, "html", &options, &output), 0);
	CHECK_EQ(ktrace_output_run(output, cursor, NULL, NULL), 0);
	CHECK_EQ(ktrace_output_events(output), HTML_MOST + 2);
	CHECK_EQ(ktrace_output_left_out(output), 2);
	CHECK(bytes > 0);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

CHECK_MAIN
