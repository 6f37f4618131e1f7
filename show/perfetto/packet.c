// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfetto/packet.h"

/* Trace */
#define TRACE_PACKET 1

/* TracePacket */
#define PACKET_CLOCKS	6
#define PACKET_TIME	8
#define PACKET_SEQUENCE 10
#define PACKET_EVENT	11
#define PACKET_INTERNED 12
#define PACKET_FLAGS	13
#define PACKET_CLOCK	58
#define PACKET_DEFAULTS 59
#define PACKET_TRACK	60
#define PACKET_FIRST	87
#define PACKET_STATE	117

#define FLAG_CLEARED	1 /* what was interned before is forgotten */
#define FLAG_NEEDED	2 /* what was interned is needed */

/* ClockSnapshot, ClockSnapshot.Clock */
#define CLOCKS_CLOCK   1
#define CLOCKS_PRIMARY 2
#define CLOCK_ID       1
#define CLOCK_TIME     2
#define CLOCK_DELTAS   3

#define REALTIME       1
#define MONOTONIC      3
#define DELTAS	       64 /* the first one that a sequence may define */

/* TrackDescriptor */
#define TRACK_ID      1
#define TRACK_NAME    2
#define TRACK_PROCESS 3
#define TRACK_THREAD  4
#define TRACK_PARENT  5
#define TRACK_COUNTER 8
/* ProcessDescriptor, ThreadDescriptor */
#define PROCESS_PID  1
#define PROCESS_NAME 6
#define THREAD_PID   1
#define THREAD_TID   2
#define THREAD_NAME  5

/* TrackEvent */
#define EVENT_CATEGORY_ID   3
#define EVENT_ARGUMENT	    4
#define EVENT_TYPE	    9
#define EVENT_NAME_ID	    10
#define EVENT_TRACK	    11
#define EVENT_CATEGORY_TEXT 22
#define EVENT_NAME_TEXT	    23
#define EVENT_COUNTER_VALUE 30
#define EVENT_FLOW	    47
#define EVENT_FLOW_END	    48
/* DebugAnnotation */
#define ARGUMENT_NAME_ID   1
#define ARGUMENT_INT	   4
#define ARGUMENT_TEXT	   6
#define ARGUMENT_NAME_TEXT 10
#define ARGUMENT_TEXT_ID   17

/* GenericKernelTaskStateEvent */
#define STATE_CPU      1
#define STATE_COMM     2
#define STATE_TID      3
#define STATE_STATE    4
#define STATE_PRIORITY 5

/* The fields of InternedData; each has a number and a text. */
static const uint32_t interned_fields[INTERNED_NR] = {
	[INTERNED_CATEGORY] = 1,
	[INTERNED_NAME] = 2,
	[INTERNED_ARGUMENT] = 3,
	[INTERNED_VALUE] = 29,
};

#define INTERNED_ID   1
#define INTERNED_TEXT 2

/* Memory is bounded: longer texts, and those that come when there are so many, are written out. */
#define INTERNED_LENGTH 60
#define INTERNED_MAX	65536

struct name {
	uint64_t number;
	size_t size;
	char text[];
};

void packets_free(struct packets *p)
{
	for (int i = 0; i < INTERNED_NR; i++) {
		struct name *name;
		size_t at = 0;

		while ((name = table_each(&p->names[i], &at)))
			free(name);
		table_free(&p->names[i]);
	}
	free(p->packet.bytes);
	free(p->event.bytes);
	free(p->interned.bytes);
	free(p->whole.bytes);
}

/* ---- packets -------------------------------------------------------------- */

/* @flags: of the packet. */
static int packet_write(struct packets *p, unsigned int flags)
{
	message_uint(&p->packet, PACKET_SEQUENCE, 1);
	if (flags)
		message_uint(&p->packet, PACKET_FLAGS, flags);
	p->whole.size = 0;
	message_bytes(&p->whole, TRACE_PACKET, p->packet.bytes, p->packet.size);
	if (p->packet.failed || p->whole.failed || p->event.failed ||
	    p->interned.failed)
		return error_set(-ENOMEM, "out of memory");
	output_write(p->output, (const char *)p->whole.bytes, p->whole.size);
	p->packet.size = 0;
	return p->output->err;
}

