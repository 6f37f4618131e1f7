// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "decoded.h"

bool decoded_calls_system(const char *system)
{
	return !strcmp(system, "syscalls") ||
	       !strcmp(system, "compat_syscalls");
}

/* If @name begins with @begin: is the event of the call that begins with @other selected? */
static bool other_selected(const struct selection *selection,
			   const struct ktrace_known *known, const char *begin,
			   const char *other)
{
	size_t length = strlen(begin);
	char name[128];

	if (strncmp(known->name, begin, length) != 0)
		return false;
	snprintf(name, sizeof(name), "%s%s", other, known->name + length);
	return selection_match(selection, known->system, name);
}

/* What the end of a call has depends on what its begin has, so a call is decoded as a whole. */
static bool call_wanted(const struct ktrace_known *known, void *data)
{
	static const char enter[] = "sys_enter_", exit[] = "sys_exit_";
	const struct selection *selection = data;

	return decoded_calls_system(known->system) &&
	       (selection_match(selection, known->system, known->name) ||
		other_selected(selection, known, enter, exit) ||
		other_selected(selection, known, exit, enter));
}

int decoded_calls(struct ktrace_session *session, const struct decoded *decoded,
		  const struct selection *selection)
{
	const struct ktrace_session_calls calls = {
		.size = sizeof(calls),
		.string_max = decoded->string_max,
		.paths = decoded->paths,
		.unabbreviated = decoded->unabbreviated,
		.want = selection_is_all(selection) ? NULL : call_wanted,
		.data = (void *)selection,
	};

	return ktrace_session_syscalls_chosen(session, &calls)
		       ? failed_in_library()
		       : EXIT_OK;
}

/* Only who may define events has our own event, and only who may read the kernel's memory all of it. */
enum decoded_signals decoded_signals(struct ktrace_session *session)
{
	if (!ktrace_session_signals(session))
		return DECODED_SIGNALS_ALL;
	say("signals will be shown without who sent them: %s",
	    ktrace_last_error());
	return ktrace_session_kills(session) ? DECODED_SIGNALS_NONE
					     : DECODED_SIGNALS_KILLS;
}

/* The kernel's event of it, and our own. */
static const char *const signal_events[] = {"signal_deliver",
					    "signal_delivered"};

/* A filter is about fields that the other event does not have. */
static bool signals_wanted(const struct selection *selection)
{
	bool wanted = false;

	for (size_t i = 0; i < 2; i++) {
		if (selection_filter_of(selection, "signal", signal_events[i]))
			return false;
		wanted |=
			selection_match(selection, "signal", signal_events[i]);
	}
	return wanted;
}

int decoded_prepare(struct ktrace_session *session,
		    const struct decoded *decoded,
		    const struct selection *selection, bool *signals)
{
	int status = decoded_calls(session, decoded, selection);

	*signals = !status && signals_wanted(selection) &&
		   decoded_signals(session) != DECODED_SIGNALS_NONE;
	return status;
}

bool decoded_fits(const struct ktrace_known *known)
{
	if (decoded_calls_system(known->system))
		return true;
	for (size_t i = 0; i < 2; i++)
		if (!strcmp(known->system, "signal") &&
		    !strcmp(known->name, signal_events[i]))
			return true;
	return false;
}

int decoded_check(const struct selection *selection,
		  const struct ktrace_known *known, size_t nr)
{
	bool signals = false;

	for (size_t i = 0; i < nr; i++) {
		if (!decoded_fits(&known[i]) ||
		    !selection_match(selection, known[i].system, known[i].name))
			continue;
		if (decoded_calls_system(known[i].system))
			return EXIT_OK;
		signals = true;
	}
	if (!signals)
		return failed(
			"--decode is about system calls and signals, and "
			"none is chosen: -e 'syscalls:*' chooses all calls");
	say("only signals are decoded, because no system call is chosen: -e "
	    "'syscalls:*' chooses all");
	return EXIT_OK;
}
