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
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "event.h"
#include "print.h"

static struct list_head *calls;
static struct mutex *calls_mutex;

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

/*
 * Called with kt_mutex held, which keeps @tp.  False: nothing was shown.  Events of
 * our own may have the tracer's names, but never its fields.
 */
bool kt_print_show(struct seq_file *m, const struct tracepoint *tp,
		   const struct kt_event *event)
{
	struct trace_event_call *call;
	bool found = false;

	if (!calls || event->owner == THIS_MODULE)
		return false;
	mutex_lock(calls_mutex);
	list_for_each_entry(call, calls, list) {
		found = call_is(call, tp, event);
		if (found) {
			seq_puts(m, call->print_fmt);
			break;
		}
	}
	mutex_unlock(calls_mutex);
	return found;
}
