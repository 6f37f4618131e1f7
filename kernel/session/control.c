// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enables events in sessions, attaches them, and creates and ends sessions.
 *
 * An event is attached, by its source, while it is wanted and its session is enabled.
 * Attaching is quick.  But before anything that a probe uses is freed, all CPUs must have
 * left the probe.  Waiting for that takes milliseconds, so it is done once for each
 * operation, however many events there are.
 *
 * An event that is disabled keeps its id, because the buffers may still have records of it.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "condition.h"
#include "control.h"
#include "gone.h"
#include "event/depot.h"
#include "event/gate.h"
#include "event/tracepoints.h"
#include "session.h"
#include "sources.h"
#include "stacks.h"
#include "task.h"

/* ---- attaching ------------------------------------------------------------ */

/*
 * Attaching an event, or detaching it, changes code, and that makes hits of other events: of
 * interrupts to all CPUs, of flushes of their translation caches.  So no event of a batch records
 * anything until all of them are attached, and all have stopped before the first is detached.
 *
 * Events of a source with a commit are open when they are attached: the source itself decides when
 * their hits begin.
 */
static void enabled_open(struct kt_enabled *enabled)
{
	WRITE_ONCE(enabled->rings, enabled->session->buffers.rings);
}

static void enabled_close(struct kt_enabled *enabled)
{
	WRITE_ONCE(enabled->rings, kt_rings_closed());
}

static void entries_close(struct kt_session *session, struct list_head *entries)
{
	struct kt_enabled *enabled;
	struct kt_entry *entry;

	list_for_each_entry(entry, entries, going) {
		enabled = kt_session_event(session, entry);
		if (enabled)
			enabled_close(enabled);
	}
}

/* Those at context switches, or all others. */
static void session_open(struct kt_session *session, bool at_switch)
{
	struct kt_enabled *enabled;

	kt_for_each_event(session, enabled) {
		if (enabled->attached &&
		    kt_tasks_at_switch(enabled->event) == at_switch)
			enabled_open(enabled);
	}
}

static int enabled_attach(struct kt_enabled *enabled)
{
	const struct kt_event *event = enabled->event;
	int err;

	if (enabled->attached || !event->entry->point)
		return 0;
	if (event->source->commit)
		enabled_open(enabled);
	err = kt_source_attach(event->source, enabled);
	if (err) {
		enabled_close(enabled);
		return err;
	}
	enabled->attached = true;
	return 0;
}

/* The probe may still run until the source is synchronized. */
static void enabled_detach(struct kt_enabled *enabled)
{
	if (!enabled->attached)
		return;
	enabled_close(enabled);
	kt_source_detach(enabled->event->source, enabled);
	enabled->attached = false;
}

/* A probe's module must stay while the probe may be called.  This module stays anyway. */
static bool enabled_pin(struct kt_enabled *enabled)
{
	return enabled->event->owner == THIS_MODULE ||
	       try_module_get(enabled->event->owner);
}

static void enabled_unpin(struct kt_enabled *enabled)
{
	if (enabled->event->owner != THIS_MODULE)
		module_put(enabled->event->owner);
}

/* ---- events --------------------------------------------------------------- */

/*
 * The event is not wanted yet.  Afterwards it is, also after an error in attaching: then
 * the caller undoes it by event_unwant() and event_release().  If it was refused earlier,
 * it is still not wanted.
 */
static int event_want(struct kt_session *session, struct kt_entry *entry)
{
	struct kt_enabled *enabled = kt_session_event_make(session, entry);
	const char *missing;

	if (!enabled)
		return kt_refuse(session, -ENOMEM, "no memory");
	missing = kt_source_unsupported(enabled->event->source);
	if (missing)
		return kt_refuse(session, -EOPNOTSUPP, "%s:%s: %s",
				 enabled->event->system, enabled->event->name,
				 missing);
	if (!enabled_pin(enabled))
		return kt_refuse(session, -ENODEV, "%s:%s is being unloaded",
				 enabled->event->system, enabled->event->name);
	if (!enabled->id) {
		enabled->id = session->next_id;
		session->next_id += kt_class_ids(enabled->event->class);
		kt_enabled_direct(enabled);
	}
	enabled->wanted = true;
	return session->enabled ? enabled_attach(enabled) : 0;
}

/*
 * Detaches the event.  Its module stays pinned until event_release(), which is called after
 * synchronizing.
 */
static void event_unwant(struct kt_session *session, struct kt_entry *entry)
{
	struct kt_enabled *enabled = kt_session_event(session, entry);

	if (enabled && enabled->wanted)
		enabled_detach(enabled);
}

static void event_release(struct kt_session *session, struct kt_entry *entry)
{
	struct kt_enabled *enabled = kt_session_event(session, entry);

	if (!enabled || !enabled->wanted)
		return;
	enabled->wanted = false;
	enabled_unpin(enabled);
}

