// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Several probes on trial: cmd/probe_trial.c, with a kernel that is written here. */
#include <errno.h>

#include <ktrace/library.h>

#include "../../cmd/probe_trial.h"
#include "../../cmd/run/probes.h"
#include "check.h"

/* ---- the kernel ------------------------------------------------------------------ */

#define EVENTS 4

static struct event {
	const char *name, *way;
	int refused; /* negative errno; 0: it is armed */
	bool enabled;
} events[EVENTS];
static bool running;
static int together; /* the error if two are armed at once; 0: none */
static unsigned int reads;
static char error[200];

int ktrace_session_enable(struct ktrace_session *session, const char *system,
			  const char *name, bool on)
{
	(void)session;
	CHECK_STR(system, "probe");
	CHECK(!running);
	for (int i = 0; i < EVENTS; i++)
		if (events[i].name && !strcmp(events[i].name, name)) {
			events[i].enabled = on;
			return 0;
		}
	CHECK(!"there is such an event");
	return -ENOENT;
}

static int start(void)
{
	int nr = 0;

	for (int i = 0; i < EVENTS; i++) {
		if (!events[i].enabled)
			continue;
		snprintf(error, sizeof(error), "/sessions/s/enabled: %s: no",
			 events[i].name);
		if (events[i].refused)
			return events[i].refused;
		nr++;
	}
	return nr > 1 ? together : 0;
}

int ktrace_session_write(struct ktrace_session *session, const char *file,
			 const char *text)
{
	int err = *text == '1' ? start() : 0;

	(void)session;
	CHECK_STR(file, "enabled");
	running = *text == '1' && !err;
	return err;
}

int ktrace_session_read(struct ktrace_session *session, const char *file,
			char **text, size_t *size)
{
	size_t length;
	FILE *out = open_memstream(text, &length);

	(void)session;
	(void)size;
	CHECK_STR(file, "probed");
	CHECK(running);
	/* Not in the order in which they were added. */
	for (int i = EVENTS; i--;)
		if (events[i].enabled)
			fprintf(out,
				"probe:%s 0xff %s hits 0 missed nested 0\n",
				events[i].name,
				!strcmp(events[i].way, "jump") && !reads
					? "breakpoint"
					: events[i].way);
	fclose(out);
	reads++;
	return 0;
}

const char *ktrace_last_error(void)
{
	return error;
}

/* Only trial_open() and trial_close() ask for these. */
int ktrace_session_open(const struct ktrace_session_options *options,
			struct ktrace_session **session)
{
	(void)options;
	(void)session;
	return -ENOSYS;
}

void ktrace_session_close(struct ktrace_session *session)
{
	(void)session;
}

int probes_debug_files_use(const struct probes *probes,
			   struct ktrace_session *session)
{
	(void)probes;
	(void)session;
	return 0;
}

int failed_in_library(void)
{
	return 1;
}

void note(void *data, const char *text)
{
	(void)data;
	(void)text;
}

/* ---- tests ----------------------------------------------------------------------- */

static struct trial trial;

static void event_add(const char *name, const char *way, int refused)
{
	struct ktrace_probe probe = {
		.system = "probe",
		.name = name,
		.place = name,
		.fields = "",
		.address = 0x1000 + trial.nr,
	};

	events[trial.nr] = (struct event){name, way, refused, false};
	CHECK_EQ(trial_add(&probe, &trial), 0);
}

static void begin(void)
{
	trial_free(&trial);
	memset(&trial, 0, sizeof(trial));
	memset(events, 0, sizeof(events));
	running = false;
	together = 0;
	reads = 0;
}

static const char *way(size_t i)
{
	return trial.list[i].way ? trial.list[i].way->name : "";
}

TEST(each_has_its_way)
{
	begin();
	event_add("one", "ftrace", 0);
	event_add("one_2", "breakpoint", 0);
	event_add("one_3", "ftrace", 0);
	CHECK_EQ(trial_run(&trial, false), 0);
	CHECK_STR(way(0), "ftrace");
	CHECK_STR(way(1), "breakpoint");
	CHECK_STR(way(2), "ftrace");
	CHECK(!running);
	CHECK_STR(trial_at(&trial, 0x1001)->name, "one_2");
	CHECK(!trial_at(&trial, 0x1003));
}

TEST(an_exception_becomes_a_jump)
{
	begin();
	event_add("one", "ftrace", 0);
	event_add("one_2", "jump", 0);
	CHECK_EQ(trial_run(&trial, true), 0);
	CHECK_STR(way(0), "ftrace");
	CHECK_STR(way(1), "jump");
}

TEST(some_are_refused)
{
	begin();
	event_add("one", "ftrace", 0);
	event_add("one_2", "jump", -EINVAL);
	event_add("one_3", "breakpoint", 0);
	event_add("one_4", "jump", -EBUSY);
	CHECK_EQ(trial_run(&trial, false), 0);
	CHECK_EQ(trial.nr_refused, 2);
	CHECK_STR(way(0), "ftrace");
	CHECK_EQ(trial.list[0].err, 0);
	CHECK_STR(trial.list[0].refused, "");
	CHECK_STR(way(1), "");
	CHECK_STR(trial.list[1].refused, "one_2: no");
	CHECK(trial_is_of_place(trial.list[1].err));
	CHECK_STR(way(2), "breakpoint");
	CHECK_STR(trial.list[3].refused, "one_4: no");
	CHECK(!trial_is_of_place(trial.list[3].err));
	CHECK(!running);
}

TEST(all_are_refused)
{
	begin();
	event_add("one", "jump", -EINVAL);
	event_add("one_2", "jump", -EINVAL);
	CHECK_EQ(trial_run(&trial, true), 0);
	CHECK_STR(trial.list[0].refused, "one: no");
	CHECK_STR(trial.list[1].refused, "one_2: no");
	CHECK_EQ(reads, 0);
}

TEST(only_together_they_are_refused)
{
	begin();
	event_add("one", "jump", 0);
	event_add("one_2", "jump", 0);
	together = -ENOMEM;
	CHECK_EQ(trial_run(&trial, true), -ENOMEM);
	CHECK_EQ(trial.nr_refused, 0);
	CHECK_STR(way(0), "");
}

CHECK_MAIN
