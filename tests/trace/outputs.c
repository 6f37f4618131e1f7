// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The exact output for values that are hard to print. */
#include <errno.h>
#include <unistd.h>

#include <json-c/json.h>

#include "check.h"
#include "maker.h"
#include "shown.h"

static char directory[] = "/tmp/ktrace-outputs-XXXXXX";

static void clean(void)
{
	static const char *const files[] = {"metadata", "cpu0", "cpu1",
					    "symbols"};
	char path[64];
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
		unlink(path);
	}
	rmdir(directory);
}

static void make_symbols(void)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/symbols", directory);
	f = fopen(path, "w");
	CHECK(f);
	fprintf(f, "ffffffff81000000 _text\n"
		   "ffffffff81001000 tick_sched_timer\n"
		   "ffffffffc0000000 helper module\n");
	fclose(f);
}

static void make(void)
{
	static bool made;
	struct maker_switch s = {.prev_pid = 812,
				 .prev_prio = 120,
				 .prev_state = 0x100,
				 .next_comm = "a \"b\"\\\n\xff",
				 .next_pid = -1};
	struct maker_kmalloc mem = {.call_site = 0xffffffff81001010ull,
				    .ptr = 0xffff888000000000ull,
				    .bytes_req = 1,
				    .gfp_flags = 0xdc0,
				    .node = -1};
	struct maker_timer timer = {.function = 0xffffffff81001000ull,
				    .expires = -5,
				    .mode = 7,
				    .was_armed = 1};
	struct maker_syscall sys = {.id = -1, .args = {1, 0, 0xffffffffull}};
	union {
		uint8_t room[128];
		struct maker_net net;
		struct maker_mask mask;
		struct maker_block block;
	} u = {0};
	struct maker *maker;
	uint64_t clock = 5000000000000ull;

	if (made)
		return;
	CHECK(mkdtemp(directory));
	made = true;
	atexit(clean);
	make_symbols();
	maker = maker_create(directory, 2, 4, false, 9);
	CHECK(maker);
	memcpy(s.prev_comm, "sixteen-letters!", 16);
	maker_event(maker, 0, MAKER_SWITCH, &s, sizeof(s));
	maker_run(maker, 0, 7, 6, "Web Content");
	maker_task(maker, 0, 7, 6, 1, "Web\x1b[1m");
#define STEP maker_time(maker, clock += 1000)
	STEP, maker_event(maker, 0, MAKER_KMALLOC, &mem, sizeof(mem));
	mem.gfp_flags = 0;
	STEP, maker_event(maker, 0, MAKER_KMALLOC, &mem, sizeof(mem));
	mem.gfp_flags = 0x80000001;
	STEP, maker_event(maker, 0, MAKER_KMALLOC, &mem, sizeof(mem));
	STEP, maker_event(maker, 1, MAKER_TIMER, &timer, sizeof(timer));
	timer.mode = 2;
	STEP, maker_event(maker, 1, MAKER_TIMER, &timer, sizeof(timer));
	STEP, maker_event(maker, 1, MAKER_SYSCALL, &sys, sizeof(sys));
	memcpy(u.net.mac, "\x00\x11\x22\xaa\xbb\xcc", 6);
	memcpy(u.net.saddr, "\x7f\x00\x00\x01", 4);
	u.net.port = 65535;
	u.net.sizes = 12u << 16 | sizeof(u.net);
	u.net.data[1] = 70000;
	STEP, maker_event(maker, 0, MAKER_NET, &u, sizeof(u.net) + 12);
	memset(&u, 0, sizeof(u));
	u.mask.mask = 16u << 16 | sizeof(u.mask);
	u.mask.data[0] = 0xf1;
	u.mask.data[1] = 1;
	STEP, maker_event(maker, 0, MAKER_MASK, &u, sizeof(u.mask) + 16);
	memset(&u, 0, sizeof(u));
	u.block.dev = 8 << 20 | 17;
	strcpy(u.block.rwbs, "WS");
	u.block.cmd = 1u << 16 | sizeof(u.block);
	STEP, maker_event(maker, 0, MAKER_BLOCK, &u, sizeof(u.block) + 1);
	CHECK_EQ(maker_finish(maker, false), 0);
}

/* Everything that an output writes; the caller frees it. */
static char *output_of(const char *name)
{
	struct ktrace *trace;
	uint64_t events;
	char *text;

	make();
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	text = shown_of(trace, name, NULL, &events);
	CHECK_EQ(events, 10);
	CHECK(!ktrace_warning(trace, 0));
	ktrace_close(trace);
	return text;
}

static void check_lines(const char *name, const char *const *want)
{
	char *text = output_of(name), *line = text, *end;

	for (; *want; want++, line = end + 1) {
		end = strchr(line, '\n');
		CHECK(end);
		*end = '\0';
		CHECK_STR(line, *want);
	}
	CHECK(!*line);
	free(text);
}

