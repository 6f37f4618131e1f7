// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Streams of programs have what their users wrote, in memory that is theirs.  Such a user may
 * lie about his own events; he can forge nobody else's, and he cannot change what the kernel's
 * streams say.
 */
#include "check.h"
#include "maker.h"
#include "scratch.h"
#include "shown.h"

#include <ktrace.h>
#include <ktrace/span.h>
#include <ktrace/syscall.h>

#include "packet.h"

#define BEGIN 5000000000000ull

/* The streams: of the kernel, and of two users. */
enum { KERNEL, ANNA, BERT, STREAMS };
/* The users' ids, eight each. */
enum { ANNAS = 64, BERTS = 72, IDS = 8 };

static struct maker *maker;
static struct ktrace *trace;
static struct ktrace_cursor *cursor;

static void step(void)
{
	static uint64_t now = BEGIN;

	maker_time(maker, now += 1000);
}

static void marker(uint32_t id, uint32_t user, const char *system,
		   const char *name)
{
	static const struct ktrace_field next = {
		.name = "next_pid",
		.ctype = "int",
		.size = 4,
		.kind = KTRACE_INT,
		.is_signed = true,
	};
	const struct ktrace_type type = {
		.id = id,
		.size = 4,
		.marker = true,
		.user = user,
		.system = system,
		.name = name,
		.nr_fields = 1,
		.fields = &next,
	};

	CHECK_EQ(maker_type(maker, &type), 0);
}

static void begin(void)
{
	scratch_make();
	maker = maker_create(directory, STREAMS, 4, false, 7);
	CHECK(maker);
	marker(ANNAS, 1000, "app", "anna");
	marker(BERTS, 1001, "app", "bert");
	maker_programs(maker, ANNA, 1000, ANNAS, IDS);
	maker_programs(maker, BERT, 1001, BERTS, IDS);
}

static void look(void)
{
	CHECK_EQ(maker_finish(maker, false), 0);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	cursor = NULL;
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
}

static void put(uint32_t stream, uint32_t id)
{
	const uint32_t payload = 4711;

	step();
	CHECK(maker_raw(maker, stream, id, &payload, sizeof(payload), false));
}

/* From now on the stream says that it is this thread's. */
static void runs(uint32_t stream, uint32_t tid, const char *comm)
{
	step();
	CHECK(maker_task(maker, stream, tid, tid, 1, comm));
	CHECK(maker_run(maker, stream, tid, tid, comm));
}

static void wake(void)
{
	struct maker_wakeup wakeup = {.comm = "woken", .pid = 4};

	step();
	CHECK(maker_event(maker, KERNEL, MAKER_WAKEUP, &wakeup,
			  sizeof(wakeup)));
}

/* The next event must be this one, of this task. */
static void expect(const char *name, uint32_t tid, const char *comm)
{
	const struct ktrace_event *event;

	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_EVENT);
	event = ktrace_cursor_event(cursor);
	CHECK_STR(event->type->name, name);
	CHECK_EQ(event->tid, tid);
	CHECK_STR(event->comm, comm);
}

static void expect_loss(uint32_t cpu, uint64_t count)
{
	const struct ktrace_loss *loss;

	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_LOSS);
	loss = ktrace_cursor_loss(cursor);
	CHECK_EQ(loss->cpu, cpu);
	CHECK_EQ(loss->cause, KTRACE_LOST_DAMAGED);
	CHECK_EQ(loss->count, count);
	CHECK(loss->programs);
}

static bool warned(const char *words)
{
	const char *warning;

	for (size_t i = 0; (warning = ktrace_warning(trace, i)); i++)
		if (strstr(warning, words))
			return true;
	return false;
}

TEST(own_events)
{
	begin();
	runs(ANNA, 100, "anna");
	runs(BERT, 200, "bert");
	put(ANNA, ANNAS);
	put(BERT, BERTS);
	look();
	expect("anna", 100, "anna");
	expect("bert", 200, "bert");
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
	CHECK(!ktrace_warning(trace, 0));
}

TEST(whose)
{
	const struct ktrace_type *type;

	begin();
	look();
	type = ktrace_types_find(ktrace_get_types(trace), BERTS);
	CHECK(type && type->marker);
	CHECK_EQ(type->user, 1001);
	type = ktrace_types_find(ktrace_get_types(trace), MAKER_WAKEUP);
	CHECK(type && !type->marker);
}

