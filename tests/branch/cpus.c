// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The buffers of CPUs become branches of threads (lib/branch/cpus.c). */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "branch/cpus.h"

#define CPUS	2
#define ENTRIES 64
#define VISITS	8

static struct kt_branch entries[CPUS][ENTRIES];
static struct branch_thread buffers[CPUS];
static struct visit visits[VISITS];
static struct cpus cpus;
static struct ktrace_branches branches;

static void begin(void)
{
	branches_free(&branches);
	memset(buffers, 0, sizeof(buffers));
	memset(visits, 0, sizeof(visits));
	for (int cpu = 0; cpu < CPUS; cpu++)
		buffers[cpu].entries = entries[cpu];
	cpus = (struct cpus){
		.buffers = buffers,
		.nr_buffers = CPUS,
		.visits = visits,
		.time = 1000,
	};
}

static void add(int cpu, enum kt_branch_kind kind, uint64_t from, uint64_t to)
{
	entries[cpu][buffers[cpu].shown.nr++] = (struct kt_branch){
		.from = from | (uint64_t)kind << KT_BRANCH_KIND_SHIFT,
		.to = to,
	};
}

static void stamp(int cpu, enum kt_branch_kind kind, uint64_t tid,
		  uint64_t time)
{
	add(cpu, kind, cpu | tid << KT_BRANCH_TID_SHIFT, time);
}

/* A thread comes at @time, takes a branch from there, and leaves. */
static void stay(int cpu, uint64_t tid, uint64_t time)
{
	stamp(cpu, KT_BRANCH_ARRIVES, tid, time);
	add(cpu, KT_BRANCH_JUMP, time, time + 1);
	stamp(cpu, KT_BRANCH_LEAVES, tid, time + 5);
}

static void visit(uint32_t tid, uint32_t number, uint64_t since)
{
	visits[cpus.nr_visits++] = (struct visit){
		.tid = tid,
		.comm = "name",
		.change = {.number = number, .since = since},
	};
}

/* The entries of a thread: letters for kinds, and for branches where they come from. */
static const char *part(size_t thread)
{
	static const char letters[KT_BRANCH_KINDS] = {
		[KT_BRANCH_ARRIVES] = 'A', [KT_BRANCH_LEAVES] = 'L',
		[KT_BRANCH_ENDS] = 'E',	   [KT_BRANCH_BEGINS] = 'B',
		[KT_BRANCH_TIME] = 'T',	   [KT_BRANCH_JUMP] = 'J',
	};
	static char text[1024];
	size_t at = 0;

	if (!branches.nr)
		CHECK_EQ(cpus_part(&cpus, &branches), 0);
	*text = '\0';
	for (size_t i = 0;
	     thread < branches.nr && i < branches.threads[thread].shown.nr;
	     i++) {
		struct ktrace_branch branch =
			ktrace_branches_get(&branches, thread, i);

		at += sprintf(text + at, "%c%lu ", letters[branch.kind],
			      branch.kind == KTRACE_BRANCH_JUMP ? branch.from
								: branch.to);
		if (ktrace_branch_is_stamp(&branch))
			CHECK(branch.from < CPUS);
	}
	return text;
}

TEST(a_thread_that_moves)
{
	begin();
	stay(0, 7, 10);
	stay(1, 8, 12);
	stay(1, 7, 20);
	stay(0, 7, 30);
	CHECK_STR(part(0), "A10 J10 L15 A20 J20 L25 A30 J30 L35 ");
	CHECK_STR(part(1), "A12 J12 L17 ");
	CHECK_EQ(branches.nr, 2);
	CHECK_EQ(branches.threads[0].shown.tid, 7);
}

TEST(what_was_overwritten)
{
	begin();
	stay(0, 7, 10);
	stay(0, 7, 30);
	stay(0, 7, 50);
	/* It may have been here, too, until the first stamp that is left. */
	buffers[1].shown.lost = 5;
	add(1, KT_BRANCH_JUMP, 1, 2);
	stay(1, 7, 40);
	CHECK_STR(part(0),
		  "A10 J10 L15 B30 A30 J30 L35 B40 A40 J40 L45 A50 J50 L55 ");
	CHECK_EQ(branches.cpus.lost, 1);
	begin();
	/* Nothing of a CPU that has lost nothing is missing. */
	buffers[0].shown.lost = 5;
	stay(0, 7, 10);
	stay(1, 7, 20);
	CHECK_STR(part(0), "A10 J10 L15 A20 J20 L25 ");
}

TEST(what_came_while_it_was_read)
{
	begin();
	cpus.time = 40;
	stay(0, 7, 10);
	/* This CPU was read later. */
	stay(1, 7, 20);
	stay(1, 7, 38);
	stay(1, 7, 50);
	CHECK_STR(part(0), "A10 J10 L15 A20 J20 L25 A38 J38 ");
}

TEST(it_was_traced_only_here)
{
	begin();
	stay(0, 7, 10);
	stamp(0, KT_BRANCH_BEGINS, 7, 30);
	add(0, KT_BRANCH_JUMP, 31, 32);
	/* Another one comes, and nobody has said that this one leaves. */
	stay(0, 8, 40);
	stay(0, 7, 50);
	CHECK_STR(part(0), "A10 J10 L15 B30 B30 J31 B50 A50 J50 L55 ");
	CHECK_STR(part(1), "A40 J40 L45 ");
}

TEST(a_number_that_is_used_again)
{
	begin();
	stamp(0, KT_BRANCH_ARRIVES, 7, 10);
	stamp(0, KT_BRANCH_ENDS, 7, 15);
	stay(1, 7, 20);
	visit(7, 0, 11);
	visit(7, 0, 21);
	visit(7, 1, 23);
	CHECK_STR(part(0), "A10 E15 ");
	CHECK_STR(part(1), "A20 J20 L25 ");
	CHECK(branches.threads[0].shown.ended);
	CHECK(!branches.threads[1].shown.ended);
	CHECK_EQ(branches.threads[0].mapped.nr, 1);
	CHECK_EQ(branches.threads[1].mapped.nr, 2);
	CHECK_EQ(branches.threads[1].mapped.changes[0].since, 0);
	CHECK_EQ(branches.threads[1].mapped.changes[1].since, 2);
	CHECK_STR(branches.threads[1].shown.comm, "name");
	/* If its end is not there, it is one thread, and its changes come in their order. */
	begin();
	stay(0, 7, 10);
	stay(0, 7, 20);
	visit(7, 1, 12);
	visit(7, 0, 11);
	visit(7, 0, 21);
	CHECK_STR(part(0), "A10 J10 L15 A20 J20 L25 ");
	CHECK_EQ(branches.threads[0].mapped.nr, 3);
	for (size_t i = 1; i < 3; i++)
		CHECK(branches.threads[0].mapped.changes[i - 1].since <=
		      branches.threads[0].mapped.changes[i].since);
	CHECK_EQ(branches.threads[0].mapped.changes[2].since, 5);
}

TEST(nothing)
{
	begin();
	CHECK_STR(part(0), "");
	CHECK_EQ(branches.nr, 0);
	branches_free(&branches);
}

CHECK_MAIN
