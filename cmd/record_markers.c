// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The markers to be recorded: those of -M and of sets. */
#include <stdlib.h>
#include <string.h>

#include <ktrace/markers.h>

#include "cmd.h"
#include "markers.h"
#include "record.h"

int record_sets_take(struct record *r)
{
	struct set *set = &r->set;

	for (size_t i = 0; i < set->nr_markers; i++)
		if (patterns_append(&r->markers, set->markers[i]))
			return failed("out of memory");
	if (selection_append(&r->selection, &set->selection))
		return failed("out of memory");
	return EXIT_OK;
}

int record_markers_enable(struct record *r)
{
	size_t count;

	if (!r->markers.nr)
		return EXIT_OK;
	if (ktrace_session_mark(r->session, r->markers.list, r->markers.nr,
				&count))
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
	found = ktrace_session_markers(session, r->markers.list, r->markers.nr,
				       marker_found, NULL) == 1;
	ktrace_session_close(session);
	return found;
}
