// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The time line of traces that no kernel made: what is told, and that nothing is guessed.
 *
 * Each call is a line; times are microseconds from the first event.
 */
#include <inttypes.h>

#include <ktrace/timeline.h>

#include "happen.h"

static FILE *told;
static char *told_text;
static size_t told_size;
static uint64_t start;
static uint64_t nr_events;
static uint64_t nr_told;	 /* events, without switches */
static uint32_t deepest;	 /* of open slices */
static uint32_t depths[1 << 16]; /* of open slices, by a hash of the track */
static struct ktrace_timeline_calls calls;

/* What is wanted of the events. */
static bool (*want)(const struct ktrace_event *event);

static uint64_t us(uint64_t time)
{
	return (time - start + 500) / 1000;
}

static const char *track_name(const struct ktrace_timeline_track *track)
{
	static const char *const kinds[KTRACE_TRACK_NR] = {
		"cpu", "calls", "raw", "functions", "markers", "requests"};
	static char name[64];

	if (track->thread && track->thread->tid)
		snprintf(name, sizeof(name), "%u %s/%u", track->thread->tid,
			 kinds[track->kind], track->number);
	else
		snprintf(name, sizeof(name), "%s/%u", kinds[track->kind],
			 track->number);
	return name;
}

static uint32_t *depth_of(const struct ktrace_timeline_slice *slice)
{
	return &depths[slice->track->id * 0x9e3779b97f4a7c15ull >> 48];
}

static bool
	ends; /* states are told with what is known of their ends, and nothing else is */

static int end_of_state_told(const struct ktrace_timeline_state *s)
{
	CHECK(s->open + s->cut + s->runs <= 1);
	fprintf(told, "%u %s %" PRIu64 "-%" PRIu64, s->thread->tid,
		ktrace_timeline_state_name(s->state), us(s->begin), us(s->end));
	if (s->open || s->cut)
		fputs(s->open ? " open" : " cut", told);
	if (s->runs)
		fprintf(told, " cpu%u", s->next_cpu);
	fputs("\n", told);
	return 0;
}

static int state_told(void *data, const struct ktrace_timeline_state *s)
{
	CHECK(s->end >= s->begin);
	if (!s->thread->tid)
		return 0;
	if (ends)
		return end_of_state_told(s);
	fprintf(told, "%u(%s) %s %" PRIu64 "-%" PRIu64 " cpu%u%s",
		s->thread->tid, s->thread->comm,
		ktrace_timeline_state_name(s->state), us(s->begin), us(s->end),
		s->cpu, s->open ? " open" : "");
	if (s->wake)
		fprintf(told, " wake%" PRIu64, s->wake);
	fputs("\n", told);
	return 0;
}

static int unknown_told(void *data, uint32_t cpu, uint64_t time)
{
	if (!ends)
		fprintf(told, "cpu%u ? %" PRIu64 "\n", cpu, us(time));
	return 0;
}

static int begin_told(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	CHECK_EQ(slice->end, 0);
	CHECK(!slice->data);
	slice->data = (void *)(uintptr_t)++(*depth_of(slice));
	if (*depth_of(slice) > deepest)
		deepest = *depth_of(slice);
	nr_told++;
	fprintf(told, "%s: %s {\n", track_name(slice->track),
		slice->span->name);
	return 0;
}

static int end_told(void *data, struct ktrace_timeline_slice *slice,
		    const struct ktrace_event *event)
{
	static const char *const how[] = {"", " lost", " unended", " died",
					  " open"};

	/* The innermost one. */
	CHECK_EQ((uintptr_t)slice->data, (*depth_of(slice))--);
	CHECK(slice->end >= slice->begin);
	CHECK(slice->track->time <= slice->end);
	nr_told += !!event;
	CHECK_EQ(!!event, slice->how == KTRACE_SLICE_ENDED);
	CHECK_EQ(!!slice->span, slice->how == KTRACE_SLICE_ENDED);
	fprintf(told, "%s: } %" PRIu64 "-%" PRIu64 "%s\n",
		track_name(slice->track), us(slice->begin), us(slice->end),
		how[slice->how]);
	return 0;
}

