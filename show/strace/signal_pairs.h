/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A signal may be there twice: as the kernel's event signal:signal_deliver and as our own,
 * signal:signal_delivered.  Both are hit at one place, one directly after the other, in an order that
 * is not fixed.  Then the one that tells more is shown; and the other one if it is alone.
 *
 * So the one that tells less is held back until the next event of its CPU or its thread, which is the
 * other one if it was recorded.
 */
#ifndef KT_SHOW_STRACE_SIGNAL_PAIRS_H
#define KT_SHOW_STRACE_SIGNAL_PAIRS_H

#include "call.h"

#define SIGNALS_HELD 64

/* What a thread's last event was, if it was of a signal whose other event may follow. */
struct signal_last {
	int number;	 /* 0: of none */
	bool more;	 /* it tells more than the other one */
	uint32_t losses; /* of struct signal_pairs, then */
	uint64_t time;
};

struct signal_held {
	struct ktrace_event event; /* without fields */
	struct signal_view view;
	bool waited; /* a round of a live trace has ended since */
	bool late;   /* the other one may still come */
};

struct signal_pairs {
	size_t looked; /* so many types of the trace */
	bool kernels;  /* it has signal_deliver */
	bool kills;    /* signal_delivered, with what the process ends */
	bool all;      /* the same, with who has sent it */
	struct signal_held held[SIGNALS_HELD];
	uint32_t nr;
	uint32_t losses; /* of events, as many as there were */
};

/*
 * Takes the next one that is held back no longer when @event comes; NULL: the next one in any case.
 * @view: of the event, if it is one of a signal.
 */
bool signal_pairs_next(struct signal_pairs *pairs,
		       const struct ktrace_event *event,
		       const struct signal_view *view,
		       struct signal_held *held);
/* A round of a live trace ends: takes the next one that has waited for a whole one. */
bool signal_pairs_waited(struct signal_pairs *pairs, struct signal_held *held);
void signal_pairs_round(struct signal_pairs *pairs);
/* Some were lost on the CPU: what is held back there waits in vain. */
bool signal_pairs_lost(struct signal_pairs *pairs, uint32_t cpu,
		       struct signal_held *held);
/* True: the event is to be shown now.  False: later, or the other one is shown. */
bool signal_pairs_take(struct signal_pairs *pairs, struct signal_last *last,
		       const struct ktrace_types *types,
		       const struct ktrace_event *event,
		       const struct signal_view *view);

#endif /* KT_SHOW_STRACE_SIGNAL_PAIRS_H */
