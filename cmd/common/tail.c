// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The last events of a trace: --tail.
 *
 * Only who decodes events knows which ones fit all options.  So the end of the trace is read twice: once
 * to count those that fit, from a time on that the headers of packets suggest, or an earlier one if they
 * are too few; then again to show the last of them.  Neither takes memory for the events.
 */
#include "cmd.h"
#include "tail.h"

/* If there are too few, so much more is read. */
#define TAIL_MORE 8

static bool is_stopped(const struct ktrace_cursor_options *options)
{
	return options->stop && options->stop(options->wait_data);
}

static int tail_count(struct ktrace *trace,
		      const struct ktrace_cursor_options *options,
		      bool (*fits)(void *data,
				   const struct ktrace_event *event),
		      void *data, uint64_t *count)
{
	struct ktrace_cursor *cursor;
	int item = 0;

	*count = 0;
	if (ktrace_cursor_create(trace, options, &cursor))
		return failed_in_library();
	while (!is_stopped(options) && (item = ktrace_cursor_next(cursor)) > 0)
		*count += item == KTRACE_EVENT &&
			  fits(data, ktrace_cursor_event(cursor));
	ktrace_cursor_destroy(cursor);
	return item < 0 ? failed_in_library() : EXIT_OK;
}

int tail_find(struct ktrace *trace, struct ktrace_cursor_options *options,
	      uint64_t events,
	      bool (*fits)(void *data, const struct ktrace_event *event),
	      void *data, uint64_t *skip)
{
	uint64_t want = events ?: 1, count, from;
	const uint64_t first = options->from;
	int status;

	do {
		if (ktrace_time_tail(trace, options, want, &from))
			return failed_in_library();
		options->from = from > first ? from : first;
		status = tail_count(trace, options, fits, data, &count);
		if (status)
			return status;
		if (__builtin_mul_overflow(want, TAIL_MORE, &want))
			want = UINT64_MAX;
	} while (count < events && options->from > first &&
		 !is_stopped(options));
	*skip = count > events ? count - events : 0;
	return EXIT_OK;
}
