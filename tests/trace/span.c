// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Spans of traces that no kernel made: every kind, and what must not be paired.
 *
 * A test makes events one microsecond apart, and compares the spans.  Each is a line, in
 * the order of their ends: kind, name, thread, depth, microseconds.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdarg.h>

#include <ktrace/span.h>

#include "happen.h"

static struct ktrace_span_counts counts[KTRACE_SPAN_NR];

static void events_read(struct ktrace *trace, FILE *out, bool losses)
{
	const struct ktrace_span *span;
	struct ktrace_cursor *cursor;
	struct ktrace_spans *spans;
	int item, step;

	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_LOSS) {
			CHECK(losses);
			ktrace_spans_loss(spans, ktrace_cursor_loss(cursor));
			continue;
		}
		step = ktrace_spans_event(spans, ktrace_cursor_event(cursor));
		CHECK(step >= 0);
		for (int i = 0; i < KTRACE_SPAN_NR; i++)
			CHECK(ktrace_spans_open(
				      spans, ktrace_cursor_event(cursor), i) <=
			      ktrace_spans_counts(spans, i)->open);
		if (!(step & KTRACE_SPAN_ENDS) || !out)
			continue;
		span = ktrace_spans_ended(spans);
		CHECK(span->end >= span->begin);
		fprintf(out, "%s %s tid=%u depth=%u us=%" PRIu64 "\n",
			ktrace_span_kind_name(span->kind), span->name,
			span->tid, span->depth,
			(span->end - span->begin) / 1000);
	}
	CHECK_EQ(item, KTRACE_END);
	for (int i = 0; i < KTRACE_SPAN_NR; i++)
		counts[i] = *ktrace_spans_counts(spans, i);
	ktrace_spans_destroy(spans);
	ktrace_cursor_destroy(cursor);
}

/* @want: the spans; then, for each kind that occurs, the counts of what began. */
static void check_spans(bool losses, const char *want)
{
	struct ktrace *trace = trace_end();
	char *got;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	events_read(trace, out, losses);
	for (int i = 0; i < KTRACE_SPAN_NR; i++) {
		const struct ktrace_span_counts *c = &counts[i];

		if (c->ended + c->lost + c->unended + c->died + c->open +
		    c->unbegun)
			fprintf(out,
				"%s: ended %" PRIu64 " lost %" PRIu64
				" unended %" PRIu64 " died %" PRIu64
				" open %" PRIu64 " unbegun %" PRIu64 "\n",
				ktrace_span_kind_name(i), c->ended, c->lost,
				c->unended, c->died, c->open, c->unbegun);
	}
	fclose(out);
	ktrace_close(trace);
	CHECK_STR(got, want);
	free(got);
}

/* Reads only the counts. */
static void counts_read(void)
{
	struct ktrace *trace = trace_end();

	events_read(trace, NULL, false);
	ktrace_close(trace);
}

/* ---- every kind ----------------------------------------------------------- */

TEST(calls)
{
	uint32_t enter, exit, write, written;

	begin_cpus(1);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	write = type("compat_syscalls", "sys_enter_write", "fd");
	written = type("compat_syscalls", "sys_exit_write", "ret");
	run(0, 7, 7);
	happen(0, exit, 1); /* began before the trace */
	happen(0, enter, 3);
	run(0, 8, 8);
	happen(0, write, 3);
	run(0, 7, 7);
	happen(0, exit, 5);
	happen(0, enter, 3); /* its exit is missing */
	happen(0, enter, 3);
	happen(0, exit, 5);
	run(0, 8, 8);
	happen(0, written, 5);
	happen(0, write, 3); /* open at the end */
	check_spans(false, "syscall read tid=7 depth=0 us=2\n"
			   "syscall read tid=7 depth=0 us=1\n"
			   "syscall write tid=8 depth=0 us=5\n"
			   "syscall: ended 3 lost 0 unended 1 died 0 open 1 "
			   "unbegun 1\n");
}

/* If one event stands for all calls, the number in it identifies the call. */
TEST(numbers_that_differ_are_no_pair)
{
	uint32_t exit;
	struct maker_syscall call = {.id = 0};

	begin_cpus(1);
	exit = type("raw_syscalls", "sys_exit", "id ret");
	run(0, 7, 7);
	maker_time(maker, clock_now += US);
	maker_event(maker, 0, MAKER_SYSCALL, &call, sizeof(call));
	happen(0, exit, 1, 0);
	happen(0, exit, 0, 0);
	call.id = 39;
	maker_event(maker, 0, MAKER_SYSCALL, &call, sizeof(call));
	happen(0, exit, 39, 0);
	check_spans(false, "syscall syscall_0 tid=7 depth=0 us=2\n"
			   "syscall syscall_0x27 tid=7 depth=0 us=1\n"
			   "syscall: ended 2 lost 0 unended 0 died 0 open 0 "
			   "unbegun 1\n");
}

