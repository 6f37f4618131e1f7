// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "off_cpu.h"

/* A thread without a CPU. */
struct off {
	uint32_t tid;
	uint64_t since;
	void *data;
};

bool off_cpu_type(const struct ktrace_type *type)
{
	return !type->marker && !strcmp(type->name, "sched_switch") &&
	       !strcmp(type->system, "sched");
}

/* 0 (the idle task of any CPU) if the event has no such field. */
static uint32_t tid_of(const struct ktrace_event *event, const char *name)
{
	const struct ktrace_field *field = ktrace_field_find(event->type, name);

	return field ? ktrace_field_int(event, field) : 0;
}

/* NULL: it is not known to be off.  The caller frees it. */
static struct off *off_take(struct off_cpu *off, uint32_t tid)
{
	struct off *thread = table_find(&off->threads, tid);

	if (thread)
		table_remove(&off->threads, tid, thread);
	return thread;
}

bool off_cpu_return(struct off_cpu *off, const struct ktrace_event *event,
		    struct off_cpu_time *time)
{
	struct off *thread = off_take(off, tid_of(event, "next_pid"));

	if (!thread)
		return false;
	time->ns = event->time - thread->since;
	time->data = thread->data;
	free(thread);
	return true;
}

int off_cpu_leave(struct off_cpu *off, const struct ktrace_event *event,
		  void *data)
{
	uint32_t tid = tid_of(event, "prev_pid");
	struct off *thread;

	if (!tid)
		return 0;
	thread = off_take(off, tid);
	/* It cannot leave twice: that it came back is missing. */
	if (thread)
		off->unknown++;
	else
		thread = malloc(sizeof(*thread));
	if (!thread)
		return -ENOMEM;
	*thread = (struct off){.tid = tid, .since = event->time, .data = data};
	if (!table_add(&off->threads, tid, thread))
		return 0;
	free(thread);
	return -ENOMEM;
}

static void all_free(struct off_cpu *off)
{
	struct off *thread;
	size_t at = 0;

	while ((thread = table_each(&off->threads, &at)))
		free(thread);
	table_free(&off->threads);
	off->threads = (struct table){0};
}

void off_cpu_loss(struct off_cpu *off, const struct ktrace_loss *loss)
{
	/* Neither task records nor markers of programs say who has a CPU. */
	if (loss->cause == KTRACE_LOST_TASK || loss->programs)
		return;
	off->unknown += off->threads.nr;
	all_free(off);
}

void off_cpu_free(struct off_cpu *off)
{
	all_free(off);
}
