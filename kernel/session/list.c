// SPDX-License-Identifier: GPL-2.0-only
/* The session's lists of events: its files `available', `info' and `types'. */
#include <linux/seq_file.h>

#include "event/format.h"
#include "event/registry.h"
#include "list.h"
#include "session.h"

/* Fast, because this list is read whenever somebody looks for an event. */
void kt_list_available(struct seq_file *m, struct kt_session *session)
{
	bool any = !xa_empty(&session->events);
	struct kt_system *system;
	struct kt_entry *entry;
	unsigned long at;

	xa_for_each(&kt_systems, at, system) {
		XA_STATE(xas, &system->entries, 0);

		rcu_read_lock();
		xas_for_each(&xas, entry, ULONG_MAX) {
			/* Skip a slot that is only reserved: see kt_entry_make(). */
			if (xas_retry(&xas, entry))
				continue;
			if (kt_entry_visible(entry))
				kt_format_show_head(
					m, entry,
					any ? kt_session_event(session, entry)
					    : NULL);
		}
		rcu_read_unlock();
		/* If it did not fit, seq_file calls this again with a larger buffer. */
		if (seq_has_overflowed(m))
			return;
	}
}

void kt_list_info(struct seq_file *m, struct kt_session *session)
{
	unsigned long at_system, at_entry;
	struct kt_system *system;
	struct kt_entry *entry;

	xa_for_each(&kt_systems, at_system, system) {
		xa_for_each(&system->entries, at_entry, entry) {
			if (!kt_entry_visible(entry))
				continue;
			if (seq_has_overflowed(m))
				return;
			kt_format_show_event(m, entry,
					     kt_session_event(session, entry));
		}
	}
}

void kt_list_types(struct seq_file *m, struct kt_session *session)
{
	struct kt_enabled *enabled;

	kt_for_each_event(session, enabled) {
		const struct kt_entry *entry = enabled->event->entry;

		if (!enabled->id || !entry->point)
			continue;
		if (seq_has_overflowed(m))
			break;
		kt_format_show_event(m, entry, enabled);
	}
}
