// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "runs.h"
#include "waker.h"

#define IRQS_MAX 8 /* whose names are kept, of those in each other */

struct cpu_irqs {
	uint32_t depth;
	char names[IRQS_MAX][64];
	uint32_t disk; /* of the innermost one */
	bool known;    /* there are no others */
};

/* NULL: out of memory. */
static struct cpu_irqs *cpu_get(struct interrupts *interrupts, uint32_t number)
{
	struct cpu_irqs *cpu = table_find(&interrupts->cpus, number);

	if (cpu)
		return cpu;
	cpu = calloc(1, sizeof(*cpu));
	if (cpu && table_add(&interrupts->cpus, number, cpu)) {
		free(cpu);
		return NULL;
	}
	return cpu;
}

int interrupts_change(struct interrupts *interrupts,
		      const struct ktrace_timeline_slice *slice, bool begins)
{
	struct cpu_irqs *cpu = cpu_get(interrupts, slice->track->number);

	if (!cpu)
		return -ENOMEM;
	cpu->disk = 0;
	if (!begins)
		cpu->depth--;
	else if (cpu->depth++ < IRQS_MAX)
		snprintf(cpu->names[cpu->depth - 1], sizeof(*cpu->names),
			 "%s %s", ktrace_span_kind_name(slice->span->kind),
			 slice->span->name);
	return 0;
}

int interrupts_none(struct interrupts *interrupts, uint32_t number)
{
	struct cpu_irqs *cpu = cpu_get(interrupts, number);

	if (!cpu)
		return -ENOMEM;
	cpu->known = true;
	return 0;
}

void interrupts_lost(struct interrupts *interrupts, uint32_t number)
{
	struct cpu_irqs *cpu = table_find(&interrupts->cpus, number);

	if (cpu)
		cpu->known = false;
}

void interrupts_disk(struct interrupts *interrupts, uint32_t number,
		     uint32_t disk)
{
	struct cpu_irqs *cpu = table_find(&interrupts->cpus, number);

	if (cpu && cpu->depth)
		cpu->disk = disk;
}

void interrupts_waker(const struct interrupts *interrupts,
		      const struct ktrace_timeline_track *track,
		      const struct ktrace_event *event, struct waker *waker)
{
	const struct cpu_irqs *cpu = table_find(&interrupts->cpus, event->cpu);

	*waker = (struct waker){0};
	if (track->kind == KTRACE_TRACK_CPU && cpu && cpu->depth) {
		text_copy(waker->name, sizeof(waker->name),
			  cpu->depth <= IRQS_MAX ? cpu->names[cpu->depth - 1]
						 : "an interrupt");
		waker->disk = cpu->disk;
	} else if (track->kind == KTRACE_TRACK_CPU) {
		text_copy(waker->name, sizeof(waker->name),
			  "an interrupt, while the CPU was idle");
	} else {
		waker->tid = event->tid;
		waker->tgid = event->tgid;
		waker->ambiguous = !cpu || !cpu->known;
		text_copy(waker->name, sizeof(waker->name), event->comm);
	}
}

void interrupts_free(struct interrupts *interrupts)
{
	struct cpu_irqs *cpu;
	size_t at = 0;

	while ((cpu = table_each(&interrupts->cpus, &at)))
		free(cpu);
	table_free(&interrupts->cpus);
}
