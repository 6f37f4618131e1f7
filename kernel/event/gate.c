// SPDX-License-Identifier: GPL-2.0-only
/*
 * Judging hits before they are recorded.
 *
 * A record cannot be taken back from a ring, so the payload of an event that has a
 * gate is put together on the side: on a stack of this CPU and session, as the
 * contexts that interrupt each other are a stack.  What passes is copied.
 *
 * Probes find the gate with preemption off, and keep it until they have written.
 * Replaced under kt_mutex, it and what it refers to are freed an RCU grace period
 * later.
 */
#include <linux/bitmap.h>
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>

#include "capturing.h"
#include "filter.h"
#include "gate.h"
#include "registry.h"
#include "session/session.h"
#include "session/task.h"

struct predicate {
	struct rcu_head rcu;
	struct kt_filter filter;
};

/* One bit for each process there can be: NMIs look it up, forks change it. */
struct kt_pids {
	DECLARE_BITMAP(bits, PID_MAX_LIMIT);
};

/* ---- what probes call ----------------------------------------------------- */

void *kt_gate_lose(struct kt_ring *ring, u32 size)
{
	enum kt_lost cause =
		size > KT_PAYLOAD_MAX ? KT_LOST_LARGE : KT_LOST_NESTED;

	env_add_local(&ring->control->lost[cause], 1);
	return NULL;
}
EXPORT_SYMBOL_GPL(kt_gate_lose);

bool kt_gate_judges(const struct kt_gate *gate, const void *payload, u32 size,
		    unsigned int cpu)
{
	return !gate->predicate ||
	       kt_filter_run(&gate->predicate->filter, payload, size, cpu);
}

/* With what the writer has zeroed behind it. */
static void gate_pass(struct kt_ring *ring, u32 id, const void *payload,
		      u32 size, unsigned int flags)
{
	struct kt_record record;
	void *slot = kt_ring_reserve(ring, &record, id, size, flags);

	if (!slot)
		return;
	memcpy(slot, payload, ALIGN(size, KT_UNIT));
	kt_ring_commit(ring, &record);
}

/* From test @at on. */
static noinline void gate_end_rest(const struct kt_gate *gate,
				   struct kt_buffer *buffer, void *payload,
				   u32 size, unsigned int flags, u32 at)
{
	const struct predicate *predicate = gate->predicate;

	if (!predicate || kt_filter_run_rest(&predicate->filter, payload, size,
					     buffer->cpu, at))
		gate_pass(buffer->ring, gate->enabled->id, payload, size,
			  flags);
	kt_scratch_give(buffer, payload);
}

/*
 * What is refused by numbers alone is done with here: calling nobody, this needs no stack
 * frame.
 */
void kt_gate_end(const struct kt_gate *gate, struct kt_buffer *buffer,
		 void *payload, u32 size, unsigned int flags)
{
	const struct predicate *predicate = gate->predicate;
	u32 at = KT_FILTER_YES;

	if (predicate)
		at = kt_filter_run_numbers(&predicate->filter, payload);
	if (likely(at == KT_FILTER_NO))
		kt_scratch_give(buffer, payload);
	else
		gate_end_rest(gate, buffer, payload, size, flags, at);
}
EXPORT_SYMBOL_GPL(kt_gate_end);

/* ---- gates ---------------------------------------------------------------- */

/* Replaces the event's gate by one of these, or none; takes @predicate over. */
static int gate_replace(struct kt_enabled *enabled, const struct kt_pids *pids,
			struct predicate *predicate)
{
	struct kt_gate *old = enabled->gate, *gate = NULL;

	if (pids || predicate) {
		gate = kmalloc(sizeof(*gate), GFP_KERNEL);
		if (!gate)
			return -ENOMEM;
		gate->enabled = enabled;
		gate->pids = pids ? pids->bits : NULL;
		gate->predicate = predicate;
	}
	smp_store_release(&enabled->gate, gate);
	if (!old)
		return 0;
	if (old->predicate && old->predicate != predicate)
		kfree_rcu(old->predicate, rcu);
	kfree_rcu(old, rcu);
	return 0;
}

