// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The branches that a trace has beside its events, and how they are woven into these. */
#include <ktrace.h>
#include <ktrace_branch.h>
#include <string.h>

#include <ktrace/branch_list.h>

#include "check.h"
#include "maker.h"
#include "scratch.h"
#include "shown.h"

/* The maker's clock begins there. */
#define START 5000000000000ull

static struct maker *maker;
static uint8_t stream[1 << 16];
static size_t size;

static void put(const void *bytes, size_t nr)
{
	CHECK(size + nr <= sizeof(stream));
	if (nr)
		memcpy(stream + size, bytes, nr);
	size += nr;
}

static void part(uint32_t kind, const void *head, size_t head_size,
		 const void *bytes, size_t nr)
{
	struct kt_branch_part part = {.kind = kind, .size = head_size + nr};

	put(&part, sizeof(part));
	put(head, head_size);
	put(bytes, nr);
}

static void thread(uint32_t tid, uint64_t first)
{
	struct kt_branch_thread head = {
		.tid = tid, .first = first, .lost = first};

	part(KT_BRANCH_PART_THREAD, &head, sizeof(head), NULL, 0);
}

/* Of file @file, mapped from @address on. */
static void mapping(uint32_t number, uint64_t since, uint64_t address,
		    uint32_t file)
{
	struct kt_branch_mappings head = {.number = number, .since = since};
	struct kt_branch_map map = {.begin = address,
				    .end = address + 0x1000,
				    .offset = 0x2000,
				    .file = file};

	part(KT_BRANCH_PART_MAPPINGS, &head, sizeof(head), &map, sizeof(map));
}

static void entry(uint32_t kind, uint64_t from, uint64_t to)
{
	struct kt_branch branch = {
		.from = from | (uint64_t)kind << KT_BRANCH_KIND_SHIFT,
		.to = to};

	part(KT_BRANCH_PART_ENTRIES, NULL, 0, &branch, sizeof(branch));
}

#define PLACE(file, offset) ((uint64_t)(file) << KT_FRAME_FILE_SHIFT | (offset))

static void name(uint64_t frame, uint64_t behind, const char *texts, size_t nr)
{
	struct {
		struct kt_stack head;
		uint64_t words[16];
	} entry = {{.kind = KT_STACK_NAME, .frames = 2 + (nr + 7) / 8},
		   {frame, behind}};

	memcpy(entry.words + 2, texts, nr);
	part(KT_BRANCH_PART_NAMES, NULL, 0, &entry,
	     sizeof(entry.head) + entry.head.frames * sizeof(uint64_t));
}

#define NAME(frame, behind, texts) name(frame, behind, texts, sizeof(texts))

/* The metadata's first line is there. */
static void metadata_add(const char *line)
{
	char path[512];
	FILE *f;

	path_of(path, "metadata");
	f = fopen(path, "a");
	CHECK(f);
	CHECK(fputs(line, f) >= 0);
	CHECK_EQ(fclose(f), 0);
}

static void stream_write(size_t nr)
{
	char path[512];
	FILE *f;

	path_of(path, "stream0");
	f = fopen(path, "w");
	CHECK(f);
	CHECK_EQ(fwrite(stream, 1, nr, f), nr);
	CHECK_EQ(fclose(f), 0);
}

static void idle(uint32_t cpu, uint64_t time)
{
	const struct maker_plain plain = {.state = time, .cpu_id = cpu};

	maker_time(maker, START + time);
	CHECK(maker_event(maker, cpu, MAKER_PLAIN, &plain, sizeof(plain)));
}

static void begin(void)
{
	const struct kt_branch_stream head = {KT_BRANCH_STREAM_MAGIC,
					      KT_ABI_VERSION};

	scratch_make();
	maker = maker_create(directory, 2, 4, false, 9);
	CHECK(maker);
	size = 0;
	put(&head, sizeof(head));
}

static struct ktrace *trace_open(void)
{
	struct ktrace *trace;