/* What is behind it in the packet is lost, too, and counted; what the kernel says is not. */
TEST(events_of_the_kernel)
{
	begin();
	runs(KERNEL, 1, "init");
	runs(ANNA, 100, "anna");
	put(ANNA, ANNAS);
	wake();
	put(ANNA, MAKER_PLAIN);
	put(ANNA, ANNAS);
	wake();
	look();
	expect("anna", 100, "anna");
	expect("sched_wakeup", 1, "init");
	expect("sched_wakeup", 1, "init");
	expect_loss(ANNA, 2);
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
	CHECK(warned("programs1: it has events that are none of this user's"));
}

TEST(events_of_another_user)
{
	begin();
	runs(ANNA, 100, "anna");
	put(ANNA, BERTS);
	look();
	expect_loss(ANNA, 1);
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
	CHECK(warned("it has events that are none of this user's"));
}

TEST(events_behind_his_own)
{
	begin();
	runs(ANNA, 100, "anna");
	put(ANNA, ANNAS + 1);
	look();
	expect_loss(ANNA, 1);
	CHECK(warned("the metadata does not describe event 65"));
}

/* The format had no such ids before. */
TEST(no_ids)
{
	scratch_make();
	maker = maker_create(directory, STREAMS, 4, false, 7);
	CHECK(maker);
	marker(ANNAS, 1000, "app", "anna");
	maker_programs(maker, ANNA, 1000, 0, 0);
	runs(ANNA, 100, "anna");
	put(ANNA, ANNAS);
	look();
	expect("anna", 100, "anna");
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
}

/* By a record, and by an end. */
TEST(tasks_of_the_kernel)
{
	begin();
	runs(KERNEL, 50, "good");
	runs(ANNA, 50, "evil");
	wake();
	step();
	CHECK(maker_task(maker, ANNA, 50, 50, 1, "evil"));
	put(ANNA, ANNAS);
	wake();
	step();
	CHECK(maker_exit(maker, ANNA, 50));
	wake();
	look();
	expect("sched_wakeup", 50, "good");
	/* Her event may be anybody's, but he keeps his name. */
	expect("anna", 50, "good");
	expect("sched_wakeup", 50, "good");
	CHECK_EQ(ktrace_cursor_event(cursor)->tgid, 50);
	expect("sched_wakeup", 50, "good");
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
}

/* A thread of another namespace may have the number of one that the kernel knows. */
TEST(tasks_of_another_process)
{
	begin();
	runs(KERNEL, 50, "init");
	wake();
	step();
	CHECK(maker_task(maker, ANNA, 50, 49, 1, "anna"));
	CHECK(maker_run(maker, ANNA, 50, 49, ""));
	put(ANNA, ANNAS);
	wake();
	look();
	expect("sched_wakeup", 50, "init");
	expect("anna", 50, "anna");
	CHECK_EQ(ktrace_cursor_event(cursor)->tgid, 49);
	expect("sched_wakeup", 50, "init");
	CHECK_EQ(ktrace_cursor_event(cursor)->tgid, 50);
}

/* As programs do it: the ring has the new thread before the thread says what it is. */
TEST(tasks_that_run_already)
{
	scratch_make();
	maker = maker_create(directory, 1, 4, false, 7);
	CHECK(maker);
	marker(ANNAS, 1000, "app", "anna");
	maker_programs(maker, 0, 1000, ANNAS, IDS);
	maker_known(maker, 50, 50, 1, "shell");
	CHECK(maker_run(maker, 0, 50, 50, ""));
	put(0, ANNAS);
	CHECK(maker_task(maker, 0, 50, 50, 1, "anna"));
	put(0, ANNAS);
	look();
	expect("anna", 50, "shell");
	expect("anna", 50, "anna");
}

/* The kernel has lost what it told first; then it knows better, from the next packet on. */
TEST(tasks_that_the_kernel_knows_later)
{
	int left = 40000, good = 0, item;

	begin();
	runs(ANNA, 100, "anna");
	put(ANNA, ANNAS);
	runs(KERNEL, 100, "good");
	while (left--)
		put(ANNA, ANNAS);
	look();
	expect("anna", 100, "anna");
	while ((item = ktrace_cursor_next(cursor)) == KTRACE_EVENT)
		good += !strcmp(ktrace_cursor_event(cursor)->comm, "good");
	CHECK_EQ(item, KTRACE_END);
	CHECK(good > 10000);
}

