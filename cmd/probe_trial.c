// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Probes on trial: probe_trial.h. */
#include <errno.h>
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

const char *trial_reason(void)
{
	static const char file[] = "/enabled: ";
	const char *why = ktrace_last_error(), *begin = strstr(why, file);

	return begin ? begin + sizeof(file) - 1 : why;
}

bool trial_is_of_place(int err)
{
	return err == -EINVAL || err == -ENOENT;
}

/* ---- places ---------------------------------------------------------------------- */

static void place_free(struct trial_place *p)
{
	free(p->system);
	free(p->name);
	free(p->place);
	free(p->fields);
}

void trial_free(struct trial *trial)
{
	for (size_t i = 0; i < trial->nr; i++)
		place_free(&trial->list[i]);
	free(trial->list);
}

int trial_add(const struct ktrace_probe *probe, void *data)
{
	struct trial *trial = data;
	struct trial_place *more, place = {.address = probe->address};

	if (probe->left_out)
		return 0;
	more = reallocarray(trial->list, trial->nr + 1, sizeof(*more));
	trial->list = more ?: trial->list;
	place.system = strdup(probe->system);
	place.name = strdup(probe->name);
	place.place = strdup(probe->place);
	place.fields = strdup(probe->fields);
	if (!more || !place.system || !place.name || !place.place ||
	    !place.fields) {
		place_free(&place);
		return -ENOMEM;
	}
	more[trial->nr++] = place;
	return trial_enable(probe, trial->session);
}

const struct trial_place *trial_at(const struct trial *trial, uint64_t address)
{
	for (size_t i = 0; i < trial->nr; i++)
		if (trial->list[i].address == address)
			return &trial->list[i];
	return NULL;
}

/* ---- refusals -------------------------------------------------------------------- */

static int place_enable(struct trial *trial, const struct trial_place *p,
			bool on)
{
	return ktrace_session_enable(trial->session, p->system, p->name, on);
}

static void refusal_note(struct trial *trial, struct trial_place *p, int err)
{
	p->err = err;
	snprintf(p->refused, sizeof(p->refused), "%s", trial_reason());
	trial->nr_refused++;
}

/* Alone.  All are off, and are so afterwards. */
static void place_try(struct trial *trial, struct trial_place *p)
{
	int err = place_enable(trial, p, true) ?: trial_start(trial->session);

	if (err)
		refusal_note(trial, p, err);
	else
		ktrace_session_write(trial->session, "enabled", "0");
	place_enable(trial, p, false);
}

/* The reason is that of the first one that was refused, and the others were not asked. */
static void blame_find(struct trial *trial)
{
	for (size_t i = 0; i < trial->nr; i++)
		place_enable(trial, &trial->list[i], false);
	for (size_t i = 0; i < trial->nr; i++)
		place_try(trial, &trial->list[i]);
}

/* ---- ways ------------------------------------------------------------------------ */

/* The kernel replaces an exception by a jump some time later. */
#define OPTIMIZED_WITHIN_MS 3000

static const struct way ways[] = {
	{"jump", "a jump: the cheapest way", false},
	{"ftrace", "a call of ftrace, where the function begins", false},
	{"breakpoint", "an exception at each hit: the dearest way", true},
	{"waiting", "not known: its module is not loaded", false},
};

static const struct way *way_named(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return NULL;
}

/* "SYSTEM:EVENT 0xADDRESS WAY ..." */
static void line_read(struct trial *trial, const char *line)
{
	char event[160], way[16], own[160];

	if (sscanf(line, "%159s %*s %15s", event, way) != 2)
		return;
	for (size_t i = 0; i < trial->nr; i++) {
		struct trial_place *p = &trial->list[i];

		snprintf(own, sizeof(own), "%s:%s", p->system, p->name);
		if (!strcmp(own, event))
			p->way = way_named(way);
	}
}

/* False: none of them can become better. */
static bool ways_read(struct trial *trial)
{
	bool may_improve = false;
	char *text, *next, *line;

	for (size_t i = 0; i < trial->nr; i++)
		trial->list[i].way = NULL;
	if (ktrace_session_read(trial->session, "probed", &text, NULL))
		return false;
	for (next = text; (line = strsep(&next, "\n"));)
		line_read(trial, line);
	free(text);
	for (size_t i = 0; i < trial->nr; i++)
		may_improve |=
			trial->list[i].way && trial->list[i].way->may_improve;
	return may_improve;
}

static void ways_find(struct trial *trial, bool wait)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	bool may_improve = ways_read(trial);

	for (int waited = 0;
	     wait && may_improve && waited < OPTIMIZED_WITHIN_MS;
	     waited += 20) {
		nanosleep(&pause, NULL);
		may_improve = ways_read(trial);
	}
}

/* Those that are not refused. */
static int others_start(struct trial *trial)
{
	int err = 0;

	for (size_t i = 0; !err && i < trial->nr; i++)
		if (!trial->list[i].err)
			err = place_enable(trial, &trial->list[i], true);
	return err ?: trial_start(trial->session);
}

int trial_run(struct trial *trial, bool wait)
{
	int err = trial_start(trial->session);

	if (err && trial->nr == 1) {
		refusal_note(trial, &trial->list[0], err);
		return 0;
	}
	if (err) {
		blame_find(trial);
		if (trial->nr && trial->nr_refused == trial->nr)
			return 0;
		err = others_start(trial);
	}
	if (err)
		return err;
	ways_find(trial, wait);
	/* Code is read later, without them. */
	return ktrace_session_write(trial->session, "enabled", "0");
}