	CHECK_EQ(maker_finish(maker, false), 0);
	metadata_add(
		"{\"type\":\"stream\",\"stream\":0,\"kind\":\"branches\"}\n");
	stream_write(size);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	return trace;
}

/*
 * Thread 7 runs on CPU 0 from 1000 on, calls the kernel until 2000, moves to CPU 1 at 3000, and ends
 * at 4000; events are in between.
 */
static void two_cpus_make(void)
{
	begin();
	CHECK(maker_task(maker, 0, 7, 7, 1, "x"));
	CHECK(maker_run(maker, 0, 7, 7, "x"));
	idle(0, 500);
	idle(0, 1500);
	idle(1, 2500);
	idle(0, 3500);
	idle(1, 4500);
	thread(7, 0);
	mapping(0, 0, 0x10000, 1);
	mapping(1, 7, 0x10000, 2);
	entry(KT_BRANCH_BEGINS, 0, START + 1000);
	entry(KT_BRANCH_CALL, 0x10010, 0x10020);
	entry(KT_BRANCH_SYSCALL, 0x10024, 0x10026);
	entry(KT_BRANCH_TIME, 0, START + 2000);
	entry(KT_BRANCH_RETURN, 0x10028, 0x10015);
	entry(KT_BRANCH_LEAVES, 0, START + 2400);
	entry(KT_BRANCH_ARRIVES, 1, START + 3000);
	entry(KT_BRANCH_JUMP, 0x10016, 0x90000);
	entry(KT_BRANCH_LAST, 0x90000, 11);
	entry(KT_BRANCH_ENDS, 1, START + 4000);
	NAME(PLACE(1, 0x2010), 4, "main\0/bin/a\0/src/a.c:3\0");
	NAME(PLACE(1, 0x2020), 0,
	     "parse\0/bin/a\0/src/a.c:9\0inner\0/src/a.c:10\0");
	NAME(PLACE(2, 0x2016), 6, "other\0/bin/b\0\0");
}

TEST(order)
{
	struct ktrace *trace;
	char *text, *at;

	two_cpus_make();
	trace = trace_open();
	text = shown_of(trace, "text", NULL, NULL);
	at = text;
	for (size_t i = 0; i < 11; i++) {
		static const char *const wanted[] = {
			"state=500",
			"branch:call: main+0x4 (a) at a.c:3 → ",
			"state=1500",
			"branch:syscall: 0x2024 → 0x2026",
			"branch:return: 0x2028 → 0x2015",
			"state=2500",
			"branch:jump: other+0x6 (b) → 0x90000",
			"state=3500",
			"branch:last: 0x90000 signal=11",
			"state=4500",
			"",
		};
		char *line = strsep(&at, "\n");

		/* strsep() has cut it. */
		CHECK(line);
		CHECK(strstr(line, wanted[i]));
		if (strstr(line, "branch:"))
			CHECK(strstr(line, "x-7 ") == line);
		if (strstr(line, "branch:jump"))
			CHECK(strstr(line, "[001] "));
	}
	free(text);
	ktrace_close(trace);
}

/* The lines with branches have the columns that all lines have. */
TEST(columns)
{
	static const struct {
		struct ktrace_output_options options;
		const char *wanted;
	} shown[] = {
		{{.columns = KTRACE_COLUMN_CPU | KTRACE_COLUMN_EVENT},
		 "\n[001] branch:last:\n"},
		{{.columns = KTRACE_COLUMN_CPU}, "\n[001]\n"},
		{{.columns = KTRACE_COLUMN_FIELDS}, "\n0x90000 signal=11\n"},
		{{.columns = KTRACE_COLUMN_CPU | KTRACE_COLUMN_FIELDS},
		 "\n[001] 0x90000 signal=11\n"},
	};
	struct ktrace *trace;

	two_cpus_make();
	trace = trace_open();
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		char *text = shown_with(trace, "text", shown[i].options, NULL);

		CHECK(strstr(text, shown[i].wanted));
		CHECK(i == 0 || !strstr(text, "branch:"));
		free(text);
	}
	ktrace_close(trace);
}