static bool event_wanted(struct kt_session *session,
			 const struct kt_entry *entry)
{
	const struct kt_enabled *enabled = kt_session_event(session, entry);

	return enabled && enabled->wanted;
}

static void entries_unwant(struct kt_session *session,
			   struct list_head *entries)
{
	struct kt_entry *entry;

	entries_close(session, entries);
	list_for_each_entry(entry, entries, going)
		event_unwant(session, entry);
	kt_sources_synchronize(NULL);
	list_for_each_entry(entry, entries, going)
		event_release(session, entry);
}

/* Enables all of them.  If one fails, disables those that were not enabled before. */
static int entries_want(struct kt_session *session, struct list_head *entries)
{
	struct kt_entry *entry, *next;
	LIST_HEAD(wanted);
	int err = 0;

	list_for_each_entry_safe(entry, next, entries, going) {
		if (event_wanted(session, entry))
			continue;
		err = event_want(session, entry);
		if (event_wanted(session, entry))
			list_move_tail(&entry->going, &wanted);
		if (err)
			break;
	}
	list_for_each_entry(entry, &wanted, going) {
		struct kt_enabled *enabled = kt_session_event(session, entry);

		if (!err && enabled->attached)
			enabled_open(enabled);
	}
	err = err ?: kt_sources_commit(session);
	if (err)
		entries_unwant(session, &wanted);
	list_splice(&wanted, entries);
	return err;
}

int kt_session_entries_enable(struct kt_session *session,
			      struct list_head *entries, bool enable)
{
	struct kt_entry *entry;
	int err = 0;

	lockdep_assert_held(&kt_mutex);
	list_for_each_entry(entry, entries, going)
		kt_tasks_hide(session, entry);
	if (enable)
		err = entries_want(session, entries);
	else
		entries_unwant(session, entries);
	kt_tasks_tell(session);
	return err;
}

int kt_session_event_enable(struct kt_session *session, struct kt_entry *entry,
			    bool enable)
{
	LIST_HEAD(entries);

	list_add(&entry->going, &entries);
	return kt_session_entries_enable(session, &entries, enable);
}

/* Each visible entry of system @only, or of all systems if it is NULL. */
#define for_each_entry(entry, system, at_system, at_entry, only)         \
	xa_for_each(&kt_systems, at_system, system)                      \
		if (!(only) || (system) == (only))                       \
			xa_for_each(&(system)->entries, at_entry, entry) \
				if (kt_entry_visible(entry))

/* Visible events of system @only, or all that "all events" means: see event/source.h. */
static void entries_collect(struct kt_system *only, struct list_head *entries)
{
	unsigned long at_system, at_entry;
	struct kt_system *system;
	struct kt_entry *entry;

	for_each_entry(entry, system, at_system, at_entry, only) {
		if (only || !entry->event->source->explicit)
			list_add_tail(&entry->going, entries);
	}
}

/* Those that the session wants, from all sources. */
static void entries_collect_wanted(struct kt_session *session,
				   struct kt_system *only,
				   struct list_head *entries)
{
	struct kt_enabled *enabled;

	kt_for_each_event(session, enabled) {
		struct kt_entry *entry = enabled->event->entry;

		if (enabled->wanted && (!only || entry->system == only))
			list_add_tail(&entry->going, entries);
	}
}

int kt_session_events_enable(struct kt_session *session, struct kt_system *only,
			     bool enable)
{
	LIST_HEAD(entries);

	lockdep_assert_held(&kt_mutex);
	if (enable)
		entries_collect(only, &entries);
	else
		entries_collect_wanted(session, only, &entries);
	return kt_session_entries_enable(session, &entries, enable);
}

char kt_session_events_state(struct kt_session *session, struct kt_system *only)
{
	unsigned long at_system, at_entry;
	bool some = false, all = true;
	struct kt_system *system;
	struct kt_entry *entry;

	for_each_entry(entry, system, at_system, at_entry, only) {
		if (event_wanted(session, entry))
			some = true;
		else
			all = false;
	}
	return !some ? '0' : all ? '1' : 'X';
}

static void sessions_drop(struct list_head *entries, bool forget)
{
	struct kt_session *session;
	struct kt_entry *entry;

	lockdep_assert_held(&kt_mutex);
	list_for_each_entry(session, &kt_sessions, node) {
		list_for_each_entry(entry, entries, going)
			kt_tasks_hide(session, entry);
		entries_close(session, entries);
	}
	list_for_each_entry(session, &kt_sessions, node) {
		list_for_each_entry(entry, entries, going)
			event_unwant(session, entry);
	}
	kt_sources_synchronize(NULL);
	list_for_each_entry(session, &kt_sessions, node) {
		list_for_each_entry(entry, entries, going) {
			struct kt_enabled *enabled =
				kt_session_event(session, entry);

			event_release(session, entry);
			if (!enabled || !forget)
				continue;
			kt_gone_keep(session, entry, enabled);
			xa_erase(&session->events, entry->cookie);
			kt_enabled_free(enabled);
		}
		kt_tasks_tell(session);
	}
}

