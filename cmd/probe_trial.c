// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Probes on trial: probe_trial.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/library.h>

#include "cmd.h"
#include "common/value.h"
#include "probe_trial.h"
#include "run/probes.h"

static const struct probes *named;

void trial_debug_files(const struct probes *probes)
{
	named = probes;
}

int trial_debug_files_use(struct ktrace_session *session)
{
	return named ? probes_debug_files_use(named, session) : EXIT_OK;
}

struct ktrace_session *trial_open(void)
{
	static unsigned int nr;
	char name[40];
	struct ktrace_session_options options = {
		.size = sizeof(options),
		.name = name,
		.note = note,
	};
	struct ktrace_session *session;

	/* Several may be open. */
	snprintf(name, sizeof(name), "probe-%d-%u", getpid(), nr++);
	if (ktrace_session_open(&options, &session)) {
		failed_in_library();
		return NULL;
	}
	if (!trial_debug_files_use(session))
		return session;
	ktrace_session_close(session);
	return NULL;
}

void trial_close(struct ktrace_session *session)
{
	ktrace_session_write(session, "enabled", "0");
	ktrace_session_close(session);
}

int trial_enable(const struct ktrace_probe *probe, void *data)
{
	if (probe->left_out)
		return 0;
	return ktrace_session_enable(data, probe->system, probe->name, true);
}

int trial_start(struct ktrace_session *session)
{
	return ktrace_session_write(session, "enabled", "1");
}

/* The kernel replaces an exception by a jump some time later. */
#define OPTIMIZED_WITHIN_MS 3000

static const struct way ways[] = {
	{"jump", "a jump: the cheapest way", false},
	{"ftrace", "a call of ftrace, where the function begins", false},
	{"breakpoint", "an exception at each hit: the dearest way", true},
	{"waiting", "not known: its module is not loaded", false},
};

/* In "SYSTEM:EVENT 0xADDRESS WAY ...", the first line: all are alike. */
const struct way *way_find(struct ktrace_session *session)
{
	const struct way *found = NULL;
	char *text, name[16] = "";

	if (ktrace_session_read(session, "probed", &text, NULL))
		return NULL;
	sscanf(text, "%*s %*s %15s", name);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			found = &ways[i];
	free(text);
	return found;
}

const struct way *way_wait(struct ktrace_session *session)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	const struct way *way = way_find(session);

	for (int waited = 0;
	     way && way->may_improve && waited < OPTIMIZED_WITHIN_MS;
	     waited += 20) {
		nanosleep(&pause, NULL);
		way = way_find(session);
	}
	return way;
}
