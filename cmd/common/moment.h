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
	MOMENT_CLOCK,	 /* 02:15:00.5: on the day of the trace */
};

struct moment {
	enum moment_kind kind;
	uint64_t ns;	      /* of seconds; of the others, below a second */
	int year, month, day; /* as people count them */
	int hour, minute, second;
};

/* 0, or -EINVAL: it is none. */
int moment_parse(struct moment *moment, const char *text);
/*
 * Sets *@time to ns of CLOCK_MONOTONIC, at least 1, in a trace whose first event is at @first and whose
 * last at @last; UINT64_MAX if that is not known.  -EINVAL: there is no such date.
 */
int moment_find(const struct moment *moment, const struct ktrace *trace,
		uint64_t first, uint64_t last, uint64_t *time);

#endif /* KT_CMD_COMMON_MOMENT_H */
