// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * States that are told up to moments (ktrace_timeline_split()): the sums of the parts are those of
 * the whole, and where events are missing nothing is known, before the loss is told as well.
 */
#include <inttypes.h>

#include <ktrace/timeline.h>

#include "happen.h"

#define TIDS 16

static uint64_t sums[TIDS][KTRACE_STATE_NR];
static uint64_t upto[TIDS]; /* the end of the last state */
static uint64_t first;	    /* time of the first event */
static FILE *told;

static int state_told(void *data, const struct ktrace_timeline_state *s)
{
	uint32_t tid = s->thread->tid;

	CHECK(tid < TIDS);
	CHECK(s->end >= s->begin);
	if (!tid)
		return 0;
	/* A thread is in one state at a time, and in one after another. */
	CHECK(s->begin >= upto[tid]);
	upto[tid] = s->end;
	sums[tid][s->state] += s->end - s->begin;
	if (told)
		fprintf(told, "%u %s %" PRIu64 "-%" PRIu64 "%s\n", tid,
			ktrace_timeline_state_name(s->state),
			(s->begin - first + 500) / 1000,
			(s->end - first + 500) / 1000, s->open ? " open" : "");
	return 0;
}

/* Splits @every ns, or once, at @once ns after the first event; 0: not. */
static void read_split(struct ktrace *trace, uint64_t every, uint64_t once)
{
	const struct ktrace_timeline_calls calls = {.size = sizeof(calls),
						    .state = state_told};
	struct ktrace_timeline *timeline;
	struct ktrace_cursor *cursor;
	uint64_t next = 0;
	int item;

	memset(sums, 0, sizeof(sums));
	memset(upto, 0, sizeof(upto));
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_timeline_create(cursor, &calls, &timeline), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		const struct ktrace_event *event = ktrace_cursor_event(cursor);
		const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
		uint64_t time = item == KTRACE_LOSS ? loss->time : event->time;

		if (!next) {
			first = time;
			next = every || once ? time + every + once : UINT64_MAX;
		}
		for (; next <= time; next = every ? next + every : UINT64_MAX)
			CHECK_EQ(ktrace_timeline_split(timeline, next), 0);
		CHECK_EQ(item == KTRACE_LOSS
				 ? ktrace_timeline_loss(timeline, loss, true)
				 : ktrace_timeline_event(timeline, event, true),
			 0);
	}
	CHECK_EQ(item, KTRACE_END);
	CHECK_EQ(ktrace_timeline_finish(timeline), 0);
	ktrace_timeline_destroy(timeline);
	ktrace_cursor_destroy(cursor);
}

/* Many splits, of few and of many events. */
static void check_sums(struct ktrace *trace)
{
	static uint64_t whole[TIDS][KTRACE_STATE_NR];
	uint64_t all = 0;

	read_split(trace, 0, 0);
	memcpy(whole, sums, sizeof(sums));
	for (uint64_t every = 100; every < 20000; every += 300) {
		read_split(trace, every, 0);
		for (uint32_t tid = 0; tid < TIDS; tid++)
			for (int i = 0; i < KTRACE_STATE_NR; i++) {
				CHECK_EQ(sums[tid][i], whole[tid][i]);
				all += sums[tid][i];
			}
	}
	CHECK(all);
}

static void check_told(struct ktrace *trace, uint64_t once, const char *wanted)
{
	char *text;
	size_t size;

	told = open_memstream(&text, &size);
	read_split(trace, 0, once);
	fclose(told);
	told = NULL;
	CHECK_STR(text, wanted);
	free(text);
}

static void change(uint32_t cpu, uint32_t from, uint64_t state, uint32_t to)
{
	const struct maker_switch s = {.prev_pid = from,
				       .prev_prio = 120,
				       .prev_state = state,
				       .next_pid = to,
				       .next_prio = 120,
				       .next_comm = "next"};

	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, cpu, MAKER_SWITCH, &s, sizeof(s)));
}

