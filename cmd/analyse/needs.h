/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which events an analysis needs, and what to say if the trace does not have them. */
#ifndef KT_CMD_ANALYSE_NEEDS_H
#define KT_CMD_ANALYSE_NEEDS_H

#include <stdbool.h>

#include <ktrace/trace.h>

#define NEEDS_MAX 12

/* One of several events that mean the same: "a:b" or "a:b|c:d"; `*' stands for any text. */
struct need {
	const char *events; /* NULL: the last one */
	/* What the result lacks without it; NULL: there is no result. */
	const char *without;
	/* Together with @without: one of these that have the same group, not 0, suffices. */
	unsigned int group;
};

struct needs {
	struct need list[NEEDS_MAX];
	const char *
		record; /* what records all of them: after `ktrace record -a' */
	const char *what; /* what cannot be told */
};

/*
 * Which of them the trace does not have, as bits; *@fails: without these there is no result.
 * Of a trace that is a stream all events are known when it has been read.
 */
unsigned int needs_missing(const struct needs *needs,
			   const struct ktrace_types *types, bool *fails);
/* Are there such events?  In a stream, they may come later: all zero at first. */
struct need_seen {
	size_t nr; /* types that were looked at */
	bool met;
};

bool need_seen(struct need_seen *seen, const struct ktrace_types *types,
	       const char *events);
/* There is no result.  Returns EXIT_FAILED. */
int needs_fail(const struct needs *needs, unsigned int missing);
/* What the result lacks: a line for each on standard output, and what to record. */
void needs_print(const struct needs *needs, unsigned int missing);
/* Prints a member of a JSON object. */
void needs_json(const struct needs *needs, unsigned int missing);

#endif /* KT_CMD_ANALYSE_NEEDS_H */
