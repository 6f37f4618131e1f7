// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "task.h"

void tasks_destroy(struct tasks *tasks)
{
	struct task *task;
	size_t at = 0;

	while ((task = table_each(&tasks->table, &at)))
		free(task);
	table_free(&tasks->table);
}

struct task *tasks_find(const struct tasks *tasks, uint32_t tid)
{
	return table_find(&tasks->table, tid);
}

struct task *tasks_get(struct tasks *tasks, uint32_t tid)
{
	struct task *task = tasks_find(tasks, tid);

	if (task)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	if (table_add(&tasks->table, tid, task)) {
		free(task);
		return NULL;
	}
	task->tid = tid;
	task->serial = ++tasks->serial;
	strcpy(task->comm, "<...>");
	return task;
}

int tasks_set(struct tasks *tasks, uint32_t tid, uint32_t tgid, uint32_t parent,
	      const char *comm)
{
	struct task *task = tasks_get(tasks, tid);
	const struct task *from;
	char name[KT_COMM_LEN] = "";

	if (!task)
		return -ENOMEM;
	if (!*comm) {
		from = tasks_find(tasks, parent);
		comm = from ? from->comm : "<...>";
	}
	memcpy(name, comm, strnlen(comm, KT_COMM_LEN));
	task->dead = false;
	if (task->known && task->tgid == tgid &&
	    !memcmp(task->comm, name, KT_COMM_LEN))
		return 0;
	task->known = true;
	task->tgid = tgid;
	memcpy(task->comm, name, KT_COMM_LEN);
	task->serial = ++tasks->serial;
	return 0;
}

int tasks_seen(struct tasks *tasks, uint32_t tid, uint32_t tgid,
	       const char *comm)
{
	const struct task *task = tasks_find(tasks, tid);

	/* A dead task still runs for a moment. */
	if (task && task->dead && task->tgid == tgid)
		return 0;
	return tasks_set(tasks, tid, tgid, 0, comm);
}

static void tasks_forget(struct tasks *tasks, struct task *task)
{
	table_remove(&tasks->table, task->tid, task);
	free(task);
}

void tasks_exit(struct tasks *tasks, uint32_t tid)
{
	struct task *task = tasks_find(tasks, tid);
	uint32_t *slot = &tasks->dead[tasks->deaths % TASKS_DEAD];
	struct task *oldest = *slot ? tasks_find(tasks, *slot) : NULL;

	if (!task || task->dead)
		return;
	task->dead = true;
	/* But not if its tid is in use again, or it still runs. */
	if (oldest && oldest != task && oldest->dead && !oldest->running)
		tasks_forget(tasks, oldest);
	*slot = tid;
	tasks->deaths++;
}

bool tasks_is_dead(const struct tasks *tasks, uint32_t tid)
{
	const struct task *task = tasks_find(tasks, tid);

	return !task || task->dead;
}

void tasks_switch(struct task **task, struct task *to)
{
	if (*task)
		(*task)->running--;
	to->running++;
	*task = to;
}

void tasks_sleep(struct task *from, struct task *to, uint64_t time)
{
	/* A task may seem to arrive on a CPU before it has left another. */
	if (from && (!from->cpus || !--from->cpus))
		from->left = time;
	if (!to->cpus++ && to->left && time > to->left)
		to->slept += time - to->left;
	to->left = 0;
}