static void wake(uint32_t cpu, uint32_t tid)
{
	const struct maker_wakeup w = {
		.pid = tid, .prio = 120, .target_cpu = cpu, .comm = "woken"};

	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, cpu, MAKER_WAKEUP, &w, sizeof(w)));
}

static void plain(uint32_t cpu)
{
	const struct maker_plain p = {1, cpu};

	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, cpu, MAKER_PLAIN, &p, sizeof(p)));
}

TEST(all_states)
{
	struct ktrace *trace;

	begin_cpus(2);
	run(0, 7, 7);
	run(1, 3, 3);
	change(0, 7, 1, 8); /* 0: sleeps */
	change(1, 3, 1, 0);
	clock_now += 7 * US;
	wake(0, 7);	    /* 9 */
	change(0, 8, 2, 7); /* 10: blocked */
	wake(0, 8);
	change(0, 7, 0, 8); /* 12: preempted */
	change(1, 0, 0, 9);
	change(1, 9, 4, 0); /* 14: stopped */
	change(0, 8, 0x10, 7);
	clock_now += 7 * US;
	plain(0); /* 23 */
	trace = trace_end();
	check_sums(trace);
	check_told(trace, 5200,
		   "7 running 0-0\n"
		   "3 running 1-1\n"
		   "7 sleeping 0-5 open\n"
		   "8 running 0-5 open\n"
		   "3 sleeping 1-5 open\n"
		   "7 sleeping 5-9\n"
		   "8 running 5-10\n"
		   "7 runnable 9-10\n"
		   "8 blocked 10-11\n"
		   "7 running 10-12\n"
		   "8 runnable 11-12\n"
		   "9 running 13-14\n"
		   "8 running 12-15\n"
		   "8 dead 15-15\n"
		   "7 preempted 12-15\n"
		   "7 running 15-23 open\n"
		   "3 sleeping 5-23 open\n"
		   "9 stopped 14-23 open\n");
	ktrace_close(trace);
}

/* A gap of one CPU: the split is in it, and the loss is told behind it. */
TEST(in_a_gap)
{
	struct ktrace *trace;

	begin_cpus(2);
	run(0, 7, 7);
	run(1, 9, 9);
	change(0, 7, 1, 8); /* 0 */
	change(1, 9, 1, 6);
	gap_begin(0); /* from here on nothing is known of 7, 8 and 9 */
	clock_now += 100 * US;
	gap_end(0);
	plain(1); /* 102 */
	change(0, 8, 1, 7);
	trace = trace_end();
	check_sums(trace);
	check_told(trace, 50200,
		   "7 running 0-0\n"
		   "9 running 1-1\n"
		   "7 sleeping 0-1\n"
		   "7 unknown 1-50 open\n"
		   "8 running 0-1\n"
		   "8 unknown 1-50 open\n"
		   "9 sleeping 1-1\n"
		   "9 unknown 1-50 open\n"
		   "6 running 1-50 open\n"
		   "7 sleeping 50-50\n"
		   "7 unknown 50-103\n"
		   "7 running 103-103\n"
		   "7 sleeping 103-103\n"
		   "7 running 103-103 open\n"
		   "8 unknown 50-103 open\n"
		   "9 sleeping 50-50\n"
		   "9 unknown 50-103 open\n"
		   "6 running 50-103 open\n");
	ktrace_close(trace);
}

/* Before the first switch no states are told, and then with their begin. */
TEST(before_the_first_switch)
{
	struct ktrace *trace;

	begin_cpus(1);
	run(0, 7, 7);
	plain(0); /* 0 */
	clock_now += 9 * US;
	plain(0);
	change(0, 7, 1, 8); /* 11 */
	plain(0);
	trace = trace_end();
	check_sums(trace);
	check_told(trace, 5000,
		   "7 running 0-11\n"
		   "7 sleeping 11-12 open\n"
		   "8 running 11-12 open\n");
	ktrace_close(trace);
}

CHECK_MAIN
