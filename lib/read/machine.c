// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "trace.h"

int machine_init(struct machine *machine, struct ktrace *trace)
{
	int err = 0;

	machine->trace = trace;
	for (size_t i = 0; !err && i < trace->nr_tasks; i++) {
		const struct ktrace_task *task = &trace->tasks[i];

		if (task->tid && task->tid < TASKS_MAX)
			err = tasks_set(&machine->tasks, task->tid, task->tgid,
					task->parent, task->comm);
	}
	return err;
}

void machine_destroy(struct machine *machine)
{
	for (size_t i = 0; i < machine->nr_users; i++) {
		tasks_destroy(machine->told[i]);
		free(machine->told[i]);
	}
	tasks_destroy(&machine->tasks);
}

static const struct ktrace_field *next_pid_find(const struct ktrace_type *type)
{
	const struct ktrace_field *field;

	if (type->marker || strcmp(type->system, "sched") ||
	    strcmp(type->name, "sched_switch"))
		return NULL;
	field = ktrace_field_find(type, "next_pid");
	return field && field->size == sizeof(uint32_t) &&
			       field->place == KTRACE_FIXED
		       ? field
		       : NULL;
}

void machine_find_switch(struct machine *machine)
{
	const struct ktrace_types *types = machine->trace->types;

	for (size_t i = 0; i < types->count; i++) {
		const struct ktrace_field *field =
			next_pid_find(types->types[i]);

		if (!field)
			continue;
		machine->switch_id = types->types[i]->id;
		machine->switch_offset = field->offset;
	}
}

/* What programs of the user tell.  NULL: no memory. */
static struct tasks *user_tasks(struct machine *machine, uint32_t user)
{
	size_t nr = machine->nr_users;
	struct tasks *tasks;

	for (size_t i = 0; i < nr; i++)
		if (machine->users[i] == user || i == MACHINE_USERS - 1)
			return machine->told[i];
	tasks = calloc(1, sizeof(*tasks));
	if (!tasks)
		return NULL;
	/* No two tasks of a trace have the same serial number. */
	tasks->serial = (uint64_t)(nr + 1) << 48;
	machine->told[nr] = tasks;
	machine->users[nr] = user;
	machine->nr_users++;
	return tasks;
}

int current_init(struct machine *machine, struct current *current,
		 const struct stream_source *source)
{
	struct task *idle = &current->idle;

	snprintf(idle->comm, sizeof(idle->comm), "swapper/%u", source->cpu);
	idle->serial = ++machine->tasks.serial;
	idle->sure = true;
	if (!source->programs) {
		current->woven = source->woven;
		/* Not if its file is missing. */
		machine->kernel |=
			!source->woven && (source->fd >= 0 || source->data);
		return 0;
	}
	current->told = user_tasks(machine, source->user);
	return current->told ? 0 : -ENOMEM;
}

/*
 * A task of which a program tells.  If there are streams of the kernel, these know all tasks;
 * if not, the metadata knows what they were at the beginning.  If the process is another one, the
 * thread is not meant: the program is in another namespace.  (Of a process's first thread this is
 * not seen.)
 */
static struct task *told_task(const struct machine *machine,
			      const struct current *current, uint32_t tid)
{
	struct task *known = tasks_find(&machine->tasks, tid);
	struct task *told = tasks_find(current->told, tid);
	bool tells = told && told->known;

	if (known && known->known &&
	    (!tells ||
	     (machine->kernel && !known->dead && known->tgid == told->tgid)))
		return known;
	return told ? told : tasks_get(current->told, tid);
}

/* No kernel gives larger numbers. */
static bool tid_check(struct machine *machine, const struct stream *stream,
		      uint32_t tid)
{
	if (tid < TASKS_MAX)
		return true;
	trace_warn(machine->trace,
		   "%s%u: it names threads by numbers that no kernel gives: "
		   "these are shown as the CPU's idle task",
		   stream_kind(stream), stream->source->number);
	return false;
}

/* NULL: no memory. */
static struct task *task_of(struct machine *machine, struct current *current,
			    uint32_t tid)
{
	/* Each CPU has a task 0 of its own. */
	if (!tid || tid >= TASKS_MAX)
		return &current->idle;
	if (current->told)
		return told_task(machine, current, tid);
	return tasks_get(&machine->tasks, tid);
}

/* A program tells of a thread when it has begun to run already. */
static int current_again(struct machine *machine, struct current *current)
{
	struct task *to;

	if (!current->told || !current->task)
		return 0;
	to = task_of(machine, current, current->task->tid);
	if (!to)
		return -ENOMEM;
	if (to != current->task)
		tasks_switch(&current->task, to);
	return 0;
}

