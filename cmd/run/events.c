// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdlib.h>
#include <string.h>

#include <ktrace/probes.h>

#include "cmd.h"
#include "events.h"

/* The events of all calls: what they tell is also told by those of each call. */
#define RAW "raw_syscalls"

/* What is to be enabled. */
struct choice_of_events {
	struct ktrace_session *session;
	struct selection *selection;
	struct stacks_wanted *stacks;  /* NULL: none */
	const struct decoded *decoded; /* NULL: nothing is */
	bool signals;		       /* signal:signal_delivered, too */
	bool calls; /* those of each call, not raw_syscalls */
	struct ktrace_known *known;
	size_t nr_known;
};

static int filter_write(const struct choice_of_events *c,
			const struct ktrace_known *event)
{
	const char *filter =
		selection_filter_of(c->selection, event->system, event->name);

	if (!filter || !ktrace_session_filter(c->session, event->system,
					      event->name, filter))
		return EXIT_OK;
	failed("-f `%s' does not fit %s:%s: %s", filter, event->system,
	       event->name, ktrace_last_error());
	if (!c->decoded && decoded_fits(event) && strpbrk(filter, "~\"'"))
		say("with --decode, arguments can be compared with texts");
	return EXIT_FAILED;
}

/* Enables the selected events of [@first, @end), which are one system. */
static int system_enable(const struct choice_of_events *c,
			 const struct ktrace_known *first,
			 const struct ktrace_known *end, size_t *nr)
{
	const char *system = first->system;
	size_t wanted = 0;
	int status;

	for (const struct ktrace_known *e = first; e < end; e++) {
		if (!selection_match(c->selection, system, e->name))
			continue;
		wanted++;
		status = filter_write(c, e);
		if (status)
			return status;
	}
	*nr += wanted;
	/* One write enables a whole system, because single writes are slow. */
	if (wanted == (size_t)(end - first))
		return ktrace_session_enable(c->session, system, NULL, true)
			       ? failed_in_library()
			       : EXIT_OK;
	for (; wanted && first < end; first++)
		if (selection_match(c->selection, system, first->name) &&
		    ktrace_session_enable(c->session, system, first->name,
					  true))
			return failed_in_library();
	return EXIT_OK;
}

/* All but those of each call, which must be named; and instead of RAW these, if @c says so. */
static int all_enable(const struct choice_of_events *c, size_t *nr)
{
	const char *last = "";
	int err = ktrace_session_enable(c->session, NULL, NULL, true);

	*nr += c->nr_known;
	for (size_t i = 0; !err && c->calls && i < c->nr_known; i++) {
		const char *system = c->known[i].system;
		bool raw = !strcmp(system, RAW);

		*nr -= raw;
		if (!strcmp(system, last) ||
		    (!raw && !decoded_calls_system(system)))
			continue;
		last = system;
		err = ktrace_session_enable(c->session, system, NULL, !raw);
	}
	return err ? failed_in_library() : EXIT_OK;
}

static int known_enable(const struct choice_of_events *c, size_t *nr)
{
	const struct ktrace_known *known = c->known;
	int status = EXIT_OK;

	if (selection_is_all(c->selection))
		return all_enable(c, nr);
	for (size_t i = 0, end; !status && i < c->nr_known; i = end) {
		for (end = i; end < c->nr_known; end++)
			if (strcmp(known[i].system, known[end].system))
				break;
		if (!c->calls || strcmp(known[i].system, RAW) != 0)
			status = system_enable(c, known + i, known + end, nr);
	}
	return status;
}

static bool text_is_wanted(const char *system, const char *name, void *data)
{
	return selection_match(data, system, name);
}

/* The selected events get what must be there before they are enabled. */
static int known_prepare(const struct choice_of_events *c)
{
	int status = selection_check_known(c->selection, c->known, c->nr_known,
					   c->session);

	if (!status && c->decoded && !c->decoded->possibly)
		status = decoded_check(c->selection, c->known, c->nr_known);
	/* First: later the events have filters. */
	if (!status && !selection_is_all(c->selection) &&
	    ktrace_session_texts(c->session, text_is_wanted, c->selection))
		status = failed_in_library();
	if (!status && c->stacks)
		status = stacks_enable(c->session, c->stacks, c->selection,
				       c->known, c->nr_known);
	return status;
}

/* Unless it is selected. */
static int signals_enable(const struct choice_of_events *c, size_t *nr)
{
	static const char system[] = "signal", name[] = "signal_delivered";

	if (!c->signals || selection_match(c->selection, system, name))
		return EXIT_OK;
	*nr += 1;
	return ktrace_session_enable(c->session, system, name, true)
		       ? failed_in_library()
		       : EXIT_OK;
}

/* Are all events wanted, whatever else is named beside them? */
static bool names_everything(const char *const *patterns, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(patterns[i], "*") || !strcmp(patterns[i], "*:*"))
			return true;
	return false;
}

/*
 * Makes the events known.  `*' does not mean those of each call, unless they are to be decoded; then
 * they take the place of those of all calls.
 */
static int patterns_prepare(struct choice_of_events *c)
{
	static const char *const calls[] = {"syscalls:*", "compat_syscalls:*"};
	size_t nr, nr_calls = 0;
	const char *const *patterns = selection_patterns(c->selection, &nr);
	const char **all = calloc(nr + 2, sizeof(*all));
	int status;

	if (!all)
		return failed("out of memory");
	memcpy(all, patterns, nr * sizeof(*all));
	c->calls = c->decoded && names_everything(patterns, nr);
	if (c->calls) {
		nr_calls = sizeof(calls) / sizeof(*calls);
		memcpy(all + nr, calls, sizeof(calls));
	}
	status = ktrace_session_prepare(c->session, all, nr + nr_calls)
			 ? failed_in_library()
			 : EXIT_OK;
	free(all);
	return status;
}

/* Who leaves out those of each call has the calls by RAW. */
static bool calls_are_selected(const struct choice_of_events *c)
{
	for (size_t i = 0; i < c->nr_known; i++)
		if (!strcmp(c->known[i].system, "syscalls") &&
		    selection_match(c->selection, c->known[i].system,
				    c->known[i].name))
			return true;
	return false;
}

int events_enable(struct ktrace_session *session, struct selection *selection,
		  struct stacks_wanted *stacks, const struct decoded *decoded,
		  size_t *nr)
{
	struct choice_of_events c = {
		.session = session,
		.selection = selection,
		.stacks = stacks,
		.decoded = decoded && decoded->wanted ? decoded : NULL,
	};
	const struct ktrace_missing *missing;
	size_t nr_missing, before = *nr;
	int status = patterns_prepare(&c);

	if (!status && c.decoded)
		status = decoded_prepare(session, c.decoded, selection,
					 &c.signals);
	if (status)
		return status;
	if (ktrace_session_known(session, &c.known, &c.nr_known))
		return failed_in_library();
	c.calls = c.calls && calls_are_selected(&c);
	status = known_prepare(&c) ?: known_enable(&c, nr);
	status = status ?: signals_enable(&c, nr);
	free(c.known);
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
