// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What was written is read: events, bytes, order, times, who ran, and what was lost.  The
 * test knows all of it, because it made the trace.
 */
#include <inttypes.h>

#include "check.h"
#include "maker.h"
#include "rnd.h"
#include "scratch.h"
#include "shown.h"

#include <ktrace.h>
#include <ktrace/span.h>

#define CLOCK 5000000000000ull

static struct maker *begin(uint32_t cpus, uint32_t packets, bool overwrite)
{
	scratch_make();
	return maker_create(directory, cpus, packets, overwrite, 0x1234);
}

static struct ktrace *trace;
static struct ktrace_cursor *cursor;
static const struct ktrace_event *event;
static const struct ktrace_loss *loss;

static void open_with(const struct ktrace_cursor_options *options)
{
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	trace = NULL;
	cursor = NULL;
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, options, &cursor), 0);
	event = ktrace_cursor_event(cursor);
	loss = ktrace_cursor_loss(cursor);
}

static void next_event(void)
{
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_EVENT);
}

/* Any payload: the reader does not look into it, except at who runs next. */
static uint32_t any_payload(uint8_t *payload, enum maker_event *id)
{
	static const uint32_t fixed[] = {56, 28, 0, 56, 44, 29, 0, 0, 0, 8};
	static const uint32_t least[] = {0, 0, 12, 0, 0, 0, 48, 16, 16, 0};
	uint32_t i, size;

	*id = MAKER_SWITCH + rnd(MAKER_END - MAKER_SWITCH);
	size = fixed[*id - MAKER_SWITCH];
	if (!size)
		size = least[*id - MAKER_SWITCH] + rnd(rnd(50) ? 100 : 4000);
	for (i = 0; i < size; i++)
		payload[i] = rnd(256);
	return size;
}

struct expected {
	uint64_t clock;
	uint32_t cpu;
	uint32_t tid;
	enum maker_event id;
	uint32_t size;
	uint32_t sum;
	uint32_t number;
};

static uint32_t checksum(const uint8_t *p, uint32_t n)
{
	uint32_t sum = n;

	while (n--)
		sum = sum * 31 + *p++;
	return sum;
}

static int expected_compare(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->clock != y->clock)
		return x->clock < y->clock ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static void check_event(const struct expected *want)
{
	int64_t drift;

	CHECK_EQ(event->cpu, want->cpu);
	CHECK_EQ(event->type->id, want->id);
	CHECK_EQ(event->size, want->size);
	CHECK_EQ(checksum(event->payload, event->size), want->sum);
	CHECK_EQ(event->tid, want->tid);
	drift = event->time - maker_monotonic(want->clock);
	CHECK(drift >= -1 && drift <= 1);
}

/*
 * Random events on several CPUs, in many packets.  Some happen at the same time; long
 * pauses need extended headers.
 */
static void many(uint32_t cpus, uint32_t count)
{
	struct expected *want = calloc(count, sizeof(*want));
	uint32_t running[64] = {0};
	uint64_t clock = CLOCK, last = 0;
	static uint8_t payload[8192];
	struct maker *maker;
	uint32_t i;

	maker = begin(cpus, 4, false);
	for (i = 0; i < count; i++) {
		struct expected *w = &want[i];

		clock += rnd(3) ? rnd(3000) : rnd(500) ? 0 : rnd(1u << 30);
		maker_time(maker, clock);
		w->cpu = rnd(cpus);
		if (!rnd(10)) {
			running[w->cpu] = 100 + rnd(50);
			CHECK(maker_run(maker, w->cpu, running[w->cpu],
					running[w->cpu], "name"));
		}
		w->number = i;
		w->clock = clock;
		w->tid = running[w->cpu];
		w->size = any_payload(payload, &w->id);
		if (w->id == MAKER_SWITCH) {
			struct maker_switch *s = (void *)payload;

			running[w->cpu] = 100 + rnd(50);
			s->next_pid = running[w->cpu];
		}
		w->sum = checksum(payload, w->size);
		CHECK(maker_event(maker, w->cpu, w->id, payload, w->size));
	}
	CHECK_EQ(maker_finish(maker, false), 0);
	qsort(want, count, sizeof(*want), expected_compare);

	open_with(NULL);
	for (i = 0; i < count; i++) {
		next_event();
		CHECK(event->time >= last);
		last = event->time;
		check_event(&want[i]);
	}
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
	CHECK(!ktrace_warning(trace, 0));
	free(want);
}

TEST(one_cpu)
{
	many(1, 20000);
}

