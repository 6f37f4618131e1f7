// SPDX-License-Identifier: GPL-2.0-only
/*
 * The conditions of a session: the filters of events, and the processes to record.
 *
 * Probes read an event's gate with preemption off, and use it until they have written.
 * What a gate refers to is freed an RCU grace period after the gate was replaced.
 */
#include <linux/bitmap.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>

#include "condition.h"
#include "event/capturing.h"
#include "event/gate.h"
#include "event/tracepoints.h"
#include "filter.h"
#include "session.h"
#include "task.h"

/* ---- filters -------------------------------------------------------------- */

void kt_filter_show(struct seq_file *m, const struct kt_enabled *enabled)
{
	seq_printf(m, "%s\n",
		   enabled && enabled->filter_text ? enabled->filter_text
						   : "none");
}

/* Of all events of a session that have one. */
void kt_filters_show(struct seq_file *m, struct kt_session *session)
{
	const struct kt_enabled *enabled;

	kt_for_each_event(session, enabled)
		if (enabled->filter_text)
			seq_printf(m, "%s/%s: %s\n", enabled->event->system,
				   enabled->event->name, enabled->filter_text);
}

/* A recorder clears its session before and after, and most have none. */
int kt_filters_write(struct kt_session *session, const char *text)
{
	struct kt_enabled *enabled;
	int err;

	if (strcmp(text, "none"))
		return kt_refuse(session, -EINVAL,
				 "\"none\" is wanted, not \"%*pE\": filters "
				 "are made at their events",
				 (int)min_t(size_t, strlen(text), 60), text);
	kt_for_each_event(session, enabled) {
		if (!enabled->filter_text)
			continue;
		err = kt_filter_write(session, enabled->event->entry, "none");
		if (err)
			return err;
	}
	return 0;
}

/* "0", "none" and an empty line remove the filter. */
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
		if (!copy)
			goto err_free;
		err = kt_predicate_make(&predicate, class, text, &error);
		if (err)
			goto err_free;
	}
	enabled = kt_session_event_make(session, entry);
	kt_tasks_hide(session, entry);
	err = enabled ? kt_gate_replace(enabled, kt_pids_bits(session->pids),
					predicate)
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
 * Sets or clears the bit of each new process.  So the number of a process that has ended
 * can be used by another.  Attached while a session has pids, whether it is enabled or not.
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
	struct tracepoint *tp = kt_tracepoint_find("sched_process_fork");

	if (!tp)
		return -ENOENT;
	return tracepoint_probe_register(tp, probe_fork, pids);
}

/* The caller makes sure that no gate refers to @pids any more. */
static void pids_destroy(struct kt_pids *pids)
{
	struct tracepoint *tp = kt_tracepoint_find("sched_process_fork");

	if (!pids)
		return;
	tracepoint_probe_unregister(tp, probe_fork, pids);
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	vfree(pids);
}

/*
 * Makes the gates of all the session's events use @pids (NULL: all processes).  Fails only
 * if an event has no gate yet and there is no memory for one; then nothing has changed.
 */
static int pids_install(struct kt_session *session, struct kt_pids *pids)
{
	struct kt_enabled *enabled;

	kt_tasks_hide(session, NULL);
	kt_for_each_event(session, enabled) {
		int err = 0;

		if (pids && !enabled->gate)
			err = kt_gate_create(enabled);
		if (err) {
			kt_tasks_tell(session);
			return err;
		}
	}
	kt_for_each_event(session, enabled) {
		if (!enabled->gate)
			continue;
		WRITE_ONCE(enabled->gate->pids, kt_pids_bits(pids));
		if (!kt_gate_refuses_any(enabled->gate))
			kt_gate_replace(enabled, NULL, NULL);
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

/* Shows only living processes, in order. */
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
