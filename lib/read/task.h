/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Who is who: the tasks of the traced machine at one moment of the trace.
 *
 * The table follows the merged stream: a task record makes or renames a task,
 * an exit record marks it.  It may still sleep and run again on its way out, so
 * it is forgotten only when many others have ended after it.  A task number used
 * again is simply a new task in the same place.  What was lost shows as an
 * unknown name, until a packet's header tells it.
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
	uint32_t running; /* CPUs that run it */
	bool known;
	bool dead;
	uint64_t serial; /* another one for each task and name */
	char comm[KT_COMM_LEN + 1];
};

/* So many are remembered after their end. */
#define TASKS_DEAD 4096

/* Zero is empty. */
struct tasks {
	struct table table; /* by tid */
	uint64_t serial;
	uint64_t deaths;
	uint32_t dead[TASKS_DEAD]; /* the last tids that ended; a ring */
};

void tasks_destroy(struct tasks *tasks);

/* NULL: out of memory.  A task not seen before is "<...>". */
struct task *tasks_get(struct tasks *tasks, uint32_t tid);
/* A task began, or has another name; an empty name: that of @parent. */
int tasks_set(struct tasks *tasks, uint32_t tid, uint32_t tgid, uint32_t parent,
	      const char *comm);
/* A packet's header names a task: nothing new, unless records were lost. */
int tasks_seen(struct tasks *tasks, uint32_t tid, uint32_t tgid,
	       const char *comm);
void tasks_exit(struct tasks *tasks, uint32_t tid);
/* It has ended, as far as is known: it may be forgotten by now. */
bool tasks_is_dead(const struct tasks *tasks, uint32_t tid);

/* A CPU goes from *task, which may be NULL, to @to. */
void tasks_switch(struct task **task, struct task *to);

#endif /* KT_LIB_READ_TASK_H */