TEST(two_cpus)
{
	many(2, 100000);
}

TEST(many_cpus)
{
	many(61, 100000);
}

static const struct maker_plain plain = {1, 2};

static bool put(struct maker *maker, uint32_t cpu)
{
	return maker_event(maker, cpu, MAKER_PLAIN, &plain, sizeof(plain));
}

static void check_task(uint32_t tid, uint32_t tgid, const char *comm)
{
	next_event();
	CHECK_EQ(event->tid, tid);
	CHECK_EQ(event->tgid, tgid);
	CHECK_STR(event->comm, comm);
}

TEST(tasks)
{
	struct maker *maker = begin(2, 4, false);
	uint64_t clock = CLOCK;
	uint64_t serial;

	maker_known(maker, 10, 10, 1, "from the start");
	maker_known(maker, 11, 10, 1, "thread");
	maker_known(maker, 0, 0, 0, "swapper");
#define STEP maker_time(maker, clock += 1000)
	put(maker, 0); /* idle */
	STEP, maker_run(maker, 0, 11, 10, "thread");
	STEP, put(maker, 0);
	/* A fork, seen on the other CPU; without a name it has its parent's name. */
	STEP, maker_task(maker, 0, 20, 20, 10, "");
	STEP, maker_run(maker, 1, 20, 20, "from the start");
	STEP, put(maker, 1);
	/* An exec renames. */
	STEP, maker_task(maker, 1, 20, 20, 10, "executed");
	STEP, put(maker, 1);
	/* It exits, but runs until another task does. */
	STEP, maker_exit(maker, 1, 20);
	STEP, put(maker, 1);
	/* And it sleeps while it exits. */
	STEP, maker_run(maker, 1, 0, 0, "swapper/1");
	STEP, maker_run(maker, 1, 20, 20, "executed");
	STEP, put(maker, 1);
	STEP, maker_run(maker, 1, 0, 0, "swapper/1");
	STEP, put(maker, 1);
	/* Another task with its number. */
	STEP, maker_task(maker, 0, 20, 10, 1, "again");
	STEP, maker_run(maker, 1, 20, 10, "again");
	STEP, put(maker, 1);
	/* No record describes this task. */
	STEP, maker_run(maker, 1, 30, 30, "?");
	STEP, put(maker, 1);
	STEP, put(maker, 0);
	CHECK_EQ(maker_finish(maker, false), 0);

	open_with(NULL);
	check_task(0, 0, "swapper/0");
	check_task(11, 10, "thread");
	serial = event->task;
	check_task(20, 20, "from the start");
	CHECK(event->task != serial);
	serial = event->task;
	check_task(20, 20, "executed");
	CHECK(event->task != serial);
	check_task(20, 20, "executed");
	check_task(20, 20, "executed");
	check_task(0, 0, "swapper/1");
	serial = event->task;
	check_task(20, 10, "again");
	CHECK(event->task != serial);
	check_task(30, 0, "<...>");
	check_task(11, 10, "thread");
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
}

/* Fills the ring until events are lost; returns how many. */
static uint64_t overflow(struct maker *maker, uint32_t cpu, uint64_t *clock)
{
	uint64_t before = maker_lost(maker, cpu);
	uint32_t i;

	maker_stall(maker, cpu, true);
	for (i = 0; maker_lost(maker, cpu) < before + 1000; i++) {
		maker_time(maker, *clock += 100);
		put(maker, cpu);
	}
	return maker_lost(maker, cpu) - before;
}

TEST(losses_and_who_runs_after_them)
{
	struct maker *maker = begin(2, 2, false);
	uint64_t clock = CLOCK, lost, events = 0, at;

	maker_time(maker, clock += 1000);
	maker_run(maker, 0, 50, 50, "before");
	put(maker, 1);
	lost = overflow(maker, 0, &clock);
	/* The switch is lost too. */
	CHECK(!maker_run(maker, 0, 51, 51, "after"));
	maker_stall(maker, 0, false);
	at = maker_monotonic(clock += 1000);
	maker_time(maker, clock);
	put(maker, 0);
	maker_time(maker, clock += 1000);
	put(maker, 1);
	CHECK_EQ(maker_finish(maker, false), 0);

	open_with(NULL);
	check_task(0, 0, "swapper/1");
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT) {
		CHECK_EQ(event->tid, 50);
		events++;
	}
	CHECK(events > 1000);
	CHECK_EQ(loss->cause, KTRACE_LOST_FULL);
	CHECK_EQ(loss->count, lost);
	CHECK_EQ(loss->cpu, 0);
	CHECK_EQ(loss->time, at);
	CHECK(loss->from < loss->time);
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_LOSS);
	CHECK_EQ(loss->cause, KTRACE_LOST_TASK);
	CHECK_EQ(loss->count, 1);
	/* The packet's header has the task. */
	check_task(51, 51, "after");
	check_task(0, 0, "swapper/1");
	CHECK_EQ(event->cpu, 1);
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
}