static void clock_put(struct packets *p, uint64_t clock, uint64_t time)
{
	size_t begin = message_begin(&p->packet, CLOCKS_CLOCK);

	message_uint(&p->packet, CLOCK_ID, clock);
	message_uint(&p->packet, CLOCK_TIME, time);
	if (clock == DELTAS)
		message_uint(&p->packet, CLOCK_DELTAS, true);
	message_end(&p->packet, begin);
}

/* A moment at which both clocks were read. */
static int clocks_write(struct packets *p, const struct ktrace_sync *sync)
{
	size_t begin = message_begin(&p->packet, PACKET_CLOCKS);

	clock_put(p, MONOTONIC, sync->monotonic);
	clock_put(p, REALTIME, sync->realtime);
	message_uint(&p->packet, CLOCKS_PRIMARY, MONOTONIC);
	message_end(&p->packet, begin);
	return packet_write(p, 0);
}

int packets_begin(struct packets *p, const struct ktrace_info *info,
		  uint64_t begin)
{
	size_t clocks, defaults;
	int err = 0;

	p->clock = begin;
	message_uint(&p->packet, PACKET_FIRST, true);
	clocks = message_begin(&p->packet, PACKET_CLOCKS);
	clock_put(p, MONOTONIC, begin);
	clock_put(p, DELTAS, begin);
	message_uint(&p->packet, CLOCKS_PRIMARY, MONOTONIC);
	message_end(&p->packet, clocks);
	defaults = message_begin(&p->packet, PACKET_DEFAULTS);
	message_uint(&p->packet, PACKET_CLOCK, DELTAS);
	message_end(&p->packet, defaults);
	err = packet_write(p, FLAG_CLEARED);
	for (uint32_t i = 0; !err && i < info->nr_sync; i++)
		err = clocks_write(p, &info->sync[i]);
	return err;
}

/* ---- tracks --------------------------------------------------------------- */

static void text_put(struct message *message, uint32_t field, const char *text)
{
	message_text(message, field, text, strlen(text));
}

static size_t track_put(struct packets *p, uint64_t id, uint64_t parent)
{
	size_t begin = message_begin(&p->packet, PACKET_TRACK);

	message_uint(&p->packet, TRACK_ID, id);
	if (parent)
		message_uint(&p->packet, TRACK_PARENT, parent);
	return begin;
}

int packet_track(struct packets *p, uint64_t id, uint64_t parent,
		 const char *name, bool counter)
{
	size_t begin = track_put(p, id, parent);

	text_put(&p->packet, TRACK_NAME, name);
	if (counter)
		message_bytes(&p->packet, TRACK_COUNTER, "", 0);
	message_end(&p->packet, begin);
	return packet_write(p, 0);
}

int packet_process(struct packets *p, uint64_t id, uint32_t tgid,
		   const char *name)
{
	size_t begin = track_put(p, id, 0);
	size_t process = message_begin(&p->packet, TRACK_PROCESS);

	message_uint(&p->packet, PROCESS_PID, tgid);
	if (name)
		text_put(&p->packet, PROCESS_NAME, name);
	message_end(&p->packet, process);
	message_end(&p->packet, begin);
	return packet_write(p, 0);
}

int packet_thread(struct packets *p, uint64_t id, uint64_t process,
		  uint32_t tgid, uint32_t tid, const char *name)
{
	size_t begin = track_put(p, id, process);
	size_t thread = message_begin(&p->packet, TRACK_THREAD);

	message_uint(&p->packet, THREAD_PID, tgid);
	message_uint(&p->packet, THREAD_TID, tid);
	text_put(&p->packet, THREAD_NAME, name);
	message_end(&p->packet, thread);
	message_end(&p->packet, begin);
	return packet_write(p, 0);
}

/* ---- events --------------------------------------------------------------- */

static uint64_t name_find(const struct packets *p, enum interned kind,
			  uint64_t hash, const char *text, size_t size)
{
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&p->names[kind], hash, slot))) {
		const struct name *name = slot->value;

		if (name->size == size && !memcmp(name->text, text, size))
			return name->number;
	}
	return 0;
}

