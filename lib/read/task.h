/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The tasks of the traced machine at one moment of the trace.
 *
 * The table follows the merged stream.  A task record adds or renames a task;
 * an exit record marks it as dead.  A dead task may still sleep and run again
 * before it is gone, so it is removed only after many others have ended.  If a
 * tid is used again, a new task takes the place of the old one.  If records
 * were lost, the name is unknown until a packet's header has it.
 */
#ifndef KT_LIB_READ_TASK_H
#define KT_LIB_READ_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace.h>

#include "base/table.h"

struct task {
	uint32_t tid;
	uint32_t tgid;
	uint32_t running; /* number of CPUs that run it */
	bool known;
	bool dead;
	bool sure; /* its name, if the trace was not read from its begin */
	uint64_t serial; /* changes with the task and with its name */
	uint32_t cpus;	 /* that it has, as far as sleep is counted */
	uint64_t left;	 /* when it left its CPU; 0: it has not, or is new */
	uint64_t slept;	 /* ns until now, off its CPU */
	char comm[KT_COMM_LEN + 1];
};

/* The number of dead tasks that are kept. */
#define TASKS_DEAD 4096

/* The kernel has no larger thread numbers (PID_MAX_LIMIT), so tables have no more tasks. */
#define TASKS_MAX (4u << 20)

/* All zero: empty. */
struct tasks {
	struct table table; /* by tid */
	uint64_t serial;
	uint64_t deaths;
	uint32_t dead[TASKS_DEAD]; /* a ring of the tids that ended last */
};

void tasks_destroy(struct tasks *tasks);

/* Adds the task if it is new, with the name "<...>".  @tid < TASKS_MAX.  NULL: out of memory. */
struct task *tasks_get(struct tasks *tasks, uint32_t tid);
/* A task began or was renamed.  An empty name means that of @parent. */
int tasks_set(struct tasks *tasks, uint32_t tid, uint32_t tgid, uint32_t parent,
	      const char *comm);
/* A packet's header names a task.  New only if task records were lost. */
int tasks_seen(struct tasks *tasks, uint32_t tid, uint32_t tgid,
	       const char *comm);
void tasks_exit(struct tasks *tasks, uint32_t tid);
/* True if it has ended, and also if it is not in the table any more. */
bool tasks_is_dead(const struct tasks *tasks, uint32_t tid);

/* NULL: there is none. */
struct task *tasks_find(const struct tasks *tasks, uint32_t tid);

/* A CPU, or a ring of programs, switches from *task, which may be NULL, to @to. */
void tasks_switch(struct task **task, struct task *to);
/* Counts how long they sleep: a CPU switches from @from, which may be NULL; @time: ns. */
void tasks_sleep(struct task *from, struct task *to, uint64_t time);

#endif /* KT_LIB_READ_TASK_H */
