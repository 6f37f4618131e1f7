// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Threads, CPUs and their tracks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline.h"

/* ---- tracks --------------------------------------------------------------- */

static struct track *track_create(enum ktrace_timeline_kind kind,
				  uint32_t number, struct thread *thread)
{
	struct track *track = calloc(1, sizeof(*track));

	if (!track)
		return NULL;
	track->public.kind = kind;
	track->public.number = number;
	track->public.thread = thread ? &thread->public : NULL;
	/* There are fewer than 2^24 kinds of markers, and than 2^36 threads. */
	track->public.id =
		thread ? thread->public.id << 28 | (uint64_t)kind << 24 | number
		       : (kind + 1ull) << 60 | number;
	return track;
}

void slice_free(struct ktrace_timeline *t, struct slice *slice)
{
	if (slice->public.data && t->calls.gone)
		t->calls.gone(t->calls.data, slice->public.data);
	free(slice);
}

void track_free(struct ktrace_timeline *t, struct track *track)
{
	struct slice *slice;

	while ((slice = track->top)) {
		track->top = slice->outer;
		slice_free(t, slice);
	}
	if (track->public.data && t->calls.gone)
		t->calls.gone(t->calls.data, track->public.data);
	free(track);
}

/* ---- threads and CPUs ----------------------------------------------------- */

/* Each CPU has its own idle thread, and all have the number 0. */
static uint64_t thread_number(uint32_t tid, uint32_t cpu)
{
	return tid ? tid : 1ull << 32 | cpu;
}

void thread_free(struct ktrace_timeline *t, struct thread *thread)
{
	struct track *track;

	while ((track = thread->tracks)) {
		thread->tracks = track->next;
		track_free(t, track);
	}
	if (thread->public.data && t->calls.gone)
		t->calls.gone(t->calls.data, thread->public.data);
	if (thread->older)
		thread->older->newer = thread->newer;
	else
		t->oldest = thread->newer;
	if (thread->newer)
		thread->newer->older = thread->older;
	else
		t->newest = thread->older;
	free(thread);
}

void thread_put(struct ktrace_timeline *t, struct thread *thread)
{
	if (thread->gone && !thread->nr_open)
		thread_free(t, thread);
}

void thread_remove(struct ktrace_timeline *t, struct thread *thread)
{
	const struct ktrace_timeline_thread *public = &thread->public;

	table_remove(&t->threads, thread_number(public->tid, public->cpu),
		     thread);
	thread->gone = true;
	thread_put(t, thread);
}

void thread_rename(struct thread *thread, const uint8_t *name, size_t size)
{
	size = strnlen((const char *)name, size);
	if (size >= sizeof(thread->comm))
		size = sizeof(thread->comm) - 1;
	memcpy(thread->comm, name, size);
	thread->comm[size] = '\0';
}

static struct thread *thread_create(struct ktrace_timeline *t, uint32_t tid,
				    uint32_t cpu)
{
	struct thread *thread = calloc(1, sizeof(*thread));
	const struct task *task;

	if (!thread)
		return NULL;
	if (table_add(&t->threads, thread_number(tid, cpu), thread)) {
		free(thread);
		return NULL;
	}
	thread->older = t->newest;
	if (t->newest)
		t->newest->newer = thread;
	else
		t->oldest = thread;
	t->newest = thread;
	thread->public.id = ++t->nr_threads;
	thread->public.tid = tid;
	thread->public.cpu = tid ? 0 : cpu;
	thread->public.comm = thread->comm;
	snprintf(thread->comm, sizeof(thread->comm), tid ? "<...>" : "idle");
	task = t->cursor && tid ? tasks_find(cursor_tasks(t->cursor), tid)
				: NULL;
	if (task && task->known && !task->dead) {
		thread->public.tgid = task->tgid;
		thread_rename(thread, (const uint8_t *)task->comm,
			      sizeof(task->comm));
	}
	return thread;
}

struct thread *thread_find(struct ktrace_timeline *t, uint32_t tid)
{
	return table_find(&t->threads, thread_number(tid, 0));
}

struct thread *thread_get(struct ktrace_timeline *t, uint32_t tid, uint32_t cpu)
{
	return table_find(&t->threads, thread_number(tid, cpu))
		       ?: thread_create(t, tid, cpu);
}