TEST(names_that_differ_are_no_pair)
{
	uint32_t enter, exit, sigreturn, unknown, execve, execveat;

	begin_cpus(1);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_write", "ret");
	sigreturn = type("syscalls", "sys_enter_rt_sigreturn", "regs");
	unknown = type("syscalls", "sys_exit_unknown", "ret");
	execve = type("syscalls", "sys_enter_execve", "name");
	execveat = type("compat_syscalls", "sys_exit_execveat", "ret");
	run(0, 7, 7);
	happen(0, enter, 3);
	happen(0, exit, 1);
	happen(0, unknown, 1);
	happen(0, sigreturn, 0);
	happen(0, unknown, 1);
	happen(0, execve, 1);
	happen(0, execveat, 0);
	check_spans(false, "syscall rt_sigreturn tid=7 depth=0 us=1\n"
			   "syscall execve tid=7 depth=0 us=1\n"
			   "syscall: ended 2 lost 0 unended 1 died 0 open 0 "
			   "unbegun 2\n");
}

/* A thread that calls exec continues under the number of its process. */
TEST(exec_of_another_thread)
{
	uint32_t wait, execve, done;

	begin_cpus(1);
	wait = type("syscalls", "sys_enter_futex", "word");
	execve = type("syscalls", "sys_enter_execve", "name");
	done = type("syscalls", "sys_exit_execve", "ret");
	run(0, 7, 7);
	happen(0, wait, 1);
	run(0, 8, 7);
	happen(0, execve, 1);
	run(0, 9, 9);
	happen(0, execve, 1); /* of another process */
	run(0, 7, 7);
	happen(0, done, 0);
	check_spans(false, "syscall execve tid=8 depth=0 us=2\n"
			   "syscall: ended 1 lost 0 unended 0 died 1 open 1 "
			   "unbegun 0\n");
}

TEST(interrupts_nest)
{
	uint32_t irq, irq_end, soft, soft_end, vector, vector_end;

	begin_cpus(2);
	irq = type("irq", "irq_handler_entry", "irq $name");
	irq_end = type("irq", "irq_handler_exit", "irq ret");
	soft = type("irq", "softirq_entry", "vec");
	soft_end = type("irq", "softirq_exit", "vec");
	vector = type("irq_vectors", "local_timer_entry", "vector");
	vector_end = type("irq_vectors", "local_timer_exit", "vector");
	run(0, 7, 7);
	run(1, 8, 8);
	happen(0, soft, 3);
	happen(1, soft, 3);
	happen(0, irq, 24, text("eth0"));
	happen(0, vector, 236);
	happen(0, vector_end, 236);
	happen(0, irq_end, 24, 1);
	happen(1, soft_end, 3);
	happen(0, soft_end, 3);
	happen(1, irq_end, 24, 1); /* alone */
	check_spans(false, "irq local_timer tid=7 depth=2 us=1\n"
			   "irq eth0 tid=7 depth=1 us=3\n"
			   "softirq vec 3 tid=8 depth=0 us=5\n"
			   "softirq vec 3 tid=7 depth=0 us=7\n"
			   "irq: ended 2 lost 0 unended 0 died 0 open 0 "
			   "unbegun 1\n"
			   "softirq: ended 2 lost 0 unended 0 died 0 open 0 "
			   "unbegun 0\n");
}

/* An entry without an exit is dropped; what is around it is still paired. */
TEST(interrupt_without_exit)
{
	uint32_t irq, irq_end, soft, soft_end;

	begin_cpus(1);
	irq = type("irq", "irq_handler_entry", "irq $name");
	irq_end = type("irq", "irq_handler_exit", "irq ret");
	soft = type("irq", "softirq_entry", "vec");
	soft_end = type("irq", "softirq_exit", "vec");
	happen(0, soft, 3);
	happen(0, irq, 24, text("eth0")); /* no exit */
	happen(0, soft_end, 3);
	happen(0, irq, 24, text("eth0")); /* no exit */
	happen(0, soft, 1);		  /* no exit */
	happen(0, irq, 24, text("eth0"));
	happen(0, irq_end, 24, 1);
	check_spans(false, "softirq vec 3 tid=0 depth=0 us=2\n"
			   "irq eth0 tid=0 depth=0 us=1\n"
			   "irq: ended 1 lost 0 unended 2 died 0 open 0 "
			   "unbegun 0\n"
			   "softirq: ended 1 lost 0 unended 1 died 0 open 0 "
			   "unbegun 0\n");
}