/* 0: it is written out. */
static uint64_t name_intern(struct packets *p, enum interned kind,
			    const char *text, size_t size)
{
	uint64_t hash = table_hash(text, size), number;
	struct name *name;
	size_t begin;

	if (size > INTERNED_LENGTH)
		return 0;
	number = name_find(p, kind, hash, text, size);
	if (number || p->names[kind].nr >= INTERNED_MAX)
		return number;
	name = malloc(sizeof(*name) + size);
	if (!name || table_add(&p->names[kind], hash, name)) {
		free(name);
		return 0;
	}
	name->number = p->names[kind].nr;
	name->size = size;
	memcpy(name->text, text, size);
	begin = message_begin(&p->interned, interned_fields[kind]);
	message_uint(&p->interned, INTERNED_ID, name->number);
	message_text(&p->interned, INTERNED_TEXT, text, size);
	message_end(&p->interned, begin);
	return name->number;
}

/* By its number, or written out. */
static void name_put(struct packets *p, enum interned kind, uint32_t by_number,
		     uint32_t by_text, const char *text, size_t size)
{
	uint64_t number = name_intern(p, kind, text, size);

	if (number)
		message_uint(&p->event, by_number, number);
	else
		message_text(&p->event, by_text, text, size);
}

void event_begin(struct packets *p, enum event_type type, uint64_t track,
		 const char *category, const char *name)
{
	p->event.size = 0;
	message_uint(&p->event, EVENT_TYPE, type);
	message_uint(&p->event, EVENT_TRACK, track);
	if (category)
		name_put(p, INTERNED_CATEGORY, EVENT_CATEGORY_ID,
			 EVENT_CATEGORY_TEXT, category, strlen(category));
	if (name)
		name_put(p, INTERNED_NAME, EVENT_NAME_ID, EVENT_NAME_TEXT, name,
			 strlen(name));
}

static size_t argument_begin(struct packets *p, const char *name)
{
	size_t begin = message_begin(&p->event, EVENT_ARGUMENT);

	name_put(p, INTERNED_ARGUMENT, ARGUMENT_NAME_ID, ARGUMENT_NAME_TEXT,
		 name, strlen(name));
	return begin;
}

void event_text(struct packets *p, const char *name, const char *text,
		size_t size)
{
	size_t begin = argument_begin(p, name);

	name_put(p, INTERNED_VALUE, ARGUMENT_TEXT_ID, ARGUMENT_TEXT, text,
		 size);
	message_end(&p->event, begin);
}

void event_number(struct packets *p, const char *name, int64_t number)
{
	size_t begin = argument_begin(p, name);

	message_uint(&p->event, ARGUMENT_INT, number);
	message_end(&p->event, begin);
}

void event_count(struct packets *p, uint64_t value)
{
	message_uint(&p->event, EVENT_COUNTER_VALUE, value);
}

void event_flow(struct packets *p, uint64_t flow, bool ends)
{
	message_fixed64(&p->event, ends ? EVENT_FLOW_END : EVENT_FLOW, flow);
}

int event_write(struct packets *p, uint64_t time)
{
	/* What is told late has a time of its own. */
	if (time < p->clock) {
		message_uint(&p->packet, PACKET_TIME, time);
		message_uint(&p->packet, PACKET_CLOCK, MONOTONIC);
	} else {
		message_uint(&p->packet, PACKET_TIME, time - p->clock);
		p->clock = time;
	}
	if (p->interned.size)
		message_bytes(&p->packet, PACKET_INTERNED, p->interned.bytes,
			      p->interned.size);
	p->interned.size = 0;
	message_bytes(&p->packet, PACKET_EVENT, p->event.bytes, p->event.size);
	return packet_write(p, FLAG_NEEDED);
}

int packet_state(struct packets *p, const struct packet_state *state)
{
	size_t begin;

	message_uint(&p->packet, PACKET_TIME, state->time);
	message_uint(&p->packet, PACKET_CLOCK, MONOTONIC);
	begin = message_begin(&p->packet, PACKET_STATE);
	message_uint(&p->packet, STATE_CPU, state->cpu);
	text_put(&p->packet, STATE_COMM, state->comm);
	message_uint(&p->packet, STATE_TID, state->tid);
	message_uint(&p->packet, STATE_STATE, state->state);
	if (state->state == TASK_RUNNING)
		message_uint(&p->packet, STATE_PRIORITY,
			     (int64_t)state->priority);
	message_end(&p->packet, begin);
	return packet_write(p, 0);
}
