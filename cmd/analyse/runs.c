// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

struct cpu_runs {
	uint64_t nr; /* that there were */
	struct run last[RUNS_MAX];
};

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

int runs_add(struct runs *runs, const struct ktrace_timeline_state *state)
{
	struct cpu_runs *cpu = cpu_get(runs, state->cpu);
	struct run *run;

	if (!cpu)
		return -ENOMEM;
	run = &cpu->last[cpu->nr++ % RUNS_MAX];
	run->begin = state->begin;
	run->end = state->end;
	run->id = state->thread->id;
	run->tid = state->thread->tid;
	run->tgid = state->thread->tgid;
	text_copy(run->comm, sizeof(run->comm), state->thread->comm);
	return 0;
}

int runs_between(const struct runs *runs, uint32_t number, uint64_t begin,
		 uint64_t end, int (*tell)(void *data, const struct run *run),
		 void *data, uint64_t *ns)
{
	const struct cpu_runs *cpu = table_find(&runs->cpus, number);
	uint64_t kept = 0;
	int err = 0;

	*ns = end - begin;
	if (cpu)
		kept = cpu->nr < RUNS_MAX ? cpu->nr : RUNS_MAX;
	for (uint64_t i = 1; !err && i <= kept; i++) {
		struct run run = cpu->last[(cpu->nr - i) % RUNS_MAX];

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

	while ((cpu = table_each(&runs->cpus, &at)))
		free(cpu);
	table_free(&runs->cpus);
	*runs = (struct runs){0};
}
