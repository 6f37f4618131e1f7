// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

#define ROOM_MIN 64

/* A ring. */
struct cpu_runs {
	struct run *runs;
	size_t room;   /* a power of two, or 0 */
	uint64_t next; /* counted from the first one ever */
	size_t nr;
};

/* @i: from 0, the oldest one. */
static struct run *run_at(const struct cpu_runs *cpu, size_t i)
{
	return &cpu->runs[(cpu->next - cpu->nr + i) & (cpu->room - 1)];
}

void text_copy(char *to, size_t room, const char *from)
{
	size_t size = strnlen(from, room - 1);

	memcpy(to, from, size);
	to[size] = '\0';
}

/* NULL: out of memory. */
static struct cpu_runs *cpu_get(struct runs *runs, uint32_t number)
{
	struct cpu_runs *cpu = table_find(&runs->cpus, number);

	if (cpu)
		return cpu;
	cpu = calloc(1, sizeof(*cpu));
	if (cpu && table_add(&runs->cpus, number, cpu)) {
		free(cpu);
		return NULL;
	}
	return cpu;
}

static int room_make(struct runs *runs, struct cpu_runs *cpu)
{
	size_t room = cpu->room ? cpu->room * 2 : ROOM_MIN;
	struct run *grown;

	if (cpu->nr < cpu->room)
		return 0;
	if (cpu->room >= RUNS_MAX &&
	    (!runs->since || run_at(cpu, 0)->end <= runs->since ||
	     runs->total >= RUNS_TOTAL)) {
		cpu->nr--;
		runs->total--;
		return 0;
	}
	grown = malloc(room * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	for (size_t i = 0; i < cpu->nr; i++)
		grown[(cpu->next - cpu->nr + i) & (room - 1)] = *run_at(cpu, i);
	free(cpu->runs);
	cpu->runs = grown;
	cpu->room = room;
	return 0;
}

int runs_add(struct runs *runs, const struct ktrace_timeline_state *state)
{
	struct cpu_runs *cpu = cpu_get(runs, state->cpu);
	struct run *run;

	if (!cpu || room_make(runs, cpu))
		return -ENOMEM;
	run = &cpu->runs[cpu->next++ & (cpu->room - 1)];
	cpu->nr++;
	runs->total++;
	run->begin = state->begin;
	run->end = state->end;
	run->id = state->thread->id;
	run->tid = state->thread->tid;
	run->tgid = state->thread->tgid;
	text_copy(run->comm, sizeof(run->comm), state->thread->comm);
	return 0;
}

/* How many have begun before that. */
static size_t runs_before(const struct cpu_runs *cpu, uint64_t time)
{
	size_t first = 0, behind = cpu->nr;

	while (first < behind) {
		size_t middle = first + (behind - first) / 2;

		if (run_at(cpu, middle)->begin < time)
			first = middle + 1;
		else
			behind = middle;
	}
	return first;
}

int runs_between(const struct runs *runs, uint32_t number, uint64_t begin,
		 uint64_t end, int (*tell)(void *data, const struct run *run),
		 void *data, uint64_t *ns)
{
	const struct cpu_runs *cpu = table_find(&runs->cpus, number);
	int err = 0;

	*ns = end - begin;
	for (size_t i = cpu ? runs_before(cpu, end) : 0; !err && i--;) {
		struct run run = *run_at(cpu, i);

		if (run.end <= begin)
			break;
		if (run.begin < begin)
			run.begin = begin;
		if (run.end > end)
			run.end = end;
		if (run.end <= run.begin)
			continue;
		*ns -= run.end - run.begin;
		err = tell(data, &run);
	}
	return err;
}

void runs_free(struct runs *runs)
{
	struct cpu_runs *cpu;
	size_t at = 0;

	while ((cpu = table_each(&runs->cpus, &at))) {
		free(cpu->runs);
		free(cpu);
	}
	table_free(&runs->cpus);
	*runs = (struct runs){0};
}