/* One that lets all pass. */
static int gate_create(struct kt_enabled *enabled)
{
	struct kt_gate *gate = kzalloc(sizeof(*gate), GFP_KERNEL);

	if (!gate)
		return -ENOMEM;
	gate->enabled = enabled;
	smp_store_release(&enabled->gate, gate);
	return 0;
}

int kt_gate_init(struct kt_enabled *enabled)
{
	return gate_replace(enabled, enabled->session->pids, NULL);
}

void kt_gate_drop(struct kt_enabled *enabled)
{
	if (enabled->gate)
		kfree(enabled->gate->predicate);
	kfree(enabled->gate);
	kfree(enabled->filter_text);
}

/* ---- filters -------------------------------------------------------------- */

static u8 field_kind(const struct kt_field *field)
{
	if (!strcmp(field->type, "__data_loc char[]"))
		return KT_FILTER_DYNAMIC;
	if (str_has_prefix(field->type, "__data_loc"))
		return KT_FILTER_OPAQUE;
	if (strchr(field->type, '['))
		return str_has_prefix(field->type, "char[") ? KT_FILTER_STRING
							    : KT_FILTER_OPAQUE;
	if (!is_power_of_2(field->size) || field->size > 8)
		return KT_FILTER_OPAQUE;
	return field->is_signed ? KT_FILTER_SIGNED : KT_FILTER_UNSIGNED;
}

static bool filter_lookup(void *data, const char *name, size_t length,
			  struct kt_filter_field *found)
{
	const struct kt_class *class = data;
	u16 i;

	for (i = 0; i < class->nr_fields; i++) {
		const struct kt_field *field = &class->fields[i];

		if (strlen(field->name) != length ||
		    memcmp(field->name, name, length))
			continue;
		*found = (struct kt_filter_field){
			.offset = field->offset,
			.size = field->size,
			.kind = field_kind(field),
		};
		return true;
	}
	return false;
}

void kt_filter_show(struct seq_file *m, const struct kt_enabled *enabled)
{
	seq_printf(m, "%s\n",
		   enabled && enabled->filter_text ? enabled->filter_text
						   : "none");
}

/* "0", "none" and the empty line stand for no filter. */
int kt_filter_write(struct kt_session *session, struct kt_entry *entry,
		    const char *text)
{
	const struct kt_class *class =
		kt_capture_class(entry, kt_session_event(session, entry));
	bool none = !*text || !strcmp(text, "0") || !strcmp(text, "none");
	struct kt_filter_error error = {};
	struct predicate *predicate = NULL;
	struct kt_enabled *enabled;
	char *copy = NULL;
	int err = -ENOMEM;

	lockdep_assert_held(&kt_mutex);
	if (!none) {
		copy = kstrdup(text, GFP_KERNEL);
		predicate = kmalloc(sizeof(*predicate), GFP_KERNEL);
		if (!copy || !predicate)
			goto err_free;
		err = kt_filter_compile(&predicate->filter, text, filter_lookup,
					(void *)class, class->size, &error);
		if (err)
			goto err_free;
	}
	enabled = kt_session_event_make(session, entry);
	kt_tasks_hide(session, entry);
	err = enabled ? gate_replace(enabled, session->pids, predicate)
		      : -ENOMEM;
	kt_tasks_tell(session);
	if (err)
		goto err_free;
	kfree(enabled->filter_text);
	enabled->filter_text = copy;
	return 0;

err_free:
	kfree(predicate);
	kfree(copy);
	if (err == -ENOMEM)
		return kt_refuse(session, err, "no memory");
	return kt_refuse(session, err, "at character %td, \"%*pE\": %s",
			 error.at - text + 1,
			 (int)min_t(size_t, strlen(error.at), 40), error.at,
			 error.what);
}

/* ---- processes ------------------------------------------------------------ */

/*
 * Says for each new process whether it belongs to those that are recorded, so the
 * number of one that has ended is free for another.  Attached while a session has
 * pids, enabled or not.
 */
