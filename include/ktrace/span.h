/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Spans: pairs of events of a trace, one that begins and one that ends
 * something.
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
 * The cursor must deliver all CPUs, and all events for which ktrace_span_type()
 * is true.  If one half of a pair were hidden, the other half could be paired
 * with the wrong event.  So filter the spans, not the events.
 *
 * Memory is needed only for open spans.
 *
 * If the end of a span may be in a gap of the trace, the span is not paired but
 * counted.  One kind of gap is seen late: if single events were refused in the
 * middle of a packet (too large, or caused by tracing itself), this is known
 * only when the next packet begins.
 *
 * Some functions return a negative errno, as their comments say.  All times are
 * nanoseconds of CLOCK_MONOTONIC.  Spans are used by one thread at a time.
 */
#ifndef KTRACE_SPAN_H
#define KTRACE_SPAN_H

#include <ktrace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ktrace_span_kind {
	KTRACE_SPAN_SYSCALL, /* entry to exit; name: the call's */
	KTRACE_SPAN_IRQ,     /* a handler of an interrupt; name: its name */
	KTRACE_SPAN_SOFTIRQ, /* name: the vector's */
	KTRACE_SPAN_CPU,     /* a thread has a CPU; name: "on CPU" or "idle" */
	KTRACE_SPAN_BLOCK, /* a request, issue to completion; name: what it does */
	KTRACE_SPAN_MARKER, /* a thread's events NAME_begin and NAME_end */
	KTRACE_SPAN_FUNCTION, /* a call of a function of the kernel; name: its name */
	KTRACE_SPAN_NR,
	/* The number of kinds will not exceed this. */
	KTRACE_SPAN_ROOM = 32,
};

/* Who owns a span: its begin and its end have the same owner. */
enum ktrace_span_owner {
	KTRACE_SPAN_OF_THREAD,	/* it may end on another CPU */
	KTRACE_SPAN_OF_CPU,	/* an interrupt */
	KTRACE_SPAN_OF_RUN,	/* a CPU and the thread that runs on it */
	KTRACE_SPAN_OF_REQUEST, /* it may end anywhere */
};

struct ktrace_span {
	enum ktrace_span_kind kind;
	enum ktrace_span_owner owner;
	const char *name; /* at most 63 bytes; longer names are cut */
	uint64_t begin;
	uint64_t end; /* 0: still open */
	uint32_t begin_cpu;
	uint32_t end_cpu;
	/* The thread that began it; KTRACE_SPAN_CPU: that had the CPU. */
	uint32_t tid;
	uint32_t tgid;
	const char *comm;
	/* Number of the owner's spans around it.  Markers of programs count apart. */
	uint32_t depth;
	const struct ktrace_type *type; /* of the event that began it */
	/*
	 * From here on only frames have values: calls of syscalls and functions,
	 * and interrupts.  @self and @error are known when they have ended.
	 */
	uint64_t self; /* as took, without the frames directly inside it */
	int error;     /* the number of the error that it returned; 0: none */
	void *data;    /* see ktrace_spans_keep() */
	/* Of all kinds, when they have ended: ns; see ktrace_spans_pauses(). */
	uint64_t took;
};

/*
 * What happened to the spans of a kind.  All spans that began are in one of the
 * first five counts.
 */
struct ktrace_span_counts {
	uint64_t ended;	  /* ended and were returned */
	uint64_t lost;	  /* the end may be among lost events */
	uint64_t unended; /* the end is missing without a loss */
	uint64_t died;	  /* the thread ended inside it */
	uint64_t open;	  /* open now */
	uint64_t unbegun; /* ends without begin: it was lost or is too early */
};

struct ktrace_spans;

/* "syscall" and so on; NULL: there is no such kind. */
KTRACE_API const char *ktrace_span_kind_name(unsigned int kind);

/* Does an event of this type begin or end spans? */
KTRACE_API bool ktrace_span_type(const struct ktrace_type *type);

/*
 * @cursor delivers the events, and must outlive the spans.  @cursor may be NULL
 * if the events come from elsewhere.  Then the caller must report the end of
 * threads (ktrace_spans_exit), and a pair with a gap of another CPU in it may
 * be returned before the loss is known.
 */
KTRACE_API int ktrace_spans_create(const struct ktrace_cursor *cursor,
				   struct ktrace_spans **spans);
KTRACE_API void ktrace_spans_destroy(struct ktrace_spans *spans);

/* What ktrace_spans_event() returns: none, one or both of these. */
enum ktrace_span_step {
	KTRACE_SPAN_ENDS = 1,
	KTRACE_SPAN_BEGINS = 2,
};

