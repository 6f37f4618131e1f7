/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ktrace why --chain: where the time of threads, or of spans of theirs, really went, across
 * threads.
 *
 * Of each interval that may be among the longest ones the path is made when it ends (see path.h).
 * Until then, what all threads did is remembered (see history.h).
 */
#ifndef KT_CMD_ANALYSE_CHAIN_H
#define KT_CMD_ANALYSE_CHAIN_H

#include "history.h"
#include "longest.h"
#include "needs.h"
#include "path.h"
#include "runs.h"
#include "waker.h"
#include "why.h"

/* The longest pieces of each path that the JSON has. */
#define CHAIN_PIECES 10000

/*
 * Pieces of all paths, and waits that they are in, which are in memory.  When there are more, paths
 * that are not among the longest until now keep fewer; if that does not suffice, all do.
 */
#define CHAIN_TOTAL (1u << 20)

struct chain_path {
	struct longest_item item;
	struct path *path;
};

struct chain {
	struct history history;
	struct interrupts interrupts;
	struct runs runs;
	struct need_seen irqs[3], locks_end;
	struct interval *open;	/* the newest */
	struct interval *ended; /* with the event that is being taken */
	/* Whose call has returned with it, and the text of that; "": not known. */
	struct record *returned;
	char text[REASON_ROOM];
	size_t pieces_max, others_max; /* others: see CHAIN_TOTAL */
	uint64_t pieces;	       /* and waits, of all paths */
	bool wholes; /* there are spans that are told when they end */
	int err;

	/* Results. */
	struct longest paths;
	uint64_t matched;	      /* intervals */
	uint64_t cut, died, unclosed; /* spans that are none: how they ended */
};

extern const struct why_kind why_chain;

void chain_free(struct chain *chain);

/* The longest pieces of a path that the user wants. */
static inline size_t chain_pieces(const struct why *w)
{
	return w->json || !w->head ? CHAIN_PIECES : w->head;
}

/* interval.c; 0 or -ENOMEM, NULL: out of memory. */

struct interval *interval_create(struct record *of, uint64_t begin);
void interval_open(struct chain *c, struct interval *i);
void interval_close(struct chain *c, struct interval *i);
/* It is complete: interval_take() is called for it after the event that is being taken. */
void interval_wait(struct chain *c, struct interval *i);
/* NULL: none waits. */
struct interval *interval_waiting(struct chain *c);
void interval_free(struct interval *i);
/* It is complete, and is not open any more: keeps its path if that is one of the longest. */
int interval_take(struct why *w, struct interval *i);
/* Makes its path up to then. */
int interval_path(struct why *w, struct interval *i, uint64_t to);
/* Nothing before that is needed (see history.h).  @data: a struct why. */
uint64_t intervals_horizon(void *data);
/* All that the thread does, if the user wants that.  @first: when it was seen first. */
int life_begin(struct why *w, struct record *record, uint64_t first);
int life_end(struct why *w, struct record *record, uint64_t end);

/* As why_print() and why_json(). */
int chain_print(const struct why *w, const struct ktrace_info *info);
int chain_json(const struct why *w, const struct ktrace_info *info);

#endif /* KT_CMD_ANALYSE_CHAIN_H */
