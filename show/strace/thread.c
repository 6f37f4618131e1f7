// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thread.h"

struct thread *threads_get(struct threads *threads, uint32_t tid)
{
	struct thread *thread = table_find(&threads->by_tid, tid);

	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = tid;
	if (table_add(&threads->by_tid, tid, thread)) {
		free(thread);
		return NULL;
	}
	return thread;
}

struct thread *threads_next(const struct threads *threads,
			    const struct thread *thread)
{
	const struct table *table = &threads->by_tid;
	size_t at = 0;

	if (thread)
		at = table_next(table, thread->tid, NULL) - table->slots + 1;
	return table_each(table, &at);
}

static void thread_free(struct thread *thread)
{
	free(thread->view.enter.payload);
	free(thread->view.exit.payload);
	free(thread);
}

static void thread_forget(struct threads *threads, struct thread *thread)
{
	table_remove(&threads->by_tid, thread->tid, thread);
	thread_free(thread);
}

void threads_ended(struct threads *threads, struct thread *thread)
{
	uint32_t *slot = &threads->ended[threads->nr_ended++ % THREADS_ENDED];
	struct thread *old = *slot ? table_find(&threads->by_tid, *slot) : NULL;

	*slot = thread->tid;
	thread->ended = true;
	if (old && old != thread && old->ended)
		thread_forget(threads, old);
}

void threads_destroy(struct threads *threads)
{
	struct thread *thread;
	size_t at = 0;

	while ((thread = table_each(&threads->by_tid, &at)))
		thread_free(thread);
	table_free(&threads->by_tid);
}

void thread_name(struct thread *thread, const struct ktrace_event *event)
{
	if ((*thread->comm && thread->task == event->task) || !event->comm ||
	    !strcmp(event->comm, "<...>"))
		return;
	thread->task = event->task;
	snprintf(thread->comm, sizeof(thread->comm), "%s", event->comm);
}

const char *threads_comm(void *threads, uint32_t tid)
{
	const struct threads *all = threads;
	const struct thread *thread = table_find(&all->by_tid, tid);

	return thread && *thread->comm ? thread->comm : NULL;
}

int thread_side(struct call_side *side, const struct ktrace_event *event)
{
	if (side->room < event->size) {
		uint8_t *more = realloc(side->payload, event->size);

		if (!more)
			return -ENOMEM;
		side->payload = more;
		side->room = event->size;
	}
	if (event->size)
		memcpy(side->payload, event->payload, event->size);
	side->size = event->size;
	side->type = event->type;
	return 0;
}