/* Anna's second packet begins with her lie. */
TEST(tasks_of_the_kernel_in_headers)
{
	int left = 40000, item;

	begin();
	runs(KERNEL, 50, "good");
	CHECK(maker_run(maker, ANNA, 50, 50, "evil"));
	while (left--)
		put(ANNA, ANNAS);
	wake();
	look();
	while ((item = ktrace_cursor_next(cursor)) == KTRACE_EVENT)
		CHECK_STR(ktrace_cursor_event(cursor)->comm, "good");
	CHECK_EQ(item, KTRACE_END);
}

TEST(tasks_of_another_user)
{
	begin();
	runs(BERT, 50, "bert");
	runs(ANNA, 50, "evil");
	put(ANNA, ANNAS);
	put(BERT, BERTS);
	put(ANNA, ANNAS);
	put(BERT, BERTS);
	look();
	expect("anna", 50, "evil");
	expect("bert", 50, "bert");
	expect("anna", 50, "evil");
	expect("bert", 50, "bert");
}

/* Without streams of the kernel, a program knows better than the metadata what it is. */
TEST(tasks_of_before)
{
	scratch_make();
	maker = maker_create(directory, 1, 4, false, 7);
	CHECK(maker);
	marker(ANNAS, 1000, "app", "anna");
	maker_programs(maker, 0, 1000, ANNAS, IDS);
	maker_known(maker, 50, 50, 1, "shell");
	maker_known(maker, 51, 51, 1, "daemon");
	CHECK(maker_run(maker, 0, 51, 51, ""));
	put(0, ANNAS);
	CHECK(maker_task(maker, 0, 50, 50, 1, "anna"));
	CHECK(maker_run(maker, 0, 50, 50, ""));
	put(0, ANNAS);
	look();
	expect("anna", 51, "daemon");
	expect("anna", 50, "anna");
}

/* Of which the kernel has lost the record. */
TEST(tasks_that_the_kernel_does_not_know)
{
	begin();
	runs(KERNEL, 1, "init");
	wake();
	runs(ANNA, 100, "anna");
	put(ANNA, ANNAS);
	look();
	expect("sched_wakeup", 1, "init");
	expect("anna", 100, "anna");
}

/* A marker of this name says nothing about who runs. */
TEST(switch_of_a_program)
{
	struct maker_switch to = {.prev_pid = 10, .next_pid = 11};
	const struct ktrace_type *type;
	bool exit;

	begin();
	marker(ANNAS + 1, 1000, "sched", "sched_switch");
	marker(ANNAS + 2, 1000, "syscalls", "sys_exit_read");
	marker(ANNAS + 3, 1000, "sched", "sched_process_exit");
	runs(KERNEL, 10, "ten");
	runs(ANNA, 100, "anna");
	wake();
	step();
	CHECK(maker_event(maker, KERNEL, MAKER_SWITCH, &to, sizeof(to)));
	wake();
	put(ANNA, ANNAS + 1);
	put(ANNA, ANNAS);
	look();
	expect("sched_wakeup", 10, "ten");
	expect("sched_switch", 10, "ten");
	expect("sched_wakeup", 11, "<...>");
	expect("sched_switch", 100, "anna");
	expect("anna", 100, "anna");
	for (uint32_t id = ANNAS + 1; id <= ANNAS + 3; id++) {
		type = ktrace_types_find(ktrace_get_types(trace), id);
		CHECK(type);
		CHECK(!ktrace_span_type(type));
		CHECK(!ktrace_call_name(type, &exit));
	}
}

/* Of the same thread and name. */
TEST(spans_of_another_user)
{
	struct ktrace_spans *spans;
	int steps = 0;

	begin();
	marker(ANNAS + 1, 1000, "app", "work_begin");
	marker(ANNAS + 2, 1000, "app", "work_end");
	marker(BERTS + 2, 1001, "app", "work_end");
	runs(ANNA, 100, "anna");
	runs(BERT, 100, "bert");
	put(ANNA, ANNAS + 1);
	put(BERT, BERTS + 2);
	put(ANNA, ANNAS + 2);
	look();
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT) {
		int did =
			ktrace_spans_event(spans, ktrace_cursor_event(cursor));

		steps = steps * 10 + did;
	}
	CHECK_EQ(steps, KTRACE_SPAN_BEGINS * 100 + KTRACE_SPAN_ENDS);
	ktrace_spans_destroy(spans);
}

