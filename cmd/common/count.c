// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loss.h"
#include "base/table.h"

#include "count.h"

static int task_count(struct table *tasks, const struct ktrace_event *e)
{
	struct count_task *t = table_find(tasks, e->task);

	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return -ENOMEM;
		if (table_add(tasks, e->task, t)) {
			free(t);
			return -ENOMEM;
		}
		t->task = e->task;
		t->tid = e->tid;
		t->tgid = e->tgid;
		snprintf(t->comm, sizeof(t->comm), "%s", e->comm);
	}
	t->events++;
	t->bytes += e->size;
	return 0;
}

struct count_cpu *count_cpu(struct count *c, uint32_t cpu)
{
	struct count_cpu *cpus;
	size_t i;

	for (i = 0; i < c->nr_cpus; i++)
		if (c->cpus[i].cpu >= cpu)
			break;
	if (i < c->nr_cpus && c->cpus[i].cpu == cpu)
		return &c->cpus[i];
	cpus = realloc(c->cpus, (c->nr_cpus + 1) * sizeof(*cpus));
	if (!cpus)
		return NULL;
	c->cpus = cpus;
	memmove(&cpus[i + 1], &cpus[i], (c->nr_cpus - i) * sizeof(*cpus));
	memset(&cpus[i], 0, sizeof(*cpus));
	cpus[i].cpu = cpu;
	c->nr_cpus++;
	return &cpus[i];
}

static int types_compare(const void *a, const void *b)
{
	const struct count_type *x = a, *y = b;

	if (x->events != y->events)
		return x->events > y->events ? -1 : 1;
	return (x->type->number > y->type->number) -
	       (x->type->number < y->type->number);
}

static int tasks_compare(const void *a, const void *b)
{
	const struct count_task *x = a, *y = b;
	int order = strcmp(x->comm, y->comm);

	if (x->events != y->events)
		return x->events > y->events ? -1 : 1;
	if (order)
		return order;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	/* A thread that had this number, and this name, before. */
	return x->task < y->task ? -1 : x->task > y->task;
}

static int count_event(struct count *c, const struct ktrace_event *e)
{
	struct count_cpu *cpu = count_cpu(c, e->cpu);
	struct count_type *type;

	if (!cpu)
		return -ENOMEM;
	if (e->type->number >= c->nr_types) {
		size_t nr = e->type->number + 64;

		type = realloc(c->types, nr * sizeof(*type));
		if (!type)
			return -ENOMEM;
		memset(&type[c->nr_types], 0,
		       (nr - c->nr_types) * sizeof(*type));
		c->types = type;
		c->nr_types = nr;
	}
	type = &c->types[e->type->number];
	type->type = e->type;
	type->events++;
	type->bytes += e->size;
	cpu->events++;
	cpu->bytes += e->size;
	c->events++;
	c->bytes += e->size;
	if (!c->begin)
		c->begin = e->time;
	c->end = e->time;
	return 0;
}

int count_loss(struct count *c, const struct ktrace_loss *l)
{
	struct count_cpu *cpu = count_cpu(c, l->cpu);

	if (!cpu)
		return -ENOMEM;
	cpu->told[l->programs][l->cause] += l->count;
	return 0;
}

void count_known(struct count_cpu *cpu, const struct ktrace_cpu *known)
{
	cpu->is_known[known->programs] = true;
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		cpu->known[known->programs][i] += known->lost[i];
}

void count_losses(struct count *c)
{
	memset(c->lost, 0, sizeof(c->lost));
	for (size_t i = 0; i < c->nr_cpus; i++) {
		struct count_cpu *cpu = &c->cpus[i];

		for (int j = 0; j < KTRACE_LOST_NR; j++) {
			cpu->lost[j] = 0;
			for (int k = 0; k < 2; k++)
				/*
				 * Damage is found by readers only, so the
				 * recorder does not count it.
				 */
				cpu->lost[j] +=
					cpu->is_known[k] &&
							j != KTRACE_LOST_DAMAGED
						? cpu->known[k][j]
						: cpu->told[k][j];
			c->lost[j] += cpu->lost[j];
		}
	}
}

/* Removes what has no events, sorts the rest.  Takes @tasks.  -ENOMEM. */
static int count_sort(struct count *c, struct table *tasks)
{
	struct count_task *t;
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < c->nr_types; i++)
		if (c->types[i].events)
			c->types[nr++] = c->types[i];
	c->nr_types = nr;
	if (nr)
		qsort(c->types, nr, sizeof(*c->types), types_compare);
	c->tasks = calloc(tasks->nr + 1, sizeof(*c->tasks));
	while ((t = table_each(tasks, &at))) {
		if (c->tasks)
			c->tasks[c->nr_tasks++] = *t;
		free(t);
	}
	table_free(tasks);
	if (c->nr_tasks)
		qsort(c->tasks, c->nr_tasks, sizeof(*c->tasks), tasks_compare);
	return c->tasks ? 0 : -ENOMEM;
}

int count_trace(struct count *c, struct ktrace *trace,
		const struct ktrace_cursor_options *options,
		bool (*want)(const struct ktrace_event *event, void *data),
		void *data, bool tasks)
{
	const struct ktrace_event *event;
	struct table by_task = {0};
	struct ktrace_cursor *cursor;
	int item, err, sorted;

	memset(c, 0, sizeof(*c));
	err = ktrace_cursor_create(trace, options, &cursor);
	if (err)
		return err;
	event = ktrace_cursor_event(cursor);
	while (!err && (item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_LOSS) {
			err = count_loss(c, ktrace_cursor_loss(cursor));
			continue;
		}
		if (want && !want(event, data))
			continue;
		err = count_event(c, event);
		if (!err && tasks)
			err = task_count(&by_task, event);
	}
	if (!err)
		err = item;
	ktrace_cursor_destroy(cursor);
	sorted = count_sort(c, &by_task);
	err = err ? err : sorted;
	count_losses(c);
	if (err)
		count_free(c);
	return err;
}

void count_free(struct count *c)
{
	free(c->types);
	free(c->cpus);
	free(c->tasks);
	memset(c, 0, sizeof(*c));
}
