// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who ran: a session writes a task record at each context switch, and whenever a task
 * begins, ends, or changes its name.  From these the reader derives each event's thread,
 * process and command, so that events need not carry them.
 *
 * sched_switch fires in the context of the task that leaves.  Our probe has the lowest
 * priority there, so its record comes after those of the session's own events.  What
 * follows the record belongs to the task that arrives.
 *
 * If the session records sched:sched_switch without conditions, that event tells the next
 * task too (next_pid).  Then our probe is not attached: a tracepoint with one probe calls it
 * directly, but one with two goes through a list.
 *
 * The probes' data is the session.  The other probes are attached while it is enabled.
 */
#include <linux/cpu.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "compat/compat.h"
#include "compat/program.h"
#include "event/gate.h"
#include "event/tracepoints.h"
#include "ring.h"
#include "session.h"
#include "task.h"

static void task_write(struct kt_session *session, u32 id, const void *payload,
		       u32 size)
{
	struct kt_ring *ring = this_cpu_ptr(session->buffers.rings);
	struct kt_record record;
	void *slot;

	slot = kt_ring_reserve(ring, &record, id, size, KT_RECORD_TASK);
	if (!slot)
		return;
	memcpy(slot, payload, size);
	kt_ring_commit(ring, &record);
}

static pid_t task_parent(const struct task_struct *task)
{
	pid_t parent;

	rcu_read_lock();
	parent = rcu_dereference(task->real_parent)->tgid;
	rcu_read_unlock();
	return parent;
}

static void task_write_task(struct kt_session *session, u32 id,
			    const struct task_struct *task, const char *comm)
{
	struct kt_task record = {
		.tid = task->pid,
		.tgid = task->tgid,
		.parent = task_parent(task),
	};

	strscpy_pad(record.comm, comm, sizeof(record.comm));
	task_write(session, id, &record, sizeof(record));
}

/*
 * Called at each context switch, so the common case calls no function, as in the events'
 * probes (kt_write_try_begin).
 */
static __always_inline bool task_try_switch(const struct kt_session *session,
					    const struct task_struct *next)
{
	struct kt_ring *ring = this_cpu_ptr(session->buffers.rings);
	struct kt_task_switch *slot;
	struct kt_record record;
	void *payload;
	u64 head;

	if (!static_branch_likely(&kt_clock_tsc))
		return false;
	head = READ_ONCE(ring->head);
	if (!kt_ring_try_reserve(ring, &record, head, kt_stamp_tsc(),
				 KT_ID_SWITCH, sizeof(*slot), KT_RECORD_TASK,
				 &payload))
		return false;
	slot = payload;
	slot->tid = next->pid;
	kt_ring_commit(ring, &record);
	return true;
}

static noinline void task_write_switch(struct kt_session *session,
				       const struct task_struct *next)
{
	const struct kt_task_switch record = {.tid = next->pid};

	task_write(session, KT_ID_SWITCH, &record, sizeof(record));
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct kt_session *session = data;

	kt_probe_enter();
	if (unlikely(!task_try_switch(session, next)))
		task_write_switch(session, next);
	kt_probe_exit();
}

static bool event_has_next(const struct kt_event *event)
{
	const struct kt_class *class = event->class;
	u16 i;

	/* If the event was defined at run time, its next_pid may mean anything. */
	if (class->raw || strcmp(event->system, "sched") ||
	    strcmp(event->name, "sched_switch"))
		return false;
	for (i = 0; i < class->nr_fields; i++) {
		if (!strcmp(class->fields[i].name, "next_pid") &&
		    class->fields[i].size == sizeof(u32))
			return true;
	}
	return false;
}

bool kt_tasks_at_switch(const struct kt_event *event)
{
	return kt_event_at_tracepoint(event, "sched_switch");
}

static int switch_attach(struct kt_session *session)
{
	struct tracepoint *tp = kt_tracepoint_find("sched_switch");
	int err;

	if (!tp)
		return -ENOENT;
	err = tracepoint_probe_register_prio(tp, probe_switch, session,
					     INT_MIN);
	session->switch_attached = !err;
	return err;
}

static void switch_detach(struct kt_session *session)
{
	struct tracepoint *tp = kt_tracepoint_find("sched_switch");

	if (!session->switch_attached)
		return;
	tracepoint_probe_unregister(tp, probe_switch, session);
	session->switch_attached = false;
}

