// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The event of --snapshot-on.
 *
 * It is recorded in a session of its own, with the smallest buffers, which we look into some times
 * per second.  So any event can be a trigger, with a filter and for some processes only.  Events
 * that are none cost nothing more, except records of tasks, which come twice.  Each look opens and
 * flushes the buffers of all CPUs.  When the event has happened the session is switched off, so a
 * storm of triggers costs little.
 */
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "cmd.h"
#include "record.h"
#include "run/events.h"
#include "run/own_session.h"

#define NAME   "snapshot"
#define BUFFER "131072"
/* At most one snapshot in this time. */
#define PAUSE_NS 1000000000ull

/* "EVENT" or "EVENT if FILTER". */
static int text_take(struct trigger *t, const char *text)
{
	char *filter;

	t->text = strdup(text);
	if (!t->text)
		return failed("out of memory");
	filter = strstr(t->text, " if ");
	if (filter) {
		*filter = '\0';
		filter += strlen(" if ");
	}
	if (selection_add(&t->selection, t->text) ||
	    (filter && selection_filter(&t->selection, filter)))
		return misused(&command_record,
			       "--snapshot-on `%s': it is EVENT, or EVENT if "
			       "FILTER",
			       text);
	return EXIT_OK;
}

int record_trigger_open(struct record *r)
{
	struct trigger *t = &r->trigger;
	struct decoded decoded = r->decoded;
	size_t nr = 0;
	int status;

	/* A filter may compare what arguments point to. */
	decoded.possibly = true;
	if (!r->parts.event)
		return EXIT_OK;
	status = text_take(t, r->parts.event) ?:
		 own_session_open(NAME, &t->session) ?:
		 events_enable(t->session, &t->selection, NULL, &decoded,
			       &nr);
	if (!status &&
	    ((r->cpus && ktrace_session_write(t->session, "cpus", r->cpus)) ||
	     ktrace_session_write(t->session, "buffer_size", BUFFER) ||
	     ktrace_session_write(t->session, "mode", "overwrite")))
		status = failed_in_library();
	return status;
}

int record_trigger_arm(struct record *r)
{
	struct trigger *t = &r->trigger;

	if (!t->session)
		return EXIT_OK;
	if (ktrace_session_write(t->session, "reset", "1") ||
	    ktrace_session_write(t->session, "enabled", "1"))
		return failed_in_library();
	t->armed = true;
	return EXIT_OK;
}

/*
 * Since it was armed.  Records of tasks fill packets, too, so in overwrite mode: there always
 * is room, and the counts have what was overwritten.  The caller tells an error.
 */
static int events_count(struct ktrace_session *session, uint64_t *events)
{
	struct ktrace_cpu *cpus;
	size_t nr;

	/* Closes the open packets, which are not counted. */
	if (ktrace_session_left(session, events) ||
	    ktrace_session_counts(session, &cpus, &nr))
		return EXIT_FAILED;
	*events = 0;
	for (size_t i = 0; i < nr; i++)
		*events += cpus[i].events;
	free(cpus);
	return EXIT_OK;
}

int record_trigger_look(struct record *r, bool *fired)
{
	struct trigger *t = &r->trigger;
	uint64_t events;

	*fired = false;
	if (!t->session)
		return EXIT_OK;
	if (!t->armed)
		return now_ns() - t->fired < PAUSE_NS ? EXIT_OK
						      : record_trigger_arm(r);
	/* It may pass: no descriptor, no memory, a CPU that goes.  The buffers still fill. */
	if (events_count(t->session, &events)) {
		if (!t->unseen) {
			record_progress_clear(r);
			say("the event of --snapshot-on cannot be looked at, "
			    "and is tried again: %s",
			    ktrace_last_error());
		}
		t->unseen = true;
		return EXIT_OK;
	}
	t->unseen = false;
	if (!events)
		return EXIT_OK;
	*fired = true;
	t->armed = false;
	t->fired = now_ns();
	return ktrace_session_write(t->session, "enabled", "0")
		       ? failed_in_library()
		       : EXIT_OK;
}

void record_trigger_close(struct record *r)
{
	own_session_close(r->trigger.session);
	selection_free(&r->trigger.selection);
	free(r->trigger.text);
}
