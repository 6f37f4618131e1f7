/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ktrace why: where the time of threads went, and who made them wait.
 *
 * The states of a thread follow each other without a gap, so their sums are its whole time.  Each
 * time in which it waits has a reason, and each in which it waits for a CPU has those who ran
 * there instead: these sums are those of the states.
 */
#ifndef KT_CMD_ANALYSE_WHY_H
#define KT_CMD_ANALYSE_WHY_H

#include <ktrace/output.h>
#include <ktrace/timeline.h>

#include "common/count.h"
#include "common/query.h"
#include "common/span_rows.h"
#include "common/who.h"
#include "doing.h"
#include "longest.h"
#include "needs.h"
#include "runs.h"
#include "waker.h"

/* Reasons that are told apart; after that, only calls are. */
#define REASONS_MAX 4096

/* One of the longest waits. */
struct wait {
	struct longest_item item;
	uint64_t begin;
	uint64_t end;
	enum ktrace_timeline_states state;
	uint64_t call; /* number of the call in which it waits; 0: in none */
	char reason[REASON_ROOM];
	struct waker waker;
	bool least; /* it may have been longer */
};

/* A call of a thread that has not returned. */
struct call {
	uint64_t number; /* 0: it has been settled */
	bool waited;
	bool kept; /* one of its waits is among the longest */
	/* What it has waited, by state, until its text is known. */
	struct histogram times[KTRACE_STATE_NR];
};

struct why_thread {
	struct why_thread *next;
	uint64_t id; /* in the time line */
	uint32_t tid;
	uint32_t tgid;
	char comm[COMM_ROOM];
	uint64_t born; /* when it was new; 0: not known */
	bool again;    /* another one had this number before */
	uint64_t begin;
	uint64_t end;			  /* all up to here is in @states */
	uint64_t states[KTRACE_STATE_NR]; /* ns */
	uint64_t counts[KTRACE_STATE_NR];

	struct call call;
	struct doing doing;
	bool returned;		/* with the event that is being taken */
	char text[REASON_ROOM]; /* of that call; "": not known */
	/* The reason of the wait that may follow: it has just ceased to run. */
	char reason[REASON_ROOM];
	bool in_own_call; /* that is @call */
	struct wait last; /* a wait whose waker is not known yet */

	/* Rows by reason have the state as tid. */
	struct span_rows reasons, wakers, instead;
	uint64_t idle, nobody; /* ns; with those of @instead: waits for a CPU */
	uint64_t
		unwoken; /* waits that ended, but who has woken it is not known */
	struct longest worst;
	bool dead; /* no more states come */
};

struct why;
struct chain;

/* One of the two things that the command does: this, or --chain. */
struct why_kind {
	struct needs needs;
	struct ktrace_timeline_calls calls; /* its data is a struct why */
	/* 0 or -ENOMEM, if they return something. */
	int (*begin)(struct why *w);
	/* After an event was told to the time line: does the output need it? */
	bool (*wants)(const struct why *w, const struct ktrace_event *event);
	/* For the output: the text of a call that has returned. */
	int (*text)(void *why, uint32_t tid, const char *text, size_t size);
	/*
	 * After each event: a call that has returned has its text now, or gets
	 * none.
	 */
	int (*settle)(struct why *w);
	/* When all was read. */
	int (*finish)(struct why *w);
	/* The trace has nothing that was asked for. */
	bool (*is_empty)(const struct why *w);
	int (*print)(const struct why *w, const struct ktrace_info *info);
	int (*json)(const struct why *w, const struct ktrace_info *info);
};

struct why {
	const struct why_kind *kind;
	const char *of; /* --of: pattern of spans; NULL: all that threads do */
	bool worst_given;
	struct chain *chain; /* of --chain only */
	struct query query;
	struct who who;
	bool json;
	bool head_given;
	uint64_t head;
	uint64_t worst;

	const struct ktrace_types *types;
	struct need_seen locks_end;
	/* In the order in which the trace has them. */
	struct why_thread *threads, **last;
	struct table by_tid;	     /* the last one with each number */
	struct why_thread *returned; /* whose call has returned */
	struct runs runs;
	struct interrupts interrupts;
	uint64_t calls;
	uint64_t begin; /* of the part that is wanted; 0: there is none yet */
	uint64_t end;	/* UINT64_MAX: that of the trace */
	uint64_t now;
	struct ktrace_output *output; /* makes the texts of calls */
	struct count lost;
	unsigned int missing;
};

extern const struct why_kind why_threads;

void why_free(struct why *w);

/* 0 or -ENOMEM. */
int why_print(const struct why *w, const struct ktrace_info *info);
int why_json(const struct why *w, const struct ktrace_info *info);

#endif /* KT_CMD_ANALYSE_WHY_H */
