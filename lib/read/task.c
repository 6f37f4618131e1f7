// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "task.h"

#define BUCKETS_MIN 1024

static size_t bucket(const struct tasks *tasks, uint32_t tid)
{
	return (tid * 2654435761u >> 7) & (tasks->nr_buckets - 1);
}

int tasks_init(struct tasks *tasks)
{
	*tasks = (struct tasks){.nr_buckets = BUCKETS_MIN};
	tasks->buckets = calloc(tasks->nr_buckets, sizeof(*tasks->buckets));
	return tasks->buckets ? 0 : -ENOMEM;
}

void tasks_destroy(struct tasks *tasks)
{
	struct task *task, *next;
	size_t i;

	for (i = 0; tasks->buckets && i < tasks->nr_buckets; i++) {
		for (task = tasks->buckets[i]; task; task = next) {
			next = task->next;
			free(task);
		}
	}
	free(tasks->buckets);
	tasks->buckets = NULL;
}

/* Keeps the chains short; without memory they grow. */
static void tasks_grow(struct tasks *tasks)
{
	struct tasks grown = *tasks;
	struct task *task, *next;
	size_t i;

	grown.nr_buckets *= 4;
	grown.buckets = calloc(grown.nr_buckets, sizeof(*grown.buckets));
	if (!grown.buckets)
		return;
	for (i = 0; i < tasks->nr_buckets; i++) {
		for (task = tasks->buckets[i]; task; task = next) {
			size_t b = bucket(&grown, task->tid);

			next = task->next;
			task->next = grown.buckets[b];
			grown.buckets[b] = task;
		}
	}
	free(tasks->buckets);
	*tasks = grown;
}

static struct task *tasks_find(const struct tasks *tasks, uint32_t tid)
{
	struct task *task = tasks->buckets[bucket(tasks, tid)];

	while (task && task->tid != tid)
		task = task->next;
	return task;
}

struct task *tasks_get(struct tasks *tasks, uint32_t tid)
{
	struct task *task = tasks_find(tasks, tid);
	size_t b;

	if (task)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	if (tasks->count++ > 2 * tasks->nr_buckets)
		tasks_grow(tasks);
	task->tid = tid;
	task->serial = ++tasks->serial;
	strcpy(task->comm, "<...>");
	b = bucket(tasks, tid);
	task->next = tasks->buckets[b];
	tasks->buckets[b] = task;
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

	/* On its last way out it still runs. */
	if (task && task->dead && task->tgid == tgid)
		return 0;
	return tasks_set(tasks, tid, tgid, 0, comm);
}

static void tasks_forget(struct tasks *tasks, struct task *task)
{
	struct task **p = &tasks->buckets[bucket(tasks, task->tid)];

	while (*p != task)
		p = &(*p)->next;
	*p = task->next;
	free(task);
	tasks->count--;
}

void tasks_exit(struct tasks *tasks, uint32_t tid)
{
	struct task *task = tasks_find(tasks, tid);
	uint32_t *slot = &tasks->dead[tasks->deaths % TASKS_DEAD];
	struct task *oldest = *slot ? tasks_find(tasks, *slot) : NULL;

	if (!task || task->dead)
		return;
	task->dead = true;
	/* Unless its number lives again. */
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
