/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a thread does, as far as it says why the thread waits: its call, locks of the kernel, page
 * faults.
 */
#ifndef KT_CMD_ANALYSE_DOING_H
#define KT_CMD_ANALYSE_DOING_H

#include <ktrace/timeline.h>

#define REASON_ROOM 256

/* All zero: nothing is known of it. */
struct doing {
	/* The call that it is in; NULL: it is in none that is known. */
	const struct ktrace_timeline_slice *slice;
	char call[64];	  /* name of the last one; "": there was none */
	bool calls_known; /* it is in @slice, or in none */
	bool faults; /* it has had a page fault, and was seen doing nothing else since */
	uint32_t locks; /* that it waits for */
	/* When a call began or ended: it waits for none that it waited for before. */
	uint64_t unlocked;
};

/* Does a thread wait in this state, for something other than a CPU? */
bool doing_is_wait(enum ktrace_timeline_states state);
/* A call begins: is it not the one that another slice has told already? */
bool doing_call_is_new(const struct doing *d,
		       const struct ktrace_timeline_slice *slice);
bool doing_is_call(const struct ktrace_timeline_track *track);
/* After doing_call_is_new(). */
void doing_call_begin(struct doing *d,
		      const struct ktrace_timeline_slice *slice);
/* The call @d->slice ends. */
void doing_call_end(struct doing *d, const struct ktrace_timeline_slice *slice);
/* Any other slice of the thread begins.  True: it is a lock; only if their ends are known. */
bool doing_begin(struct doing *d, const struct ktrace_event *event,
		 bool ends_known);
/* The slice of a lock ends. */
void doing_lock_end(struct doing *d, const struct ktrace_timeline_slice *slice);
/* Does a point change what a thread does? */
bool doing_is_point(const struct ktrace_event *event);
void doing_point(struct doing *d, const struct ktrace_event *event);
/*
 * Why the thread waits, if it does now.  Some work of a call is done on the way back to the
 * program, when the call has returned for those who look: files are closed there, for instance.
 * Returns true if it waits in the call @d->slice.
 */
bool doing_reason(const struct doing *d, char reason[REASON_ROOM]);

/*
 * The begin of a call's text with its first argument, which often says for what it waits:
 * "read(3</dev/tty>, ...)".
 */
void call_text_shorten(const char *text, char reason[REASON_ROOM]);
/* Is it the text of this call?  Lines tell signals, too, and calls whose end was lost. */
bool call_text_is_of(const char *text, size_t size, const char *call);

#endif /* KT_CMD_ANALYSE_DOING_H */
