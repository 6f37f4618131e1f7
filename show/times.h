/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* When an event was, in the form that the reader wants: for all outputs that people read. */
#ifndef KT_SHOW_TIMES_H
#define KT_SHOW_TIMES_H

#include <stdbool.h>

#include <ktrace/output.h>

/* The most that times_put() stores, and what it overwrites behind. */
#define TIMES_MAX 64

struct times {
	const struct ktrace *trace;
	enum ktrace_output_time kind;
	bool begun;	/* there was one before */
	uint64_t first; /* of the events that are shown */
	uint64_t last;	/* the latest of them */
	/* A second of the wall clock as text, which is slow to make. */
	int64_t second;
	bool date; /* that text has the date */
	unsigned int length;
	char text[32];
};

void times_init(struct times *times, const struct ktrace *trace,
		enum ktrace_output_time kind);
/* The time of the next event that is shown, in ns, as times->kind says.  Returns its end. */
char *times_put(struct times *times, char *p, uint64_t time);

/* "14:03:59", with the date in front or not, in the local time zone; ns since 1970. */
const char *times_second(struct times *times, int64_t wall, bool date);
/* How long after the latest of the times before it comes, ns; the first one: 0. */
uint64_t times_since(struct times *times, uint64_t time);

#endif /* KT_SHOW_TIMES_H */
