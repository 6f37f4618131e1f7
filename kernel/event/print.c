// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print formats as the kernel's own tracer has them.
 *
 * A print format is the text of a macro, and the macros in it that only the file
 * with the tracepoint knows (flags of a file system, say) stay names for whoever
 * compiles the header elsewhere.  The tracer has the text as it came out there,
 * constants replaced.  So where there is a tracer, its text is the one to show.
 *
 * Its list and the mutex that protects it are not exported; without them, or
 * without a tracer, the source's own text is as good as it gets.
 *
 * Whoever holds that mutex may ask for the list of modules with tracepoints, and who
 * holds that may be waiting in our notifier for kt_mutex.  So the tracer's mutex comes
 * before kt_mutex, and where kt_mutex is held already, the tracer is not asked.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "base/symbol.h"
#include "event.h"
#include "print.h"

static struct list_head *calls;
static struct mutex *calls_mutex;
static struct task_struct *reader; /* who may look at the list */

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
	WRITE_ONCE(reader, current);
}

void kt_print_unlock(void)
{
	if (!calls)
		return;
	WRITE_ONCE(reader, NULL);
	mutex_unlock(calls_mutex);
}

/*
 * Called with kt_mutex held, which keeps @tp.  False: nothing was shown.  Events of
 * our own may have the tracer's names, but never its fields.
 */
bool kt_print_show(struct seq_file *m, const struct tracepoint *tp,
		   const struct kt_event *event)
{
	struct trace_event_call *call;

	if (!calls || !event->source->traced || READ_ONCE(reader) != current)
		return false;
	list_for_each_entry(call, calls, list) {
		if (call_is(call, tp, event)) {
			seq_puts(m, call->print_fmt);
			return true;
		}
	}
	return false;
}