struct thread *thread_of(struct ktrace_timeline *t,
			 const struct ktrace_event *event)
{
	struct thread *thread = thread_get(t, event->tid, event->cpu);
	bool told = event->type->marker;

	/* A program is believed only if the kernel does not say it. */
	if (!thread || !event->tid || thread->task == event->task ||
	    (told && *thread->comm != '<'))
		return thread;
	if (!told)
		thread->task = event->task;
	if (!told || !thread->public.tgid)
		thread->public.tgid = event->tgid ?: thread->public.tgid;
	if (*event->comm != '<')
		thread_rename(thread, (const uint8_t *)event->comm,
			      strlen(event->comm));
	return thread;
}

struct cpu *cpu_get(struct ktrace_timeline *t, uint32_t number)
{
	struct cpu *cpu = t->cpu;

	if (cpu && cpu->cpu == number)
		return cpu;
	cpu = table_find(&t->cpus, number);
	if (!cpu) {
		cpu = calloc(1, sizeof(*cpu));
		if (!cpu)
			return NULL;
		cpu->cpu = number;
		if (table_add(&t->cpus, number, cpu)) {
			free(cpu);
			return NULL;
		}
	}
	t->cpu = cpu;
	return cpu;
}

/* ---- whose tracks --------------------------------------------------------- */

static struct track *track_of_cpu(struct ktrace_timeline *t, uint32_t number)
{
	struct cpu *cpu = cpu_get(t, number);

	if (cpu && !cpu->track)
		cpu->track = track_create(KTRACE_TRACK_CPU, number, NULL);
	return cpu ? cpu->track : NULL;
}

static struct track *track_of_thread(struct thread *thread,
				     enum ktrace_timeline_kind kind,
				     uint32_t number)
{
	struct track *track = thread->tracks;

	for (; track; track = track->next)
		if (track->public.kind == kind &&
		    track->public.number == number)
			return track;
	track = track_create(kind, number, thread);
	if (!track)
		return NULL;
	track->next = thread->tracks;
	thread->tracks = track;
	return track;
}

/* One that no request is on. */
static struct track *track_of_request(struct ktrace_timeline *t)
{
	struct track *track = t->requests_free;

	if (track) {
		t->requests_free = track->free;
		return track;
	}
	track = track_create(KTRACE_TRACK_REQUESTS, t->nr_requests, NULL);
	if (!track)
		return NULL;
	t->nr_requests++;
	track->next = t->requests;
	t->requests = track;
	return track;
}

/* 0: of the kernel. */
static uint32_t user_number(const struct ktrace_timeline *t,
			    const struct ktrace_type *type)
{
	if (!type->marker)
		return 0;
	for (uint32_t i = 0; i < t->spans->nr_users; i++)
		if (t->spans->users[i] == type->user)
			return i + 1;
	return t->spans->nr_users + 1;
}

struct track *track_of_span(struct ktrace_timeline *t,
			    const struct ktrace_event *event,
			    const struct ktrace_span *span)
{
	struct thread *thread;
	enum ktrace_timeline_kind kind = KTRACE_TRACK_CALLS;

	if (span->owner == KTRACE_SPAN_OF_REQUEST)
		return track_of_request(t);
	if (span->owner == KTRACE_SPAN_OF_CPU)
		return track_of_cpu(t, event->cpu);
	thread = thread_of(t, event);
	if (!thread)
		return NULL;
	if (span->kind == KTRACE_SPAN_FUNCTION)
		kind = KTRACE_TRACK_FUNCTIONS;
	else if (span->kind == KTRACE_SPAN_MARKER)
		kind = KTRACE_TRACK_MARKERS;
	else if (!strcmp(span->type->system, "raw_syscalls"))
		kind = KTRACE_TRACK_RAW_CALLS;
	return track_of_thread(
		thread, kind,
		kind == KTRACE_TRACK_MARKERS ? user_number(t, event->type) : 0);
}

struct track *track_of_event(struct ktrace_timeline *t,
			     const struct ktrace_event *event)
{
	struct cpu *cpu = cpu_get(t, event->cpu);
	struct thread *thread;

	if (!cpu)
		return NULL;
	if (!event->type->marker &&
	    (!event->tid || (cpu->track && cpu->track->top &&
			     cpu->track->top->tid == event->tid)))
		return track_of_cpu(t, event->cpu);
	thread = thread_of(t, event);
	if (!thread)
		return NULL;
	return event->type->marker
		       ? track_of_thread(thread, KTRACE_TRACK_MARKERS,
					 user_number(t, event->type))
		       : track_of_thread(thread, KTRACE_TRACK_CALLS, 0);
}
