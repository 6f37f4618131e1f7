// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdlib.h>
#include <string.h>

#include <ktrace/probes.h>

#include "cmd.h"
#include "events.h"

static int filter_write(struct ktrace_session *session,
			const struct selection *selection,
			const struct ktrace_known *event)
{
	const char *filter =
		selection_filter_of(selection, event->system, event->name);

	if (!filter)
		return EXIT_OK;
	if (ktrace_session_filter(session, event->system, event->name, filter))
		return failed("-f `%s' does not fit %s:%s: %s", filter,
			      event->system, event->name, ktrace_last_error());
	return EXIT_OK;
}

/* Enables the selected events of [@first, @end), which are one system. */
static int system_enable(struct ktrace_session *session,
			 const struct selection *selection,
			 const struct ktrace_known *first,
			 const struct ktrace_known *end, size_t *nr)
{
	const char *system = first->system;
	size_t wanted = 0;
	int status;

	for (const struct ktrace_known *e = first; e < end; e++) {
		if (!selection_match(selection, system, e->name))
			continue;
		wanted++;
		status = filter_write(session, selection, e);
		if (status)
			return status;
	}
	*nr += wanted;
	/* One write enables a whole system, because single writes are slow. */
	if (wanted == (size_t)(end - first))
		return ktrace_session_enable(session, system, NULL, true)
			       ? failed_in_library()
			       : EXIT_OK;
	for (; wanted && first < end; first++)
		if (selection_match(selection, system, first->name) &&
		    ktrace_session_enable(session, system, first->name, true))
			return failed_in_library();
	return EXIT_OK;
}

static int known_enable(struct ktrace_session *session,
			const struct selection *selection,
			struct ktrace_known *known, size_t nr_known, size_t *nr)
{
	int status = EXIT_OK;

	if (selection_is_all(selection)) {
		*nr += nr_known;
		return ktrace_session_enable(session, NULL, NULL, true)
			       ? failed_in_library()
			       : EXIT_OK;
	}
	for (size_t i = 0, end; !status && i < nr_known; i = end) {
		for (end = i; end < nr_known; end++)
			if (strcmp(known[i].system, known[end].system))
				break;
		status = system_enable(session, selection, known + i,
				       known + end, nr);
	}
	return status;
}

static bool text_is_wanted(const char *system, const char *name, void *data)
{
	return selection_match(data, system, name);
}

int events_enable(struct ktrace_session *session, struct selection *selection,
		  struct stacks_wanted *stacks, size_t *nr)
{
	const struct ktrace_missing *missing;
	const char *const *patterns;
	struct ktrace_known *known;
	size_t nr_patterns, nr_known, nr_missing, before = *nr;
	int status;

	patterns = selection_patterns(selection, &nr_patterns);
	if (ktrace_session_prepare(session, patterns, nr_patterns))
		return failed_in_library();
	if (ktrace_session_known(session, &known, &nr_known))
		return failed_in_library();
	status = selection_check_known(selection, known, nr_known, session);
	/* First: later the events have filters. */
	if (!status && !selection_is_all(selection) &&
	    ktrace_session_texts(session, text_is_wanted, selection))
		status = failed_in_library();
	if (!status && stacks)
		status = stacks_enable(session, stacks, selection, known,
				       nr_known);
	if (!status)
		status = known_enable(session, selection, known, nr_known, nr);
	free(known);
	if (status)
		return status;
	if (*nr == before)
		return failed(
			"no event is left to record: `ktrace list' shows what there is");
	nr_missing = ktrace_session_missing(session, &missing);
	if (nr_missing && verbosity > 0)
		say("%zu events cannot be recorded: `ktrace list' says why",
		    nr_missing);
	return EXIT_OK;
}