TEST(json)
{
	struct ktrace *trace;
	char *text;

	two_cpus_make();
	trace = trace_open();
	text = shown_of(trace, "json", NULL, NULL);
	CHECK(strstr(
		text,
		"\"event\":\"branch:call\",\"fields\":{\"from\":\"0x10010\",\"to\":\"0x10020\"},"
		"\"branches\":[{\"kind\":\"call\",\"from\":\"main+0x4 (a) at a.c:3\",\"to\":\"inner"));
	CHECK(strstr(
		text,
		"\"event\":\"branch:last\",\"fields\":{\"from\":\"0x90000\",\"signal\":11},"
		"\"branches\":[{\"kind\":\"last\",\"from\":\"0x90000\"}]"));
	free(text);
	ktrace_close(trace);
}

TEST(collection)
{
	const struct ktrace_branch_thread *of;
	struct ktrace_branches *branches, *again;
	struct ktrace_branch_place place;
	struct ktrace_branch branch;
	struct ktrace *trace;

	two_cpus_make();
	thread(8, 100);
	trace = trace_open();
	CHECK_EQ(ktrace_trace_branches(trace, &branches), 0);
	CHECK(branches);
	of = ktrace_branches_thread(branches, 0);
	CHECK_EQ(of->tid, 7);
	CHECK_EQ(of->nr, 10);
	CHECK_EQ(ktrace_branches_thread(branches, 1)->tid, 8);
	CHECK_EQ(ktrace_branches_thread(branches, 1)->lost, 100);
	CHECK_EQ(ktrace_branches_thread(branches, 1)->nr, 0);
	CHECK(!ktrace_branches_thread(branches, 2));
	branch = ktrace_branches_get(branches, 0, 1);
	CHECK_EQ((int)branch.kind, KTRACE_BRANCH_CALL);
	CHECK_EQ(branch.to, 0x10020);
	CHECK(ktrace_branches_place(branches, 0, 1, true, &place));
	CHECK_STR(place.function, "parse");
	CHECK_EQ(place.nr_inlined, 1);
	/* At entry 7, there is another file. */
	CHECK(ktrace_branches_place(branches, 0, 7, false, &place));
	CHECK_STR(place.file, "/bin/b");
	CHECK(!ktrace_branches_place(branches, 0, 7, true, &place));
	CHECK_EQ(ktrace_trace_branches(trace, &again), 0);
	CHECK(again == branches);
	/* They are not what a recorder traces. */
	CHECK_EQ(ktrace_clock_time(trace, START + 2000),
		 maker_monotonic(START + 2000));
	ktrace_close(trace);
}

TEST(none)
{
	struct ktrace_branches *branches;
	struct ktrace *trace;

	begin();
	idle(0, 500);
	CHECK_EQ(maker_finish(maker, false), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_trace_branches(trace, &branches), 0);
	CHECK(!branches);
	ktrace_close(trace);
}

/* A place that is behind a call in a stack has another name there. */
TEST(beside_stacks)
{
	const uint64_t frames[] = {PLACE(1, 0x2100), PLACE(1, 0x2010)};
	const struct ktrace_field field = {.name = KT_USER_STACK_FIELD,
					   .ctype = "u32",
					   .offset = 0,
					   .size = 4,
					   .kind = KTRACE_UINT};
	const struct ktrace_type type = {.id = 40,
					 .size = 4,
					 .system = "mm",
					 .name = "hit",
					 .nr_fields = 1,
					 .fields = &field};
	const char texts[] = "caller\0/bin/a\0/src/a.c:1\0";
	uint64_t words[8] = {PLACE(1, 0x2010), 9};
	struct ktrace *trace;
	uint32_t stack;
	char *text;

	two_cpus_make();
	CHECK_EQ(maker_type(maker, &type), 0);
	memcpy(words + 2, texts, sizeof(texts));
	CHECK(maker_stack_of(maker, KT_STACK_NAME, words,
			     2 + (sizeof(texts) + 7) / 8, 0));
	stack = maker_stack_of(maker, KT_STACK_USER, frames, 2, 0);
	maker_time(maker, START + 5000);
	CHECK(maker_raw(maker, 0, 40, &stack, sizeof(stack), false));
	trace = trace_open();
	text = shown_with(trace, "text",
			  (struct ktrace_output_options){.stacks = true}, NULL);
	CHECK(strstr(text, "\tcaller+0x9 (a) at a.c:1\n"));
	CHECK(strstr(text, "branch:call: main+0x4 (a) at a.c:3"));
	free(text);
	ktrace_close(trace);
}

