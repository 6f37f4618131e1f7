/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a cursor knows about the last event, beyond struct ktrace_event. */
#ifndef KT_LIB_READ_CURSOR_H
#define KT_LIB_READ_CURSOR_H

#include <ktrace/trace.h>

#include "task.h"

/* Where a thread ran when an event happened. */
struct cursor_place {
	size_t stream;
	uint64_t runs; /* how often another task had begun to run on its CPU */
	bool programs; /* a stream of programs: @runs means nothing */
	uint32_t user; /* of these */
};

/* The place of the last event. */
struct cursor_place cursor_place(const struct ktrace_cursor *cursor);
/*
 * True if the task that ran at @place still runs there, and has run all the
 * time.
 */
bool cursor_runs_on(const struct ktrace_cursor *cursor,
		    const struct cursor_place *place);
/*
 * True if events from where @place is (the kernel, or programs of one user) were lost before the
 * last event, and the loss is still to be delivered.  It is delivered at the end of the gap.
 */
bool cursor_is_losing(const struct ktrace_cursor *cursor,
		      const struct cursor_place *place);
/*
 * Since when (ns) events of the kernel are missing on that CPU whose loss was not delivered when the
 * last item was asked for; NULL: on any CPU; 0: there are none.
 */
uint64_t cursor_losing(const struct ktrace_cursor *cursor, const uint32_t *cpu);
/* From now on the tasks have how long they slept. */
void cursor_count_sleep(struct ktrace_cursor *cursor);
const struct tasks *cursor_tasks(const struct ktrace_cursor *cursor);
const struct ktrace_types *cursor_trace_types(
	const struct ktrace_cursor *cursor);

#endif /* KT_LIB_READ_CURSOR_H */
