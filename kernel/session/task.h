/* SPDX-License-Identifier: GPL-2.0-only */
/* Task records: who runs.  See task.c. */
#ifndef KT_KERNEL_SESSION_TASK_H
#define KT_KERNEL_SESSION_TASK_H

struct kt_entry;
struct kt_event;
struct kt_session;
struct seq_file;

/* Attaches the probes, but not that of context switches. */
int kt_tasks_start(struct kt_session *session);
/* All events that the session begins with are attached: afterwards each switch is recorded. */
int kt_tasks_follow(struct kt_session *session);
void kt_tasks_stop(struct kt_session *session);

/*
 * To be called before and after anything that changes the gate of @entry's event (NULL: of
 * any), or whether it is attached.  From hide to tell each context switch has a task
 * record; afterwards only if no event tells it.
 */
void kt_tasks_hide(struct kt_session *session, const struct kt_entry *entry);
void kt_tasks_tell(struct kt_session *session);

/* Is it hit at context switches? */
bool kt_tasks_at_switch(const struct kt_event *event);

void kt_tasks_show(struct seq_file *m);

#endif /* KT_KERNEL_SESSION_TASK_H */
