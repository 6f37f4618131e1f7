// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The kernel counts misses as long as a session exists.  A recording has those that came since
 * it began.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "misses.h"

static int miss_add(struct misses *misses, const char *source,
		    const char *reason, const char *count)
{
	struct ktrace_miss *more =
		realloc(misses->list, (misses->nr + 1) * sizeof(*more));

	if (!more)
		return error_set(-ENOMEM, "out of memory");
	misses->list = more;
	more[misses->nr++] = (struct ktrace_miss){
		.source = source,
		.reason = reason,
		.count = strtoull(count, NULL, 10),
	};
	return 0;
}

/* Parses "source NAME missed N REASON N ...".  Of a source with reasons, N is their sum. */
static int line_parse(char *line, struct misses *misses)
{
	const char *source, *sum, *reason, *count;
	size_t before = misses->nr;
	int err = 0;

	if (strcmp(strsep(&line, " "), "source"))
		return 0;
	source = strsep(&line, " ");
	reason = strsep(&line, " ");
	sum = strsep(&line, " ");
	if (!sum || strcmp(reason, "missed"))
		return 0;
	while (!err && (reason = strsep(&line, " ")) &&
	       (count = strsep(&line, " ")))
		err = miss_add(misses, source, reason, count);
	if (!err && misses->nr == before)
		err = miss_add(misses, source, NULL, sum);
	return err;
}

int misses_parse(char *text, struct misses *misses)
{
	char *next = text, *line;
	int err = 0;

	misses_free(misses);
	misses->text = text;
	while (!err && (line = strsep(&next, "\n")))
		err = line_parse(line, misses);
	return err;
}

int misses_read(struct ktrace_session *session, struct misses *misses)
{
	char *text;
	int err = ktrace_session_read(session, "overflow", &text, NULL);

	return err ?: misses_parse(text, misses);
}

static bool reason_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

void misses_subtract(struct misses *misses, const struct misses *before)
{
	for (size_t i = 0; i < misses->nr; i++) {
		struct ktrace_miss *miss = &misses->list[i];

		for (size_t j = 0; j < before->nr; j++) {
			const struct ktrace_miss *old = &before->list[j];

			/* The source's module may have been loaded anew. */
			if (!strcmp(miss->source, old->source) &&
			    reason_same(miss->reason, old->reason) &&
			    miss->count >= old->count)
				miss->count -= old->count;
		}
	}
}

int misses_since(struct ktrace_session *session, const struct misses *before,
		 struct misses *since, struct misses *all)
{
	char *text, *twin;
	size_t size;
	int err = ktrace_session_read(session, "overflow", &text, &size);

	if (err)
		return err;
	twin = strdup(text);
	if (!twin) {
		free(text);
		return error_set(-ENOMEM, "out of memory");
	}
	err = misses_parse(text, since);
	err = misses_parse(twin, all) ?: err;
	misses_subtract(since, before);
	return err;
}

void misses_free(struct misses *misses)
{
	free(misses->list);
	free(misses->text);
	*misses = (struct misses){0};
}
