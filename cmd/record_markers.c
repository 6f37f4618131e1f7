// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The markers to be recorded: those of -M and of sets. */
#include <stdlib.h>
#include <string.h>

#include <ktrace/markers.h>

#include "cmd.h"
#include "markers.h"
#include "record.h"

int record_patterns_add(const char ***patterns, size_t *nr, char *list)
{
	const char **more;
	char *word;

	while ((word = strsep(&list, ","))) {
		if (!*word)
			continue;
		more = realloc(*patterns, (*nr + 1) * sizeof(*more));
		if (!more)
			return failed("out of memory");
		*patterns = more;
		more[(*nr)++] = word;
	}
	return EXIT_OK;
}

int record_sets_take(struct record *r)
{
	struct set *set = &r->set;
	const char **more;

	more = realloc(r->markers,
		       (r->nr_markers + set->nr_markers + 1) * sizeof(*more));
	if (!more || selection_append(&r->selection, &set->selection))
		return failed("out of memory");
	r->markers = more;
	for (size_t i = 0; i < set->nr_markers; i++)
		r->markers[r->nr_markers++] = set->markers[i];
	return EXIT_OK;
}

int record_markers_enable(struct record *r)
{
	size_t count;

	if (!r->nr_markers)
		return EXIT_OK;
	if (ktrace_session_mark(r->session, r->markers, r->nr_markers, &count))
		return failed_in_library();
	r->nr_events += count;
	return EXIT_OK;
}

static int marker_found(void *data, const struct ktrace_marker_info *marker)
{
	return 1;
}

bool record_markers_in_kernel(const struct record *r)
{
	struct ktrace_session *session = markers_session();
	bool found;

	if (!session)
		return false;
	found = ktrace_session_markers(session, r->markers, r->nr_markers,
				       marker_found, NULL) == 1;
	ktrace_session_close(session);
	return found;
}
