// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "own_session.h"

struct own {
	const char *name;
	struct ktrace_session *session;
};

/* Removes the session of a process that was killed, which nobody else knows. */
static int session_clean(void *data, const char *name)
{
	const struct own *own = data;
	size_t length = strlen(own->name);
	bool running;
	char more;
	int pid;

	if (strncmp(name, own->name, length) ||
	    sscanf(name + length, "-%d%c", &pid, &more) != 1 || pid <= 0 ||
	    !kill(pid, 0) || errno != ESRCH)
		return 0;
	if (ktrace_session_is_left(own->session, name, &running) &&
	    !ktrace_session_remove(own->session, name) && verbosity > 0)
		say("the session %s of a process that was killed is removed",
		    name);
	return 0;
}

int own_session_open(const char *name, struct ktrace_session **session)
{
	char full[64];
	struct ktrace_session_options options = {
		.size = sizeof(options),
		.name = full,
		.note = note,
	};
	struct own own = {.name = name};

	snprintf(full, sizeof(full), "%s-%d", name, getpid());
	if (ktrace_session_open(&options, session))
		return failed_in_library();
	own.session = *session;
	ktrace_sessions_each(*session, session_clean, &own);
	return ktrace_session_claim(*session) ? failed_in_library() : EXIT_OK;
}

void own_session_close(struct ktrace_session *session)
{
	if (!session)
		return;
	ktrace_session_reset(session);
	ktrace_session_close(session);
}