TEST(text)
{
	static const char *const want[] = {
		"swapper/0-0           [000] 12.000000000 sched:sched_switch: "
		"prev_comm=sixteen-letters! prev_pid=812 prev_prio=120 "
		"prev_state=R+ next_comm=\"a \\\"b\\\"\\\\\\n\\xff\" next_pid=-1 "
		"next_prio=0",
		"Web\\x1b[1m-7          [000] 12.000000400 kmem:kmalloc: "
		"call_site=tick_sched_timer+0x10 ptr=0xffff888000000000 "
		"bytes_req=1 bytes_alloc=0 gfp_flags=GFP_KERNEL|__GFP_ZERO "
		"node=-1",
		"Web\\x1b[1m-7          [000] 12.000000800 kmem:kmalloc: "
		"call_site=tick_sched_timer+0x10 ptr=0xffff888000000000 "
		"bytes_req=1 bytes_alloc=0 gfp_flags=none node=-1",
		"Web\\x1b[1m-7          [000] 12.000001200 kmem:kmalloc: "
		"call_site=tick_sched_timer+0x10 ptr=0xffff888000000000 "
		"bytes_req=1 bytes_alloc=0 gfp_flags=0x80000001 node=-1",
		"swapper/1-0           [001] 12.000001600 timer:hrtimer_start: "
		"hrtimer=0x0 function=tick_sched_timer expires=-5 mode=7 "
		"was_armed=true",
		"swapper/1-0           [001] 12.000002000 timer:hrtimer_start: "
		"hrtimer=0x0 function=tick_sched_timer expires=-5 "
		"mode=ABS|PINNED was_armed=true",
		"swapper/1-0           [001] 12.000002400 raw_syscalls:sys_enter:"
		" id=-1 args={0x1,0x0,0xffffffff,0x0,0x0,0x0}",
		"Web\\x1b[1m-7          [000] 12.000002800 net:packet: "
		"mac=00:11:22:aa:bb:cc saddr=127.0.0.1 port=65535 "
		"sizes={0,70000,0}",
		"Web\\x1b[1m-7          [000] 12.000003200 ipi:ipi_send: "
		"mask=0,4-7,64 callback=0x0",
		"Web\\x1b[1m-7          [000] 12.000003600 block:block_rq_issue: "
		"dev=8:17 sector=0 nr_sector=0 rwbs=WS comm=\"\" cmd=\"\"",
		NULL,
	};

	check_lines("text", want);
}

TEST(kernel)
{
	static const char *const want[] = {
		"swapper/0-0           [000] 12.000000000 sched_switch: "
		"prev_comm=sixteen-letters! prev_pid=812 prev_prio=120 "
		"prev_state=R+ ==> next_comm=a \"b\"\\ \\xff next_pid=-1 "
		"next_prio=0",
		"Web\\x1b[1m-7          [000] 12.000000400 kmalloc: "
		"call_site=tick_sched_timer+0x10 ptr=0xffff888000000000 "
		"bytes_req=1 bytes_alloc=0 gfp_flags=GFP_KERNEL|__GFP_ZERO "
		"node=-1",
		"Web\\x1b[1m-7          [000] 12.000000800 kmalloc: "
		"call_site=tick_sched_timer+0x10 ptr=0xffff888000000000 "
		"bytes_req=1 bytes_alloc=0 gfp_flags=none node=-1",
		"Web\\x1b[1m-7          [000] 12.000001200 kmalloc: "
		"call_site=tick_sched_timer+0x10 ptr=0xffff888000000000 "
		"bytes_req=1 bytes_alloc=0 gfp_flags=0x80000001 node=-1",
		"swapper/1-0           [001] 12.000001600 hrtimer_start: "
		"hrtimer=(nil) function=tick_sched_timer "
		"expires=18446744073709551611 mode=0x7 was_armed=1",
		"swapper/1-0           [001] 12.000002000 hrtimer_start: "
		"hrtimer=(nil) function=tick_sched_timer "
		"expires=18446744073709551611 mode=ABS|PINNED was_armed=1",
		"swapper/1-0           [001] 12.000002400 sys_enter: "
		"NR -1 (1, 0, ffffffff, 0, 0, 0)",
		"Web\\x1b[1m-7          [000] 12.000002800 packet: "
		"00:11:22:aa:bb:cc 127.0.0.1 port=65535 0 70000 0",
		"Web\\x1b[1m-7          [000] 12.000003200 ipi_send: "
		"cpumask=0,4-7,64 callback=0x0",
		"Web\\x1b[1m-7          [000] 12.000003600 block_rq_issue: "
		"8,17 WS () 0 + 0 []",
		NULL,
	};

	check_lines("kernel", want);
}