static int whole_told(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	nr_told++;
	fprintf(told, "%s: %s %" PRIu64 "-%" PRIu64 "\n",
		track_name(slice->track), slice->span->name, us(slice->begin),
		us(slice->end));
	return 0;
}

static int wake_told(void *data, const struct ktrace_timeline_wake *wake,
		     const struct ktrace_event *event)
{
	nr_told++;
	fprintf(told, "%s: %" PRIu64 " wake%" PRIu64 " of %u\n",
		track_name(wake->track), us(wake->time), wake->id,
		wake->thread->tid);
	return 0;
}

static int point_told(void *data, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event)
{
	nr_told++;
	fprintf(told, "%s: %" PRIu64 " %s\n", track_name(track),
		us(event->time), event->type->name);
	return 0;
}

static int loss_told(void *data, const struct ktrace_loss *loss)
{
	if (!ends)
		fprintf(told, "lost on %u\n", loss->cpu);
	return 0;
}

/* @full: all calls. */
static void timeline_read(struct ktrace *trace, bool full)
{
	struct ktrace_timeline *timeline;
	struct ktrace_cursor *cursor;
	int item;

	memset(depths, 0, sizeof(depths));
	nr_events = start = nr_told = deepest = 0;
	calls = (struct ktrace_timeline_calls){
		.size = sizeof(calls),
		.state = state_told,
		.unknown = unknown_told,
		.begin = begin_told,
		.end = end_told,
		.whole = whole_told,
		.wake = full ? wake_told : NULL,
		.point = full ? point_told : NULL,
		.loss = loss_told,
	};
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_timeline_create(cursor, &calls, &timeline), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		const struct ktrace_event *event = ktrace_cursor_event(cursor);

		if (item == KTRACE_LOSS) {
			CHECK_EQ(ktrace_timeline_loss(
					 timeline, ktrace_cursor_loss(cursor),
					 true),
				 0);
			continue;
		}
		if (!start)
			start = event->time;
		CHECK_EQ(ktrace_timeline_event(timeline, event,
					       !want || want(event)),
			 0);
		nr_events++;
	}
	CHECK_EQ(item, KTRACE_END);
	CHECK_EQ(ktrace_timeline_finish(timeline), 0);
	ktrace_timeline_destroy(timeline);
	ktrace_cursor_destroy(cursor);
	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++)
		CHECK_EQ(depths[i], 0);
}

static void check_told(bool full, const char *wanted)
{
	struct ktrace *trace = trace_end();

	told = open_memstream(&told_text, &told_size);
	timeline_read(trace, full);
	fclose(told);
	ktrace_close(trace);
	CHECK_STR(told_text, wanted);
	free(told_text);
	want = NULL;
	ends = false;
}

/* Another thread runs on the CPU. */
static void change(uint32_t cpu, uint32_t from, uint64_t state, uint32_t to,
		   const char *comm)
{
	struct maker_switch s = {.prev_pid = from,
				 .prev_prio = 120,
				 .prev_state = state,
				 .next_pid = to,
				 .next_prio = 100};

	strcpy(s.prev_comm, "x");
	strncpy(s.next_comm, comm, 15);
	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, cpu, MAKER_SWITCH, &s, sizeof(s)));
}

static void wake(uint32_t cpu, uint32_t tid, uint32_t target)
{
	struct maker_wakeup w = {.pid = tid, .prio = 120, .target_cpu = target};

	strcpy(w.comm, "woken");
	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, cpu, MAKER_WAKEUP, &w, sizeof(w)));
}

static void plain(uint32_t cpu)
{
	const struct maker_plain p = {1, cpu};

	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, cpu, MAKER_PLAIN, &p, sizeof(p)));
}

