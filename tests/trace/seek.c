// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A cursor that begins in the middle: what it delivers must be what one delivers that reads all, from
 * that time on. Tasks are born, named and ended all the time, also by other CPUs than their own, and
 * some are named only long before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "maker.h"
#include "rnd.h"
#include "scratch.h"

#define CPUS	  3
#define NR_TASKS  300
#define FIRST_TID 1000
#define CLOCK	  5000000000000ull
#define SEEKS	  50 /* of each trace */

static uint64_t now;
static char names[NR_TASKS][16]; /* empty: nobody has told it */
static uint32_t runs[CPUS];

static uint32_t tid_make(void)
{
	return FIRST_TID + rnd(NR_TASKS);
}

static char *name_of(uint32_t tid)
{
	return names[tid - FIRST_TID];
}

static void task_run(struct maker *maker, uint32_t cpu, uint32_t tid)
{
	runs[cpu] = tid;
	maker_run(maker, cpu, tid, tid, name_of(tid));
}

/* Headers of packets have the new name from now on. */
static void task_name(struct maker *maker, uint32_t cpu, uint32_t tid,
		      uint32_t parent)
{
	static unsigned int named;
	bool inherits = parent && rnd(2);

	maker_task(maker, cpu, tid, tid, parent, "");
	if (inherits)
		snprintf(name_of(tid), 16, "%s",
			 *name_of(parent) ? name_of(parent) : "<...>");
	else
		snprintf(name_of(tid), 16, "name-%u", named++);
	if (!inherits)
		maker_task(maker, cpu, tid, tid, parent, name_of(tid));
	for (uint32_t i = 0; i < CPUS; i++)
		if (runs[i] == tid)
			maker_current(maker, i, tid, tid, name_of(tid));
}

/* A task is born with the name of its parent or another one, is renamed, ends, or runs. */
static void task_happen(struct maker *maker, uint32_t cpu)
{
	uint32_t tid = tid_make();

	switch (rnd(5)) {
	case 0:
	case 1:
		task_name(maker, cpu, tid, tid_make());
		break;
	case 2:
		maker_exit(maker, cpu, tid);
		break;
	case 3:
		task_name(maker, cpu, tid, 0);
		break;
	default:
		task_run(maker, cpu, tid);
	}
}

static void event_happen(struct maker *maker, uint32_t cpu)
{
	struct maker_plain plain = {.state = now, .cpu_id = cpu};
	struct maker_syscall call = {.id = 1};

	if (rnd(4))
		maker_event(maker, cpu, MAKER_SYSCALL, &call, sizeof(call));
	else
		maker_event(maker, cpu, MAKER_PLAIN, &plain, sizeof(plain));
}

/* @tasks: so many in 1000 steps are about tasks. */
static void trace_make(uint32_t tasks, bool losses)
{
	struct maker *maker;

	scratch_make();
	maker = maker_create(directory, CPUS, 4, false, 77);
	CHECK(maker);
	now = CLOCK;
	memset(names, 0, sizeof(names));
	memset(runs, 0, sizeof(runs));
	for (uint32_t i = 0; i < NR_TASKS; i += 3) {
		strcpy(names[i], "known");
		maker_known(maker, FIRST_TID + i, FIRST_TID + i, 1, names[i]);
	}
	for (uint32_t i = 0; i < 60000; i++) {
		uint32_t cpu = rnd(8) ? i / 512 % CPUS : rnd(CPUS);

		now += rnd(3000);
		maker_time(maker, now);
		if (losses && i % 20000 == 5000)
			maker_stall(maker, 0, true);
		if (losses && i % 20000 == 15000)
			maker_stall(maker, 0, false);
		if (rnd(1000) < tasks)
			task_happen(maker, cpu);
		else if (rnd(1000) < 30)
			task_run(maker, cpu, tid_make());
		else
			event_happen(maker, cpu);
	}
	CHECK_EQ(maker_finish(maker, false), 0);
}

