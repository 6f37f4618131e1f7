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

/* "Z", "+05:45", if it is there: how far the zone is ahead of UTC. */
static bool take_zone(const char **text, struct moment *moment)
{
	bool behind = **text == '-';
	int hours, minutes;

	moment->zoned = true;
	if (take(text, 'Z'))
		return true;
	if (!take(text, '+') && !take(text, '-')) {
		moment->zoned = false;
		return true;
	}
	if (!take_int(text, 2, 0, 23, &hours) || !take(text, ':') ||
	    !take_int(text, 2, 0, 59, &minutes))
		return false;
	moment->ahead = (hours * 60 + minutes) * (behind ? -60 : 60);
	return true;
}

/* "02:15", "02:15:00", "02:15:00.5", and a zone */
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
	return take_zone(text, moment) && !**text;
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
	if (strlen(text) > 4 && text[4] == '-') {
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

static int64_t wall_make(time_t seconds, uint64_t ns)
{
	if (seconds >= INT64_MAX / SECOND)
		return INT64_MAX;
	return seconds * SECOND + (int64_t)ns;
}

/* The time as it is with summer time (@dst 1), without (0), or however it can be made (-1). */
static bool wall_try(const struct moment *moment, struct tm tm, int dst,
		     int64_t *wall)
{
	const int minute = tm.tm_hour * 60 + tm.tm_min, day = tm.tm_mday;
	time_t seconds;

	tm.tm_isdst = dst;
	tm.tm_wday = -1; /* what mktime() returns may be -1 anyway */
	seconds = mktime(&tm);
	*wall = wall_make(seconds, moment->ns);
	if (tm.tm_wday < 0)
		return false;
	return dst < 0 || (tm.tm_hour * 60 + tm.tm_min == minute &&
			   tm.tm_mday == day && tm.tm_isdst == dst);
}

/*
 * ns since 1970 of the moment's time on this day: if there are two, because summer time ends, the
 * first that is at @least or later.  False: there is none.
 */
static bool wall_of(const struct moment *moment, struct tm tm, int64_t least,
		    int64_t *wall)
{
	int64_t winter;

	tm.tm_hour = moment->hour;
	tm.tm_min = moment->minute;
	tm.tm_sec = moment->second;
	if (moment->zoned) {
		*wall = wall_make(timegm(&tm) - moment->ahead, moment->ns);
		return true;
	}
	if (!wall_try(moment, tm, 1, wall))
		return wall_try(moment, tm, 0, wall) ||
		       wall_try(moment, tm, -1, wall);
	if (*wall < least && wall_try(moment, tm, 0, &winter))
		*wall = winter;
	return true;
}

static bool date_find(const struct moment *moment, int64_t *wall)
{
	struct tm day = {
		.tm_year = moment->year - 1900,
		.tm_mon = moment->month - 1,
		.tm_mday = moment->day,
	};
	struct tm same = day;

	/* The month may have no such day. */
	timegm(&same);
	return same.tm_mday == day.tm_mday &&
	       wall_of(moment, day, INT64_MIN, wall);
}

/* The time of day, on the day in which @least is, or on the next one if it is before @least. */
static bool clock_next(const struct moment *moment, int64_t least,
		       int64_t *same, int64_t *next)
{
	/* Rounded down, also before 1970. */
	time_t seconds = least / SECOND - (least % SECOND < 0) + moment->ahead;
	struct tm day;

	if (!(moment->zoned ? gmtime_r(&seconds, &day)
			    : localtime_r(&seconds, &day)) ||
	    !wall_of(moment, day, least, same))
		return false;
	*next = *same;
	if (*same >= least)
		return true;
	/* A day that the month has not is the first of the next one. */
	day.tm_mday++;
	return wall_of(moment, day, least, next);
}

static bool clock_begin(const struct moment *moment,
			const struct moment_range *range, int64_t *wall)
{
	const int64_t minute = 60 * SECOND;
	int64_t begin = ktrace_wall_time(range->trace, range->first), next;

	/* Who says 02:15 means the begin, if it was at 02:15:30. */
	begin -= (begin % minute + minute) % minute;
	if (!clock_next(moment, begin, wall, &next))
		return false;
	if (range->last != UINT64_MAX &&
	    next <= ktrace_wall_time(range->trace, range->last))
		*wall = next;
	return true;
}

/* @end: the moment ends the part that @from begins; else it is @from itself. */
static bool wall_find(const struct moment *moment, const struct moment *from,
		      uint64_t begin, const struct moment_range *range,
		      bool end, int64_t *wall)
{
	int64_t least, same;

	if (moment->kind == MOMENT_DATE)
		return date_find(moment, wall);
	if (!end)
		return clock_begin(moment, range, wall);
	/* The clock may not have run yet when it was that time. */
	if (from->kind != MOMENT_CLOCK)
		least = ktrace_wall_time(range->trace, begin > range->first
							       ? begin
							       : range->first);
	else if (!clock_begin(from, range, &least))
		return false;
	return clock_next(moment, least, &same, wall);
}

static int time_find(const struct moment *moment, const struct moment *from,
		     uint64_t begin, const struct moment_range *range, bool end,
		     uint64_t *time)
{
	int64_t wall;

	switch (moment->kind) {
	case MOMENT_NONE:
		*time = 0;
		return 0;
	case MOMENT_SECONDS:
		*time = moment->ns;
		break;
	case MOMENT_RELATIVE:
		if (__builtin_add_overflow(range->first, moment->ns, time))
			*time = UINT64_MAX;
		break;
	default:
		if (!wall_find(moment, from, begin, range, end, &wall))
			return -EINVAL;
		*time = ktrace_wall_find(range->trace, wall);
	}
	/* 0 would be no limit. */
	if (!*time)
		*time = 1;
	return 0;
}

int moment_find_begin(const struct moment *from,
		      const struct moment_range *range, uint64_t *begin)
{
	return time_find(from, from, 0, range, false, begin);
}

int moment_find_end(const struct moment *until, const struct moment *from,
		    uint64_t begin, const struct moment_range *range,
		    uint64_t *end)
{
	return time_find(until, from, begin, range, true, end);
}
