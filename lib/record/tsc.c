// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ktrace.h>

#include "base/file.h"
#include "base/now.h"
#include "env.h"
#include "session/session.h"
#include "tsc.h"

#define NSEC_PER_SEC 1000000000ull
/* Differences may also come from losing the CPU between two readings. */
#define ASLEEP_MIN (NSEC_PER_SEC / 1000)

static struct ktrace_sync sync_now(void)
{
	struct ktrace_sync sync;

	sync.realtime = clock_ns(CLOCK_REALTIME);
	sync.monotonic = clock_ns(CLOCK_MONOTONIC);
	sync.clock = env_clock();
	return sync;
}

/* Ticks per second, measured once. */
static uint64_t tsc_frequency(void)
{
	static uint64_t frequency;
	struct timespec rest = {.tv_nsec = 20000000};
	struct ktrace_sync sync, later;

	if (frequency)
		return frequency;
	sync = sync_now();
	nanosleep(&rest, NULL);
	later = sync_now();
	frequency = (later.clock - sync.clock) * 1000000000.0 /
		    (later.monotonic - sync.monotonic);
	return frequency;
}

bool tsc_listed(const char *clocks)
{
	size_t length;

	for (; *clocks; clocks += length) {
		clocks += strspn(clocks, " \n");
		length = strcspn(clocks, " \n");
		if (length == 3 && !strncmp(clocks, "tsc", 3))
			return true;
	}
	return false;
}

/* Does the kernel trust the counter now?  Yes if that is not known. */
static bool tsc_trusted(void)
{
	char *clocks;
	bool trusted;

	if (file_read(AT_FDCWD,
		      "/sys/devices/system/clocksource/clocksource0/"
		      "available_clocksource",
		      &clocks, NULL))
		return true;
	trusted = tsc_listed(clocks);
	free(clocks);
	return trusted;
}

void tsc_clock(struct ktrace_clock *clock, uint64_t missing)
{
	static enum { UNKNOWN, TSC, MONOTONIC } decided;
	static uint64_t id;
	bool trusted = tsc_trusted();

	/* Decided once, because all clocks of one trace must be the same. */
	if (!decided)
		decided = trusted ? TSC : MONOTONIC;
	*clock = (struct ktrace_clock){
		.name = "tsc",
		.frequency = decided == TSC ? tsc_frequency() : NSEC_PER_SEC,
		.sync = sync_now(),
		.trusted = trusted || decided == MONOTONIC,
	};
	if (!id)
		id = clock->sync.clock ^ (uint64_t)getpid() << 40;
	clock->trace_id = id;
	if (decided == TSC) {
		clock->sync.clock += missing;
	} else {
		strcpy(clock->name, "mono");
		clock->sync.clock = clock->sync.monotonic;
	}
}

bool tsc_went(struct tsc *t, uint64_t ticks, uint64_t boot, uint64_t monotonic)
{
	int64_t asleep = boot - monotonic;
	/*
	 * A small step back is no restart: the counters of CPUs may differ a
	 * little.
	 */
	bool fell = ticks < t->ticks && t->ticks - ticks > t->frequency;
	bool slept = fell || asleep - t->asleep > (int64_t)ASLEEP_MIN;

	if (fell)
		t->missing += t->ticks - ticks +
			      (unsigned __int128)(boot - t->boot) *
				      t->frequency / NSEC_PER_SEC;
	t->ticks = ticks;
	t->boot = boot;
	t->asleep = asleep;
	return slept;
}

bool tsc_look(struct tsc *t)
{
	struct sleep_clocks now, before = t->looked;
	uint64_t missing = t->missing;
	bool slept;

	if (!sleep_clocks_read(&now))
		return false;
	slept = tsc_went(t, now.ticks, now.boot, now.monotonic);
	t->looked = now;
	if (slept)
		t->before = (struct ktrace_sync){
			.clock = before.ticks + missing,
			.monotonic = before.monotonic,
			.realtime = now.realtime - (now.boot - before.boot),
		};
	if (slept && t->session)
		t->missing = session_clock_missing(t->session);
	return slept;
}

void tsc_init(struct tsc *t, struct ktrace_session *session)
{
	struct ktrace_clock clock;

	*t = (struct tsc){.session = session};
	if (session && !ktrace_session_clock(session, &clock))
		t->frequency = clock.frequency;
	else
		t->frequency = tsc_frequency();
	/* The first look: a sleep from here on will be seen. */
	while (!sleep_clocks_read(&t->looked))
		;
	tsc_went(t, t->looked.ticks, t->looked.boot, t->looked.monotonic);
	if (session)
		t->missing = session_clock_missing(session);
}