TEST(states)
{
	begin_cpus(2);
	run(0, 7, 7);
	maker_current(maker, 1, 0, 0, "swapper");
	change(0, 7, 1, 8, "eight"); /* 0: sleeps */
	wake(0, 7, 1);
	change(1, 0, 0, 7, "seven");
	change(0, 8, 2, 0, "swapper/0"); /* 3: blocked */
	change(1, 7, 0x100, 9, "nine");	 /* 4: preempted */
	change(0, 0, 0, 7, "seven");	 /* 5: on the other CPU */
	wake(0, 8, 1);
	wake(0, 8, 0);			 /* 7: it was woken before */
	wake(0, 9, 0);			 /* 8: it runs */
	change(1, 9, 0x10, 8, "eight");	 /* 9: it has ended */
	change(1, 8, 4, 0, "swapper/1"); /* 10: stopped */
	plain(0);
	check_told(true,
		   "7(program) running 0-0 cpu0\n"
		   "7(woken) sleeping 0-1 cpu0\n"
		   "8 calls/0: 1 wake1 of 7\n"
		   "7(seven) runnable 1-2 cpu0\n" /* cpu1 is not known yet */
		   "8(eight) running 0-3 cpu0\n"
		   "7(seven) running 2-4 cpu1 wake1\n"
		   "7(seven) preempted 4-5 cpu1\n"
		   "8(woken) blocked 3-6 cpu0\n"
		   "7 calls/0: 6 wake2 of 8\n"
		   "7 calls/0: 7 sched_wakeup\n"
		   "7 calls/0: 8 sched_wakeup\n"
		   "9(woken) running 4-9 cpu1\n"
		   "9(woken) dead 9-9 cpu1\n"
		   "8(eight) runnable 6-9 cpu1\n"
		   "8(eight) running 9-10 cpu1 wake2\n"
		   "7 calls/0: 11 cpu_idle\n"
		   "7(seven) running 5-11 cpu0 open\n"
		   "8(eight) stopped 10-11 cpu1 open\n");
}

/* Nothing is paired over a gap, and nobody is said to have slept in it. */
TEST(losses)
{
	uint32_t enter, exit;

	begin_cpus(2);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	run(0, 7, 7);
	run(1, 9, 9);
	happen(0, enter, 1);
	happen(1, enter, 1);
	change(0, 7, 1, 8, "eight"); /* 2 */
	change(1, 9, 2, 4, "four");
	change(1, 4, 0x100, 6, "six");
	wake(1, 5, 0);
	happen(0, enter, 1); /* 6 */
	gap_begin(0);
	clock_now += 100 * US;
	gap_end(0);
	happen(0, exit, 1);
	change(0, 8, 1, 7, "seven");
	change(1, 6, 1, 4, "four");
	happen(1, exit, 1);
	check_told(false, "7 calls/0: read {\n"
			  "9 calls/0: read {\n"
			  "7(program) running 0-2 cpu0\n"
			  "9(program) running 1-3 cpu1\n"
			  "4(four) running 3-4 cpu1\n"
			  "8 calls/0: read {\n"
			  "7 calls/0: } 0-6 lost\n"
			  "9 calls/0: } 1-6 lost\n"
			  "8 calls/0: } 6-6 lost\n"
			  "8(eight) running 2-6 cpu0\n"
			  "cpu0 ? 6\n"
			  "lost on 0\n"
			  "7(program) sleeping 2-6 cpu0\n"
			  "7(program) unknown 6-107 cpu0\n"
			  "7(program) running 107-108 cpu0\n"
			  "7(seven) sleeping 108-108 cpu0\n"
			  "6(six) running 4-109 cpu1\n"
			  "4(four) preempted 4-6 cpu1\n"
			  "4(four) unknown 6-109 cpu1\n"
			  "7(seven) running 108-110 cpu0 open\n"
			  "9(program) blocked 3-6 cpu1\n"
			  "9(program) unknown 6-110 cpu1 open\n"
			  "8(eight) unknown 6-110 cpu0 open\n"
			  "4(four) running 109-110 cpu1 open\n"
			  "6(six) sleeping 109-110 cpu1 open\n"
			  "5(woken) runnable 5-6 cpu0\n"
			  "5(woken) unknown 6-110 cpu0 open\n");
}