TEST(losses_after_the_last_event)
{
	struct maker *maker = begin(1, 2, false);
	uint64_t clock = CLOCK, lost;

	lost = overflow(maker, 0, &clock);
	CHECK_EQ(maker_finish(maker, false), 0);
	open_with(NULL);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT)
		;
	CHECK_EQ(loss->cause, KTRACE_LOST_FULL);
	CHECK_EQ(loss->count, lost);
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
}

/* Losses in the first packets are in a header, those in the last packet only at the end. */
TEST(caused_by_tracing_itself)
{
	struct maker *maker = begin(1, 4, false);
	uint64_t clock = CLOCK, events = 0;

	while (events < 20000) {
		maker_time(maker, clock += 100);
		CHECK(put(maker, 0));
		if (++events == 100)
			maker_refuse(maker, 0, 3);
	}
	maker_refuse(maker, 0, 4);
	CHECK_EQ(maker_finish(maker, false), 0);
	open_with(NULL);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT)
		events--;
	CHECK_EQ(loss->cause, KTRACE_LOST_RECURSION);
	CHECK_EQ(loss->count, 3);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT)
		events--;
	CHECK_EQ(events, 0);
	CHECK_EQ(loss->cause, KTRACE_LOST_RECURSION);
	CHECK_EQ(loss->count, 4);
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
}

TEST(overwritten)
{
	struct maker *maker = begin(1, 4, true);
	uint64_t clock = CLOCK, lost, events = 0, written = 0;

	maker_stall(maker, 0, true);
	while (maker_lost(maker, 0) < 10000) {
		maker_time(maker, clock += 100);
		CHECK(put(maker, 0));
		written++;
	}
	lost = maker_lost(maker, 0);
	CHECK_EQ(maker_finish(maker, false), 0);
	open_with(NULL);
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_LOSS);
	CHECK_EQ(loss->cause, KTRACE_LOST_OVERWRITTEN);
	CHECK_EQ(loss->count, lost);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT)
		events++;
	CHECK_EQ(events + lost, written);
}

/* What the recorder could not write is shown as a gap, or after everything else. */
TEST(unwritten)
{
	struct maker *maker = begin(1, 4, false);
	uint64_t clock = CLOCK, events = 0, i;

	for (i = 0; i < 30000; i++) {
		maker_time(maker, clock += 100);
		maker_drop(maker, 0, i > 10000 && i < 20000);
		CHECK(put(maker, 0));
	}
	CHECK_EQ(maker_finish(maker, false), 0);
	open_with(NULL);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT)
		events++;
	CHECK_EQ(loss->cause, KTRACE_LOST_UNWRITTEN);
	i = loss->count;
	CHECK(i > 4000);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT)
		events++;
	CHECK_EQ(events + i, 30000);
	CHECK(!ktrace_warning(trace, 0));
}

TEST(in_the_middle_of_a_context_switch)
{
	struct maker *maker = begin(1, 4, false);
	uint64_t clock = CLOCK;
	uint32_t i, in_packet = 0;

	/*
	 * When the packet begins, the record already has the next task, the machine still
	 * the previous.
	 */
	for (i = 0; i < 20000; i++) {
		maker_time(maker, clock += 100);
		maker_run(maker, 0, 60 + i % 2, 60, "task");
		maker_current(maker, 0, 60 + (i + 1) % 2, 60, "task");
		maker_time(maker, clock += 100);
		put(maker, 0);
	}
	CHECK_EQ(maker_finish(maker, false), 0);
	open_with(NULL);
	for (i = 0; i < 20000; i++) {
		next_event();
		in_packet += event->tid != 60 + i % 2;
	}
	CHECK_EQ(in_packet, 0);
}

static bool want_plain(const struct ktrace_type *type, void *data)
{
	return type->id == *(uint32_t *)data;
}

