// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What happens now.
 *
 * The whole machine is recorded, also for some processes only: who else ran is what threads wait for,
 * and a switch belongs to the thread that leaves.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/session.h>

#include "base/now.h"
#include "cmd.h"
#include "run/events.h"
#include "top.h"

/* Stamps of events are as exact as the clock's last comparison with CLOCK_MONOTONIC. */
#define LATE_NS	     1000000ull

#define ROUND_MAX_MS 250
#define ROUND_MIN_MS 10

struct wanted {
	const char *system;
	const char *name; /* NULL: all of them */
	bool needed;
};

static const struct wanted states[] = {
	{"sched", "sched_switch", true},
	{"sched", "sched_waking", true},
	{"sched", "sched_wakeup_new", true},
};

static const struct wanted forks[] = {
	{"sched", "sched_process_fork", true},
};

/* Machines without some of these have no such reasons. */
static const struct wanted waits[] = {
	{"syscalls", NULL, true},
	{"compat_syscalls", NULL, false},
	{"exceptions", "page_fault_user", false},
	{"lock", "contention_begin", false},
	{"lock", "contention_end", false},
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* Returns an exit status. */
static int events_switch(struct ktrace_session *session,
			 const struct wanted *wanted, size_t nr, bool on)
{
	for (size_t i = 0; i < nr; i++) {
		char pattern[64];
		const char *patterns[] = {pattern};
		int err;

		snprintf(pattern, sizeof(pattern), "%s:%s", wanted[i].system,
			 wanted[i].name ?: "sys_e*_*");
		err = on ? ktrace_session_prepare(session, patterns, 1) : 0;
		err = err
			      ?: ktrace_session_enable(session,
						       wanted[i].system,
						       wanted[i].name, on);
		if (err && wanted[i].needed)
			return failed_in_library();
		if (err && verbosity > 0)
			say("%s is not recorded: %s", pattern,
			    ktrace_last_error());
	}
	return EXIT_OK;
}

static int waits_switch(struct top *top, bool on)
{
	int status = events_switch(top->live.session, waits, NR(waits), on);

	if (status && on)
		events_switch(top->live.session, waits, NR(waits), false);
	if (status)
		return status;
	top->waits = on;
	top->tally.calls_changed = now_ns();
	ktrace_recording_types(top->live.recording);
	return EXIT_OK;
}

static int events_choose(void *data)
{
	struct top *top = data;
	struct ktrace_session *session = top->live.session;
	size_t nr = 0;
	int status = events_switch(session, states, NR(states), true);

	/* Calls are rows that need their events. */
	top->waits |= top->wish.by == BY_CALL;
	if (!status && top->tally.family)
		status = events_switch(session, forks, NR(forks), true);
	if (!status && top->waits)
		status = events_switch(session, waits, NR(waits), true);
	if (!status && !selection_is_all(&top->query.selection))
		status = events_enable(session, &top->query.selection, NULL,
				       NULL, &nr);
	return status;
}

/* ---- the recording ------------------------------------------------------------- */

static int family_begin(struct top *top)
{
	const struct processes *named = &top->live.processes;
	int err = 0;

	for (size_t i = 0; !err && i < named->nr; i++)
		err = family_add(&top->family, named->list[i].pid);
	if (!err && top->live.child.pid)
		err = family_add(&top->family, top->live.child.pid);
	return err;
}

static int begin(void *data)
{
	struct top *top = data;
	int status = EXIT_OK;

	if (top->live.output) {
		top->out = fdopen(dup(top->live.fd), "w");
		if (!top->out)
			return failed("%s: %s", top->live.output,
				      strerror(errno));
	}
	if ((top->tally.family && family_begin(top)) ||
	    top_begin(top, top->live.shown, top->live.cursor, now_ns()))
		status = failed("out of memory");
	if (!status && !top->batch)
		status = screen_begin(top);
	if (status)
		top_done(top);
	return status;
}

static bool more(void *data)
{
	struct top *top = data;
	uint64_t complete = top->live.complete;

	top->error = top_read(top, top->live.cursor);
	if (!top->error && complete > LATE_NS)
		top->error = top_pass(top, complete - LATE_NS);
	if (top_is_over(top))
		return false;
	return !top->screen || screen_more(top);
}

static int end(void *data)
{
	struct top *top = data;

	if (top->screen) {
		screen_end(top);
	} else if (!top_is_over(top)) {
		top->error = top_read(top, top->live.cursor);
		top->error = top->error ?: top_end(top, top->live.complete);
	}
	top_done(top);
	if (top->out != stdout && fclose(top->out) && !top->error) {
		top->error = -errno;
		top->unwritten = true;
	}
	return top_status(top, top->error);
}

/* Each round costs something, and a table is late by two of them. */
static int round_of(const struct top *top)
{
	uint64_t ms = top->interval / 4 / 1000000;

	if (!top->interval || ms > ROUND_MAX_MS)
		return ROUND_MAX_MS;
	return ms < ROUND_MIN_MS ? ROUND_MIN_MS : ms;
}

int top_live(struct top *top)
{
	const struct live_calls calls = {
		.begin = begin,
		.more = more,
		.end = end,
		.input = !top->batch,
		.round_ms = round_of(top),
	};

	top->wish.self = getpid();
	if (top->live.argv || top->live.processes.nr)
		top->tally.family = &top->family;
	top->waits_switch = waits_switch;
	top->live.name = "top";
	top->live.calls = &calls;
	top->live.machine = true;
	top->live.fd = STDOUT_FILENO;
	top->live.enable = events_choose;
	top->live.data = top;
	return live_run(&top->live);
}