/* A gap is told at its end.  One that began before another one may end after it. */
TEST(gaps_overlap)
{
	begin_cpus(2);
	run(0, 7, 7);
	run(1, 9, 9);
	change(0, 7, 1, 8, "eight"); /* 0 */
	change(1, 9, 1, 6, "six");   /* 1 */
	gap_begin(1);
	clock_now += 10 * US;
	change(0, 8, 1, 5, "five"); /* 12 */
	gap_begin(0);
	clock_now += 10 * US;
	gap_end(0);
	plain(0); /* 23 */
	clock_now += 10 * US;
	gap_end(1);
	plain(1); /* 34 */
	check_told(false, "7(program) running 0-0 cpu0\n"
			  "9(program) running 1-1 cpu1\n"
			  "8(eight) running 0-12 cpu0\n"
			  "5(five) running 12-12 cpu0\n"
			  "cpu0 ? 12\n"
			  "lost on 0\n"
			  "7(program) sleeping 0-12 cpu0\n"
			  "7(program) unknown 12-23 cpu0\n"
			  "6(six) running 1-1 cpu1\n"
			  "cpu1 ? 1\n"
			  "lost on 1\n"
			  "9(program) sleeping 1-1 cpu1\n"
			  "9(program) unknown 1-34 cpu1\n"
			  "7(program) running 23-34 cpu0 open\n"
			  "8(eight) sleeping 12-12 cpu0\n"
			  "8(eight) unknown 12-34 cpu0 open\n"
			  "9(program) running 34-34 cpu1 open\n"
			  "6(six) unknown 1-34 cpu1 open\n"
			  "5(five) unknown 12-34 cpu0 open\n");
}

/*
 * Before a gap is told, the events of another CPU seem to say how long threads slept and waited,
 * but they may have run in the gap.
 */
TEST(gaps_that_are_still_to_come)
{
	begin_cpus(2);
	run(0, 7, 7);
	run(1, 9, 9);
	change(0, 7, 1, 8, "eight"); /* 0 */
	wake(0, 7, 0);
	change(1, 9, 1, 6, "six"); /* 2 */
	gap_begin(1);
	clock_now += 10 * US;
	change(0, 8, 1, 7,
	       "seven"); /* 13: 7 may have run, slept and been woken */
	wake(0, 9, 0);	 /* 14: 9 may have slept again */
	change(0, 7, 1, 9, "nine"); /* 15 */
	clock_now += 10 * US;
	gap_end(1);
	plain(1); /* 26 */
	check_told(false, "7(program) running 0-0 cpu0\n"
			  "7(woken) sleeping 0-1 cpu0\n"
			  "9(program) running 2-2 cpu1\n"
			  "8(eight) running 0-13 cpu0\n"
			  "7(seven) runnable 1-2 cpu0\n"
			  "7(seven) unknown 2-13 cpu0\n"
			  "9(woken) sleeping 2-2 cpu1\n"
			  "9(woken) unknown 2-14 cpu1\n"
			  "7(seven) running 13-15 cpu0\n"
			  "9(nine) runnable 14-14 cpu0\n"
			  "9(nine) unknown 14-15 cpu0\n"
			  "6(six) running 2-2 cpu1\n"
			  "cpu1 ? 2\n"
			  "lost on 1\n"
			  "9(nine) running 15-15 cpu0\n"
			  "cpu0 ? 15\n"
			  "9(nine) unknown 15-26 cpu0\n"
			  "7(seven) sleeping 15-15 cpu0\n"
			  "7(seven) unknown 15-26 cpu0 open\n"
			  "8(eight) sleeping 13-13 cpu0\n"
			  "8(eight) unknown 13-26 cpu0 open\n"
			  "9(nine) running 26-26 cpu1 open\n"
			  "6(six) unknown 2-26 cpu1 open\n");
}

/* Whoever was woken before a gap may have run in it, and been woken by another one. */
TEST(arrows_do_not_cross_gaps)
{
	begin_cpus(2);
	run(0, 7, 7);
	maker_current(maker, 1, 0, 0, "swapper");
	change(0, 7, 1, 8, "eight"); /* 0 */
	wake(0, 7, 0);
	gap_begin(1);
	clock_now += 10 * US;
	gap_end(1);
	plain(1);
	change(0, 8, 1, 7, "seven");
	plain(0);
	check_told(false, "7(program) running 0-0 cpu0\n"
			  "7(woken) sleeping 0-1 cpu0\n"
			  "cpu1 ? 1\n"
			  "lost on 1\n"
			  "8(eight) running 0-13 cpu0\n"
			  "7(seven) runnable 1-1 cpu0\n"
			  "7(seven) unknown 1-13 cpu0\n"
			  "7(seven) running 13-14 cpu0 open\n"
			  "8(eight) sleeping 13-14 cpu0 open\n");
}

