// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <string.h>
#include <time.h>

#include <ktrace/trace.h>

#include "output.h"
#include "times.h"

#define SECOND 1000000000ll

void times_init(struct times *times, const struct ktrace *trace,
		enum ktrace_output_time kind)
{
	*times = (struct times){.trace = trace, .kind = kind};
}

const char *times_second(struct times *times, int64_t wall, bool date)
{
	/* Rounded down, also before 1970. */
	int64_t second = wall / SECOND - (wall % SECOND < 0);
	time_t seconds = second;
	struct tm tm;

	if (times->length && times->second == second && times->date == date)
		return times->text;
	times->length = 0;
	if (localtime_r(&seconds, &tm))
		times->length =
			strftime(times->text, sizeof(times->text),
				 date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm);
	if (!times->length)
		times->length = strlen(strcpy(times->text, "?"));
	times->second = second;
	times->date = date;
	return times->text;
}

uint64_t times_since(struct times *times, uint64_t time)
{
	uint64_t since = 0;

	if (!times->begun)
		times->first = times->last = time;
	times->begun = true;
	/* What is shown when it ends has the time at which it began. */
	if (time > times->last) {
		since = time - times->last;
		times->last = time;
	}
	return since;
}

static char *wall_put(struct times *times, char *p, uint64_t time)
{
	int64_t wall = ktrace_wall_time(times->trace, time);
	const char *text =
		times_second(times, wall, times->kind == KTRACE_TIME_DATE);

	memcpy(p, text, sizeof(times->text));
	p += times->length;
	*p++ = '.';
	return put_nanoseconds(p, (wall % SECOND + SECOND) % SECOND);
}

char *times_put(struct times *times, char *p, uint64_t time)
{
	switch (times->kind) {
	case KTRACE_TIME_DATE:
	case KTRACE_TIME_CLOCK:
		return wall_put(times, p, time);
	case KTRACE_TIME_DELTA:
		return put_time(p, times_since(times, time));
	case KTRACE_TIME_RELATIVE:
		times_since(times, time);
		return put_time(p,
				time > times->first ? time - times->first : 0);
	default:
		return put_time(p, time);
	}
}
