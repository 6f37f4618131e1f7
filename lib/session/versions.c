// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Capture programs for structs of which there are several versions. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/types.h>

#include <ktrace/capture_names.h>

#include "maker.h"

#define TIDS_MAX 32 /* namespaces of processes lie within each other so deep */

/* Where the kernel has stored the size that it knows, because it knows no other. */
static void size_now(struct maker *m, size_t offset)
{
	field_begin(m, "u32", KTRACE_CAPTURED_NOW);
	text_words(m->text, "a6 %d + 0 == if a%u %zu + 4 bytes 4 end", E2BIG,
		   m->index, offset);
}

/* The threads' numbers that a new process shall have, and its descriptor. */
static void clone_make(struct maker *m)
{
	uint32_t at, nr;

	if (m->exit) {
		if (!enums_member(m->enums, "clone_args", "pidfd", &at))
			return;
		field_begin(m, "int", KTRACE_CAPTURED_NOW);
		text_words(m->text,
			   "a%u @8 %u & " CALL_OK
			   " * if a%u %u + @8 4 bytes 4 end",
			   m->index, CLONE_PIDFD, m->index, at);
		return;
	}
	if (!enums_member(m->enums, "clone_args", "set_tid", &at) ||
	    !enums_member(m->enums, "clone_args", "set_tid_size", &nr))
		return;
	field_begin(m, "int", KTRACE_CAPTURED_TIDS);
	condition(m);
	text_words(m->text, "a%u %u + @8 a%u %u + @8 4 * bytes %u end",
		   m->index, at, m->index, nr, 4 * TIDS_MAX);
}

void version_make(struct maker *m, const struct ktrace_word *word,
		  const char *type, uint32_t size)
{
	bool clone = !strcmp(word->set, "clone_args");

	if (m->exit) {
		if (clone)
			clone_make(m);
		return;
	}
	field_begin(m, type, "");
	condition(m);
	/* The rest of a larger one may be missing. */
	if (m->again && !clone)
		text_words(m->text, "a%u %u bytes %u end", m->index, size,
			   size);
	else
		text_words(m->text, "a%u a%d bytes %u end", m->index,
			   word->from, size + VERSION_ROOM);
	if (clone)
		clone_make(m);
}

void sized_make(struct maker *m, const struct ktrace_word *word,
		const char *type, uint32_t size)
{
	if (m->exit && !word->out) {
		size_now(m, 0);
		return;
	}
	field_begin(m, type, "");
	condition(m);
	if (word->out)
		text_words(m->text, "a%u a%d 4294967295 & bytes %u end",
			   m->index, word->from, size);
	else
		/* A size of zero is that of the first version; at least the size is read. */
		text_words(m->text,
			   "a%u a%u @4 a%u @4 0 == %zu * + "
			   "a%u @4 2 >> 0 == %zu * + bytes %u end",
			   m->index, m->index, m->index,
			   SCHED_ATTR_SIZE_VER0 - sizeof(uint32_t), m->index,
			   sizeof(uint32_t), size);
}

void event_make(struct maker *m)
{
	if (m->exit) {
		size_now(m, offsetof(struct perf_event_attr, size));
		return;
	}
	field_begin(m, "u8", "");
	condition(m);
	/* A size of zero is that of the first version. */
	text_words(m->text,
		   "a%u a%u %zu + @4 a%u %zu + @4 0 == %d * + bytes %zu end",
		   m->index, m->index, offsetof(struct perf_event_attr, size),
		   m->index, offsetof(struct perf_event_attr, size),
		   PERF_ATTR_SIZE_VER0, sizeof(struct perf_event_attr));
}
