// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "thread.h"

#define CHAINS 1024 /* at first */

static struct thread **chain_of(const struct threads *threads, uint32_t tid)
{
	return &threads->chains[tid & (threads->nr_chains - 1)];
}

/* As many chains as threads. */
static int threads_grow(struct threads *threads)
{
	struct thread **old = threads->chains, **more;
	size_t nr = threads->nr_chains;

	more = calloc(nr ? nr * 2 : CHAINS, sizeof(*more));
	if (!more)
		return -ENOMEM;
	threads->chains = more;
	threads->nr_chains = nr ? nr * 2 : CHAINS;
	for (size_t i = 0; i < nr; i++) {
		while (old[i]) {
			struct thread *thread = old[i];
			struct thread **chain = chain_of(threads, thread->tid);

			old[i] = thread->next;
			thread->next = *chain;
			*chain = thread;
		}
	}
	free(old);
	return 0;
}

static struct thread *thread_find(const struct threads *threads, uint32_t tid)
{
	struct thread *thread;

	for (thread = *chain_of(threads, tid); thread; thread = thread->next) {
		if (thread->tid == tid)
			break;
	}
	return thread;
}

struct thread *threads_get(struct threads *threads, uint32_t tid)
{
	struct thread **chain, *thread;

	thread = threads->nr_chains ? thread_find(threads, tid) : NULL;
	if (thread)
		return thread;
	if (threads->nr == threads->nr_chains && threads_grow(threads))
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = tid;
	chain = chain_of(threads, tid);
	thread->next = *chain;
	*chain = thread;
	threads->nr++;
	return thread;
}

struct thread *threads_next(const struct threads *threads,
			    const struct thread *thread)
{
	size_t i = 0;

	if (thread && thread->next)
		return thread->next;
	if (thread)
		i = (thread->tid & (threads->nr_chains - 1)) + 1;
	for (; i < threads->nr_chains; i++) {
		if (threads->chains[i])
			return threads->chains[i];
	}
	return NULL;
}

static void thread_free(struct thread *thread)
{
	free(thread->view.enter.payload);
	free(thread->view.exit.payload);
	free(thread);
}

static void thread_forget(struct threads *threads, struct thread *thread)
{
	struct thread **p = chain_of(threads, thread->tid);

	while (*p != thread)
		p = &(*p)->next;
	*p = thread->next;
	threads->nr--;
	thread_free(thread);
}

void threads_ended(struct threads *threads, struct thread *thread)
{
	uint32_t *slot = &threads->ended[threads->nr_ended++ % THREADS_ENDED];
	struct thread *old = *slot ? thread_find(threads, *slot) : NULL;

	*slot = thread->tid;
	thread->ended = true;
	if (old && old != thread && old->ended)
		thread_forget(threads, old);
}

void threads_destroy(struct threads *threads)
{
	for (size_t i = 0; i < threads->nr_chains; i++) {
		while (threads->chains[i]) {
			struct thread *thread = threads->chains[i];

			threads->chains[i] = thread->next;
			thread_free(thread);
		}
	}
	free(threads->chains);
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
