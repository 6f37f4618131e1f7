// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <string.h>

#include "ktrace.h"

#include "maker.h"
#include "stacked.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))
#define CLOCK	  5000000000000ull
/* The clock has 2.5 ticks for each ns. */
#define US 2500ull

enum {
	ALLOC = MAKER_END,
	SWITCH,
	PLAIN,
	CALLED,
};

struct alloc {
	uint64_t bytes;
	int32_t result;
	uint32_t stack;
};

struct switched {
	struct maker_switch s;
	uint32_t stack;
} __attribute__((packed));

#define FIELD(the_kind, the_name, at, bytes)                      \
	{                                                         \
		.name = the_name, .ctype = "x", .kind = the_kind, \
		.offset = at, .size = bytes,                      \
	}
#define STACK(at)      FIELD(KTRACE_UINT, KT_STACK_FIELD, at, 4)
#define USER_STACK(at) FIELD(KTRACE_UINT, KT_USER_STACK_FIELD, at, 4)

static const struct ktrace_field alloc_fields[] = {
	FIELD(KTRACE_UINT, "bytes", 0, 8),
	FIELD(KTRACE_INT, "result", 8, 4),
	STACK(12),
};

static const struct ktrace_field switch_fields[] = {
	FIELD(KTRACE_STRING, "prev_comm", 0, 16),
	FIELD(KTRACE_INT, "prev_pid", 16, 4),
	FIELD(KTRACE_INT, "prev_prio", 20, 4),
	FIELD(KTRACE_INT, "prev_state", 24, 8),
	FIELD(KTRACE_STRING, "next_comm", 32, 16),
	FIELD(KTRACE_INT, "next_pid", 48, 4),
	FIELD(KTRACE_INT, "next_prio", 52, 4),
	STACK(56),
};

static const struct ktrace_type types[] = {
	{
		.id = ALLOC,
		.size = 16,
		.system = "mm",
		.name = "alloc",
		.nr_fields = NR(alloc_fields),
		.fields = alloc_fields,
	},
	{
		.id = SWITCH,
		.size = 60,
		.system = "sched",
		.name = "sched_switch",
		.nr_fields = NR(switch_fields),
		.fields = switch_fields,
	},
	{
		.id = PLAIN,
		.size = 8,
		.system = "mm",
		.name = "plain",
		.nr_fields = 1,
		.fields = alloc_fields,
	},
};

/* "entry", "work", "alloc" and one whose name is hostile, each of 0x1000 bytes. */
#define ENTRY(offset) (0xffffffff81000000ull + (offset))
#define WORK(offset)  (0xffffffff81001000ull + (offset))
#define PAGES(offset) (0xffffffff81002000ull + (offset))
#define EVIL(offset)  (0xffffffffc0000000ull + (offset))

static int symbols_make(const char *directory)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/symbols", directory);
	f = fopen(path, "w");
	if (!f)
		return -1;
	fputs("ffffffff81000000 entry\n"
	      "ffffffff81001000 work\n"
	      "ffffffff81002000 pages\n"
	      "ffffffffc0000000 </script><b>&amp;\"'\\\x01\xff;x evil\n",
	      f);
	return fclose(f);
}

static void alloc(struct maker *maker, uint64_t bytes, int32_t result,
		  uint32_t stack)
{
	struct alloc a = {bytes, result, stack};

	maker_raw(maker, 0, ALLOC, &a, sizeof(a), false);
}

/* Thread @from loses CPU @cpu to @to at this time. */
static void change(struct maker *maker, uint32_t cpu, uint64_t us, int32_t from,
		   int32_t to, uint32_t stack)
{
	struct switched s = {
		.s = {.prev_pid = from, .next_pid = to},
		.stack = stack,
	};

	maker_time(maker, CLOCK + us * US);
	maker_raw(maker, cpu, SWITCH, &s, sizeof(s), false);
}

static uint32_t stack(struct maker *maker, uint8_t end, uint16_t nr,
		      const uint64_t *addresses)
{
	return maker_stack(maker, addresses, nr, end);
}