static void switch_to(uint32_t cpu, uint32_t prev, uint32_t next)
{
	const struct maker_switch s = {.prev_pid = prev, .next_pid = next};

	maker_time(maker, clock_now += US);
	CHECK(maker_event(maker, cpu, MAKER_SWITCH, &s, sizeof(s)));
}

TEST(times_on_the_cpu)
{
	begin_cpus(2);
	run(0, 7, 7);
	run(1, 8, 8);
	switch_to(0, 7, 9); /* 7 ran before the trace */
	switch_to(1, 8, 7);
	switch_to(0, 9, 0);
	switch_to(1, 7, 8);
	switch_to(0, 0, 7);
	switch_to(0, 6, 8); /* not the task that ran */
	check_spans(false, "cpu on CPU tid=9 depth=0 us=2\n"
			   "cpu on CPU tid=7 depth=0 us=2\n"
			   "cpu idle tid=0 depth=0 us=2\n"
			   "cpu: ended 3 lost 0 unended 1 died 0 open 2 "
			   "unbegun 3\n");
}

TEST(requests)
{
	uint32_t issue, complete, requeue;

	begin_cpus(2);
	/*
	 * The maker's own event is like the kernel's; this one has only the fields that are
	 * needed.
	 */
	issue = type("block", "block_rq_issue", "dev sector $rwbs");
	complete = type("block", "block_rq_complete", "dev sector");
	requeue = type("block", "block_rq_requeue", "dev sector");
	run(0, 7, 7);
	happen(0, issue, 8, 100, text("WS"));
	happen(0, issue, 8, 200, text("R"));
	happen(0, issue, 9, 100, text("R"));
	happen(1, complete, 8, 200);
	happen(1, complete, 8, 100);
	happen(1, complete, 8, 100); /* alone */
	happen(0, issue, 8, 300, text("R"));
	happen(0, requeue, 8, 300);
	happen(0, issue, 8, 300, text("R"));
	happen(1, complete, 8, 300);
	/* Two at once with the same key: it is unknown which one completes. */
	happen(0, issue, 8, 0, text("FF"));
	happen(0, issue, 8, 0, text("FF"));
	happen(1, complete, 8, 0);
	happen(1, complete, 8, 0);
	happen(0, issue, 8, 0, text("FF"));
	happen(1, complete, 8, 0);
	check_spans(false, "block R tid=7 depth=0 us=2\n"
			   "block WS tid=7 depth=0 us=4\n"
			   "block R tid=7 depth=0 us=1\n"
			   "block FF tid=7 depth=0 us=1\n"
			   "block: ended 4 lost 0 unended 3 died 0 open 1 "
			   "unbegun 1\n");
}

TEST(markers_nest)
{
	uint32_t a, a_end, b, b_end, enter, exit;

	begin_cpus(2);
	a = type("shop", "order_begin", "n");
	a_end = type("shop", "order_end", "n");
	b = type("shop", "pay_begin", "n");
	b_end = type("shop", "pay_end", "n");
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	run(0, 7, 7);
	happen(0, a, 1);
	happen(0, b, 1);
	happen(0, enter, 3);
	run(0, 8, 7);
	happen(0, a, 2);
	run(1, 7, 7); /* it continues on another CPU */
	happen(1, exit, 0);
	happen(1, b_end, 1);
	happen(1, a, 1); /* recursion */
	happen(1, a_end, 1);
	happen(1, b, 1); /* no end */
	happen(1, a_end, 1);
	happen(0, b_end, 2); /* alone */
	check_spans(false, "syscall read tid=7 depth=2 us=2\n"
			   "marker pay tid=7 depth=1 us=4\n"
			   "marker order tid=7 depth=1 us=1\n"
			   "marker order tid=7 depth=0 us=9\n"
			   "syscall: ended 1 lost 0 unended 0 died 0 open 0 "
			   "unbegun 0\n"
			   "marker: ended 3 lost 0 unended 1 died 0 open 1 "
			   "unbegun 1\n");
}

