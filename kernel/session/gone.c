// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptions of events that are gone but still have records in a session's buffers.
 *
 * A module may be unloaded, with its events, while the buffers have records of them.  If it
 * is loaded again, its events get new ids.  Without a description of the old id, a reader
 * could not tell where such a record ends, and the rest of its packet would be lost.  So
 * the description of each event that had an id is kept, as text, until the buffers are
 * emptied.  Then ids start from the beginning again, because above KT_ID_EXTENDED each
 * record takes 12 bytes more.
 *
 * All is protected by kt_mutex.
 */
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "event/format.h"
#include "event/gate.h"
#include "gone.h"
#include "event/registry.h"
#include "session.h"

struct gone {
	struct list_head node;
	char *text;
};

/* Describes the event as `info' does.  NULL: no memory. */
static char *describe(const struct kt_entry *entry,
		      const struct kt_enabled *enabled)
{
	struct seq_file m = {.size = PAGE_SIZE};

	for (;; m.size *= 2) {
		m.buf = kvmalloc(m.size, GFP_KERNEL);
		if (!m.buf)
			return NULL;
		m.count = 0;
		kt_format_show_event(&m, entry, enabled);
		if (m.count < m.size)
			break;
		kvfree(m.buf);
	}
	m.buf[m.count] = '\0';
	return m.buf;
}

/* To be called before the event is removed, while it is still complete. */
void kt_gone_keep(struct kt_session *session, const struct kt_entry *entry,
		  const struct kt_enabled *enabled)
{
	struct gone *gone;

	lockdep_assert_held(&kt_mutex);
	if (!enabled->id)
		return;
	gone = kmalloc(sizeof(*gone), GFP_KERNEL);
	if (!gone)
		goto err_memory;
	gone->text = describe(entry, enabled);
	if (!gone->text)
		goto err_free;
	list_add_tail(&gone->node, &session->gone);
	return;

err_free:
	kfree(gone);
err_memory:
	pr_warn("ktrace: no memory to remember %s:%s: its records cannot be read\n",
		enabled->event->system, enabled->event->name);
}

/* Shows the events that are gone, and those whose tracepoint is missing at present. */
void kt_gone_show(struct seq_file *m, struct kt_session *session)
{
	struct kt_enabled *enabled;
	struct gone *gone;

	lockdep_assert_held(&kt_mutex);
	list_for_each_entry(gone, &session->gone, node)
		seq_puts(m, gone->text);
	kt_for_each_event(session, enabled) {
		const struct kt_entry *entry = enabled->event->entry;

		if (enabled->id && !entry->point)
			kt_format_show_event(m, entry, enabled);
	}
}

/*
 * Gives new ids, in the same order, only to the events that are wanted.  If there is no
 * memory, all keep their ids, which is correct too.
 */
static void ids_renew(struct kt_session *session)
{
	u32 nr = session->next_id - KT_ID_FIRST, i;
	struct kt_enabled *enabled, **by_id;

	if (!nr)
		return;
	by_id = kvcalloc(nr, sizeof(*by_id), GFP_KERNEL);
	if (!by_id)
		return;
	kt_for_each_event(session, enabled) {
		if (enabled->id && enabled->wanted)
			by_id[enabled->id - KT_ID_FIRST] = enabled;
		enabled->id = 0;
	}
	session->next_id = KT_ID_FIRST;
	for (i = 0; i < nr; i++) {
		if (!by_id[i])
			continue;
		by_id[i]->id = session->next_id;
		session->next_id += kt_class_ids(by_id[i]->event->class);
		kt_enabled_direct(by_id[i]);
	}
	kvfree(by_id);
}

/* To be called when the session's buffers are empty and none of its probes is attached. */
void kt_gone_forget(struct kt_session *session)
{
	struct gone *gone, *next;

	lockdep_assert_held(&kt_mutex);
	list_for_each_entry_safe(gone, next, &session->gone, node) {
		list_del(&gone->node);
		kvfree(gone->text);
		kfree(gone);
	}
	ids_renew(session);
}