/* One line for each item, which has all that an event has. */
static char *items_of(struct ktrace *trace, uint64_t from, uint64_t *nr)
{
	const struct ktrace_cursor_options options = {
		.size = sizeof(options),
		.from = from,
	};
	struct ktrace_cursor *cursor;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int item;

	CHECK(f);
	CHECK_EQ(ktrace_cursor_create(trace, &options, &cursor), 0);
	for (*nr = 0; (item = ktrace_cursor_next(cursor)) > 0; ++*nr) {
		const struct ktrace_event *e = ktrace_cursor_event(cursor);
		const struct ktrace_loss *l = ktrace_cursor_loss(cursor);

		if (item == KTRACE_EVENT)
			fprintf(f, "%" PRIu64 " %u %s-%u/%u %s %u\n", e->time,
				e->cpu, e->comm, e->tid, e->tgid, e->type->name,
				e->size);
		else
			fprintf(f, "%" PRIu64 " %u lost %" PRIu64 " %u\n",
				l->time, l->cpu, l->count, l->cause);
	}
	CHECK_EQ(item, 0);
	ktrace_cursor_destroy(cursor);
	fclose(f);
	return text;
}

/* From the first line on whose time is not before @from. */
static const char *lines_from(const char *lines, uint64_t from)
{
	while (*lines && strtoull(lines, NULL, 10) < from)
		lines = strchr(lines, '\n') + 1;
	return lines;
}

static void check_seeks(void)
{
	uint64_t first, last, nr, before, begin, end;
	struct ktrace *trace;
	char *all, *part;

	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_time_range(trace, &first, &last), 0);
	all = items_of(trace, 0, &nr);
	CHECK(nr > 10000);
	begin = strtoull(all, NULL, 10);
	end = begin;
	for (const char *line = all; *line; line = strchr(line, '\n') + 1)
		end = strtoull(line, NULL, 10);
	CHECK(first <= begin && last >= end);
	before = nr;
	for (int i = 0; i < SEEKS; i++) {
		uint64_t from = first + (last - first) / SEEKS * i + rnd(1000);
		const char *expected = lines_from(all, from);

		part = items_of(trace, from, &nr);
		CHECK(nr <= before);
		if (strcmp(part, expected) != 0) {
			size_t at = 0;

			while (part[at] && part[at] == expected[at])
				at++;
			while (at && part[at - 1] != '\n')
				at--;
			check_fail("from %" PRIu64
				   ":\n# got  %.80s\n# want %.80s",
				   from, part + at, expected + at);
		}
		free(part);
	}
	part = items_of(trace, last + 1, &nr);
	CHECK_EQ(nr, 0);
	free(part);
	free(all);
	ktrace_close(trace);
}

TEST(many_tasks)
{
	trace_make(100, false);
	check_seeks();
}

TEST(few_tasks)
{
	trace_make(1, false);
	check_seeks();
}

TEST(no_tasks)
{
	trace_make(0, false);
	check_seeks();
}

TEST(losses)
{
	trace_make(50, true);
	check_seeks();
}

/* Overwrites @nr bytes at each of some places of CPU 1's stream. */
static void damage(uint32_t nr)
{
	static const uint8_t bytes[256];
	char path[512];
	struct stat st;
	int fd;

	path_of(path, "cpu1");
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	CHECK(!fstat(fd, &st));
	for (int i = 1; i < 4; i++)
		CHECK_EQ(pwrite(fd, bytes, nr, st.st_size / 4 * i & ~7), nr);
	close(fd);
}

TEST(damaged_records)
{
	trace_make(50, false);
	damage(16);
	check_seeks();
}

/* The first packet is whole, the second has no header any more. */
TEST(damaged_header)
{
	struct ktrace_memory stream;
	char path[512];
	uint32_t used;
	int fd;

	trace_make(50, false);
	stream = load("cpu2");
	memcpy(&used, (const char *)stream.data + 12, sizeof(used));
	free((void *)stream.data);
	path_of(path, "cpu2");
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	CHECK_EQ(pwrite(fd, "nothing", 8, (used + 7) & ~7u), 8);
	close(fd);
	check_seeks();
}

CHECK_MAIN
