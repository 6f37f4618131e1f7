// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The summary that record prints at its end, on standard error. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/loss.h"

#include "cmd.h"
#include "common/count.h"
#include "common/misses.h"
#include "common/probe_hits.h"
#include "record.h"
#include "common/value.h"

#define TOP 10

/* Counting reads the whole trace again: too slow for larger traces. */
#define COUNT_MAX (256ull << 20)

static void top_print(const struct count *count)
{
	for (size_t i = 0; i < count->nr_types && i < TOP; i++) {
		const struct count_type *t = &count->types[i];
		char name[160], *shown;

		snprintf(name, sizeof(name), "%s:%s", t->type->system,
			 t->type->name);
		/* The names of markers come from programs. */
		shown = escape_text(name);
		fprintf(stderr, "    %-40s %14s %5.1f %%\n", shown ? shown : "",
			count_text(t->events).s,
			100.0 * t->events / count->events);
		free(shown);
	}
	if (count->nr_types > TOP)
		fprintf(stderr, "    and %zu other kinds of event\n",
			count->nr_types - TOP);
}

/* The trace that was recorded.  NULL: it cannot be opened. */
static struct ktrace *trace_get(const struct record *r)
{
	struct ktrace *trace;

	if (ktrace_recording_follow(r->recording, false, &trace))
		return NULL;
	if (!ktrace_recording_sync(r->recording, trace))
		return trace;
	ktrace_close(trace);
	return NULL;
}

/* The names of all traces, if there are several. */
static void parts_print(const struct record *r)
{
	const struct parts *p = &r->parts;
	uint64_t first = p->series.first + p->gone;
	uint64_t last = p->series.first + p->series.nr - 1;
	uint64_t removed = p->gone - p->stayed;
	char range[64] = "";

	if (last > first)
		snprintf(range, sizeof(range), " to .%" PRIu64, last);
	if (removed)
		say("in %zu parts, of which the oldest %" PRIu64
		    " were removed: %s.%" PRIu64 "%s, and %s",
		    p->series.nr + 1, removed, r->output, first, range,
		    r->output);
	else
		say("in %zu parts: %s.%" PRIu64 "%s, and %s", p->series.nr + 1,
		    r->output, first, range, r->output);
}

/* Prints the number of events and, if that is quick, the most frequent ones. */
static void events_print(const struct record *r)
{
	const struct ktrace_recording_status *s = &r->status;
	uint64_t ns = r->ended - r->began;
	struct count count = {0};
	struct ktrace *trace = NULL;

	if (s->events && s->bytes <= COUNT_MAX && verbosity >= 0 &&
	    !r->stream && !r->parts.series.nr && (trace = trace_get(r)) &&
	    !count_trace(&count, trace, NULL, NULL, NULL, false))
		ns = count.end - count.begin;
	say("recorded %s events (%s) in %s, %s", count_text(s->events).s,
	    bytes_text(s->bytes).s, duration_text(ns).s,
	    r->stream ? "to standard output" : r->output);
	if (r->parts.series.nr)
		parts_print(r);
	top_print(&count);
	count_free(&count);
	ktrace_close(trace);
}

static void losses_print(const uint64_t *lost)
{
	for (int i = 0; i < KTRACE_LOST_NR; i++) {
		if (!lost[i])
			continue;
		/* Losses that are not events are named by their text. */
		say("%s %s%s %s%s%s", loss_is_event(i) ? "lost" : "missing",
		    count_text(lost[i]).s,
		    !loss_is_event(i) ? ""
		    : lost[i] == 1    ? " event"
				      : " events",
		    loss_text(i), loss_remedy(i) ? ": " : "",
		    loss_remedy(i) ? loss_remedy(i) : "");
	}
}

/*
 * Each event that the kernel counted must be in the trace, or lost for a reason
 * that was printed.  If not, the trace must not look good.  With --keep the
 * counts cannot match: another recorder has taken a part.
 */
static int account_check(const struct record *r)
{
	const struct ktrace_recording_status *s = &r->status;
	uint64_t found =
		s->events + s->lost[KTRACE_LOST_OVERWRITTEN] + s->unwritten;

	if (r->keep || s->recorded == found)
		return EXIT_OK;
	return failed(
		"the kernel counted %s events, but the trace's events and "
		"losses add up to %s: this is a fault of ktrace's; "
		"please report it",
		count_text(s->recorded).s, count_text(found).s);
}

int record_summarize(struct record *r)
{
	uint64_t lost[KTRACE_LOST_NR];
	const struct ktrace_miss *misses;
	const struct ktrace_probe_hits *hits;
	size_t nr;
	int status = account_check(r);

	events_print(r);
	memcpy(lost, r->status.lost, sizeof(lost));
	lost[KTRACE_LOST_UNWRITTEN] = r->status.unwritten;
	record_branches_print(r);
	losses_print(lost);
	nr = ktrace_recording_misses(r->recording, &misses);
	misses_say(misses, nr);
	nr = ktrace_recording_probe_hits(r->recording, &hits);
	probe_hits_say(hits, nr);
	if (!r->status.events && !loss_total(lost) && !r->way)
		say("no event came: %s",
		    r->processes.nr || r->only
			    ? "did the processes do anything, and do the filters fit?"
			    : "do the events happen here, and do the filters fit?");
	if ((!r->status.events && !r->way) || r->stream)
		return status;
	if (strcmp(r->output, TRACE_DEFAULT))
		say("to see it: ktrace report %s", r->output);
	else
		say("to see it: ktrace report");
	return status;
}