static const char *member(struct json_object *o, const char *name)
{
	struct json_object *fields, *value;

	if (json_object_object_get_ex(o, name, &value))
		return json_object_get_string(value);
	CHECK(json_object_object_get_ex(o, "fields", &fields));
	CHECK(json_object_object_get_ex(fields, name, &value));
	return json_object_get_string(value);
}

TEST(json)
{
	char *text = output_of("json"), *line = text, *end;
	struct json_object *o[10];
	size_t i;

	for (i = 0; i < 10; i++, line = end + 1) {
		end = strchr(line, '\n');
		CHECK(end);
		*end = '\0';
		o[i] = json_tokener_parse(line);
		CHECK(o[i]);
	}
	CHECK(!*line);
	CHECK_STR(member(o[0], "event"), "sched:sched_switch");
	CHECK_STR(member(o[0], "next_comm"), "a \"b\"\\\n\xef\xbf\xbd");
	CHECK_STR(member(o[0], "next_pid"), "-1");
	CHECK_STR(member(o[0], "prev_state"), "R+");
	CHECK_STR(member(o[1], "comm"), "Web\x1b[1m");
	CHECK_STR(member(o[1], "tid"), "7");
	CHECK_STR(member(o[1], "pid"), "6");
	CHECK_STR(member(o[1], "time"), "12000000400");
	CHECK_STR(member(o[1], "call_site"), "tick_sched_timer+0x10");
	CHECK_STR(member(o[1], "ptr"), "0xffff888000000000");
	CHECK_STR(member(o[4], "mode"), "7");
	CHECK_STR(member(o[4], "was_armed"), "true");
	CHECK_STR(member(o[5], "mode"), "ABS|PINNED");
	CHECK_STR(member(o[7], "mac"), "00:11:22:aa:bb:cc");
	CHECK_STR(member(o[7], "sizes"), "[ 0, 70000, 0 ]");
	CHECK_STR(member(o[8], "mask"), "0,4-7,64");
	CHECK_STR(member(o[9], "dev"), "8:17");
	for (i = 0; i < 10; i++)
		json_object_put(o[i]);
	free(text);
}

/* Names and strings of strangers reach no terminal as they are: not by any output. */
TEST(strangers)
{
	const struct ktrace_output_kind *kind;

	for (size_t i = 0; (kind = ktrace_output_kind(i)); i++) {
		char *text = kind->directory || kind->file
				     ? NULL
				     : output_of(kind->name);

		for (const char *p = text; p && *p; p++)
			CHECK(*p == '\n' || *p == '\t' ||
			      (*p >= ' ' && *p <= '~') || *p < 0);
		CHECK(!text || !strstr(text, "\xff"));
		free(text);
	}
}

struct taken {
	char *text;
	size_t size, room;
	int err; /* returned, once there are @room bytes */
};

static int take(void *data, const char *text, size_t size)
{
	struct taken *t = data;

	CHECK(size);
	if (t->err && t->size + size > t->room)
		return t->err;
	t->text = realloc(t->text, t->size + size + 1);
	memcpy(t->text + t->size, text, size);
	t->size += size;
	t->text[t->size] = '\0';
	return 0;
}

/* One event at a time, as a viewer would: all of it together is what a file has. */
TEST(event_by_event)
{
	static const char *const kinds[] = {"text", "kernel", "json"};

	for (size_t i = 0; i < 3; i++) {
		char *want = output_of(kinds[i]);
		struct taken t = {0};
		struct ktrace_output_options where = {
			.size = sizeof(where),
			.fd = -1,
			.write = take,
			.data = &t,
		};
		struct ktrace_cursor *cursor;
		struct ktrace_output *output;
		struct ktrace *trace;

		CHECK_EQ(ktrace_open(directory, &trace), 0);
		CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
		CHECK_EQ(ktrace_output_create(trace, kinds[i], &where, &output),
			 0);
		while (ktrace_cursor_next(cursor) == KTRACE_EVENT) {
			size_t before = t.size;

			CHECK_EQ(ktrace_output_event(
					 output, ktrace_cursor_event(cursor),
					 NULL),
				 0);
			CHECK_EQ(t.size, before);
			CHECK_EQ(ktrace_output_finish(output), 0);
			CHECK(t.size > before && t.text[t.size - 1] == '\n');
			CHECK(!memchr(t.text + before, '\n',
				      t.size - before - 1));
		}
		CHECK_STR(t.text, want);
		CHECK_EQ(ktrace_output_events(output), 10);
		ktrace_output_destroy(output);
		ktrace_cursor_destroy(cursor);
		ktrace_close(trace);
		free(t.text);
		free(want);
	}
}