static void probe_fork(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	struct kt_pids *pids = data;

	if (child->tgid == parent->tgid)
		return;
	if (test_bit(parent->tgid, pids->bits))
		set_bit(child->tgid, pids->bits);
	else
		clear_bit(child->tgid, pids->bits);
}

static __maybe_unused void check_types(void)
{
	check_trace_callback_type_sched_process_fork(probe_fork);
}

static int pids_follow(struct kt_pids *pids)
{
	struct kt_point *point = kt_point_find("sched_process_fork");

	if (!point)
		return -ENOENT;
	return tracepoint_probe_register(point->tp, probe_fork, pids);
}

/* No gate refers to it any more. */
static void pids_destroy(struct kt_pids *pids)
{
	struct kt_point *point = kt_point_find("sched_process_fork");

	if (!pids)
		return;
	tracepoint_probe_unregister(point->tp, probe_fork, pids);
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	vfree(pids);
}

/*
 * Lets all events of the session look at @pids, or at none.  Fails only where
 * events have no gate yet, and then nothing has changed.
 */
static int pids_install(struct kt_session *session, struct kt_pids *pids)
{
	struct kt_enabled *enabled;
	unsigned long cookie;

	kt_tasks_hide(session, NULL);
	xa_for_each(&session->events, cookie, enabled) {
		int err = 0;

		if (pids && !enabled->gate)
			err = gate_create(enabled);
		if (err) {
			kt_tasks_tell(session);
			return err;
		}
	}
	xa_for_each(&session->events, cookie, enabled) {
		if (!enabled->gate)
			continue;
		WRITE_ONCE(enabled->gate->pids, pids ? pids->bits : NULL);
		if (!pids && !enabled->gate->predicate)
			gate_replace(enabled, NULL, NULL);
	}
	session->pids = pids;
	kt_tasks_tell(session);
	return 0;
}

void kt_pids_clear(struct kt_session *session)
{
	struct kt_pids *old = session->pids;

	lockdep_assert_held(&kt_mutex);
	if (!old)
		return;
	pids_install(session, NULL);
	pids_destroy(old);
}

/* Those that live, in order. */
void kt_pids_show(struct seq_file *m, const struct kt_session *session)
{
	unsigned long nr;

	if (!session->pids)
		return;
	for_each_set_bit(nr, session->pids->bits, PID_MAX_LIMIT)
	{
		bool lives;

		rcu_read_lock();
		lives = pid_task(find_pid_ns(nr, &init_pid_ns), PIDTYPE_TGID);
		rcu_read_unlock();
		if (lives)
			seq_printf(m, "%lu\n", nr);
	}
}

static int pids_parse(struct kt_session *session, struct kt_pids *pids,
		      char *text)
{
	char *word;

	while ((word = strsep(&text, " \t\n,"))) {
		unsigned int nr;

		if (!*word)
			continue;
		if (kstrtouint(word, 10, &nr) || !nr || nr >= PID_MAX_LIMIT)
			return kt_refuse(session, -EINVAL,
					 "\"%*pE\" is not a process's number",
					 (int)min_t(size_t, strlen(word), 40),
					 word);
		set_bit(nr, pids->bits);
	}
	return 0;
}

int kt_pids_write(struct kt_session *session, char *text)
{
	struct kt_pids *pids, *old = session->pids;
	int err;

	lockdep_assert_held(&kt_mutex);
	if (!*strim(text)) {
		kt_pids_clear(session);
		return 0;
	}
	pids = vzalloc(sizeof(*pids));
	if (!pids)
		return kt_refuse(session, -ENOMEM, "no memory");
	err = pids_parse(session, pids, text);
	if (err)
		goto err_free;
	err = pids_follow(pids);
	if (err) {
		kt_refuse(session, err, "cannot follow forks: error %d", err);
		goto err_free;
	}
	err = pids_install(session, pids);
	if (err) {
		kt_refuse(session, err, "no memory");
		pids_destroy(pids);
		return err;
	}
	pids_destroy(old);
	return 0;

err_free:
	vfree(pids);
	return err;
}