/* Who spins for a mutex first begins to wait twice, and all of that is one wait. */
TEST(locks_waited_for_twice)
{
	uint32_t begin, end;

	begin_cpus(1);
	begin = type("lock", "contention_begin", "lock_addr flags");
	end = type("lock", "contention_end", "lock_addr ret");
	run(0, 7, 7);
	happen(0, begin, 5, 33);
	happen(0, begin, 5, 32);
	happen(0, begin, 6, 1); /* of an interrupt */
	happen(0, end, 6, 0);
	happen(0, end, 5, 0);
	happen(0, begin, 5, 32);
	happen(0, end, 5, 0);
	happen(0, end, 5, 0); /* alone */
	check_spans(false, "marker contention tid=7 depth=1 us=1\n"
			   "marker contention tid=7 depth=0 us=4\n"
			   "marker contention tid=7 depth=0 us=1\n"
			   "marker: ended 3 lost 0 unended 0 died 0 open 0 "
			   "unbegun 1\n");
}

/* Deeper than the limit: the outermost spans are dropped, and no end is paired wrongly. */
TEST(markers_of_a_deep_recursion)
{
	uint32_t a, a_end;

	begin_cpus(1);
	a = type("shop", "order_begin", "n");
	a_end = type("shop", "order_end", "n");
	run(0, 7, 7);
	for (int i = 0; i < 1000; i++)
		happen(0, a, i);
	for (int i = 0; i < 1000; i++)
		happen(0, a_end, i);
	counts_read();
	CHECK_EQ(counts[KTRACE_SPAN_MARKER].ended, 256);
	CHECK_EQ(counts[KTRACE_SPAN_MARKER].unended, 744);
	CHECK_EQ(counts[KTRACE_SPAN_MARKER].unbegun, 744);
	CHECK_EQ(counts[KTRACE_SPAN_MARKER].open, 0);
}

/* ---- threads that end ----------------------------------------------------- */

TEST(death_ends_calls)
{
	uint32_t enter, exit, process_exit;

	begin_cpus(1);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	process_exit = type("sched", "sched_process_exit", "pid");
	run(0, 7, 7);
	happen(0, enter, 3);
	CHECK(maker_exit(maker, 0, 7));
	run(0, 7, 7); /* the same number again */
	happen(0, exit, 5);
	happen(0, enter, 3);
	happen(0, process_exit, 7);
	happen(0, exit, 5);
	check_spans(false, "syscall: ended 0 lost 0 unended 0 died 2 open 0 "
			   "unbegun 2\n");
}

/* The thread's end is not in the trace, but another process has its number. */
TEST(number_of_another_process)
{
	uint32_t a, a_end;

	begin_cpus(1);
	a = type("shop", "order_begin", "n");
	a_end = type("shop", "order_end", "n");
	run(0, 7, 5);
	happen(0, a, 3);
	run(0, 7, 6);
	happen(0, a_end, 3);
	check_spans(false, "marker: ended 0 lost 0 unended 0 died 1 open 0 "
			   "unbegun 1\n");
}

static size_t memory_used(void)
{
	return mallinfo2().uordblks;
}