/*
 * Attaches our probe before the event is detached or gets a gate, so each switch always
 * meets one of the two.  But a new gate takes effect at once, also on a CPU that has
 * already read the tracepoint's list of probes, without ours.  Hence the wait.
 */
void kt_tasks_hide(struct kt_session *session, const struct kt_entry *entry)
{
	lockdep_assert_held(&kt_mutex);
	if (!session->enabled || session->switch_attached ||
	    (entry && !kt_tasks_at_switch(entry->event)))
		return;
	if (!switch_attach(session))
		tracepoint_synchronize_unregister();
}

/*
 * Does one event tell each switch?  A second event on the tracepoint might write its record
 * after the first one's, where it would be taken for the next task's.
 */
static bool switch_told(struct kt_session *session)
{
	struct kt_enabled *enabled;
	bool told = false;

	kt_for_each_event(session, enabled) {
		if (!enabled->attached || !kt_tasks_at_switch(enabled->event))
			continue;
		if (told || kt_gate_refuses_any(enabled->gate) ||
		    !event_has_next(enabled->event))
			return false;
		told = true;
	}
	return told;
}

void kt_tasks_tell(struct kt_session *session)
{
	lockdep_assert_held(&kt_mutex);
	if (!session->enabled)
		return;
	if (switch_told(session))
		switch_detach(session);
	/* No memory: the switch probe could not be attached. */
	else if (!session->switch_attached && switch_attach(session))
		pr_warn_ratelimited("ktrace: cannot follow context switches\n");
}

static void probe_fork(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	kt_probe_enter();
	task_write_task(data, KT_ID_TASK, child, child->comm);
	kt_probe_exit();
}

/*
 * If a thread executes a program, it takes over the thread number of its process's leader.
 * The reader would see that as another thread that runs without a switch, so write one.
 */
static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	struct kt_session *session = data;

	kt_probe_enter();
	if (old_pid != task->pid)
		task_write_switch(session, task);
	task_write_task(session, KT_ID_TASK, task, task->comm);
	kt_probe_exit();
}

static void probe_rename(void *data, struct task_struct *task, const char *comm)
{
	kt_probe_enter();
	task_write_task(data, KT_ID_TASK, task, comm);
	kt_probe_exit();
}

static void probe_exit(void *data, struct task_struct *task KT_EXIT_MORE)
{
	kt_probe_enter();
	task_write_task(data, KT_ID_EXIT, task, task->comm);
	kt_probe_exit();
}

static struct kt_own_probe task_probes[] = {
	{"sched_process_fork", probe_fork, INT_MIN},
	{"sched_process_exec", probe_exec, INT_MIN},
	{"task_rename", probe_rename, INT_MIN},
	{"sched_process_exit", probe_exit, INT_MIN},
};

/* Never called: it makes the compiler check the types of the probes. */
static __maybe_unused void check_types(void)
{
	check_trace_callback_type_sched_switch(probe_switch);
	check_trace_callback_type_sched_process_fork(probe_fork);
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_task_rename(probe_rename);
	check_trace_callback_type_sched_process_exit(probe_exit);
}

static void task_write_current(void *data)
{
	task_write_switch(data, current);
}

int kt_tasks_start(struct kt_session *session)
{
	return kt_own_probes_attach(task_probes, ARRAY_SIZE(task_probes),
				    session);
}

int kt_tasks_follow(struct kt_session *session)
{
	int err = switch_told(session) ? 0 : switch_attach(session);

	if (!err)
		on_each_cpu(task_write_current, session, true);
	return err;
}

/* The caller then synchronizes tracepoints. */
void kt_tasks_stop(struct kt_session *session)
{
	switch_detach(session);
	kt_own_probes_detach(task_probes, ARRAY_SIZE(task_probes), session);
}

/* The file `tasks', a list of all threads: tid, tgid, parent's tgid, comm. */
void kt_tasks_show(struct seq_file *m)
{
	struct task_struct *process, *thread;

	rcu_read_lock();
	for_each_process(process)
		kt_for_each_thread(process, thread) {
			char comm[TASK_COMM_LEN];

			if (seq_has_overflowed(m))
				break;
			strscpy_pad(comm, thread->comm, sizeof(comm));
			seq_printf(m, "%d %d %d ", thread->pid, thread->tgid,
				   task_parent(thread));
			seq_escape(m, comm, "\n\\");
			seq_putc(m, '\n');
		}
	rcu_read_unlock();
}
