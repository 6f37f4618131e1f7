// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print formats of the kernel's own tracer.
 *
 * A print format is the text of a macro.  It may contain macros that are defined only in
 * the source file that defines the tracepoint (for example flags of a file system).  If the
 * header is compiled elsewhere, their names are left unexpanded.  The tracer has the fully
 * expanded text, with constants replaced, so its text is shown if there is a tracer.
 *
 * The tracer's list of events and the mutex that protects it are not exported.  If they
 * cannot be found, or there is no tracer, the source's own text is shown.
 *
 * A task that holds the tracer's mutex may wait for the list of modules with tracepoints.
 * The task that holds that list may be waiting for kt_mutex, in our notifier.  So the
 * tracer's mutex is taken before kt_mutex.  Where only kt_mutex is held, the tracer's text
 * is not used.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "base/symbol.h"
#include "print.h"
#include "tracepoints.h"

static struct list_head *calls;
static struct mutex *calls_mutex;
static struct task_struct *reader; /* holds calls_mutex for us */
static struct list_head *last; /* of the list, what the reader has found last */

void __init kt_print_init(void)
{
	calls = (struct list_head *)kt_symbol("ftrace_events");
	calls_mutex = (struct mutex *)kt_symbol("event_mutex");
	if (!calls_mutex)
		calls = NULL;
}

static bool call_is(struct trace_event_call *call, const struct tracepoint *tp,
		    const struct kt_event *event)
{
	return call->flags & TRACE_EVENT_FL_TRACEPOINT && call->tp == tp &&
	       call->print_fmt &&
	       !strcmp(trace_event_name(call), event->name) &&
	       !strcmp(call->class->system, event->system);
}

void kt_print_lock(void)
{
	if (!calls)
		return;
	mutex_lock(calls_mutex);
	last = calls;
	WRITE_ONCE(reader, current);
}

void kt_print_unlock(void)
{
	if (!calls)
		return;
	WRITE_ONCE(reader, NULL);
	mutex_unlock(calls_mutex);
}

static bool is_at(const struct list_head *at, const struct tracepoint *tp,
		  const struct kt_event *event)
{
	return at != calls &&
	       call_is(list_entry(at, struct trace_event_call, list), tp,
		       event);
}

/* Both lists have the events of a header behind each other, one of them from the last to the first. */
static struct trace_event_call *call_find(const struct tracepoint *tp,
					  const struct kt_event *event)
{
	struct list_head *at = last->prev;

	if (!is_at(at, tp, event))
		at = last->next;
	if (!is_at(at, tp, event))
		list_for_each(at, calls)
			if (is_at(at, tp, event))
				break;
	if (at == calls)
		return NULL;
	last = at;
	return list_entry(at, struct trace_event_call, list);
}

/*
 * Called with kt_mutex held, so that the tracepoint stays.  False: nothing was shown.  An
 * event of a source that is not `traced' may have the name of one of the tracer's, but has
 * other fields.
 */
bool kt_print_show(struct seq_file *m, const struct kt_entry *entry)
{
	const struct kt_event *event = entry->event;
	struct trace_event_call *call;

	if (!calls || !event->source->traced || READ_ONCE(reader) != current)
		return false;
	call = call_find(kt_entry_tracepoint(entry), event);
	if (!call)
		return false;
	seq_puts(m, call->print_fmt);
	return true;
}