/* Threads are created and end, each in a call: only living threads take memory. */
TEST(many_threads)
{
	struct ktrace_cursor *cursor;
	struct ktrace_spans *spans;
	struct ktrace *trace;
	size_t before, most = 0;
	uint32_t enter, exit, a;
	int item, events = 0;

	begin_cpus(1);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	a = type("shop", "order_begin", "n");
	for (uint32_t tid = 10; tid < 100010; tid++) {
		run(0, tid, tid);
		happen(0, a, 1);
		happen(0, enter, 3);
		happen(0, exit, 3);
		happen(0, enter, 3);
		CHECK(maker_exit(maker, 0, tid));
	}
	trace = trace_end();
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	before = memory_used();
	while ((item = ktrace_cursor_next(cursor)) == KTRACE_EVENT) {
		CHECK(ktrace_spans_event(spans, ktrace_cursor_event(cursor)) >=
		      0);
		if (++events % 1000 == 0 && memory_used() > most)
			most = memory_used();
	}
	CHECK_EQ(item, KTRACE_END);
	/* The cursor also remembers the threads that ended last; 1 MB is enough for both. */
	CHECK(most < before + (1 << 20));
	CHECK_EQ(ktrace_spans_counts(spans, KTRACE_SPAN_SYSCALL)->ended,
		 100000);
	CHECK_EQ(ktrace_spans_counts(spans, KTRACE_SPAN_SYSCALL)->died +
			 ktrace_spans_counts(spans, KTRACE_SPAN_SYSCALL)->open,
		 100000);
	ktrace_spans_destroy(spans);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

/* Between two events of spans, more threads end than the cursor remembers. */
TEST(many_deaths_at_once)
{
	uint32_t enter;

	begin_cpus(1);
	enter = type("syscalls", "sys_enter_read", "fd");
	for (uint32_t tid = 10; tid < 10010; tid++) {
		run(0, tid, tid);
		happen(0, enter, 3);
	}
	for (uint32_t tid = 10; tid < 10009; tid++)
		CHECK(maker_exit(maker, 0, tid));
	happen(0, enter, 3);
	counts_read();
	CHECK_EQ(counts[KTRACE_SPAN_SYSCALL].died, 9999);
	CHECK_EQ(counts[KTRACE_SPAN_SYSCALL].open, 1);
}

/* Requests whose completion is not recorded. */
TEST(requests_without_end)
{
	uint32_t issue, complete;

	begin_cpus(1);
	issue = type("block", "block_rq_issue", "dev sector $rwbs");
	complete = type("block", "block_rq_complete", "dev sector");
	for (uint32_t i = 0; i < 100000; i++)
		happen(0, issue, 8, i, text("W"));
	happen(0, complete, 8, 0);
	happen(0, complete, 8, 99999);
	counts_read();
	CHECK_EQ(counts[KTRACE_SPAN_BLOCK].ended, 1);
	CHECK_EQ(counts[KTRACE_SPAN_BLOCK].unbegun, 1);
	CHECK_EQ(counts[KTRACE_SPAN_BLOCK].open, 65535);
	CHECK_EQ(counts[KTRACE_SPAN_BLOCK].unended, 100000 - 65536);
}

/* ---- what is made to cost time ------------------------------------------------ */

/* An event that looks at all that is open takes minutes here. */
#define REQUESTS 65536
#define MANY	 300000

static uint32_t requests_open(uint64_t dev, uint64_t sector)
{
	uint32_t issue = type("block", "block_rq_issue", "dev sector $rwbs");
	uint32_t complete = type("block", "block_rq_complete", "dev sector");

	for (uint64_t i = 0; i < REQUESTS; i++)
		happen(0, issue, dev * i, sector * i, text("W"));
	return complete;
}

/* Numbers with one sum: a hash that is known has them all in one place. */
TEST(requests_that_look_alike)
{
	uint32_t complete;

	begin_cpus(1);
	complete = requests_open(1, -31ull);
	for (uint64_t i = 0; i < REQUESTS; i++)
		happen(0, complete, i, -31ull * i);
	counts_read();
	CHECK_EQ(counts[KTRACE_SPAN_BLOCK].ended, REQUESTS);
}

TEST(execs_that_never_began)
{
	uint32_t exit;

	begin_cpus(1);
	requests_open(0, 8);
	exit = type("syscalls", "sys_exit_execve", "ret");
	run(0, 7, 7);
	for (int i = 0; i < MANY; i++)
		happen(0, exit, 0);
	counts_read();
	CHECK_EQ(counts[KTRACE_SPAN_BLOCK].open, REQUESTS);
	CHECK_EQ(counts[KTRACE_SPAN_SYSCALL].unbegun, MANY);
}

/* Of the threads of a process that exec, the one that is left goes on. */
TEST(execs_of_many_threads)
{
	uint32_t enter, exit;

	begin_cpus(1);
	enter = type("syscalls", "sys_enter_execve", "filename");
	exit = type("syscalls", "sys_exit_execve", "ret");
	for (uint32_t tid = 1001; tid <= 1100; tid++) {
		run(0, tid, 1000);
		happen(0, enter, 1);
	}
	for (uint32_t tid = 1001; tid <= 1100; tid++)
		if (tid != 1050)
			CHECK(maker_exit(maker, 0, tid));
	run(0, 1000, 1000);
	happen(0, exit, 0);
	counts_read();
	CHECK_EQ(counts[KTRACE_SPAN_SYSCALL].ended, 1);
	CHECK_EQ(counts[KTRACE_SPAN_SYSCALL].died, 99);
}

TEST(losses_that_hit_none)
{
	const struct ktrace_loss loss = {.count = 1, .programs = true};
	struct ktrace_cursor *cursor;
	struct ktrace_spans *spans;
	struct ktrace *trace;

	begin_cpus(1);
	requests_open(0, 8);
	trace = trace_end();
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	while (ktrace_cursor_next(cursor) > 0)
		CHECK(ktrace_spans_event(spans, ktrace_cursor_event(cursor)) >=
		      0);
	for (int i = 0; i < MANY; i++)
		ktrace_spans_loss(spans, &loss);
	CHECK_EQ(ktrace_spans_counts(spans, KTRACE_SPAN_BLOCK)->open, REQUESTS);
	ktrace_spans_destroy(spans);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

/* ---- losses --------------------------------------------------------------- */

/* The exit and the next entry are lost: the rest looks like a pair. */
TEST(loss_in_the_middle)
{
	uint32_t enter, exit, soft, soft_end;

	begin_cpus(1);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	soft = type("irq", "softirq_entry", "vec");
	soft_end = type("irq", "softirq_exit", "vec");
	run(0, 7, 7);
	happen(0, enter, 3);
	happen(0, soft, 3);
	gap_begin(0);
	gap_end(0);
	happen(0, soft_end, 3);
	happen(0, exit, 3);
	happen(0, enter, 3);
	happen(0, exit, 3);
	check_spans(true, "syscall read tid=7 depth=0 us=1\n"
			  "syscall: ended 1 lost 1 unended 0 died 0 open 0 "
			  "unbegun 1\n"
			  "softirq: ended 0 lost 1 unended 0 died 0 open 0 "
			  "unbegun 1\n");
}

/* Spans on another CPU stay certain: its thread and its interrupts never left it. */
TEST(loss_of_another_cpu)
{
	uint32_t enter, exit, soft, soft_end;

	begin_cpus(2);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	soft = type("irq", "softirq_entry", "vec");
	soft_end = type("irq", "softirq_exit", "vec");
	run(0, 7, 7);
	run(1, 8, 8);
	happen(1, enter, 3);
	happen(1, soft, 3);
	gap_begin(0);
	gap_end(0);
	happen(0, soft_end, 3);
	happen(1, soft_end, 3);
	happen(1, exit, 3);
	check_spans(true, "softirq vec 3 tid=8 depth=0 us=2\n"
			  "syscall read tid=8 depth=0 us=4\n"
			  "syscall: ended 1 lost 0 unended 0 died 0 open 0 "
			  "unbegun 0\n"
			  "softirq: ended 1 lost 0 unended 0 died 0 open 0 "
			  "unbegun 1\n");
}

/* A thread that slept may have run on the CPU whose events were lost. */
TEST(loss_where_a_thread_may_have_been)
{
	uint32_t enter, exit;

	begin_cpus(2);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	run(1, 8, 8);
	happen(1, enter, 3);
	run(1, 9, 9);
	gap_begin(0);
	gap_end(0);
	happen(0, enter, 1);
	run(1, 8, 8);
	happen(1, exit, 3);
	check_spans(true, "syscall: ended 0 lost 1 unended 0 died 0 open 1 "
			  "unbegun 1\n");
}

/* The same, but the thread is back before the gap ends, when the loss is not known yet. */
TEST(loss_that_is_not_told_yet)
{
	uint32_t enter, exit, issue, complete;

	begin_cpus(2);
	enter = type("syscalls", "sys_enter_read", "fd");
	exit = type("syscalls", "sys_exit_read", "ret");
	issue = type("block", "block_rq_issue", "dev sector $rwbs");
	complete = type("block", "block_rq_complete", "dev sector");
	run(1, 8, 8);
	happen(1, issue, 8, 100, text("R"));
	happen(1, enter, 3);
	run(1, 9, 9);
	gap_begin(0);
	maker_time(maker, clock_now += US);
	run(1, 8, 8);
	happen(1, exit, 3);
	happen(1, enter, 3); /* it stays on its CPU: certain */
	happen(1, exit, 3);
	happen(1, complete, 8, 100);
	gap_end(0);
	happen(0, enter, 3);
	check_spans(true, "syscall read tid=8 depth=0 us=1\n"
			  "syscall: ended 1 lost 1 unended 0 died 0 open 1 "
			  "unbegun 0\n"
			  "block: ended 0 lost 1 unended 0 died 0 open 0 "
			  "unbegun 0\n");
}

CHECK_MAIN
