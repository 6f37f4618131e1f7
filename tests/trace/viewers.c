// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Outputs for viewers, where the trace is unkind: how large they become, and what they cut off. */
#include <errno.h>
#include <inttypes.h>

#include "happen.h"
#include "shown.h"

#define LIMIT 200000000 /* bytes (show/firefox.c) */

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