/* Only a wait that ended when the thread ran says how long it was, and where it runs then. */
TEST(ends_of_waits)
{
	begin_cpus(2);
	run(0, 7, 7);
	maker_current(maker, 1, 0, 0, "swapper");
	change(0, 7, 1, 8, "eight"); /* 0 */
	wake(0, 7, 0);
	change(1, 0, 0, 7, "seven"); /* 2: on the other CPU */
	change(0, 8, 0, 6, "six");   /* 3: preempted */
	wake(1, 5, 1);		     /* 4 */
	change(0, 6, 1, 8, "eight"); /* 5 */
	wake(0, 6, 1);		     /* 6 */
	change(0, 8, 0, 9, "nine");  /* 7 */
	run(0, 5, 5);		     /* 5 runs there, without a switch */
	plain(0);		     /* 8 */
	wake(1, 4, 1);		     /* 9 */
	gap_begin(1);
	clock_now += 10 * US;
	gap_end(1);
	plain(1);      /* 20 */
	wake(1, 3, 0); /* 21 */
	plain(0);      /* 22 */
	ends = true;
	check_told(false, "7 running 0-0\n"
			  "7 sleeping 0-1\n"
			  "7 runnable 1-2 cpu1\n"
			  "8 running 0-3\n"
			  "6 running 3-5\n"
			  "8 preempted 3-5 cpu0\n"
			  "6 sleeping 5-6\n"
			  "8 running 5-7\n"
			  "9 running 7-7 cut\n"
			  "5 runnable 4-4 cut\n"
			  "5 unknown 4-8 cpu0\n"
			  "7 running 2-9 cut\n"
			  "7 unknown 9-22 open\n"
			  "8 preempted 7-9 cut\n"
			  "8 unknown 9-22 open\n"
			  "6 runnable 6-9 cut\n"
			  "6 unknown 9-22 open\n"
			  "5 running 8-22 open\n"
			  "9 unknown 7-22 open\n"
			  "4 runnable 9-9 cut\n"
			  "4 unknown 9-22 open\n"
			  "3 runnable 21-22 open\n");
}

/* A number that no CPU has, which viewers would take for the length of a list. */
TEST(hostile_cpu)
{
	begin_cpus(1);
	run(0, 7, 7);
	change(0, 7, 1, 8, "eight"); /* 0 */
	wake(0, 7, 4000000000u);
	change(0, 8, 1, 7, "seven");
	check_told(false, "7(program) running 0-0 cpu0\n"
			  "7(woken) sleeping 0-1 cpu0\n"
			  "8(eight) running 0-2 cpu0\n"
			  "7(seven) runnable 1-2 cpu0\n"
			  "7(seven) running 2-2 cpu0 open wake1\n"
			  "8(eight) sleeping 2-2 cpu0 open\n");
}

/* After it, the thread has the number of its process: it has none of its own any more. */
TEST(exec_by_another_thread)
{
	uint32_t enter, exit;

	begin_cpus(2);
	enter = type("syscalls", "sys_enter_execve", "filename");
	exit = type("syscalls", "sys_exit_execve", "ret");
	run(0, 7, 7);
	run(0, 8, 7);
	change(1, 0, 0, 9, "nine");
	happen(0, enter, 1);
	run(0, 7, 7);
	happen(0, exit, 0);
	plain(0);
	check_told(true, "8 calls/0: execve {\n"
			 "8(program) running 1-1 cpu0\n"
			 "cpu0 ? 1\n"
			 "8 calls/0: } 1-2\n"
			 "8(program) unknown 1-2 cpu0\n"
			 "7 calls/0: 3 cpu_idle\n"
			 "9(nine) running 0-3 cpu1 open\n"
			 "7(program) running 2-3 cpu0 open\n");
}

