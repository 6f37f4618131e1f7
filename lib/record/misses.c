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

int misses_parse(char *text, char *hits, struct misses *misses)
{
	char *next = text, *line;
	int err;

	misses_free(misses);
	misses->text = text;
	err = hits_parse(hits, &misses->hits);
	while (!err && (line = strsep(&next, "\n")))
		err = line_parse(line, misses);
	return err;
}

static int texts_read(struct ktrace_session *session, char **text, char **hits)
{
	int err = ktrace_session_read(session, "overflow", text, NULL);

	if (err)
		return err;
	err = hits_text(session, hits);
	if (err)
		free(*text);
	return err;
}

int misses_read(struct ktrace_session *session, struct misses *misses)
{
	char *text, *hits;
	int err = texts_read(session, &text, &hits);

	return err ?: misses_parse(text, hits, misses);
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
	hits_subtract(&misses->hits, &before->hits);
}

int misses_since(struct ktrace_session *session, const struct misses *before,
		 struct misses *since, struct misses *all)
{
	char *text, *hits, *text_twin, *hits_twin;
	int err = texts_read(session, &text, &hits);

	if (err)
		return err;
	text_twin = strdup(text);
	hits_twin = hits ? strdup(hits) : NULL;
	if (!text_twin || (hits && !hits_twin)) {
		free(text);
		free(hits);
		free(text_twin);
		return error_set(-ENOMEM, "out of memory");
	}
	err = misses_parse(text, hits, since);
	err = misses_parse(text_twin, hits_twin, all) ?: err;
	misses_subtract(since, before);
	return err;
}

void misses_free(struct misses *misses)
{
	hits_free(&misses->hits);
	free(misses->list);
	free(misses->text);
	*misses = (struct misses){0};
}
