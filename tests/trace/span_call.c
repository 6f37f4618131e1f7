// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Spans of events that tell a whole call: the end, and how long that is from the begin. */
#include <ktrace/span.h>

#include "maker.h"
#include "scratch.h"

#define CLOCK 5000000000000ull
#define US    2500 /* clock ticks */
/* What stands for call:function: records of any size. */
#define CALL MAKER_EXEC

static struct maker *maker;

/* Calls of function @index have one field, a number of 8 bytes. */
static void function_define(uint32_t index, const char *name, const char *field)
{
	const struct ktrace_field number = {
		.name = field,
		.ctype = "u64",
		.offset = 8,
		.size = 8,
		.kind = KTRACE_UINT,
	};

	CHECK_EQ(maker_variant(maker, CALL, index, "call", name, &number), 0);
}

static void call(uint32_t index, uint64_t number)
{
	const struct {
		uint32_t index, pad;
		uint64_t number;
	} payload = {.index = index, .number = number};
	static uint64_t now;

	maker_time(maker, CLOCK + ++now * US);
	CHECK(maker_event(maker, 0, CALL, &payload, sizeof(payload)));
}

TEST(calls_in_one_event)
{
	static const struct {
		const char *name;
		uint64_t took; /* 0: since the clock began */
	} want[] = {{"slow", 5000}, {"slow", 0}, {"fast", 0}};
	struct ktrace_cursor *cursor;
	struct ktrace_spans *spans;
	struct ktrace *trace;
	unsigned int nr = 0;

	scratch_make();
	maker = maker_create(directory, 1, 2, false, 9);
	function_define(0, "slow", "duration");
	function_define(1, "odd", "ret");
	function_define(2, "fast", "duration");
	call(0, 5000);
	call(1, 5000); /* it does not say how long: no span */
	call(0, UINT64_MAX);
	call(2, INT64_MAX);
	CHECK_EQ(maker_finish(maker, false), 0);

	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT) {
		const struct ktrace_event *event = ktrace_cursor_event(cursor);
		const struct ktrace_span *span = ktrace_spans_ended(spans);

		if (ktrace_spans_event(spans, event) != KTRACE_SPAN_ENDS)
			continue;
		CHECK(nr < 3);
		CHECK_STR(span->name, want[nr].name);
		CHECK_EQ(span->kind, KTRACE_SPAN_FUNCTION);
		CHECK_EQ(span->end, event->time);
		CHECK_EQ(span->begin,
			 want[nr].took ? event->time - want[nr].took : 0);
		CHECK_EQ(span->took, span->end - span->begin);
		nr++;
	}
	CHECK_EQ(nr, 3);
	CHECK_EQ(ktrace_spans_counts(spans, KTRACE_SPAN_FUNCTION)->ended, 3);
	CHECK_EQ(ktrace_spans_counts(spans, KTRACE_SPAN_FUNCTION)->open, 0);
	ktrace_spans_destroy(spans);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

CHECK_MAIN