/* An event of another thread than the one that runs: a switch is missing. */
TEST(missing_switches)
{
	begin_cpus(2);
	run(0, 7, 7);
	change(0, 7, 1, 8, "eight"); /* 0 */
	plain(0);
	run(0, 9, 9);
	plain(0); /* 2 */
	change(0, 9, 1, 7, "seven");
	change(1, 0, 0, 7, "seven"); /* 4: which runs elsewhere */
	plain(0);
	check_told(false, "7(program) running 0-0 cpu0\n"
			  "8(eight) running 0-1 cpu0\n"
			  "cpu0 ? 1\n"
			  "9(program) running 2-3 cpu0\n"
			  "7(seven) sleeping 0-3 cpu0\n"
			  "7(seven) running 3-3 cpu0\n"
			  "cpu0 ? 3\n"
			  "7(seven) unknown 3-4 cpu0\n"
			  "7(seven) running 4-4 cpu1\n"
			  "cpu1 ? 4\n"
			  "7(seven) unknown 4-5 cpu1\n"
			  "7(seven) running 5-5 cpu0 open\n"
			  "8(eight) unknown 1-5 cpu0 open\n"
			  "9(program) sleeping 3-5 cpu0 open\n");
}

TEST(no_switches)
{
	uint32_t begin, end;

	begin_cpus(1);
	/* The maker has the type of the switches. */
	begin = type("app", "work_begin", "n");
	end = type("app", "work_end", "n");
	run(0, 7, 7);
	happen(0, begin, 1);
	happen(0, begin, 2);
	happen(0, end, 2);
	run(0, 8, 8);
	happen(0, end, 1);
	run(0, 7, 7);
	plain(0);
	check_told(true, "7 markers/0: work {\n"
			 "7 markers/0: work {\n"
			 "7 markers/0: } 1-2\n"
			 "8 calls/0: 3 work_end\n"
			 "7 calls/0: 4 cpu_idle\n"
			 "7 markers/0: } 0-4 open\n");
}

TEST(interrupts)
{
	uint32_t timer, timer_end, soft, soft_end, enter, exit;

	begin_cpus(1);
	timer = type("irq_vectors", "local_timer_entry", "vector");
	timer_end = type("irq_vectors", "local_timer_exit", "vector");
	soft = type("irq", "softirq_entry", "vec");
	soft_end = type("irq", "softirq_exit", "vec");
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	run(0, 7, 7);
	happen(0, enter, 1);
	happen(0, timer, 236);
	wake(0, 8, 0); /* 2: by the interrupt */
	happen(0, timer_end, 236);
	happen(0, soft, 1);
	happen(0, timer, 236); /* 5: without an end */
	change(0, 7, 0x100, 8, "eight");
	plain(0);
	happen(0, soft_end, 1);
	change(0, 8, 1, 7, "seven");
	happen(0, exit, 1);
	check_told(true, "7 calls/0: read {\n"
			 "cpu/0: local_timer {\n"
			 "cpu/0: 2 wake1 of 8\n"
			 "cpu/0: } 1-3\n"
			 "cpu/0: vec 1 {\n"
			 "cpu/0: local_timer {\n"
			 "cpu/0: } 5-6 unended\n"
			 "7(program) running 0-6 cpu0\n"
			 "8(eight) runnable 2-6 cpu0\n"
			 "8 calls/0: 7 cpu_idle\n"
			 "cpu/0: } 4-8\n"
			 "8(eight) running 6-9 cpu0 wake1\n"
			 "7(seven) preempted 6-9 cpu0\n"
			 "7 calls/0: } 0-10\n"
			 "7(seven) running 9-10 cpu0 open\n"
			 "8(eight) sleeping 9-10 cpu0 open\n");
}

/* The same number, another thread. */
TEST(numbers_are_used_again)
{
	uint32_t enter, fresh;

	begin_cpus(1);
	enter = type("syscalls", "sys_enter_read", "fd");
	fresh = type("sched", "sched_wakeup_new", "$comm pid target_cpu");
	run(0, 7, 7);
	happen(0, enter, 1);
	change(0, 7, 0x20, 8, "eight"); /* 1: it has ended in the call */
	happen(0, fresh, text("fresh"), 7, 0);
	change(0, 8, 1, 7, "seven");
	happen(0, fresh, text("again"), 8, 0); /* 4: its end is missing */
	change(0, 7, 1, 8, "eight");
	plain(0);
	check_told(true, "7 calls/0: read {\n"
			 "7 calls/0: } 0-1 died\n"
			 "7(program) running 0-1 cpu0\n"
			 "7(program) dead 1-1 cpu0\n"
			 "8 calls/0: 2 wake1 of 7\n"
			 "8(eight) running 1-3 cpu0\n"
			 "7(seven) runnable 2-3 cpu0\n"
			 "8(eight) sleeping 3-3 cpu0\n"
			 "8(eight) unknown 3-4 cpu0\n"
			 "7 calls/0: 4 wake2 of 8\n"
			 "7(program) running 3-5 cpu0 wake1\n"
			 "8(eight) runnable 4-5 cpu0\n"
			 "8 calls/0: 6 cpu_idle\n"
			 "7(program) sleeping 5-6 cpu0 open\n"
			 "8(eight) running 5-6 cpu0 open wake2\n");
}