/*
 * Takes the next event, in order of time.  Returns ktrace_span_step, or
 * -ENOMEM.
 */
KTRACE_API int ktrace_spans_event(struct ktrace_spans *spans,
				  const struct ktrace_event *event);
/*
 * The span that the last event ended, if it ended one.  Always the same struct;
 * its strings are valid until the next call.
 */
KTRACE_API const struct ktrace_span *ktrace_spans_ended(
	const struct ktrace_spans *spans);

/*
 * The span that the last event began, if it began one; valid until the next
 * call.
 */
KTRACE_API const struct ktrace_span *ktrace_spans_begun(
	const struct ktrace_spans *spans);
/*
 * The frame directly around the frame that the last event began or ended; valid
 * until the next call.  NULL: there is none.
 *
 * A syscall has none: it is called by a program.  An interrupt is around the
 * functions that its handler calls, and inside what it has interrupted.
 */
KTRACE_API const struct ktrace_span *ktrace_spans_caller(
	const struct ktrace_spans *spans);
/* Keeps @data with the frame that the last event began, until it ends. */
KTRACE_API void ktrace_spans_keep(struct ktrace_spans *spans, void *data);

/* Where calls of a function are spans, if there is a scope. */
enum ktrace_span_part {
	KTRACE_SPAN_ROOT, /* everywhere */
	KTRACE_SPAN_TOP, /* where no other call is around it; and as the next one */
	KTRACE_SPAN_INSIDE, /* within one of these */
	KTRACE_SPAN_CUT,    /* nowhere, nor what they call */
	/* Nowhere; if @within says so, roots and tops are only within one of these. */
	KTRACE_SPAN_AROUND,
};

struct ktrace_span_scope {
	size_t size; /* of this struct */
	/*
	 * Asked once for each type of a call's event: "function", "return" and "call"; and,
	 * if @within is set, for each type of a system call's, which may be around.
	 */
	enum ktrace_span_part (*part)(const struct ktrace_type *type,
				      void *data);
	void *data;
	uint32_t depth; /* of calls within roots, which are the first; 0: any */
	bool no_interrupts; /* not what interrupts call that come meanwhile */
	bool within; /* roots and tops only where KTRACE_SPAN_AROUND says */
};

/*
 * From now on only some calls of functions are spans: those that the kernel would have
 * recorded if it had been told the same (struct ktrace_functions in <ktrace/session.h>).
 * All others are as if they were not in the trace.  What a whole call (an event "call")
 * has called was told before it, so that is within other calls only.
 */
KTRACE_API int ktrace_spans_scope(struct ktrace_spans *spans,
				  const struct ktrace_span_scope *scope);
/* Is the last event that of a call which the scope leaves out? */
KTRACE_API bool ktrace_spans_hidden(const struct ktrace_spans *spans);

/* Time in which a thread is in a span, but does not run. */
enum ktrace_span_pause {
	KTRACE_PAUSE_INTERRUPTS = 1,
	/* Off its CPU, asleep or not.  The cursor knows it; without one, it counts. */
	KTRACE_PAUSE_SLEEP = 2,
};

/*
 * From now on spans of threads took as long as from begin to end without these pauses, a
 * combination of bits; otherwise all spans took that time.  Whole calls (an event "call") are
 * told at their end, so their pauses are not known, and count.  To be called before the first
 * event.
 */
KTRACE_API void ktrace_spans_pauses(struct ktrace_spans *spans,
				    unsigned int pauses);

/*
 * How many spans of @kind the event's thread, or for interrupts its CPU, has open after the
 * event. Kinds with other owners have none. Its cost depends on how deep spans are nested,
 * which is limited.
 */
KTRACE_API uint32_t ktrace_spans_open(const struct ktrace_spans *spans,
				      const struct ktrace_event *event,
				      enum ktrace_span_kind kind);

/* Events were lost: drops and counts the spans that may have ended there. */
KTRACE_API void ktrace_spans_loss(struct ktrace_spans *spans,
				  const struct ktrace_loss *loss);
/* The thread has ended: so have its spans. */
KTRACE_API void ktrace_spans_exit(struct ktrace_spans *spans, uint32_t tid);

/*
 * For each @kind below KTRACE_SPAN_NR.  The struct lives as long as @spans; its
 * counts change.
 */
KTRACE_API const struct ktrace_span_counts *ktrace_spans_counts(
	const struct ktrace_spans *spans, enum ktrace_span_kind kind);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_SPAN_H */
