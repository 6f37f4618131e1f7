// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Stacks that are merged: what is the same, and what memory that takes. */
#include <ktrace.h>
#include <sys/resource.h>

#include "check.h"
#include "maker.h"
#include "scratch.h"
#include "shown.h"

enum { BOTH = 40, KERNEL };
/* Stacks of the kernel, and as many of programs. */
#define STACKS 300
#define DEPTH  KT_STACK_MAX
#define ROOM   (48ul << 20)

#define STACK_FIELD(field, place)                                          \
	{                                                                  \
		.name = field, .ctype = "u32", .offset = place, .size = 4, \
		.kind = KTRACE_UINT                                        \
	}

static const struct ktrace_field fields[] = {
	STACK_FIELD(KT_STACK_FIELD, 0),
	STACK_FIELD(KT_USER_STACK_FIELD, 4),
};

static struct maker *maker;

static void begin(void)
{
	const struct ktrace_type both = {
		.id = BOTH,
		.size = 8,
		.system = "mm",
		.name = "both",
		.nr_fields = 2,
		.fields = fields,
	};
	const struct ktrace_type kernel = {
		.id = KERNEL,
		.size = 4,
		.system = "mm",
		.name = "kernel",
		.nr_fields = 1,
		.fields = fields,
	};

	scratch_make();
	maker = maker_create(directory, 1, 4, false, 9);
	CHECK(maker);
	CHECK_EQ(maker_type(maker, &both), 0);
	CHECK_EQ(maker_type(maker, &kernel), 0);
	CHECK(maker_task(maker, 0, 7, 7, 1, "x"));
	CHECK(maker_run(maker, 0, 7, 7, "x"));
}

static uint32_t stack_of(uint8_t kind, const uint64_t *frames, uint16_t nr)
{
	uint32_t id =
		maker_stack_of(maker, kind, frames, nr, KT_STACK_COMPLETE);

	CHECK(id);
	return id;
}

static void event(uint32_t kernel, uint32_t user)
{
	const uint32_t ids[] = {kernel, user};

	CHECK(maker_raw(maker, 0, BOTH, ids, sizeof(ids), false));
}

static void kernel_event(uint32_t kernel)
{
	CHECK(maker_raw(maker, 0, KERNEL, &kernel, sizeof(kernel), false));
}

/* It does not matter which of the frames are the program's. */
TEST(split)
{
	const uint64_t one[] = {0x1001}, two[] = {0x2001}, other[] = {0x2000};
	/* A place in the kernel is that before a return address; one of a program is exact. */
	const uint64_t both[] = {0x2001, 0x1001};
	struct ktrace *trace;
	uint32_t upper, whole;
	char *text;

	begin();
	whole = stack_of(KT_STACK_KERNEL, both, 2);
	upper = stack_of(KT_STACK_USER, one, 1);
	kernel_event(whole);
	event(stack_of(KT_STACK_KERNEL, two, 1), upper);
	event(stack_of(KT_STACK_KERNEL, other, 1), upper);
	CHECK_EQ(maker_finish(maker, false), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	text = shown_with(trace, "folded", (struct ktrace_output_options){0},
			  NULL);
	CHECK_STR(text, "x;0x1001;0x2001 2\nx;0x1001;0x2000 1\n");
	free(text);
	ktrace_close(trace);
}

static uint64_t memory_now(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	int found = f ? fscanf(f, "%lu", &pages) : 0;

	CHECK_EQ(found, 1);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Each program's stack with each of the kernel: the whole lines would take 92 MB. */
TEST(memory)
{
	struct ktrace_output_options where = {.size = sizeof(where)};
	static uint32_t kernel[STACKS], user[STACKS];
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;
	uint64_t frames[DEPTH];
	struct rlimit before, limit;
	struct ktrace *trace;

	begin();
	for (uint32_t i = 0; i < STACKS; i++) {
		for (uint32_t j = 0; j < DEPTH; j++)
			frames[j] = 0x10000 + (j ? j : i + DEPTH) * 16;
		kernel[i] = stack_of(KT_STACK_KERNEL, frames, DEPTH);
		user[i] = stack_of(KT_STACK_USER, frames, DEPTH);
	}
	for (uint32_t i = 0; i < STACKS; i++)
		for (uint32_t j = 0; j < STACKS; j++)
			event(kernel[i], user[j]);
	CHECK_EQ(maker_finish(maker, false), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	where.fd = open("/dev/null", O_WRONLY);
	CHECK(where.fd >= 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_output_create(trace, "stacks", &where, &output), 0);
	CHECK_EQ(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = memory_now() + ROOM;
	CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
	CHECK_EQ(ktrace_output_run(output, cursor, NULL, NULL), 0);
	CHECK_EQ(ktrace_output_events(output), STACKS * STACKS);
	CHECK_EQ(setrlimit(RLIMIT_AS, &before), 0);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	close(where.fd);
}

CHECK_MAIN
