// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "moment.h"

#define SECOND 1000000000ll

/* Takes @digits digits, or with 0 as many as there are.  A double would lose nanoseconds. */
static bool take_number(const char **text, unsigned int digits,
			uint64_t *number)
{
	const char *p = *text;

	for (*number = 0; isdigit((unsigned char)*p); p++) {
		if (digits && p - *text == digits)
			return false;
		*number = *number * 10 + (*p - '0');
		if (*number > UINT32_MAX)
			return false;
	}
	if (p == *text || (digits && p - *text != digits))
		return false;
	*text = p;
	return true;
}

static bool take_int(const char **text, unsigned int digits, int least,
		     int most, int *value)
{
	uint64_t number;

	if (!take_number(text, digits, &number) || number > (uint64_t)most ||
	    number < (uint64_t)least)
		return false;
	*value = number;
	return true;
}

static bool take(const char **text, char c)
{
	if (**text != c)
		return false;
	++*text;
	return true;
}

/* ".5", if it is there: ns. */
static uint64_t take_fraction(const char **text)
{
	uint64_t ns = 0, digit = SECOND / 10;

	if (!take(text, '.'))
		return 0;
	for (; isdigit((unsigned char)**text); ++*text) {
		ns += (**text - '0') * digit;
		digit /= 10;
	}
	return ns;
}

/* "12.5", "12.5s" */
static bool take_seconds(const char **text, struct moment *moment)
{
	uint64_t seconds;

	if (!take_number(text, 0, &seconds))
		return false;
	moment->ns = seconds * SECOND + take_fraction(text);
	take(text, 's');
	return !**text;
}

/* "02:15", "02:15:00", "02:15:00.5" */
static bool take_clock(const char **text, struct moment *moment)
{
	if (!take_int(text, 2, 0, 23, &moment->hour) || !take(text, ':') ||
	    !take_int(text, 2, 0, 59, &moment->minute))
		return false;
	if (take(text, ':')) {
		if (!take_int(text, 2, 0, 59, &moment->second))
			return false;
		moment->ns = take_fraction(text);
	}
	return !**text;
}

/* "2026-11-30", and a time of this day behind a blank or a `T' */
static bool take_date(const char **text, struct moment *moment)
{
	if (!take_int(text, 4, 1970, 9999, &moment->year) || !take(text, '-') ||
	    !take_int(text, 2, 1, 12, &moment->month) || !take(text, '-') ||
	    !take_int(text, 2, 1, 31, &moment->day))
		return false;
	if (!**text)
		return true;
	return (take(text, ' ') || take(text, 'T')) && take_clock(text, moment);
}

int moment_parse(struct moment *moment, const char *text)
{
	bool good;

	memset(moment, 0, sizeof(*moment));
	if (strchr(text, '-')) {
		moment->kind = MOMENT_DATE;
		good = take_date(&text, moment);
	} else if (strchr(text, ':')) {
		moment->kind = MOMENT_CLOCK;
		good = take_clock(&text, moment);
	} else {
		moment->kind =
			take(&text, '+') ? MOMENT_RELATIVE : MOMENT_SECONDS;
		good = take_seconds(&text, moment);
	}
	return good ? 0 : -EINVAL;
}

/* ns since 1970 of the moment's time on this day; -EINVAL: there is none; -ERANGE: the month has no such day. */
static int wall_of(const struct moment *moment, int year, int month, int day,
		   int64_t *wall)
{
	struct tm tm = {
		.tm_year = year - 1900,
		.tm_mon = month - 1,
		.tm_mday = day,
		.tm_hour = moment->hour,
		.tm_min = moment->minute,
		.tm_sec = moment->second,
		.tm_isdst = -1,
	};
	time_t seconds = mktime(&tm);

	*wall = seconds * SECOND + (int64_t)moment->ns;
	return seconds == -1 ? -EINVAL : tm.tm_mday != day ? -ERANGE : 0;
}

/* The time of day, on the day of the first event; or on the next, if it is still recorded then. */
static int clock_find(const struct moment *moment, const struct ktrace *trace,
		      uint64_t first, uint64_t last, int64_t *wall)
{
	int64_t begin = ktrace_wall_time(trace, first), next;
	time_t seconds = begin / SECOND;
	struct tm tm;
	int err;

	if (!localtime_r(&seconds, &tm))
		return -EINVAL;
	err = wall_of(moment, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
		      wall);
	if (err || *wall >= begin || last == UINT64_MAX)
		return err;
	/* A day that the month has not is the first of the next one. */
	err = wall_of(moment, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday + 1,
		      &next);
	if (err != -EINVAL && next <= ktrace_wall_time(trace, last))
		*wall = next;
	return 0;
}

int moment_find(const struct moment *moment, const struct ktrace *trace,
		uint64_t first, uint64_t last, uint64_t *time)
{
	int64_t wall = 0;
	int err = 0;

	switch (moment->kind) {
	case MOMENT_NONE:
		*time = 0;
		return 0;
	case MOMENT_SECONDS:
		*time = moment->ns;
		return 0;
	case MOMENT_RELATIVE:
		*time = first + moment->ns;
		return 0;
	case MOMENT_DATE:
		err = wall_of(moment, moment->year, moment->month, moment->day,
			      &wall);
		break;
	case MOMENT_CLOCK:
		err = clock_find(moment, trace, first, last, &wall);
		break;
	}
	if (err)
		return -EINVAL;
	*time = ktrace_wall_find(trace, wall);
	/* 0 would be no limit. */
	if (!*time)
		*time = 1;
	return 0;
}
