// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A recording in several traces.
 *
 * --rotate: a trace that is large or old enough becomes DIRECTORY.1, .2 and so on, and the recording
 * goes on in DIRECTORY.  The flight recorder (--mode overwrite) does the same with what the
 * buffers hold, when it is asked for a snapshot: by SIGUSR2, or by the event of --snapshot-on.
 *
 * The trace gets its new name before the next one is made, and is written to until that is
 * ready.  So whenever we are killed, each name is that of a trace.
 */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/now.h"
#include "cmd.h"
#include "common/output.h"
#include "common/series.h"
#include "common/trace.h"
#include "common/value.h"
#include "record.h"

/* How often sizes and the trigger are looked at. */
#define LOOK_NS 100000000ull

/* ---- options -------------------------------------------------------------- */

static bool parts_are_wanted(const struct parts *p)
{
	return p->bytes || p->ns || p->event;
}

/* Why it cannot go on in another trace; NULL: it can. */
static const char *why_not(const struct record *r)
{
	if (is_stream(r->output))
		return "the trace goes to standard output";
	if (r->markers.nr && r->overwrite)
		return "markers of programs (-M) are recorded";
	if (r->branch_trace)
		return "branches are recorded (--branch-trace)";
	if (r->keep)
		return "it begins with what another recorder left (--keep)";
	return NULL;
}

int record_parts_check(struct record *r)
{
	const char *option = r->parts.event		     ? "snapshot-on"
			     : r->parts.bytes || r->parts.ns ? "rotate"
							     : "max-parts";
	struct parts *p = &r->parts;

	if (p->event && (p->bytes || p->ns))
		return misused(&command_record,
			       "--snapshot-on and --rotate: one of them");
	if (p->event)
		r->overwrite = true;
	if (r->overwrite && (p->bytes || p->ns || p->all))
		return misused(&command_record,
			       "--%s is about what is written all the time, "
			       "and with --mode overwrite nothing is",
			       p->all ? "max-size" : "rotate");
	if (p->max && !parts_are_wanted(p) && !r->overwrite)
		return misused(&command_record,
			       "--max-parts is about --rotate, --snapshot-on "
			       "or --mode overwrite");
	p->possible = !why_not(r) && (parts_are_wanted(p) || r->overwrite);
	if ((p->max || parts_are_wanted(p)) && why_not(r))
		return misused(&command_record, "--%s is not possible if %s",
			       option, why_not(r));
	return EXIT_OK;
}

/* ---- parts ---------------------------------------------------------------- */

int record_parts_prepare(struct record *r)
{
	return r->parts.possible ? series_open(&r->parts.series, r->output)
				 : EXIT_OK;
}

int record_parts_begin(struct record *r)
{
	struct parts *p = &r->parts;

	p->began = p->looked = now_ns();
	return p->possible
		       ? series_begin(&p->series,
				      ktrace_recording_directory(r->recording))
		       : EXIT_OK;
}

void record_parts_end(struct record *r)
{
	series_close(&r->parts.series);
}

static void part_tell(struct record *r, uint64_t number)
{
	struct ktrace_recording_status status;
	uint64_t events;

	ktrace_recording_status(r->recording, &status);
	events = status.events - status.events_newest;
	record_progress_clear(r);
	say("%s.%" PRIu64 " has %s events", r->output, number,
	    count_text(events - r->parts.events).s);
	r->parts.events = events;
}

/* One that cannot be removed, because somebody has put a file into it, stays. */
static void older_drop(struct record *r)
{
	struct parts *p = &r->parts;
	const char *why;

	for (; p->max && p->series.nr - p->gone > p->max; p->gone++) {
		if (series_remove(&p->series, p->gone, &why))
			continue;
		p->stayed++;
		record_progress_clear(r);
		say("%s.%" PRIu64 " stays, and nothing more is done with it: "
		    "%s",
		    r->output, p->series.first + p->gone, why);
	}
}

/* The trace ends, and the recording goes on in another one.  False: the recording failed. */
static bool part_end(struct record *r, const char *reason)
{
	struct parts *p = &r->parts;
	uint64_t number = p->series.first + p->series.nr;
	char name[PATH_MAX];
	int err, directory;

	if (series_go_on(&p->series))
		return false;
	err = ktrace_recording_rotate(r->recording, r->output, reason);
	if (err)
		failed_in_library();
	directory = ktrace_recording_directory(r->recording);
	if (err && series_is_newest(&p->series, directory)) {
		/* If nothing came in its place, it has its name again. */
		series_go_back(&p->series);
		return false;
	}
	p->began = now_ns();
	snprintf(name, sizeof(name), "%s.%" PRIu64, r->output, number);
	output_hand_over(name);
	part_tell(r, number);
	if (series_begin(&p->series, directory) || err)
		return false;
	older_drop(r);
	return true;
}

static bool part_is_over(const struct record *r,
			 const struct ktrace_recording_status *status)
{
	const struct parts *p = &r->parts;

	return (p->bytes && status->bytes_newest >= p->bytes) ||
	       (p->ns && now_ns() - p->began >= p->ns);
}

static bool trigger_pass(struct record *r)
{
	bool fired;

	if (record_trigger_look(r, &fired))
		return false;
	return !fired || part_end(r, "snapshot: its event has come");
}

bool record_parts_round(struct record *r, const char **reason)
{
	struct parts *p = &r->parts;
	struct ktrace_recording_status status;
	bool fine = true;

	*reason = NULL;
	if (now_ns() - p->looked < LOOK_NS)
		return true;
	p->looked = now_ns();
	ktrace_recording_status(r->recording, &status);
	if (p->all && status.bytes + status.buffered >= p->all) {
		record_progress_clear(r);
		say("the recording has reached the size of --max-size");
		*reason = "size";
		return false;
	}
	if (part_is_over(r, &status))
		fine = part_end(r, "rotation");
	fine = fine && trigger_pass(r);
	p->failed |= !fine;
	return fine;
}

bool record_parts_signalled(struct record *r)
{
	bool fine = true;

	if (r->parts.possible)
		fine = part_end(r, r->overwrite ? "snapshot: SIGUSR2"
						: "rotation: SIGUSR2");
	else
		say("SIGUSR2 asks for a snapshot, and there is none: %s",
		    why_not(r) ?: "it takes --mode overwrite or --rotate");
	r->parts.failed |= !fine;
	return fine;
}
