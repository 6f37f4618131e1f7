// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of sources, and how sessions use them: sources.h.
 *
 * Several sources may wait for their probes with the same function: all sources of
 * tracepoints do.  That takes milliseconds, so it is called only once for all of them.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "event/gate.h"
#include "event/stack.h"
#include "pattern.h"
#include "session.h"
#include "sources.h"

LIST_HEAD(kt_sources);

/* For sources that choose by patterns: core/pattern.c. */
EXPORT_SYMBOL_GPL(kt_glob_match);

void kt_source_register(struct kt_source *source)
{
	static unsigned int last_number;

	mutex_lock(&kt_mutex);
	source->number = ++last_number;
	source->touched = false;
	list_add_tail(&source->node, &kt_sources);
	mutex_unlock(&kt_mutex);
}
EXPORT_SYMBOL_GPL(kt_source_register);

/* ---- what a source keeps for a session ------------------------------------ */

void *kt_source_state(const struct kt_session *session,
		      const struct kt_source *source)
{
	lockdep_assert_held(&kt_mutex);
	return xa_load((struct xarray *)&session->states, source->number);
}
EXPORT_SYMBOL_GPL(kt_source_state);

void *kt_source_state_make(struct kt_session *session, struct kt_source *source)
{
	void *state = kt_source_state(session, source);

	if (state)
		return state;
	state = kvzalloc(source->state_size, GFP_KERNEL);
	if (!state)
		return NULL;
	if (xa_err(xa_store(&session->states, source->number, state,
			    GFP_KERNEL))) {
		kvfree(state);
		return NULL;
	}
	return state;
}
EXPORT_SYMBOL_GPL(kt_source_state_make);

static void state_free(struct kt_session *session, struct kt_source *source)
{
	void *state = xa_erase(&session->states, source->number);

	if (!state || (source->state_end && !source->state_end(state)))
		return;
	kvfree(state);
}

void kt_sources_leave(struct kt_session *session)
{
	struct kt_source *source;

	lockdep_assert_held(&kt_mutex);
	list_for_each_entry(source, &kt_sources, node)
		state_free(session, source);
}

/* All events of the source are unregistered, so no session can have one enabled. */
static void source_forget(struct kt_session *session, struct kt_source *source)
{
	struct kt_enabled *enabled;

	kt_for_each_event(session, enabled)
		WARN_ON_ONCE(enabled->event->source == source);
	state_free(session, source);
}

void kt_source_unregister(struct kt_source *source)
{
	struct kt_session *session;

	mutex_lock(&kt_mutex);
	list_for_each_entry(session, &kt_sessions, node)
		source_forget(session, source);
	list_del(&source->node);
	source->number = 0;
	mutex_unlock(&kt_mutex);
}
EXPORT_SYMBOL_GPL(kt_source_unregister);

/* ---- attaching ------------------------------------------------------------ */

void kt_sources_offer(struct kt_session *session)
{
	struct kt_source *source;

	list_for_each_entry(source, &kt_sources, node) {
		if (source->offer)
			source->offer(session);
	}
}

const char *kt_source_unsupported(const struct kt_source *source)
{
	return source->unsupported ? source->unsupported() : NULL;
}

int kt_source_attach(struct kt_source *source, struct kt_enabled *enabled)
{
	struct kt_session *session = enabled->session;

	lockdep_assert_held(&kt_mutex);
	if (source->state_size) {
		enabled->state = kt_source_state_make(session, source);
		if (!enabled->state)
			return kt_refuse(session, -ENOMEM, "no memory");
	}
	source->touched = true;
	if (enabled->gate && enabled->gate->stacking)
		kt_stacking_attach(enabled->gate->stacking, enabled->event);
	return source->attach(enabled);
}

void kt_source_detach(struct kt_source *source, struct kt_enabled *enabled)
{
	lockdep_assert_held(&kt_mutex);
	source->touched = true;
	source->detach(enabled);
}

int kt_sources_commit(struct kt_session *session)
{
	struct kt_source *source;

	lockdep_assert_held(&kt_mutex);
	list_for_each_entry(source, &kt_sources, node) {
		int err = 0;

		if (source->touched && source->commit)
			err = source->commit(session);
		if (err)
			return err;
	}
	/* Nothing was detached, so no probe is to be waited for. */
	list_for_each_entry(source, &kt_sources, node)
		source->touched = false;
	return 0;
}

/* Has @also, or an earlier source that was touched, the same synchronize()? */
static bool synchronized(const struct kt_source *source, void (*also)(void))
{
	const struct kt_source *other;

	if (source->synchronize == also)
		return true;
	list_for_each_entry(other, &kt_sources, node) {
		if (other == source)
			break;
		if (other->touched && other->synchronize == source->synchronize)
			return true;
	}
	return false;
}

void kt_sources_synchronize(void (*also)(void))
{
	struct kt_source *source;

	lockdep_assert_held(&kt_mutex);
	if (also)
		also();
	list_for_each_entry(source, &kt_sources, node) {
		if (source->touched && source->synchronize &&
		    !synchronized(source, also))
			source->synchronize();
	}
	list_for_each_entry(source, &kt_sources, node)
		source->touched = false;
}

/* ---- misses --------------------------------------------------------------- */

/* In all, and then by reason. */
static void missed_show(struct seq_file *m, const char *name,
			u64 (*missed)(const void *state, unsigned int reason),
			const char *const *reasons, const void *state)
{
	unsigned int i = 0;
	u64 sum = 0;

	do {
		sum += state ? missed(state, i) : 0;
	} while (reasons && reasons[++i]);
	seq_printf(m, "source %s missed %llu", name, sum);
	for (i = 0; reasons && reasons[i]; i++)
		seq_printf(m, " %s %llu", reasons[i],
			   state ? missed(state, i) : 0);
	seq_putc(m, '\n');
}

void kt_sources_show_missed(struct seq_file *m,
			    const struct kt_session *session)
{
	const struct kt_source *source;

	list_for_each_entry(source, &kt_sources, node) {
		const void *state = kt_source_state(session, source);

		if (source->missed)
			missed_show(m, source->name, source->missed,
				    source->misses, state);
		if (source->uncaptured)
			missed_show(m, "captures", source->uncaptured,
				    source->uncaptured_reasons, state);
	}
}