int current_switch(struct machine *machine, struct current *current,
		   const struct stream *stream, uint32_t tid)
{
	struct task *to = task_of(machine, current, tid);

	if (!to)
		return -ENOMEM;
	if (to == current->task)
		return 0;
	/* A ring of programs does not say who has the CPU. */
	if (machine->counts_sleep && !current->told && !current->woven)
		tasks_sleep(current->task, to,
			    clock_convert(&machine->trace->clock,
					  &machine->line, stream->clock));
	tasks_switch(&current->task, to);
	current->runs++;
	return 0;
}

/* Those of whom the stream tells. */
static struct tasks *tasks_of(struct machine *machine,
			      const struct current *current)
{
	return current->told ? current->told : &machine->tasks;
}

/*
 * The kernel tells that a task begins, ends or is renamed: what programs have told of this number
 * before is not true any more.
 */
static void told_forget(struct machine *machine, const struct current *current,
			uint32_t tid)
{
	for (size_t i = 0; !current->told && i < machine->nr_users; i++) {
		struct task *task = tasks_find(machine->told[i], tid);

		if (task)
			task->known = false;
	}
}

int machine_make_sure(struct machine *machine, struct task *task,
		      uint64_t clock)
{
	char comm[KT_COMM_LEN + 1];
	bool dead = task->dead;
	uint32_t tgid;
	int found;

	if (task->sure)
		return 0;
	found = seek_task(machine->seek, machine->trace, task->tid, clock,
			  &tgid, comm);
	if (found < 0)
		return found;
	if (found && tasks_set(&machine->tasks, task->tid, tgid, 0, comm))
		return -ENOMEM;
	task->dead = dead;
	task->sure = clock > machine->seek->clock;
	return 0;
}

/* A record or a header has just named the task. */
static void task_told(struct machine *machine, uint32_t tid, uint64_t clock)
{
	struct task *task;

	if (likely(!machine->seek) || clock <= machine->seek->clock)
		return;
	task = tasks_find(&machine->tasks, tid);
	if (task)
		task->sure = true;
}

/* A new task gets the name of the one that has made it. */
static int parent_make_sure(struct machine *machine, const struct kt_task *task,
			    uint64_t clock)
{
	struct task *parent;

	if (likely(!machine->seek) || task->comm[0] || !task->parent ||
	    task->parent >= TASKS_MAX)
		return 0;
	parent = tasks_get(&machine->tasks, task->parent);
	return parent ? machine_make_sure(machine, parent, clock) : -ENOMEM;
}

/*
 * A packet begins.  Its header names the task that ran.  This is used only if
 * task records are missing, because the records are more exact: a packet can
 * begin in the middle of a context switch.  The name in the header is always
 * right.
 */
int current_packet(struct machine *machine, struct current *current,
		   const struct stream *stream)
{
	const struct kt_packet *packet = &stream->walk.packet;
	int err = 0;

	if (tid_check(machine, stream, packet->tid) && packet->tid &&
	    packet->comm[0])
		err = tasks_seen(tasks_of(machine, current), packet->tid,
				 packet->tgid, packet->comm);
	if (packet->comm[0])
		task_told(machine, packet->tid, stream->clock);
	if (!err && (stream->uncertain || !current->task))
		err = current_switch(machine, current, stream, packet->tid);
	return err ?: current_again(machine, current);
}

int current_record(struct machine *machine, struct current *current,
		   const struct stream *stream)
{
	const struct kt_walk *walk = &stream->walk;
	struct kt_task_switch to;
	struct kt_task task;
	int err;

	switch (walk->id) {
	case KT_ID_SWITCH:
		memcpy(&to, walk->payload, sizeof(to));
		tid_check(machine, stream, to.tid);
		return current_switch(machine, current, stream, to.tid);
	case KT_ID_TASK:
		memcpy(&task, walk->payload, sizeof(task));
		if (!tid_check(machine, stream, task.tid) || !task.tid)
			return 0;
		told_forget(machine, current, task.tid);
		err = parent_make_sure(machine, &task, stream->clock);
		if (err)
			return err;
		err = tasks_set(tasks_of(machine, current), task.tid, task.tgid,
				task.parent, task.comm);
		task_told(machine, task.tid, stream->clock);
		return err ?: current_again(machine, current);
	case KT_ID_EXIT:
		memcpy(&task, walk->payload, sizeof(task));
		told_forget(machine, current, task.tid);
		tasks_exit(tasks_of(machine, current), task.tid);
		return 0;
	default:
		return 0;
	}
}
