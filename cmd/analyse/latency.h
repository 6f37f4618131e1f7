/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ktrace latency: how long something took or waited, as a distribution, and the worst cases.
 *
 * All is read in one go, and memory depends on the number of names and threads that exist, not
 * on the length of the trace.
 */
#ifndef KT_CMD_ANALYSE_LATENCY_H
#define KT_CMD_ANALYSE_LATENCY_H

#include <ktrace/timeline.h>

#include "common/count.h"
#include "common/query.h"
#include "common/span_rows.h"
#include "common/who.h"
#include "instead.h"
#include "longest.h"
#include "needs.h"
#include "runs.h"

/* One of the longest. */
struct latency_case {
	union {
		struct longest_item item;
		uint64_t ns;
	};
	uint64_t begin;
	uint64_t end;
	uint32_t cpu; /* on which it ended */
	uint32_t tid;
	uint32_t tgid;
	int error;
	char comm[COMM_ROOM];
	char name[64]; /* "" : it has none */
	char file
		[256]; /* of a call, if rows are of files; "": none that is known */
	struct instead instead;
};

struct latency;

/* What is measured. */
struct latency_kind {
	const char *name;  /* on the command line */
	const char *title; /* of the results */
	const char *worst; /* of the longest ones */
	struct needs needs;
	int (*state)(void *data, const struct ktrace_timeline_state *state);
	int (*begin)(void *data, struct ktrace_timeline_slice *slice,
		     const struct ktrace_event *event);
	int (*end)(void *data, struct ktrace_timeline_slice *slice,
		   const struct ktrace_event *event);
	void (*gone)(void *data, void *theirs);
	/* Of a slice that begins; NULL: out of memory.  NULL: that of its span. */
	char *(*name_make)(const struct ktrace_event *event);
	/* Is the span one of these? */
	bool (*is_one)(const struct ktrace_span *span);
	bool errors;  /* they may return one */
	bool kinds;   /* spans of several kinds may have the same name */
	bool instead; /* who ran instead is of interest */
};

/* How many are in no row, and why. */
struct latency_left {
	uint64_t
		cut; /* events were lost or not recorded: when it ended is not known */
	uint64_t died;	  /* with its thread */
	uint64_t open;	  /* at the end */
	uint64_t unbegun; /* when they began is not known */
	uint64_t
		longest; /* so long one without an end has lasted at least, ns */
};

struct latency {
	const struct latency_kind *kind;
	struct query query;
	struct who who;
	bool json;
	bool by_thread;
	bool by_file;	 /* of calls */
	bool by_outcome; /* the same */
	bool histogram;
	uint64_t head;	      /* rows; 0: all */
	const char *is_text;  /* an option that only text obeys */
	const char *is_alone; /* one that --diff does not obey */
	const char *before;   /* --diff: the other trace; NULL: none */

	/* Results: latency_take(). */
	uint64_t
		begin; /* of the part, or of its first event; 0: there was none */
	uint64_t end;
	struct span_rows rows;
	struct span_row **sorted;
	struct histogram all;
	uint64_t errors;
	struct histogram preempted;
	struct latency_left left;
	struct longest cases;
	struct runs runs;
	struct count lost;
	struct ktrace_miss *misses; /* of those of the trace */
	size_t nr_misses;
	unsigned int missing; /* of kind->needs */
};

extern const struct latency_kind latency_sched, latency_syscall, latency_irq,
	latency_block, latency_lock;

#define CPU_ANY UINT32_MAX /* it is not known */

/* Does it count? */
bool latency_wants(struct latency *l, uint32_t tid, uint32_t tgid,
		   const char *comm, uint32_t cpu, uint64_t end);
/* Adds one that is known from begin to end.  0 or -ENOMEM. */
int latency_add(struct latency *l, enum ktrace_span_kind kind,
		const struct latency_case *c);
/* One that is not. */
void latency_leave(uint64_t *count, struct latency_left *left, uint64_t ns);
void latency_print(const struct latency *l);
void latency_json(const struct latency *l);
/* What is in no row, and what the trace lacks. */
void latency_lacks_print(const struct latency *l);
/* Members of a JSON object. */
void latency_numbers_json(const struct histogram *h, uint64_t errors);
void latency_lacks_json(const struct latency *l);
/* Side by side with @before, whose rows have the same keys.  0 or -ENOMEM. */
int latency_diff(struct latency *before, struct latency *l);

#endif /* KT_CMD_ANALYSE_LATENCY_H */
