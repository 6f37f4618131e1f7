/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Events whose every byte can be checked, and the check.
 *
 * Contexts that interrupt each other ("levels": 0 is the task) each number
 * their own attempts.  verify_*() checks that what was read is a possible and
 * exact account of the attempts: nothing twice, nothing damaged, nothing out of
 * order, nothing lost without being counted.
 */
#ifndef KT_TESTS_RING_LOAD_H
#define KT_TESTS_RING_LOAD_H

#include "packet.h"
#include "ring.h"

#define LOAD_LEVELS 4

enum load_kind {
	LOAD_FIXED,
	LOAD_DYNAMIC, /* followed by data */
	LOAD_WIDE,    /* an id that needs an extended header */
	LOAD_LARGE,   /* larger than any packet */
	LOAD_TASK,    /* a task record: no event */
	LOAD_KINDS,
};

#define LOAD_ID_FIXED	KT_ID_FIRST
#define LOAD_ID_DYNAMIC (KT_ID_FIRST + LOAD_LEVELS)
#define LOAD_ID_WIDE	70000u

struct load_event {
	u64 number; /* of the attempt */
	u64 before; /* the clock around the reservation */
	u64 after;
	u32 level;
	u32 sum; /* sum of all above and the data */
};

/* One level of one ring; written by this level only. */
struct load {
	struct kt_ring *ring;
	u32 level;
	u64 attempts; /* events */
	u64 tasks;    /* task records */
	u64 written;
	void (*middle)(struct load *load); /* called before the commit */
};

u32 load_sum(const struct load_event *event, const u8 *data, u32 size);

/*
 * If there is much data only some bytes are used: the ring is under test, not
 * memcpy.
 */
static inline u32 load_stride(u32 size)
{
	return size < 2048 ? 1 : 509;
}

static inline void load_fill(u8 *data, u32 size, u64 number)
{
	u32 i, stride = load_stride(size);

	for (i = 0; i < size; i += stride)
		data[i] = (u8)(number * 31 + i);
}

static inline bool load_task(struct load *load)
{
	struct kt_record record;
	u32 tid = (u32)load->tasks++;
	void *p = kt_ring_reserve(load->ring, &record, KT_ID_SWITCH,
				  sizeof(tid), KT_RECORD_TASK);

	if (!p)
		return false;
	memcpy(p, &tid, sizeof(tid));
	kt_ring_commit(load->ring, &record);
	return true;
}

/* Tries to write one event; @size is the size of a dynamic one's data. */
static inline bool load_write(struct load *load, enum load_kind kind, u32 size)
{
	struct load_event event = {.level = load->level};
	struct kt_record record;
	u8 *p;

	if (kind == LOAD_TASK)
		return load_task(load);
	event.number = load->attempts++;
	event.before = env_clock();
	switch (kind) {
	case LOAD_DYNAMIC:
		p = kt_ring_reserve(load->ring, &record,
				    LOAD_ID_DYNAMIC + load->level,
				    sizeof(event) + size, KT_RECORD_DYNAMIC);
		break;
	case LOAD_WIDE:
		p = kt_ring_reserve(load->ring, &record,
				    LOAD_ID_WIDE + load->level, sizeof(event),
				    0);
		break;
	case LOAD_LARGE:
		p = kt_ring_reserve(load->ring, &record,
				    LOAD_ID_DYNAMIC + load->level,
				    KT_PAYLOAD_MAX + 1 + size,
				    KT_RECORD_DYNAMIC);
		break;
	default:
		p = kt_ring_reserve(load->ring, &record,
				    LOAD_ID_FIXED + load->level, sizeof(event),
				    0);
	}
	if (!p)
		return false;
	event.after = env_clock();
	if (kind == LOAD_DYNAMIC)
		load_fill(p + sizeof(event), size, event.number);
	else
		size = 0;
	event.sum = load_sum(&event, p + sizeof(event), size);
	memcpy(p, &event, sizeof(event));
	if (load->middle)
		load->middle(load);
	kt_ring_commit(load->ring, &record);
	load->written++;
	return true;
}

/* What was read of one ring. */
struct verify {
	bool overwrite;
	bool started;
	u64 packets;
	u64 next_seq;
	u64 next_events; /* expected events_before if nothing was overwritten */
	u64 next_number[LOAD_LEVELS];
	u64 time;
	u64 lost[KT_LOST_NR]; /* OVERWRITTEN: from gaps */
	u64 events;
	u64 tasks;
	u64 wide;
	u64 epochs;    /* extended headers due to the time alone */
	u64 skipped;   /* numbers that never came */
	char why[200]; /* of the first failure */
};

/* Both return false on failure, and say why. */
bool verify_packet(struct verify *v, const void *bytes, size_t len);
/*
 * Call it when there are no writers any more and every packet was verified or
 * overwritten.
 */
bool verify_end(struct verify *v, const struct kt_ring *ring,
		const struct load *loads);

/* Consumes and verifies every packet that can be read now. */
bool verify_drain(struct verify *v, struct kt_ring *ring);

#endif /* KT_TESTS_RING_LOAD_H */
