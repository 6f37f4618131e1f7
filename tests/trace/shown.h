/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What an output writes of a whole trace. */
#ifndef KT_TESTS_SHOWN_H
#define KT_TESTS_SHOWN_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ktrace/output.h>

#include "check.h"

/* With these options, except where it goes to. */
static inline char *shown_with(struct ktrace *trace, const char *kind,
			       struct ktrace_output_options where,
			       uint64_t *events)
{
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;
	off_t size;
	char *text;

	where.size = sizeof(where);
	where.fd = memfd_create("output", 0);
	CHECK(where.fd >= 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_output_create(trace, kind, &where, &output), 0);
	CHECK_EQ(ktrace_output_run(output, cursor, NULL, NULL), 0);
	if (events)
		*events = ktrace_output_events(output);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	size = lseek(where.fd, 0, SEEK_END);
	text = calloc(1, size + 1);
	CHECK(text);
	CHECK_EQ(pread(where.fd, text, size, 0), size);
	close(where.fd);
	return text;
}

/* The text, to be freed.  *@events (may be NULL): how many events it has shown. */
static inline char *shown_of(struct ktrace *trace, const char *kind,
			     const struct ktrace_output_calls *calls,
			     uint64_t *events)
{
	struct ktrace_output_options where = {.calls = calls};

	return shown_with(trace, kind, where, events);
}

#endif /* KT_TESTS_SHOWN_H */