static size_t warnings(struct ktrace *trace, const char *what)
{
	size_t nr = 0;
	const char *text;

	for (size_t i = 0; (text = ktrace_warning(trace, i)); i++)
		nr += !!strstr(text, what);
	return nr;
}

/* Cut anywhere, what is before that is there, and it is said. */
TEST(cut)
{
	static uint8_t whole[sizeof(stream)];
	struct ktrace_branches *branches;
	struct ktrace *trace;
	size_t all, cut = 0, nr, last = 0;
	char *text;

	two_cpus_make();
	trace = trace_open();
	CHECK_EQ(ktrace_trace_branches(trace, &branches), 0);
	CHECK_EQ(warnings(trace, "stream0"), 0);
	ktrace_close(trace);
	all = size;
	memcpy(whole, stream, size);
	for (size_t i = 0; i < all; i += 4) {
		stream_write(i);
		CHECK_EQ(ktrace_open(directory, &trace), 0);
		CHECK_EQ(ktrace_trace_branches(trace, &branches), 0);
		CHECK(branches);
		cut += warnings(trace, "stream0: damaged, or cut off") == 1;
		nr = ktrace_branches_thread(branches, 0)
			     ? ktrace_branches_thread(branches, 0)->nr
			     : 0;
		CHECK(nr >= last && nr <= 10);
		last = nr;
		text = shown_of(trace, "text", NULL, NULL);
		free(text);
		ktrace_close(trace);
	}
	CHECK(cut > all / 8);
	CHECK_EQ(last, 10);
}

/* Each word of the stream is wrong once, in several ways. */
TEST(damaged)
{
	static const uint64_t wrong[] = {
		0, ~0ull, 1ull << 63, 0x8000000000ull, 1, 0xffffffff};
	struct ktrace_branches *branches;
	struct ktrace *trace;
	uint64_t word;
	char *text;

	two_cpus_make();
	trace = trace_open();
	ktrace_close(trace);
	for (size_t at = 0; at < size; at += 8)
		for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
			memcpy(&word, stream + at, 8);
			memcpy(stream + at, &wrong[i], 8);
			stream_write(size);
			memcpy(stream + at, &word, 8);
			CHECK_EQ(ktrace_open(directory, &trace), 0);
			CHECK_EQ(ktrace_trace_branches(trace, &branches), 0);
			text = shown_of(trace, "json", NULL, NULL);
			CHECK(strstr(text, "cpu_idle"));
			free(text);
			ktrace_close(trace);
		}
}

/* A future kind of part is skipped. */
TEST(unknown_part)
{
	struct ktrace_branches *branches;
	struct ktrace *trace;

	begin();
	part(77, NULL, 0, stream, 24);
	thread(7, 0);
	part(78, NULL, 0, NULL, 0);
	entry(KT_BRANCH_JUMP, 1, 2);
	trace = trace_open();
	CHECK_EQ(ktrace_trace_branches(trace, &branches), 0);
	CHECK_EQ(ktrace_branches_thread(branches, 0)->nr, 1);
	CHECK_EQ(warnings(trace, "stream0"), 0);
	ktrace_close(trace);
}