static void plain_type(uint32_t id, const char *system, const char *name)
{
	const struct ktrace_type type = {
		.id = id, .size = 8, .system = system, .name = name};

	CHECK_EQ(maker_type(maker, &type), 0);
}

static void plain(uint32_t id)
{
	const uint64_t payload = 0;

	step();
	CHECK(maker_raw(maker, KERNEL, id, &payload, sizeof(payload), false));
}

/* Whoever says that he is a thread does not change what the thread is in. */
TEST(spans_of_the_kernel)
{
	struct ktrace_spans *spans;
	int ends = 0;

	begin();
	plain_type(60, "syscalls", "sys_enter_read");
	plain_type(61, "syscalls", "sys_exit_read");
	marker(ANNAS + 1, 1000, "app", "work_begin");
	runs(KERNEL, 50, "good");
	runs(ANNA, 50, "evil");
	plain(60);
	for (int i = 0; i < 300; i++)
		put(ANNA, ANNAS + 1);
	plain(61);
	look();
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT)
		ends += ktrace_spans_event(spans,
					   ktrace_cursor_event(cursor)) ==
			KTRACE_SPAN_ENDS;
	CHECK_EQ(ends, 1);
	CHECK_EQ(ktrace_spans_counts(spans, KTRACE_SPAN_SYSCALL)->ended, 1);
	ktrace_spans_destroy(spans);
}

/* What a program says it is in counts apart from what the kernel says. */
TEST(depth)
{
	struct ktrace_spans *spans;
	uint32_t inside = 0;

	begin();
	plain_type(60, "syscalls", "sys_enter_read");
	plain_type(61, "syscalls", "sys_exit_read");
	marker(ANNAS + 1, 1000, "app", "work_begin");
	marker(ANNAS + 2, 1000, "app", "work_end");
	runs(KERNEL, 50, "anna");
	runs(ANNA, 50, "anna");
	put(ANNA, ANNAS + 1);
	plain(60);
	plain(61);
	put(ANNA, ANNAS + 2);
	look();
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT) {
		const struct ktrace_event *event = ktrace_cursor_event(cursor);

		if (ktrace_spans_event(spans, event) & KTRACE_SPAN_ENDS) {
			CHECK_EQ(ktrace_spans_ended(spans)->depth, 0);
			inside++;
		}
		if (!strcmp(event->type->name, "sys_enter_read")) {
			CHECK_EQ(ktrace_spans_open(spans, event,
						   KTRACE_SPAN_SYSCALL),
				 1);
			CHECK_EQ(ktrace_spans_open(spans, event,
						   KTRACE_SPAN_MARKER),
				 1);
		}
	}
	CHECK_EQ(inside, 2);
	ktrace_spans_destroy(spans);
}

/* A thread that ends takes with it what programs have said of it. */
TEST(threads_that_end)
{
	struct ktrace_spans *spans;

	begin();
	marker(ANNAS + 1, 1000, "app", "work_begin");
	marker(ANNAS + 2, 1000, "app", "work_end");
	runs(KERNEL, 50, "anna");
	runs(ANNA, 50, "anna");
	put(ANNA, ANNAS + 1);
	step();
	CHECK(maker_exit(maker, KERNEL, 50));
	wake();
	put(ANNA, ANNAS + 2);
	look();
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT)
		ktrace_spans_event(spans, ktrace_cursor_event(cursor));
	CHECK_EQ(ktrace_spans_counts(spans, KTRACE_SPAN_MARKER)->died, 1);
	CHECK_EQ(ktrace_spans_counts(spans, KTRACE_SPAN_MARKER)->unbegun, 1);
	ktrace_spans_destroy(spans);
}

/* A number that is used again is not what a program said of it before. */
TEST(tasks_that_are_others_now)
{
	begin();
	runs(ANNA, 51, "old");
	step();
	CHECK(maker_task(maker, ANNA, 51, 50, 1, "old"));
	put(ANNA, ANNAS);
	runs(KERNEL, 51, "new");
	CHECK(maker_run(maker, ANNA, 7, 7, ""));
	put(ANNA, ANNAS);
	CHECK(maker_run(maker, ANNA, 51, 51, ""));
	put(ANNA, ANNAS);
	look();
	expect("anna", 51, "old");
	expect("anna", 7, "<...>");
	expect("anna", 51, "new");
}

