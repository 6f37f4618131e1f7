/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A time of a trace in the forms in which people write it. */
#ifndef KT_CMD_COMMON_MOMENT_H
#define KT_CMD_COMMON_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/trace.h>

enum moment_kind {
	MOMENT_NONE,	 /* not given */
	MOMENT_SECONDS,	 /* 12.5: as reports show it */
	MOMENT_RELATIVE, /* +0.2: after the first event */
	MOMENT_DATE,	 /* 2026-11-30 02:15:00.5, 2026-11-30 */
	MOMENT_CLOCK,	 /* 02:15:00.5 */
};

struct moment {
	enum moment_kind kind;
	/* MOMENT_SECONDS and MOMENT_RELATIVE: all of it; the others: what is below a second. */
	uint64_t ns;
	int year, month, day; /* as people count them */
	int hour, minute, second;
	/* MOMENT_DATE and MOMENT_CLOCK: a zone is behind it, Z or +01:00; else it is the local one. */
	bool zoned;
	int ahead; /* of UTC, seconds */
};

/* Where a trace is in time. */
struct moment_range {
	const struct ktrace *trace;
	uint64_t first; /* of its events, ns */
	uint64_t last;	/* UINT64_MAX: not known */
};

/* 0, or -EINVAL: it is none. */
int moment_parse(struct moment *moment, const char *text);
/*
 * The moment as a begin: sets *@begin to ns of CLOCK_MONOTONIC, at least 1, or 0 if it is not given.  A
 * time of day is the first one in the minute of the first event or later; if the trace does not last
 * until then, that on the day of the first event.  -EINVAL: there is no such date.
 */
int moment_find_begin(const struct moment *from,
		      const struct moment_range *range, uint64_t *begin);
/*
 * The moment as an end, likewise.  A time of day is the first one after @from, whose time is @begin, or
 * after the first event, if that is later; the trace need not last until then.
 */
int moment_find_end(const struct moment *until, const struct moment *from,
		    uint64_t begin, const struct moment_range *range,
		    uint64_t *end);

#endif /* KT_CMD_COMMON_MOMENT_H */