TEST(span_and_loss)
{
	const struct ktrace_span span = {
		.name = "read", .begin = 5, .end = 116, .took = 111};
	const struct ktrace_loss loss = {
		.time = 1, .cpu = 1, .cause = KTRACE_LOST_FULL, .count = 7};
	const struct ktrace_loss task = {
		.time = 1, .cpu = 1, .cause = KTRACE_LOST_TASK, .count = 5};
	struct taken t = {0};
	struct ktrace_output_options where = {
		.size = sizeof(where), .write = take, .data = &t};
	struct ktrace_cursor *cursor;
	struct ktrace_output *output;
	struct ktrace *trace;

	make();
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_output_create(trace, "text", &where, &output), 0);
	CHECK_EQ(ktrace_output_finish(output), 0); /* nothing to write */
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_EVENT);
	CHECK_EQ(ktrace_output_event(output, ktrace_cursor_event(cursor),
				     &span),
		 0);
	CHECK_EQ(ktrace_output_loss(output, &loss), 0);
	CHECK_EQ(ktrace_output_loss(output, &task), 0);
	CHECK_EQ(ktrace_output_finish(output), 0);
	CHECK(strstr(t.text, " <0.000000111>\n"));
	CHECK(strstr(t.text, "*** cpu 1: 7 events lost"));
	CHECK_EQ(ktrace_output_events(output), 1);
	CHECK_EQ(ktrace_output_losses(output), 7);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	free(t.text);
}

/* Whoever takes the text may refuse it: that ends the output, with his error. */
TEST(refused)
{
	struct taken t = {.err = -EPIPE};
	struct ktrace_output_options where = {
		.size = sizeof(where), .write = take, .data = &t};
	struct ktrace_output_options tomorrow[2] = {{.size = sizeof(tomorrow)}};
	struct ktrace_output_calls calls = {.reserved = {1}};
	struct ktrace_cursor *cursor;
	struct ktrace_output *output;
	struct ktrace *trace;

	make();
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_output_create(trace, "text", &where, &output), 0);
	CHECK_EQ(ktrace_output_run(output, cursor, NULL, NULL), -EPIPE);
	CHECK(strstr(ktrace_last_error(), "cannot write"));
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);

	CHECK_EQ(ktrace_output_create(trace, "pdf", &where, &output), -ENOENT);
	CHECK(strstr(ktrace_last_error(), "pdf"));
	tomorrow[1].fd = 1;
	CHECK_EQ(ktrace_output_create(trace, "text", tomorrow, &output),
		 -E2BIG);
	where.calls = &calls;
	CHECK_EQ(ktrace_output_create(trace, "strace", &where, &output),
		 -E2BIG);
	calls = (struct ktrace_output_calls){.sort = KTRACE_SORT_NONE + 1};
	CHECK_EQ(ktrace_output_create(trace, "strace", &where, &output),
		 -E2BIG);
	calls = (struct ktrace_output_calls){.constants =
						     KTRACE_CONSTANTS_BOTH + 1};
	CHECK_EQ(ktrace_output_create(trace, "strace", &where, &output),
		 -E2BIG);
	calls = (struct ktrace_output_calls){.strings = KTRACE_STRINGS_HEX + 1};
	CHECK_EQ(ktrace_output_create(trace, "strace", &where, &output),
		 -E2BIG);
	where.size = 0;
	CHECK_EQ(ktrace_output_create(trace, "text", &where, &output), -EINVAL);
	ktrace_close(trace);
}

/* A second finish must not take away what the first one wrote. */
TEST(ctf_is_finished_once)
{
	char path[128], metadata[160], command[160];
	struct ktrace_output_options where = {.size = sizeof(where),
					      .path = path};
	struct ktrace_cursor *cursor;
	struct ktrace_output *output;
	struct ktrace *trace;

	make();
	snprintf(path, sizeof(path), "%s.ctf", directory);
	snprintf(metadata, sizeof(metadata), "%s/metadata", path);
	snprintf(command, sizeof(command), "rm -rf %s", path);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_output_create(trace, "ctf", &where, &output), 0);
	CHECK_EQ(ktrace_output_run(output, cursor, NULL, NULL), 0);
	CHECK_EQ(ktrace_output_finish(output), -EINVAL);
	ktrace_output_destroy(output);
	CHECK(!access(metadata, R_OK));
	CHECK(!system(command));
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

TEST(kinds)
{
	static const char *const known[] = {"text", "kernel", "json", "strace",
					    "ctf"};
	const struct ktrace_output_kind *kind;
	size_t n = 0;

	for (; (kind = ktrace_output_kind(n)); n++) {
		CHECK(*kind->name && *kind->what);
		CHECK(ktrace_output_find(kind->name) == kind);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		kind = ktrace_output_find(known[i]);
		CHECK(kind);
		CHECK_EQ(kind->directory, !strcmp(known[i], "ctf"));
	}
	CHECK(n >= 5);
	CHECK(!ktrace_output_kind(n + 1));
	CHECK(!ktrace_output_find("pdf"));
}

CHECK_MAIN