/* Records of later versions lie between the events, and are skipped. */
TEST(reserved_records)
{
	static const char bytes[32] = "what a later version tells";
	struct maker *maker = begin(1, 4, false);
	struct maker_plain numbered = {0};
	uint32_t events = 0;

	for (uint32_t id = KT_ID_EXIT + 1; id < KT_ID_FIRST; id++) {
		/* Without words, all lengths of the last word, several words. */
		for (uint32_t size = 0; size < 8; size++) {
			CHECK(maker_reserved(maker, 0, id, bytes, 4 * size));
			CHECK(maker_reserved(maker, 0, id, bytes, size));
			numbered.state = ++events;
			maker_time(maker, CLOCK + events * 1000);
			CHECK(maker_event(maker, 0, MAKER_PLAIN, &numbered,
					  sizeof(numbered)));
		}
	}
	CHECK_EQ(maker_finish(maker, false), 0);

	open_with(NULL);
	for (uint32_t i = 1; i <= events; i++) {
		next_event();
		CHECK_EQ(ktrace_field_int(event, &event->type->fields[0]), i);
	}
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
	CHECK(!ktrace_warning(trace, 0));
}

static void file_append(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	path_of(path, name);
	f = fopen(path, "a");
	CHECK(f);
	fputs(text, f);
	CHECK(!fclose(f));
}

/* With streams of later versions, everything else is read as without them. */
TEST(streams_of_other_kinds)
{
	struct maker *maker = begin(2, 4, false);
	const char *warning;

	for (uint32_t i = 0; i < 100; i++) {
		maker_time(maker, CLOCK + i * 1000);
		put(maker, i % 2);
	}
	CHECK_EQ(maker_finish(maker, true), 0);
	file_append("metadata", "{\"type\":\"stream\",\"stream\":7,\"kind\":"
				"\"pictures\",\"size\":3}\n"
				"{\"type\":\"stream\",\"stream\":8,\"kind\":"
				"\"\\u001b[2J\"}\n"
				"{\"type\":\"end\",\"cpus\":[]}\n");
	file_append("stream7", "KTPK: no packets");
	file_append("stream8", "");

	open_with(NULL);
	CHECK_EQ(ktrace_get_info(trace)->nr_cpus, 2);
	for (uint32_t i = 0; i < 100; i++) {
		next_event();
		CHECK_EQ(event->cpu, i % 2);
	}
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
	/* One warning for the line with a wrong kind, and a notice for each stream. */
	CHECK(ktrace_warning(trace, 2) && !ktrace_warning(trace, 3));
	warning = ktrace_warning(trace, 1);
	if (!strstr(warning, "stream7"))
		warning = ktrace_warning(trace, 2);
	CHECK(strstr(warning, "stream7") && strstr(warning, "`pictures'"));
	CHECK_EQ(ktrace_remove(directory), 0);
}

TEST(options)
{
	static const uint32_t one = 1;
	uint32_t id = MAKER_PLAIN, i;
	struct maker_wakeup wake = {.pid = 1};
	struct maker *maker = begin(3, 4, false);
	struct ktrace_cursor_options options = {.size = sizeof(options)};

	for (i = 0; i < 3000; i++) {
		maker_time(maker, CLOCK + i * 1000);
		if (i % 2)
			put(maker, i % 3);
		else
			maker_event(maker, i % 3, MAKER_WAKEUP, &wake,
				    sizeof(wake));
	}
	CHECK_EQ(maker_finish(maker, false), 0);

	options.cpus = &one;
	options.nr_cpus = 1;
	open_with(&options);
	for (i = 0; ktrace_cursor_next(cursor) == KTRACE_EVENT; i++)
		CHECK_EQ(event->cpu, 1);
	CHECK_EQ(i, 1000);

	options = (struct ktrace_cursor_options){
		.size = sizeof(options), .want = want_plain, .data = &id};
	open_with(&options);
	for (i = 0; ktrace_cursor_next(cursor) == KTRACE_EVENT; i++)
		CHECK_EQ(event->type->id, MAKER_PLAIN);
	CHECK_EQ(i, 1500);

	options = (struct ktrace_cursor_options){
		.size = sizeof(options),
		.from = maker_monotonic(CLOCK + 100 * 1000),
		.to = maker_monotonic(CLOCK + 199 * 1000)};
	open_with(&options);
	for (i = 0; ktrace_cursor_next(cursor) == KTRACE_EVENT; i++)
		CHECK_EQ(event->time,
			 maker_monotonic(CLOCK + (100 + i) * 1000));
	CHECK_EQ(i, 100);
}

static bool want_variant(const struct ktrace_type *type, void *data)
{
	return !strcmp(type->name, data);
}

