/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a cursor knows beside the event that it has delivered. */
#ifndef KT_LIB_READ_CURSOR_H
#define KT_LIB_READ_CURSOR_H

#include <ktrace/trace.h>

#include "task.h"

/* Where a thread was when an event happened. */
struct cursor_place {
	size_t stream;
	uint64_t runs; /* how often its CPU had gone to another task */
	bool programs; /* a stream of programs: there @runs says nothing */
};

/* Of the last event. */
struct cursor_place cursor_place(const struct ktrace_cursor *cursor);
/* The task that ran there at that time still runs, and has run since. */
bool cursor_runs_on(const struct ktrace_cursor *cursor,
		    const struct cursor_place *place);
/*
 * Events that are older than the last one were lost, and that is still to be
 * delivered: the loss is an item of its stream at the gap's end.
 */
bool cursor_is_losing(const struct ktrace_cursor *cursor, bool programs);
const struct tasks *cursor_tasks(const struct ktrace_cursor *cursor);

#endif /* KT_LIB_READ_CURSOR_H */
