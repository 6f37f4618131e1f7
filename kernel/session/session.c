// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions, the events that they know, and reasons of refusals.  control.c enables events
 * and switches sessions on.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_helpers.h>

#include "event/capturing.h"
#include "event/depot.h"
#include "event/gate.h"
#include "event/registry.h"
#include "session.h"

LIST_HEAD(kt_sessions);
EXPORT_SYMBOL_GPL(kt_sessions);

/* ---- refusals ------------------------------------------------------------- */

int kt_refuse(struct kt_session *session, int err, const char *format, ...)
{
	va_list args;

	lockdep_assert_held(&kt_mutex);
	va_start(args, format);
	vscnprintf(session->reason, sizeof(session->reason), format, args);
	va_end(args);
	return err;
}
EXPORT_SYMBOL_GPL(kt_refuse);

void kt_session_blame(struct kt_session *session, struct file *file)
{
	lockdep_assert_held(&kt_mutex);
	kfree(session->blame);
	session->blame = kstrdup_quotable_file(file, GFP_KERNEL);
}
EXPORT_SYMBOL_GPL(kt_session_blame);

/* ---- events --------------------------------------------------------------- */

void kt_enabled_free(struct kt_enabled *enabled)
{
	kt_gate_drop(enabled);
	kt_capturing_free(enabled->capturing);
	kfree(enabled);
}

struct kt_enabled *kt_session_event(struct kt_session *session,
				    const struct kt_entry *entry)
{
	lockdep_assert_held(&kt_mutex);
	return xa_load(&session->events, entry->cookie);
}

struct kt_enabled *kt_session_event_make(struct kt_session *session,
					 struct kt_entry *entry)
{
	struct kt_enabled *enabled = kt_session_event(session, entry);

	if (enabled)
		return enabled;
	enabled = kzalloc(sizeof(*enabled), GFP_KERNEL);
	if (!enabled)
		return NULL;
	enabled->rings = kt_rings_closed();
	enabled->event = entry->event;
	enabled->session = session;
	if (kt_gate_replace(enabled, kt_pids_bits(session->pids), NULL) ||
	    xa_err(xa_store(&session->events, entry->cookie, enabled,
			    GFP_KERNEL))) {
		kt_enabled_free(enabled);
		return NULL;
	}
	return enabled;
}

struct kt_enabled *kt_walk_fetch(struct kt_walk *walk)
{
	lockdep_assert_held(&kt_mutex);
	walk->nr = xa_extract(&walk->session->events, (void **)walk->batch,
			      walk->next, ULONG_MAX, ARRAY_SIZE(walk->batch),
			      XA_PRESENT);
	if (!walk->nr)
		return NULL;
	walk->next = walk->batch[walk->nr - 1]->event->entry->cookie + 1;
	walk->at = 1;
	return walk->batch[0];
}

/* ---- sessions ------------------------------------------------------------- */

struct kt_session *kt_session_find(const char *name, size_t length)
{
	struct kt_session *session;

	lockdep_assert_held(&kt_mutex);
	list_for_each_entry(session, &kt_sessions, node) {
		if (strlen(session->name) == length &&
		    !memcmp(session->name, name, length))
			return session;
	}
	return NULL;
}

void kt_session_release(struct kref *ref)
{
	struct kt_session *session = container_of(ref, struct kt_session, ref);

	kt_buffers_exit(&session->buffers);
	kt_depot_free(session->depot);
	kfree(session->blame);
	kfree(session);
}
