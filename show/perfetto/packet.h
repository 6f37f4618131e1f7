/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Packets of a Perfetto trace: how events of tracks and states of threads are written, and what
 * must be said before.
 *
 * The numbers of fields are those of Perfetto's protos/perfetto/trace (trace_packet.proto,
 * track_event/, interned_data/, generic_kernel/generic_task.proto, clock_snapshot.proto).
 */
#ifndef KT_SHOW_PERFETTO_PACKET_H
#define KT_SHOW_PERFETTO_PACKET_H

#include "base/table.h"
#include "message.h"
#include "viewer.h"

/* TrackEvent.Type */
enum event_type {
	EVENT_BEGIN = 1,
	EVENT_END = 2,
	EVENT_INSTANT = 3,
	EVENT_COUNTER = 4,
};

/* GenericKernelTaskStateEvent.TaskStateEnum */
enum task_state {
	TASK_RUNNABLE = 2,
	TASK_RUNNING = 3,
	TASK_SLEEP = 4,
	TASK_BLOCKED = 5,
	TASK_STOPPED = 6,
	TASK_DEAD = 7,
};

/* Texts that are written once, and have a number from then on: fields of InternedData. */
enum interned {
	INTERNED_CATEGORY,
	INTERNED_NAME,
	INTERNED_ARGUMENT,
	INTERNED_VALUE,
	INTERNED_NR,
};

struct packets {
	struct output *output;
	struct message packet, event, interned, whole;
	struct table names[INTERNED_NR]; /* by hash */
	bool begun;
	/* The time of the last packet whose time was a difference. */
	uint64_t clock;
};

void packets_free(struct packets *packets);

/* All that write return 0 or a negative errno. */

/* The first packets: clocks.  @begin: the time of the first event. */
int packets_begin(struct packets *packets, const struct ktrace_info *info,
		  uint64_t begin);

/* A track; @parent 0: none; @name NULL: none. */
int packet_track(struct packets *packets, uint64_t id, uint64_t parent,
		 const char *name, bool counter);
int packet_process(struct packets *packets, uint64_t id, uint32_t tgid,
		   const char *name);
int packet_thread(struct packets *packets, uint64_t id, uint64_t process,
		  uint32_t tgid, uint32_t tid, const char *name);

/* An event is put together, and then written.  @name, @category: NULL: it has none. */
void event_begin(struct packets *packets, enum event_type type, uint64_t track,
		 const char *category, const char *name);
void event_text(struct packets *packets, const char *name, const char *text,
		size_t size);
void event_number(struct packets *packets, const char *name, int64_t number);
void event_count(struct packets *packets, uint64_t value);
/* An arrow begins or ends here. */
void event_flow(struct packets *packets, uint64_t flow, bool ends);
int event_write(struct packets *packets, uint64_t time);

struct packet_state {
	uint64_t time;
	uint32_t cpu;
	uint64_t tid;
	const char *comm;
	enum task_state state;
	int32_t priority;
};

int packet_state(struct packets *packets, const struct packet_state *state);

#endif /* KT_SHOW_PERFETTO_PACKET_H */
