/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A trace that a test lets grow: CPUs of different speed, tasks that switch, and losses. */
#ifndef KT_TESTS_TRACE_GROWING_H
#define KT_TESTS_TRACE_GROWING_H

#include "check.h"
#include "maker.h"
#include "rnd.h"
#include "scratch.h"

#include <ktrace.h>

#define CPUS   3
#define EVENTS 60000
#define BEGIN  5000000000000ull
#define STEP   1000

/* The metadata: without and with its last line. */
static struct ktrace_memory head, end;

/* For each packet of a CPU: its begin in time and its end in the file. */
static struct packets {
	size_t nr;
	struct {
		uint64_t begin;
		uint64_t end;
	} list[512];
} packets[CPUS];

static void metadata_write(const struct ktrace_memory *text, bool append)
{
	char path[512];
	int fd;

	path_of(path, "metadata");
	fd = open(path, O_WRONLY | (append ? O_APPEND : O_TRUNC));
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, text->data, text->size), text->size);
	close(fd);
}

static void packets_find(uint32_t cpu)
{
	struct packets *p = &packets[cpu];
	struct ktrace_memory stream;
	char name[8];
	size_t at = 0;

	snprintf(name, sizeof(name), "cpu%u", cpu);
	stream = load(name);
	while (at < stream.size) {
		struct kt_packet packet;

		memcpy(&packet, (const char *)stream.data + at, sizeof(packet));
		at += (packet.used + 7) & ~7u;
		CHECK(p->nr < 512);
		p->list[p->nr].begin = packet.begin;
		p->list[p->nr++].end = at;
	}
	free((void *)stream.data);
}

/* CPUs of different speed, tasks that switch, and a reader that is too slow. */
static void make(void)
{
	struct maker_wakeup wake = {.comm = "woken", .pid = 4};
	struct maker_switch to = {.prev_pid = 1, .next_pid = 2};
	struct maker *maker;
	const char *line;

	if (head.size)
		return;
	scratch_make();
	maker = maker_create(directory, CPUS, 4, false, 99);
	CHECK(maker);
	for (uint32_t i = 0; i < EVENTS; i++) {
		uint32_t cpu = rnd(10) < 7 ? 0 : 1 + !rnd(40);
		static const char *const comms[] = {"one", "two", "three"};
		uint32_t tid = 10 + rnd(3);

		maker_time(maker, BEGIN + i * STEP);
		maker_stall(maker, 0, i > 30000 && i < 45000);
		if (rnd(20)) {
			maker_event(maker, cpu, MAKER_WAKEUP, &wake,
				    sizeof(wake));
			continue;
		}
		to.next_pid = tid;
		maker_event(maker, cpu, MAKER_SWITCH, &to, sizeof(to));
		maker_run(maker, cpu, tid, 10, comms[tid - 10]);
	}
	CHECK(maker_lost(maker, 0) > 0);
	CHECK_EQ(maker_finish(maker, false), 0);
	head = load("metadata");
	line = strstr(head.data, "{\"type\":\"end\"");
	CHECK(line);
	end.data = line;
	end.size = strlen(line);
	head.size -= end.size;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		packets_find(cpu);
}

/* The next item as a line; false: there is none at present. */
static bool item_next(struct ktrace_cursor *cursor, char *line, uint64_t *time)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	int item = ktrace_cursor_next(cursor);

	CHECK(item >= 0);
	*line = '\0';
	if (item == KTRACE_EVENT) {
		*time = event->time;
		snprintf(line, 256, "%lu cpu%u %s %u %u %s", event->time,
			 event->cpu, event->type->name, event->tid, event->tgid,
			 event->comm);
	} else if (item == KTRACE_LOSS) {
		*time = loss->time;
		snprintf(line, 256, "%lu cpu%u lost %lu %d", loss->time,
			 loss->cpu, loss->count, loss->cause);
	}
	return item != KTRACE_END;
}

#endif /* KT_TESTS_TRACE_GROWING_H */