const struct kt_registry_ops kt_session_registry_ops = {
	.drop = sessions_drop,
};

/* ---- the switch ----------------------------------------------------------- */

/*
 * What was attached last, by a commit, ends first.  So whoever reads that finds the events around
 * it, such as the entry of the interrupt that called a function.  Context switches end last, because
 * they tell who runs.
 */
static void session_stop(struct kt_session *session)
{
	struct kt_enabled *enabled;

	kt_for_each_event(session, enabled) {
		if (enabled->event->source->commit)
			enabled_close(enabled);
	}
	kt_for_each_event(session, enabled) {
		if (!kt_tasks_at_switch(enabled->event))
			enabled_close(enabled);
	}
	kt_for_each_event(session, enabled)
		enabled_close(enabled);
	kt_for_each_event(session, enabled) {
		if (enabled->event->source->commit)
			enabled_detach(enabled);
	}
	kt_for_each_event(session, enabled)
		enabled_detach(enabled);
	kt_tasks_stop(session);
	kt_sources_synchronize(kt_tracepoints_synchronize);
	session->enabled = false;
}

/* Attaches all events that are wanted, or none. */
static int session_start(struct kt_session *session)
{
	struct kt_enabled *enabled;
	int err;

	err = kt_buffers_start(&session->buffers);
	if (err)
		return kt_refuse(session, err, "no memory for the buffers");
	err = kt_tasks_start(session);
	if (err)
		return kt_refuse(session, err, "cannot follow tasks: error %d",
				 err);
	kt_sources_offer(session);
	session->enabled = true;
	kt_for_each_event(session, enabled) {
		if (enabled->wanted)
			err = enabled_attach(enabled);
		if (err)
			break;
	}
	if (err)
		goto err_stop;
	/* First who runs, so that the first event has a task. */
	session_open(session, true);
	err = kt_tasks_follow(session);
	if (err) {
		kt_refuse(session, err,
			  "cannot follow context switches: error %d", err);
		goto err_stop;
	}
	session_open(session, false);
	err = kt_sources_commit(session);
	if (!err)
		return 0;

err_stop:
	session_stop(session);
	return err;
}

int kt_session_enable(struct kt_session *session, bool enable)
{
	lockdep_assert_held(&kt_mutex);
	if (session->enabled == enable)
		return 0;
	if (enable)
		return session_start(session);
	session_stop(session);
	return 0;
}

/* Detaches everything meanwhile: a ring can be emptied only while nobody writes to it. */
int kt_session_reset(struct kt_session *session)
{
	bool was_enabled = session->enabled;

	lockdep_assert_held(&kt_mutex);
	if (kt_buffers_busy(&session->buffers, current->tgid))
		return kt_refuse(session, -EBUSY, "process %d is recording",
				 session->buffers.owner);
	if (was_enabled)
		session_stop(session);
	kt_buffers_reset(&session->buffers);
	kt_gone_forget(session);
	kt_stacks_forget(session);
	kt_sources_offer(session);
	return was_enabled ? session_start(session) : 0;
}

/* ---- begin and end -------------------------------------------------------- */

/* The caller makes sure that no session has this name. */
struct kt_session *kt_session_create(const char *name)
{
	static unsigned long last_cookie;
	struct kt_session *session;
	int err;

	lockdep_assert_held(&kt_mutex);
	session = kzalloc(sizeof(*session), GFP_KERNEL);
	if (!session)
		return ERR_PTR(-ENOMEM);
	err = kt_buffers_init(&session->buffers);
	if (err) {
		kfree(session);
		return ERR_PTR(err);
	}
	kref_init(&session->ref);
	strscpy(session->name, name, sizeof(session->name));
	session->cookie = ++last_cookie;
	session->next_id = KT_ID_FIRST;
	session->stack_size = KT_DEPOT_DEFAULT;
	xa_init(&session->events);
	xa_init(&session->states);
	INIT_LIST_HEAD(&session->gone);
	list_add_tail(&session->node, &kt_sessions);
	kt_sources_offer(session);
	return session;
}

/*
 * Afterwards no probe of the session runs.  Its memory stays while somebody holds a
 * reference.
 */
void kt_session_end(struct kt_session *session)
{
	struct kt_enabled *enabled;

	lockdep_assert_held(&kt_mutex);
	kt_session_enable(session, false);
	kt_sources_leave(session);
	kt_pids_clear(session);
	kt_for_each_event(session, enabled) {
		if (enabled->wanted)
			enabled_unpin(enabled);
		kt_enabled_free(enabled);
	}
	xa_destroy(&session->events);
	xa_destroy(&session->states);
	kt_gone_forget(session);
	list_del(&session->node);
	WRITE_ONCE(session->dead, true);
	kt_session_put(session);
}
