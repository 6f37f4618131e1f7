/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * -f FILTER of commands that read traces: which events are wanted, by their fields.  As when events
 * are recorded, a filter belongs to the patterns of the -e before it, and each event that these mean
 * must have the fields.  A filter in front of all -e, or behind one that only excludes, is for all events
 * that have no other one; those without the fields do not meet it.
 */
#ifndef KT_CMD_COMMON_EVENT_FILTERS_H
#define KT_CMD_COMMON_EVENT_FILTERS_H

#include <stdbool.h>
#include <stddef.h>

#include <ktrace/filter.h>

#include "cmd.h"
#include "select.h"

struct event_filter;

struct event_filters {
	const char *general;		/* for all events; NULL: none */
	bool any;			/* an -f was given */
	struct event_filter *by_number; /* of types that had an event */
	size_t nr;
};

/*
 * -f @text: it belongs to the last -e of @s; if there is none, or it only excludes, it is for all events
 * that have no other.  Checks what can be known without a trace.  Returns an exit status.
 */
int event_filters_add(struct event_filters *filters, struct selection *s,
		      const struct command *command, const char *text);
/*
 * Does each filter fit the types that it is for?  Of types of one name, it must fit one.  Returns an
 * exit status.
 */
int event_filters_check(const struct event_filters *filters,
			const struct selection *s,
			const struct ktrace_types *types);
/* Is the event wanted?  Its type is selected. */
bool event_filters_match(struct event_filters *filters,
			 const struct selection *s,
			 const struct ktrace_event *event);
/* Another trace has other types. */
void event_filters_forget(struct event_filters *filters);

#endif /* KT_CMD_COMMON_EVENT_FILTERS_H */