/*
 * Begins without ends, and ends of what was given up: nothing grows, and no viewer gets slices that
 * are deeper than it draws.
 */
TEST(very_deep)
{
	uint32_t begin, end, enter;
	struct ktrace *trace;

	begin_cpus(1);
	begin = type("app", "work_begin", "n");
	end = type("app", "work_end", "n");
	enter = type("syscalls", "sys_enter_read", "fd");
	run(0, 7, 7);
	/* It is the outermost one of the thread, and on another track. */
	happen(0, enter, 1);
	for (int i = 0; i < 6000; i++)
		happen(0, begin, i);
	for (int i = 5700; i < 6000; i++)
		happen(0, end, i);
	for (int i = 0; i < 600; i++)
		happen(0, begin, i);
	trace = trace_end();
	told = fopen("/dev/null", "w");
	timeline_read(trace, true);
	CHECK_EQ(nr_events, 6901);
	CHECK_EQ(nr_told, nr_events);
	CHECK_EQ(deepest, 255);
	fclose(told);
	ktrace_close(trace);
}

/* Requests overlap: each is on a track of its own. */
TEST(requests)
{
	uint32_t issue, complete;

	begin_cpus(1);
	issue = type("block", "block_rq_issue", "dev sector $rwbs");
	complete = type("block", "block_rq_complete", "dev sector $rwbs");
	run(0, 7, 7);
	happen(0, issue, 1, 100, text("R"));
	happen(0, issue, 1, 200, text("W"));
	happen(0, complete, 1, 100, text("R"));
	happen(0, issue, 1, 300, text("W"));
	happen(0, complete, 1, 300, text("W"));
	happen(0, complete, 1, 200, text("W"));
	happen(0, issue, 1, 300, text("R"));
	check_told(true, "requests/0: R {\n"
			 "requests/1: W {\n"
			 "requests/0: } 0-2\n"
			 "requests/0: W {\n"
			 "requests/0: } 3-4\n"
			 "requests/1: } 1-5\n"
			 "requests/1: R {\n"
			 "requests/1: } 6-6 open\n");
}

static bool is_late(const struct ktrace_event *event)
{
	return start && event->time >= start + 3000;
}

/* One of the two events of a pair suffices. */
TEST(a_part)
{
	uint32_t enter, exit;

	begin_cpus(1);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	run(0, 7, 7);
	happen(0, enter, 1);
	happen(0, exit, 1);
	happen(0, enter, 1);
	change(0, 7, 1, 8, "eight"); /* 3: from here on */
	plain(0);
	change(0, 8, 1, 7, "seven");
	happen(0, exit, 1);
	want = is_late;
	check_told(true, "7(program) running 3-3 cpu0\n"
			 "8 calls/0: 4 cpu_idle\n"
			 "8(eight) running 3-5 cpu0\n"
			 "7(seven) sleeping 3-5 cpu0\n"
			 "7 calls/0: read 2-6\n"
			 "7(seven) running 5-6 cpu0 open\n"
			 "8(eight) sleeping 5-6 cpu0 open\n");
}

/* What began before the part is told with its own begin: so the outer one is outside. */
TEST(nested_before_a_part)
{
	uint32_t begin, end;

	begin_cpus(1);
	begin = type("app", "work_begin", "n");
	end = type("app", "work_end", "n");
	run(0, 7, 7);
	happen(0, begin, 1);
	happen(0, begin, 2);
	plain(0);
	plain(0); /* 3: from here on */
	happen(0, end, 2);
	happen(0, end, 1);
	want = is_late;
	check_told(true, "7 calls/0: 3 cpu_idle\n"
			 "7 markers/0: work 1-4\n"
			 "7 markers/0: work 0-5\n");
}

CHECK_MAIN