#define LIST(...)                                                 \
	NR(((const uint64_t[]){__VA_ARGS__})), (const uint64_t[]) \
	{                                                         \
		__VA_ARGS__                                       \
	}

/* NULL: it failed. */
static struct maker *begin_with(const char *directory,
				const struct ktrace_type *all, size_t nr)
{
	struct maker *maker = maker_create(directory, 2, 4, false, 11);

	if (!maker || symbols_make(directory))
		return NULL;
	for (size_t i = 0; i < nr; i++)
		maker_type(maker, &all[i]);
	maker_known(maker, 7, 7, 1, "a <b>;c");
	maker_known(maker, 8, 8, 1, "worker");
	return maker;
}

static struct maker *begin(const char *directory)
{
	return begin_with(directory, types, NR(types));
}

/* Thread 7 has the first CPU. */
static void run(struct maker *maker)
{
	maker_current(maker, 0, 7, 7, "a <b>;c");
	maker_time(maker, CLOCK + US);
	maker_run(maker, 0, 7, 7, "a <b>;c");
}

int stacked_make_before(const char *directory)
{
	struct maker *maker = begin(directory);
	uint32_t gone, evil, deep, sleeps;

	if (!maker)
		return -1;
	gone = stack(maker, KT_STACK_COMPLETE, LIST(EVIL(16), ENTRY(16)));
	evil = stack(maker, KT_STACK_COMPLETE,
		     LIST(PAGES(4), EVIL(8), WORK(8), ENTRY(16)));
	deep = stack(maker, KT_STACK_COMPLETE,
		     LIST(PAGES(12), WORK(16), ENTRY(16)));
	sleeps = stack(maker, KT_STACK_COMPLETE, LIST(WORK(32), ENTRY(16)));
	run(maker);
	for (int i = 0; i < 3; i++)
		alloc(maker, 5000, 0, gone);
	alloc(maker, 4000, 0, evil);
	for (int i = 0; i < 6; i++)
		alloc(maker, 100, 0, deep);
	/* It sleeps for 20 us, and then when the trace ends. */
	change(maker, 0, 100, 7, 8, sleeps);
	change(maker, 0, 120, 8, 7, deep);
	change(maker, 0, 150, 7, 0, gone);
	return maker_finish(maker, false);
}

int stacked_make(const char *directory)
{
	struct maker *maker = begin(directory);
	uint32_t deep, same, evil, cut, sleeps;

	if (!maker)
		return -1;
	deep = stack(maker, KT_STACK_COMPLETE,
		     LIST(PAGES(4), WORK(8), ENTRY(16)));
	/* Other addresses in the same functions: the last one is behind its function. */
	same = stack(maker, KT_STACK_COMPLETE,
		     LIST(PAGES(8), WORK(0x1000), ENTRY(16)));
	evil = stack(maker, KT_STACK_COMPLETE,
		     LIST(PAGES(4), EVIL(8), WORK(8), ENTRY(16)));
	cut = stack(maker, KT_STACK_TRUNCATED, LIST(PAGES(4), 0x1234));
	sleeps = stack(maker, KT_STACK_COMPLETE, LIST(WORK(32), ENTRY(16)));

	run(maker);
	alloc(maker, 100, 0, deep);
	alloc(maker, 20, -12, deep);
	alloc(maker, 3, 5, same);
	alloc(maker, 4000, 7, evil);
	alloc(maker, 50000, 0, cut);
	alloc(maker, 600000, 0, 0);
	alloc(maker, 7000000, 0, 99999);
	maker_raw(maker, 0, PLAIN, &(uint64_t){8}, 8, false);

	/* Thread 7 sleeps for 10 and for 30 us; then it does not come back. */
	change(maker, 0, 100, 7, 8, sleeps);
	change(maker, 0, 110, 8, 7, deep);
	change(maker, 0, 200, 7, 0, sleeps);
	/* It wakes on the other CPU, and thread 8 comes back. */
	change(maker, 1, 230, 0, 7, deep);
	change(maker, 0, 260, 0, 8, deep);
	change(maker, 1, 300, 7, 0, sleeps);
	return maker_finish(maker, false);
}

/* ---- programs --------------------------------------------------------------- */

