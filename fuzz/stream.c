// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: the reader of streams (`ktrace report -'), on any bytes.
 *
 *	input	| frame | bytes | frame | bytes ...
 *
 * A stream of `ktrace record -o -' is an input as it is.  A crash becomes a file in
 * fuzz/stream-seeds.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ktrace/span.h>
#include <ktrace/trace.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int good)
{
	if (!good)
		abort();
}

/* Each value that a text would show. */
static uint64_t event_read(const struct ktrace_event *event)
{
	uint64_t sum = event->time + event->cpu + event->comm[0];
	size_t size;

	for (uint32_t i = 0; i < event->type->nr_fields; i++) {
		const struct ktrace_field *field = &event->type->fields[i];

		if (field->kind <= KTRACE_POINTER)
			sum += ktrace_field_int(event, field);
		else if (ktrace_field_bytes(event, field, &size) && size)
			sum += *(const uint8_t *)ktrace_field_bytes(
				event, field, &size);
	}
	return sum;
}

static volatile uint64_t all;

static void trace_read(struct ktrace *trace)
{
	struct ktrace_cursor *cursor;
	struct ktrace_spans *spans;
	uint64_t time = 0;
	int item;

	if (ktrace_cursor_create(trace, NULL, &cursor))
		return;
	check(!ktrace_spans_create(cursor, &spans));
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		const struct ktrace_event *event = ktrace_cursor_event(cursor);

		if (item == KTRACE_LOSS) {
			ktrace_spans_loss(spans, ktrace_cursor_loss(cursor));
			continue;
		}
		check(event->time >= time);
		time = event->time;
		all += event_read(event);
		ktrace_spans_event(spans, event);
	}
	/* It ends once, and stays so. */
	check(ktrace_cursor_next(cursor) == item);
	check(item < 0 || !ktrace_get_info(trace)->live);
	ktrace_spans_destroy(spans);
	ktrace_cursor_destroy(cursor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktrace *trace;
	int fd = memfd_create("stream", MFD_CLOEXEC);

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	check(!lseek(fd, 0, SEEK_SET));
	if (!ktrace_open_stream(fd, &trace)) {
		uint64_t offset;

		trace_read(trace);
		for (size_t i = 0; ktrace_warning(trace, i); i++)
			all += *ktrace_warning(trace, i);
		ktrace_symbol(trace, all, &offset);
		ktrace_close(trace);
	}
	close(fd);
	return 0;
}
