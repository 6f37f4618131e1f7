/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Spans: what has a begin and an end, made of the events of a trace.
 *
 *	ktrace_spans_create(cursor, &spans);
 *	while ((item = ktrace_cursor_next(cursor)) > 0) {
 *		if (item == KTRACE_LOSS) {
 *			ktrace_spans_loss(spans, ktrace_cursor_loss(cursor));
 *			continue;
 *		}
 *		step = ktrace_spans_event(spans, ktrace_cursor_event(cursor));
 *		if (step < 0)
 *			break;
 *		if (step & KTRACE_SPAN_ENDS)
 *			span = ktrace_spans_ended(spans);
 *	}
 *
 * The cursor must deliver all CPUs and all events for which ktrace_span_type() is
 * true: a pair of which one half is hidden could be taken for another pair.  What the
 * user wants to see is chosen from the spans.
 *
 * Memory is taken for the spans that are open, not for those that have ended.
 *
 * A span whose end may be in a gap of the trace is not paired but counted.  One kind
 * of gap is seen late: events that were refused one by one in the middle of a packet
 * (too large, or caused by tracing itself) are known when the next packet begins.
 *
 * Functions return a negative errno where they say so.  All times are nanoseconds of
 * CLOCK_MONOTONIC.  Spans are used by one thread at a time.
 */
#ifndef KTRACE_SPAN_H
#define KTRACE_SPAN_H

#include <ktrace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ktrace_span_kind {
	KTRACE_SPAN_SYSCALL, /* entry to exit; name: the call's */
	KTRACE_SPAN_IRQ,     /* a handler of a hard interrupt; name: its name */
	KTRACE_SPAN_SOFTIRQ, /* name: its vector */
	KTRACE_SPAN_CPU,     /* a thread has a CPU; name: "on CPU" or "idle" */
	KTRACE_SPAN_BLOCK, /* a request, issue to completion; name: what it does */
	KTRACE_SPAN_MARKER, /* events NAME_begin and NAME_end of a thread */
	KTRACE_SPAN_NR,
	/* There will not be more than that. */
	KTRACE_SPAN_ROOM = 32,
};

/* Who has it open: what is paired has the same owner. */
enum ktrace_span_owner {
	KTRACE_SPAN_OF_THREAD,	/* it may end on another CPU */
	KTRACE_SPAN_OF_CPU,	/* an interrupt */
	KTRACE_SPAN_OF_RUN,	/* a CPU again, and who has it */
	KTRACE_SPAN_OF_REQUEST, /* it may end anywhere */
};

struct ktrace_span {
	enum ktrace_span_kind kind;
	enum ktrace_span_owner owner;
	const char *name; /* at most 63 bytes; what is longer is cut */
	uint64_t begin;
	uint64_t end; /* 0: it is open */
	uint32_t begin_cpu;
	uint32_t end_cpu;
	/* The thread that began it; of KTRACE_SPAN_CPU: that had the CPU. */
	uint32_t tid;
	uint32_t tgid;
	const char *comm;
	uint32_t depth; /* how many its owner had open around it */
	const struct ktrace_type *type; /* of the event that began it */
};

/* What became of the spans of a kind.  The first five are all that have begun. */
struct ktrace_span_counts {
	uint64_t ended;	  /* and were handed out */
	uint64_t lost;	  /* their end may be among events that were lost */
	uint64_t unended; /* their end is missing where it must be */
	uint64_t died;	  /* their thread ended in them */
	uint64_t open;	  /* now */
	uint64_t
		unbegun; /* ends alone: the begin is before the trace, or is lost */
};

struct ktrace_spans;

/* "syscall" and so on; NULL: there is no such kind. */
KTRACE_API const char *ktrace_span_kind_name(unsigned int kind);

/* Does an event of this type begin or end spans? */
KTRACE_API bool ktrace_span_type(const struct ktrace_type *type);

/*
 * @cursor is where the events come from, and must outlive the spans.  NULL: they come
 * from elsewhere; then the end of threads has to be told (ktrace_spans_exit), and a
 * pair around a loss of another CPU may be given out before the loss is known.
 */
KTRACE_API int ktrace_spans_create(const struct ktrace_cursor *cursor,
				   struct ktrace_spans **spans);
KTRACE_API void ktrace_spans_destroy(struct ktrace_spans *spans);

/* What ktrace_spans_event() returns: none, one or both. */
enum ktrace_span_step {
	KTRACE_SPAN_ENDS = 1,
	KTRACE_SPAN_BEGINS = 2,
};

/* The next event, in order of time.  -ENOMEM. */
KTRACE_API int ktrace_spans_event(struct ktrace_spans *spans,
				  const struct ktrace_event *event);
/*
 * The span that the last event ended, if it ended one: always the same struct, with its
 * strings valid until the next call.
 */
KTRACE_API const struct ktrace_span *ktrace_spans_ended(
	const struct ktrace_spans *spans);

/* Events were lost: spans that may have ended there are forgotten, and counted. */
KTRACE_API void ktrace_spans_loss(struct ktrace_spans *spans,
				  const struct ktrace_loss *loss);
/* The thread has ended, and so have its spans. */
KTRACE_API void ktrace_spans_exit(struct ktrace_spans *spans, uint32_t tid);

/* @kind below KTRACE_SPAN_NR.  As long as the spans, and changes with them. */
KTRACE_API const struct ktrace_span_counts *ktrace_spans_counts(
	const struct ktrace_spans *spans, enum ktrace_span_kind kind);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_SPAN_H */