static const struct ktrace_field both_fields[] = {
	FIELD(KTRACE_UINT, "bytes", 0, 8),
	FIELD(KTRACE_INT, "result", 8, 4),
	STACK(12),
	USER_STACK(16),
};

static const struct ktrace_field called_fields[] = {
	FIELD(KTRACE_UINT, "bytes", 0, 8),
	USER_STACK(8),
};

static const struct ktrace_type program_types[] = {
	{
		.id = ALLOC,
		.size = 20,
		.system = "mm",
		.name = "alloc",
		.nr_fields = NR(both_fields),
		.fields = both_fields,
	},
	{
		.id = CALLED,
		.size = 12,
		.system = "mm",
		.name = "called",
		.nr_fields = NR(called_fields),
		.fields = called_fields,
	},
	{
		.id = PLAIN,
		.size = 8,
		.system = "mm",
		.name = "plain",
		.nr_fields = 1,
		.fields = alloc_fields,
	},
};

struct both {
	struct alloc a;
	uint32_t user;
} __attribute__((packed));

struct called {
	uint64_t bytes;
	uint32_t user;
} __attribute__((packed));

/* A place in a file. */
#define IN(file, offset) ((uint64_t)(file) << KT_FRAME_FILE_SHIFT | (offset))

static uint32_t user(struct maker *maker, uint8_t end, uint16_t nr,
		     const uint64_t *frames)
{
	return maker_stack_of(maker, KT_STACK_USER, frames, nr, end);
}

/* @text has all texts of the name. */
static void name(struct maker *maker, uint64_t frame, uint64_t behind,
		 const char *text, size_t size)
{
	uint64_t words[64] = {frame, behind};

	memcpy(words + 2, text, size);
	maker_stack_of(maker, KT_STACK_NAME, words, 2 + (size + 7) / 8, 0);
}

#define NAME(maker, frame, behind, text) \
	name(maker, frame, behind, text, sizeof(text))

static void names(struct maker *maker)
{
	NAME(maker, IN(1, 0x1004), 4,
	     "_ZNSt3mapIiiEixEOi\0/usr/bin/a;b \"c\\\0/src/map.h:12\0"
	     "_ZN1a5innerEv\0b.c:41\0");
	NAME(maker, IN(1, 0x2008), 8,
	     "work \"\\;\n\x01\x1b[31m\xff\xc3\xa9\0/usr/bin/prog\0");
	NAME(maker, IN(2, 0x3010), 16, "main\0/usr/bin/prog\0");
	/* Its file is known, and no function. */
	NAME(maker, IN(2, 0x4000), 0, "\0/lib/libc.so\0");
}

int stacked_make_programs(const char *directory)
{
	struct maker *maker =
		begin_with(directory, program_types, NR(program_types));
	uint32_t whole, cut, absent, thread, kernel;

	if (!maker)
		return -1;
	whole = user(maker, KT_STACK_COMPLETE,
		     LIST(IN(1, 0x1004), IN(1, 0x2008), IN(2, 0x3010)));
	cut = user(maker, KT_STACK_TRUNCATED,
		   LIST(IN(2, 0x4000), KT_FRAME_GUESS | IN(2, 0x3010),
			0x7f1234567890));
	absent = user(maker, KT_STACK_ABSENT, 0, NULL);
	thread = user(maker, KT_STACK_COMPLETE, 0, NULL);
	kernel = stack(maker, KT_STACK_COMPLETE, LIST(PAGES(4), ENTRY(16)));
	names(maker);
	run(maker);

	/* 0 is a stack for which was no room, and 99999 one that the trace lacks. */
	for (int i = 0; i < 6; i++) {
		const uint32_t users[] = {whole, cut, absent, thread, 0, 99999};
		struct both b = {{i, 0, kernel}, users[i]};
		struct called c = {10 + i, users[i]};

		maker_raw(maker, 0, ALLOC, &b, sizeof(b), false);
		maker_raw(maker, 0, CALLED, &c, sizeof(c), false);
	}
	maker_raw(maker, 0, PLAIN, &(uint64_t){8}, 8, false);
	return maker_finish(maker, false);
}
