// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See side.h. */
#include <errno.h>
#include <ktrace_branch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "side.h"
#include "trace.h"

bool side_is_known(struct ktrace *trace, uint32_t number)
{
	const char *kind =
		number < trace->nr_kinds ? trace->kinds[number] : NULL;

	if (kind && !strcmp(kind, KT_BRANCH_STREAM))
		return true;
	if (kind)
		trace_warn(trace,
			   "stream%u: this ktrace does not know streams of the "
			   "kind `%s': left out, all else is shown",
			   number, kind);
	else
		trace_warn(
			trace,
			"stream%u: the metadata does not name its kind: left "
			"out, all else is shown",
			number);
	return false;
}

int side_add(struct ktrace *trace, uint32_t number, int fd)
{
	struct side_stream *more;

	if (trace->nr_sides == SIDES_MAX) {
		trace_warn(trace, "there are more streams than are read");
		close(fd);
		return 0;
	}
	more = array_grow(trace->sides, trace->nr_sides, sizeof(*more));
	if (!more) {
		close(fd);
		return -ENOMEM;
	}
	trace->sides = more;
	more[trace->nr_sides++] = (struct side_stream){number, fd};
	return 0;
}

void sides_check(struct ktrace *trace)
{
	size_t nr = 0;

	for (size_t i = 0; i < trace->nr_sides; i++)
		if (side_is_known(trace, trace->sides[i].number))
			trace->sides[nr++] = trace->sides[i];
		else
			close(trace->sides[i].fd);
	trace->nr_sides = nr;
}

const struct side_stream *side_find(const struct ktrace *trace, uint32_t number)
{
	for (size_t i = 0; i < trace->nr_sides; i++)
		if (trace->sides[i].number == number)
			return &trace->sides[i];
	return NULL;
}

void sides_free(struct ktrace *trace)
{
	for (size_t i = 0; i < trace->nr_sides; i++)
		close(trace->sides[i].fd);
	free(trace->sides);
}