/* What a payload begins with says what type it is, in all outputs. */
TEST(variants)
{
	const struct ktrace_field field = {
		.name = "seconds",
		.ctype = "u16",
		.offset = 4,
		.size = 2,
		.kind = KTRACE_UINT,
	};
	struct ktrace_cursor_options options = {
		.size = sizeof(options), .want = want_variant, .data = "two"};
	struct maker *maker = begin(1, 4, false);
	char *text;

	CHECK_EQ(maker_variant(maker, MAKER_PLAIN, 2, "variant", "two", &field),
		 0);
	CHECK_EQ(maker_variant(maker, MAKER_PLAIN, 1, "variant", "one", &field),
		 0);
	for (uint32_t i = 0; i < 4; i++) {
		const struct maker_plain idle = {i, 0x10007 + i};

		maker_time(maker, CLOCK + i * 1000);
		maker_event(maker, 0, MAKER_PLAIN, &idle, sizeof(idle));
	}
	CHECK_EQ(maker_finish(maker, false), 0);

	open_with(NULL);
	next_event();
	CHECK_STR(event->type->name, "cpu_idle");
	next_event();
	CHECK_STR(event->type->name, "one");
	CHECK_EQ(event->type->id, MAKER_PLAIN);
	CHECK_EQ(ktrace_field_int(event, &event->type->fields[0]), 8);
	next_event();
	CHECK_STR(event->type->name, "two");
	next_event();
	CHECK_STR(event->type->name, "cpu_idle");
	text = shown_of(trace, "text", NULL, NULL);
	CHECK(strstr(text, "variant:one: seconds=8\n"));
	CHECK(strstr(text, "variant:two: seconds=9\n"));
	CHECK(strstr(text, "power:cpu_idle: state=3 cpu_id=65546\n"));
	free(text);
	text = shown_of(trace, "json", NULL, NULL);
	CHECK(strstr(text, "\"seconds\":9}"));
	free(text);

	/* One of them can be asked for. */
	open_with(&options);
	next_event();
	CHECK_STR(event->type->name, "two");
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
}

/* A call of function @index, or its return. */
static void call(struct maker *maker, uint32_t cpu, uint32_t index, bool begin)
{
	static uint64_t now;
	const struct maker_plain entry = {.state = index};
	const struct maker_timer exit = {.hrtimer = index};

	maker_time(maker, CLOCK + ++now * 2500);
	if (begin)
		maker_event(maker, cpu, MAKER_PLAIN, &entry, sizeof(entry));
	else
		maker_event(maker, cpu, MAKER_TIMER, &exit, sizeof(exit));
}

static char *spans_text(struct ktrace_span_counts *counts)
{
	struct ktrace_spans *spans;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	open_with(NULL);
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT) {
		const struct ktrace_span *span = ktrace_spans_ended(spans);

		if (ktrace_spans_event(spans, event) & KTRACE_SPAN_ENDS)
			fprintf(f, "%s tid=%u depth=%u us=%u\n", span->name,
				span->tid, span->depth,
				(uint32_t)((span->end - span->begin) / 1000));
	}
	memcpy(counts, ktrace_spans_counts(spans, KTRACE_SPAN_FUNCTION),
	       sizeof(*counts));
	ktrace_spans_destroy(spans);
	fclose(f);
	return text;
}

/* Calls nest in their thread; each CPU has its own idle thread. */
TEST(functions)
{
	enum { SLEEP, WAKE, SEND_END, UNKNOWN };
	static const char *const names[] = {"sleep", "wake", "send_end"};
	const struct ktrace_field field = {
		.name = "x", .ctype = "u16", .offset = 4, .size = 2};
	struct ktrace_span_counts counts;
	struct maker *maker = begin(2, 4, false);
	char *text;

	for (uint32_t i = 0; i < UNKNOWN; i++) {
		maker_variant(maker, MAKER_PLAIN, i, "function", names[i],
			      &field);
		maker_variant(maker, MAKER_TIMER, i, "return", names[i],
			      &field);
	}
	maker_run(maker, 0, 7, 7, "seven");
	call(maker, 0, SLEEP, true);
	call(maker, 0, WAKE, true);
	call(maker, 0, WAKE, true);
	call(maker, 0, WAKE, false);
	maker_run(maker, 0, 0, 0, "idle");
	maker_run(maker, 1, 0, 0, "idle");
	call(maker, 0, WAKE, true);
	call(maker, 1, WAKE, true);
	call(maker, 1, SEND_END, true);
	call(maker, 0, WAKE, false);
	call(maker, 1, SEND_END, false);
	call(maker, 1, WAKE, false);
	maker_run(maker, 1, 7, 7, "seven");
	call(maker, 1, WAKE, false);
	call(maker, 1, SLEEP, false);
	call(maker, 1, UNKNOWN, true);
	call(maker, 1, UNKNOWN, false);
	CHECK_EQ(maker_finish(maker, false), 0);

	text = spans_text(&counts);
	CHECK_STR(text, "wake tid=7 depth=2 us=1\n"
			"wake tid=0 depth=0 us=3\n"
			"send_end tid=0 depth=1 us=2\n"
			"wake tid=0 depth=0 us=4\n"
			"wake tid=7 depth=1 us=9\n"
			"sleep tid=7 depth=0 us=11\n");
	free(text);
	CHECK_EQ(counts.ended, 6);
	CHECK_EQ(counts.unbegun, 0);
	CHECK_EQ(counts.unended, 0);
}

