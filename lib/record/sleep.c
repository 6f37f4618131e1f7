// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ktrace.h>

#include "base/now.h"
#include "env.h"
#include "session/session.h"
#include "sleep.h"

#define NSEC_PER_SEC 1000000000ull
/* Shorter differences of the clocks are not taken for sleeps. */
#define ASLEEP_MIN (NSEC_PER_SEC / 1000)
/* CLOCK_MONOTONIC goes slower than the counter by less than one of so many. */
#define SLEW_MAX 1000
/* The time within which all clocks must be read. */
#define READ_MAX (NSEC_PER_SEC / 10000)

bool sleep_clocks_read(struct sleep_clocks *clocks)
{
	struct sleep_clocks c;

	for (int tries = 0; tries < 10; tries++) {
		c.monotonic = clock_ns(CLOCK_MONOTONIC);
		c.ticks = env_clock();
		c.boot = clock_ns(CLOCK_BOOTTIME);
		c.realtime = clock_ns(CLOCK_REALTIME);
		if (clock_ns(CLOCK_MONOTONIC) - c.monotonic < READ_MAX) {
			*clocks = c;
			return true;
		}
	}
	return false;
}

bool sleep_between(const struct sleep_clocks *before,
		   const struct sleep_clocks *after)
{
	int64_t asleep = (after->boot - after->monotonic) -
			 (before->boot - before->monotonic);

	return asleep > (int64_t)ASLEEP_MIN;
}

bool sleep_stood(const struct sleep_clocks *before,
		 const struct sleep_clocks *after, uint64_t frequency)
{
	uint64_t monotonic = after->monotonic - before->monotonic;
	uint64_t ran;

	if (!frequency || after->ticks <= before->ticks)
		return false;
	ran = (unsigned __int128)(after->ticks - before->ticks) * NSEC_PER_SEC /
	      frequency;
	return ran > monotonic &&
	       ran - monotonic > ASLEEP_MIN + monotonic / SLEW_MAX;
}

void sleeps_begin(struct sleeps *s, const struct ktrace_clock *clock)
{
	*s = (struct sleeps){.written = clock->sync.clock};
	if (!strcmp(clock->name, "tsc"))
		s->frequency = clock->frequency;
	sleep_clocks_read(&s->looked);
}

/* If the clocks cannot be read together, the kernel is asked. */
static bool has_slept(const struct sleeps *s, struct sleep_clocks *now)
{
	if (!sleep_clocks_read(now)) {
		*now = s->looked;
		return true;
	}
	return sleep_between(&s->looked, now) ||
	       sleep_stood(&s->looked, now, s->frequency);
}

static int line_write(struct sleeps *s, const char *line,
		      const struct ktrace_clock *clock,
		      struct ktrace_writer *writer)
{
	struct ktrace_sync p[2];
	int err = 0;

	if (sscanf(line,
		   "slept %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &p[0].clock, &p[0].monotonic, &p[0].realtime, &p[1].clock,
		   &p[1].monotonic, &p[1].realtime) != 6)
		return 0;
	for (int i = 0; !err && i < 2; i++) {
		if (p[i].clock <= s->written)
			continue;
		err = ktrace_writer_clock(writer, clock->name, clock->frequency,
					  &p[i], clock->trusted);
		s->written = p[i].clock;
	}
	return err;
}

int sleeps_write(struct sleeps *s, struct ktrace_session *session,
		 struct ktrace_writer *writer)
{
	struct ktrace_clock clock;
	struct sleep_clocks now;
	uint64_t written = s->written;
	char *text, *next, *line;
	int err;

	if (!has_slept(s, &now))
		return 0;
	err = ktrace_session_clock(session, &clock);
	err = err ?: ktrace_session_read(session, "trace", &text, NULL);
	if (err)
		return err;
	next = text;
	while (!err && (line = strsep(&next, "\n")))
		err = line_write(s, line, &clock, writer);
	free(text);
	if (err)
		return err;
	s->looked = now;
	return s->written != written;
}