/* Before the first stamp nobody knows where they belong; more than a packet of them otherwise. */
TEST(times)
{
	struct kt_branch many[3000];
	struct ktrace *trace;
	uint64_t events;
	char *text;

	begin();
	thread(7, 0);
	entry(KT_BRANCH_JUMP, 1, 2);
	thread(8, 0);
	entry(KT_BRANCH_JUMP, 1, 2);
	entry(KT_BRANCH_SYSCALL, 3, 5);
	entry(KT_BRANCH_TIME, 0, START + 100);
	for (size_t i = 0; i < 3000; i++)
		many[i] = (struct kt_branch){
			(uint64_t)KT_BRANCH_JUMP << KT_BRANCH_KIND_SHIFT, i};
	part(KT_BRANCH_PART_ENTRIES, NULL, 0, many, sizeof(many));
	/* A CPU that no trace has. */
	entry(KT_BRANCH_TIME, 1 << 20, START + 200);
	entry(KT_BRANCH_JUMP, 1, 2);
	trace = trace_open();
	text = shown_of(trace, "text", NULL, &events);
	CHECK_EQ(events, 3001);
	CHECK_EQ(warnings(trace, "of branches, 3 are not shown"), 1);
	CHECK_EQ(warnings(trace, ""), 1);
	free(text);
	ktrace_close(trace);
}

/* The first name of a place is valid, with all that belongs to it. */
TEST(named_twice)
{
	struct ktrace_branches *branches;
	struct ktrace_branch_place place;
	struct ktrace *trace;

	begin();
	thread(7, 0);
	mapping(0, 0, 0x10000, 1);
	entry(KT_BRANCH_JUMP, 0x10010, 0x10010);
	NAME(PLACE(1, 0x2010), 0,
	     "a\0/bin/a\0/a.c:1\0b\0/a.c:2\0c\0/a.c:3\0d\0/a.c:4\0");
	NAME(PLACE(1, 0x2010), 0, "x\0/bin/x\0/x.c:1\0y\0/x.c:2\0");
	trace = trace_open();
	CHECK_EQ(ktrace_trace_branches(trace, &branches), 0);
	CHECK(ktrace_branches_place(branches, 0, 0, false, &place));
	CHECK_STR(place.function, "a");
	CHECK_EQ(place.nr_inlined, 3);
	CHECK_STR(place.inlined, "b");
	ktrace_close(trace);
}

/* Mappings change often, and places are asked for in any order. */
TEST(changes)
{
	struct ktrace_branches *branches;
	struct ktrace_branch_place place;
	struct ktrace *trace;
	char name[8];

	begin();
	thread(7, 1000);
	for (uint32_t i = 0; i < 40; i++)
		mapping(i, i ? 1000 + i * 2 : 0, 0x10000, i + 1);
	for (uint32_t i = 0; i < 80; i++)
		entry(KT_BRANCH_JUMP, 0x10010, 0x10010);
	for (uint32_t i = 0; i < 40; i++) {
		uint64_t words[4] = {PLACE(i + 1, 0x2010), 0};

		snprintf(name, sizeof(name), "f%u", i);
		memcpy(words + 2, name, sizeof(name));
		memcpy(words + 3, "/x\0\0", 5);
		part(KT_BRANCH_PART_NAMES, NULL, 0,
		     &(struct {
			     struct kt_stack head;
			     uint64_t words[4];
		     }){{.kind = KT_STACK_NAME, .frames = 4},
			{words[0], words[1], words[2], words[3]}},
		     sizeof(struct kt_stack) + sizeof(words));
	}
	trace = trace_open();
	CHECK_EQ(ktrace_trace_branches(trace, &branches), 0);
	for (uint32_t i = 0; i < 2000; i++) {
		uint32_t entry = i * 37 % 80;

		CHECK(ktrace_branches_place(branches, 0, entry, false, &place));
		snprintf(name, sizeof(name), "f%u", entry / 2);
		CHECK_STR(place.function, name);
	}
	ktrace_close(trace);
}

CHECK_MAIN
