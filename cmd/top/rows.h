/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ktrace top: the rows of an interval, as text, JSON and the screen show them.
 *
 * They are a copy: the tally may go on.
 */
#ifndef KT_CMD_TOP_ROWS_H
#define KT_CMD_TOP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally.h"

enum rows_by {
	BY_THREAD,
	BY_PROCESS,
	BY_CGROUP,
	BY_CALL,
	BY_FUNCTION,
	BY_EVENT,
	BY_NR,
};

extern const char *const rows_by_names[BY_NR];

/* Rows have threads' sums, durations, or a count. */
static inline bool by_is_of_threads(enum rows_by by)
{
	return by <= BY_CGROUP;
}

/* A reason for which threads of a row have waited. */
struct row_wait {
	const char *reason; /* in rows->texts */
	unsigned int state; /* enum ktrace_timeline_states */
	uint64_t ns;
	size_t row; /* while rows are made: its number */
};

struct row {
	char *name;	  /* of a thread, cgroup, call and so on */
	uint32_t tid;	  /* 0: it is no thread */
	uint32_t tgid;	  /* 0: it is no process, or that is not known */
	uint32_t threads; /* of which it is the sum */
	bool self;	  /* this process */
	bool least;	  /* something of it was lost, or may have been */
	struct sums
		sums; /* of calls and functions: @calls and @errors only; of events: @events */
	/* Of calls and functions: how long they took, ns. */
	uint64_t total;
	uint64_t max;
	struct row_wait *waits; /* the longest first */
	size_t nr_waits;
};

struct rows {
	enum rows_by by;
	uint64_t begin, end; /* of the interval, ns */
	int64_t realtime; /* CLOCK_REALTIME at the begin, ns; set by the caller */
	uint32_t cpus;
	struct sums all; /* of all threads, with rows or without */
	uint64_t idle;
	uint64_t unknown; /* of CPUs, ns */
	uint64_t lost;
	uint64_t losing;   /* since then more are missing at the end; 0: none */
	bool least;	   /* something was lost, or may have been */
	size_t nr_threads; /* that are known */
	bool has_waits;	   /* reasons of waits are known */
	struct row *list;
	size_t nr;
	struct row_wait *waits;
	struct span_rows texts;
};

struct cgroups;

/* What the user wants of them. */
struct rows_wish {
	enum rows_by by;
	unsigned int column; /* see columns.h, by which they are sorted */
	bool reverse;
	uint32_t self; /* this process; 0: not of what happens now */
	uint32_t cpus;
	bool has_waits;
	bool calls_cut; /* calls were recorded in a part of the interval only */
	struct cgroups *cgroups; /* NULL: unknown */
};

/* After tally_close().  0 or -ENOMEM; what @rows had is freed. */
int rows_make(struct rows *rows, const struct tally *t,
	      const struct rows_wish *wish);
/* In the order that the user wants. */
void rows_sort(struct rows *rows, const struct rows_wish *wish);
void rows_free(struct rows *rows);

#endif /* KT_CMD_TOP_ROWS_H */