TEST(values)
{
	struct maker *maker = begin(1, 4, false);
	struct maker_switch s = {.prev_comm = "sixteen letters!",
				 .prev_pid = -5,
				 .prev_state = 0x102,
				 .next_comm = "x",
				 .next_prio = 7};
	char room[64] = {0};
	struct maker_exec *exec = (void *)room;
	const struct ktrace_field *f;
	const uint8_t *bytes;
	size_t n;

	memcpy(s.prev_comm, "sixteen letters!", 16);
	maker_event(maker, 0, MAKER_SWITCH, &s, sizeof(s));
	exec->filename = 5 << 16 | sizeof(*exec);
	memcpy(exec->data, "/bin", 5);
	maker_event(maker, 0, MAKER_EXEC, exec, sizeof(*exec) + 5);
	/* The length is larger than the record. */
	exec->filename = 500 << 16 | sizeof(*exec);
	maker_event(maker, 0, MAKER_EXEC, exec, sizeof(*exec) + 3);
	exec->filename = 5u << 16 | 60000;
	maker_event(maker, 0, MAKER_EXEC, exec, sizeof(*exec) + 3);
	CHECK_EQ(maker_finish(maker, false), 0);

	open_with(NULL);
	next_event();
	f = ktrace_field_find(event->type, "prev_comm");
	bytes = ktrace_field_bytes(event, f, &n);
	CHECK_EQ(n, 16);
	CHECK(!memcmp(bytes, "sixteen letters!", 16));
	f = ktrace_field_find(event->type, "next_comm");
	ktrace_field_bytes(event, f, &n);
	CHECK_EQ(n, 1);
	f = ktrace_field_find(event->type, "prev_pid");
	CHECK_EQ(ktrace_field_int(event, f), -5);
	f = ktrace_field_find(event->type, "prev_state");
	CHECK_EQ(ktrace_field_int(event, f), 0x102);
	CHECK(!ktrace_field_find(event->type, "prev"));

	next_event();
	f = ktrace_field_find(event->type, "filename");
	bytes = ktrace_field_bytes(event, f, &n);
	CHECK_EQ(n, 4);
	CHECK(!memcmp(bytes, "/bin", 4));
	next_event();
	bytes = ktrace_field_bytes(event, f, &n);
	CHECK_EQ(n, 3);
	CHECK(!memcmp(bytes, "/bi", 3));
	next_event();
	ktrace_field_bytes(event, f, &n);
	CHECK_EQ(n, 0);
}

TEST(info)
{
	struct maker *maker = begin(2, 4, false);
	const struct ktrace_info *about;

	put(maker, 1);
	CHECK_EQ(maker_finish(maker, false), 0);
	open_with(NULL);
	about = ktrace_get_info(trace);
	CHECK_EQ(about->id, 0x1234);
	CHECK_STR(about->host, "test");
	CHECK_STR(about->command, "make believe");
	CHECK_STR(about->reason, "stopped");
	CHECK_EQ(about->nr_cpus, 2);
	CHECK_EQ(about->cpus[1].events, 1);
	CHECK_EQ(about->cpus[1].recorded, 1);
	CHECK_EQ(about->realtime, 1700000000000000000ll);
	CHECK_EQ(ktrace_types_count(ktrace_get_types(trace)),
		 MAKER_END - MAKER_SWITCH);

	maker = begin(1, 4, false);
	CHECK_EQ(maker_finish(maker, true), 0);
	open_with(NULL);
	CHECK(!ktrace_get_info(trace)->reason);
	CHECK(ktrace_warning(trace, 0));
}

CHECK_MAIN