/* What one user has lost are no events of another one. */
TEST(losses_of_another_user)
{
	struct ktrace_spans *spans;
	int item, ends = 0;

	begin();
	marker(ANNAS + 1, 1000, "app", "work_begin");
	marker(ANNAS + 2, 1000, "app", "work_end");
	runs(ANNA, 100, "anna");
	runs(BERT, 200, "bert");
	put(ANNA, ANNAS + 1);
	put(BERT, BERTS);
	put(BERT, ANNAS); /* damage */
	for (int i = 0; i < 40000; i++)
		put(BERT, BERTS);
	put(ANNA, ANNAS + 2);
	look();
	CHECK_EQ(ktrace_spans_create(cursor, &spans), 0);
	while ((item = ktrace_cursor_next(cursor)) != KTRACE_END) {
		if (item == KTRACE_LOSS) {
			CHECK_EQ(ktrace_cursor_loss(cursor)->user, 1001);
			ktrace_spans_loss(spans, ktrace_cursor_loss(cursor));
		} else {
			CHECK_EQ(item, KTRACE_EVENT);
			ends += ktrace_spans_event(
					spans, ktrace_cursor_event(cursor)) ==
				KTRACE_SPAN_ENDS;
		}
	}
	CHECK_EQ(ends, 1);
	ktrace_spans_destroy(spans);
}

/* The arguments of a marker may have any names. */
TEST(stacks_of_others)
{
	static const struct ktrace_field field = {
		.name = KT_STACK_FIELD,
		.ctype = "unsigned int",
		.size = 4,
		.kind = KTRACE_UINT,
	};
	const struct ktrace_type type = {
		.id = ANNAS + 1,
		.size = 4,
		.marker = true,
		.user = 1000,
		.system = "app",
		.name = "stack",
		.nr_fields = 1,
		.fields = &field,
	};
	struct ktrace_stack stack;

	begin();
	CHECK_EQ(maker_type(maker, &type), 0);
	runs(ANNA, 100, "anna");
	put(ANNA, ANNAS + 1);
	look();
	expect("stack", 100, "anna");
	CHECK(!ktrace_event_stack(trace, ktrace_cursor_event(cursor), &stack));
	CHECK_EQ(ktrace_type_stacks(ktrace_cursor_event(cursor)->type), 0);
}

/* Nor does a program deliver signals. */
TEST(signals_of_a_program)
{
	static const struct ktrace_field fields[] = {
		{.name = "sig", .ctype = "int", .size = 4, .kind = KTRACE_INT},
		{.name = "code",
		 .ctype = "int",
		 .offset = 4,
		 .size = 4,
		 .kind = KTRACE_INT},
		{.name = "sa_handler",
		 .ctype = "unsigned long",
		 .offset = 8,
		 .size = 8,
		 .kind = KTRACE_UINT},
	};
	struct {
		uint32_t sig, code;
		uint64_t handler;
	} kill = {.sig = 9};
	struct ktrace_type type = {
		.id = ANNAS + 1,
		.size = 16,
		.marker = true,
		.user = 1000,
		.system = "signal",
		.name = "signal_deliver",
		.nr_fields = 3,
		.fields = fields,
	};
	char *text;

	for (int honest = 0; honest < 2; honest++) {
		begin();
		if (honest) {
			type.id = 60;
			type.marker = false;
		}
		CHECK_EQ(maker_type(maker, &type), 0);
		runs(honest ? KERNEL : ANNA, 100, "x");
		step();
		CHECK(maker_raw(maker, honest ? KERNEL : ANNA, type.id, &kill,
				sizeof(kill), false));
		look();
		text = shown_with(trace, "strace",
				  (struct ktrace_output_options){0}, NULL);
		CHECK_EQ(!!strstr(text, "SIGKILL"), honest);
		free(text);
	}
}

/* No kernel gives such numbers. */
TEST(numbers_of_threads)
{
	begin();
	runs(ANNA, 4u << 20, "anna");
	put(ANNA, ANNAS);
	CHECK(maker_run(maker, ANNA, 5u << 20, 1, "anna"));
	put(ANNA, ANNAS);
	look();
	expect("anna", 0, "swapper/1");
	expect("anna", 0, "swapper/1");
	CHECK(warned("programs1: it names threads by numbers"));
}

CHECK_MAIN
