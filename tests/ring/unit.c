// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ring and the walker, one property at a time, with a clock that the test
 * sets.
 */
#include "check.h"
#include "load.h"
#include "packet.h"
#include "world.h"

#define FIRST_ROOM ((KT_PACKET_UNITS - KT_PACKET_HEADER_UNITS) * KT_UNIT)

static struct world world;
static struct kt_ring *const ring = &world.ring;
static struct kt_control *const control = &world.control;

static const u32 FIXED = KT_ID_FIRST;

static void *packet_at(u64 seq)
{
	return world.data + ((seq & (control->packets - 1)) << KT_PACKET_SHIFT);
}

static bool put(u32 id, u32 size, unsigned int flags, u8 fill)
{
	struct kt_record record;
	void *p = kt_ring_reserve(ring, &record, id, size, flags);

	if (!p)
		return false;
	memset(p, fill, size);
	kt_ring_commit(ring, &record);
	return true;
}

/* Fills the open packet up to the last unit that may be used. */
static void fill_packet(void)
{
	u32 used = (u32)ring->head & (KT_PACKET_UNITS - 1);
	u32 left = (KT_PACKET_UNITS - 1 - used) * KT_UNIT;

	/* An empty packet holds more than one payload may. */
	CHECK(left >= 2 * KT_HEADER_COMPACT);
	CHECK(put(FIXED, 0, 0, 0));
	left -= KT_HEADER_COMPACT;
	if (left - KT_HEADER_COMPACT > KT_PAYLOAD_MAX) {
		CHECK(put(FIXED, 1000 - KT_HEADER_COMPACT, 0, 0xf0));
		left -= 1000;
	}
	CHECK(put(FIXED, left - KT_HEADER_COMPACT, 0, 0xf1));
	CHECK_EQ((u32)ring->head & (KT_PACKET_UNITS - 1), KT_PACKET_UNITS - 1);
}

static u32 size_given(const void *arg, u32 id)
{
	return id < KT_ID_FIRST ? kt_task_size(id) : *(const u32 *)arg;
}

/* Begins to walk through a produced packet. */
static void walk_packet(struct kt_walk *walk, u64 seq)
{
	CHECK(seq < control->produced);
	CHECK_EQ(kt_walk_begin(walk, packet_at(seq), KT_PACKET_SIZE), 0);
	CHECK_EQ(walk->packet.seq, seq);
}

static void walk_record(struct kt_walk *walk, u32 size, u32 id, u64 time,
			int fill)
{
	u32 i, got = size == KT_SIZE_DYNAMIC ? 0 : size;

	CHECK_EQ(kt_walk_next(walk, size_given, &size), 1);
	CHECK_EQ(walk->id, id);
	CHECK_EQ(walk->time, time);
	if (got)
		CHECK_EQ(walk->size, got);
	for (i = 0; fill >= 0 && i < walk->size; i++)
		CHECK_EQ(walk->payload[i], fill);
}

static void walk_end(struct kt_walk *walk)
{
	u32 size = 0;

	CHECK_EQ(kt_walk_next(walk, size_given, &size), 0);
}

TEST(sizes_of_rings)
{
	static u64 marks[KT_RING_MARKS(4)];
	struct kt_control c;
	struct kt_ring r;
	static u8 data[4 << KT_PACKET_SHIFT]
		__attribute__((aligned(KT_CONTROL_SIZE)));

	CHECK_EQ(kt_ring_init(&r, &c, data, marks, 0, 0, 0, 0), -EINVAL);
	CHECK_EQ(kt_ring_init(&r, &c, data, marks, 1, 0, 0, 0), -EINVAL);
	CHECK_EQ(kt_ring_init(&r, &c, data, marks, 3, 0, 0, 0), -EINVAL);
	CHECK_EQ(kt_ring_init(&r, &c, data, marks, 2 * KT_RING_PACKETS_MAX, 0,
			      0, 0),
		 -EINVAL);
	CHECK_EQ(kt_ring_init(&r, &c, data, marks, 2, 0, 0, 0), 0);
	CHECK_EQ(kt_ring_init(&r, &c, data, marks, 4, 0, 7, 9), 0);
	CHECK_EQ(c.magic, KT_CONTROL_MAGIC);
	CHECK_EQ(c.version, KT_ABI_VERSION);
	CHECK_EQ(c.packet_size, KT_PACKET_SIZE);
	CHECK_EQ(c.packets, 4);
	CHECK_EQ(c.cpu, 7);
	CHECK_EQ(c.trace_id, 9);
	CHECK_EQ(c.produced, 0);
	CHECK_EQ(c.consumed, 0);
}

TEST(header_of_packets)
{
	struct kt_walk walk;

	world_now = 1ull << 40;
	world_create(&world, 2, KT_MODE_DISCARD);
	world_now = (1ull << 40) + 7;
	CHECK(put(FIXED, 8, 0, 1));
	CHECK_EQ(control->produced, 0);
	CHECK_EQ(world_wakes, 0);
	world_now = (1ull << 40) + 20;
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(control->produced, 1);
	CHECK_EQ(control->events, 1);
	CHECK_EQ(world_wakes, 1);

	walk_packet(&walk, 0);
	CHECK_EQ(walk.packet.begin, 1ull << 40);
	CHECK_EQ(walk.packet.end, (1ull << 40) + 20);
	CHECK_EQ(walk.packet.header_size, sizeof(struct kt_packet));
	CHECK_EQ(walk.packet.packet_size, KT_PACKET_SIZE);
	CHECK_EQ(walk.packet.used, sizeof(struct kt_packet) + 12);
	CHECK_EQ(kt_packet_stored(&walk.packet), sizeof(struct kt_packet) + 16);
	CHECK_EQ(walk.packet.events, 1);
	CHECK_EQ(walk.packet.events_before, 0);
	CHECK_EQ(walk.packet.cpu, 3);
	CHECK_EQ(walk.packet.trace_id, 0x1234);
	CHECK_EQ(walk.packet.tid, 812);
	CHECK_EQ(walk.packet.tgid, 800);
	CHECK_STR(walk.packet.comm, "task");
	CHECK_EQ(walk.packet.lost_full + walk.packet.lost_nested +
			 walk.packet.lost_large + walk.packet.lost_task,
		 0);
	CHECK_EQ(walk.packet.lost_recursion, 0);
	walk_record(&walk, 8, FIXED, (1ull << 40) + 7, 1);
	walk_end(&walk);
	world_destroy(&world);
}

TEST(payloads_of_every_size)
{
	struct kt_walk walk;
	u32 size;

	world_now = 1000;
	world_create(&world, 4, KT_MODE_DISCARD);
	for (size = 0; size <= KT_PAYLOAD_MAX; size += size < 300 ? 1 : 4099) {
		u64 seq = control->consumed;
		u64 time = world_now;

		/* Flush, so that each pair has a packet. */
		CHECK(put(FIXED, size, 0, (u8)size));
		if (size < KT_PAYLOAD_MAX / 2)
			CHECK(put(FIXED + 1, size, KT_RECORD_DYNAMIC,
				  (u8)~size));
		CHECK_EQ(kt_ring_flush(ring), 0);
		walk_packet(&walk, seq);
		walk_record(&walk, size, FIXED, time, (u8)size);
		if (size < KT_PAYLOAD_MAX / 2) {
			walk_record(&walk, KT_SIZE_DYNAMIC, FIXED + 1, time + 1,
				    (u8)~size);
			CHECK_EQ(walk.size, size);
		}
		walk_end(&walk);
		CHECK_EQ(kt_ring_consume(ring, seq), 0);
	}
	world_destroy(&world);
}

/* Neither the fast way nor the others leave old bytes behind a payload. */
TEST(the_tail_is_zero)
{
	struct kt_record record;
	u32 size, whole;
	u8 *payload;

	world_create(&world, 2, KT_MODE_DISCARD);
	memset(world.data, 0x5a, 2 * KT_PACKET_SIZE);
	for (size = 1; size <= 18; size++) {
		payload = kt_ring_reserve(ring, &record,
					  size % 2 ? 16 : KT_ID_EXTENDED, size,
					  KT_RECORD_DYNAMIC | KT_RECORD_TAIL);
		whole = (size + KT_UNIT - 1) / KT_UNIT * KT_UNIT;
		CHECK_EQ(((u32 *)payload)[-1], size);
		CHECK_EQ(*(u32 *)(payload + whole - KT_UNIT), 0);
		CHECK_EQ(payload[whole], 0x5a);
		kt_ring_commit(ring, &record);
	}
	world_destroy(&world);
}

TEST(largest_payload_and_one_more)
{
	static const u32 ids[] = {16, KT_ID_EXTENDED - 1, KT_ID_EXTENDED, ~0u};
	struct kt_walk walk;
	unsigned int i, dynamic;

	for (i = 0; i < 8; i++) {
		u32 id = ids[i / 2];
		u64 time;

		dynamic = i & 1 ? KT_RECORD_DYNAMIC : 0;
		world_create(&world, 2, KT_MODE_DISCARD);
		CHECK(!put(id, KT_PAYLOAD_MAX + 1, dynamic, 0));
		CHECK_EQ(control->lost[KT_LOST_LARGE], 1);
		CHECK(!put(id, ~0u, dynamic, 0));
		CHECK(!put(id, ~0u - 3, dynamic, 0));
		CHECK(!put(id, 1u << 31, dynamic, 0));
		CHECK_EQ(control->lost[KT_LOST_LARGE], 4);
		time = world_now;
		CHECK(put(id, KT_PAYLOAD_MAX, dynamic, 0x77));
		CHECK_EQ(kt_ring_flush(ring), 0);
		CHECK(put(FIXED, 0, 0, 0x78));
		walk_packet(&walk, 0);
		/* Larger ids take the slow path, which reads the clock again. */
		walk_record(&walk, dynamic ? KT_SIZE_DYNAMIC : KT_PAYLOAD_MAX,
			    id, time + (id >= KT_ID_EXTENDED), 0x77);
		CHECK_EQ(walk.size, KT_PAYLOAD_MAX);
		walk_end(&walk);
		/* The packet was opened before the losses, so it does not count them. */
		CHECK_EQ(walk.packet.lost_large, 0);
		CHECK_EQ(kt_ring_flush(ring), -ENOSPC);
		CHECK_EQ(kt_ring_consume(ring, 0), 0);
		CHECK_EQ(kt_ring_flush(ring), 0);
		walk_packet(&walk, 1);
		CHECK_EQ(walk.packet.lost_large, 4);
		world_destroy(&world);
	}
}

TEST(exact_fit)
{
	struct kt_walk walk;

	world_now = 0;
	world_create(&world, 4, KT_MODE_DISCARD);
	/* The last unit is free, so the packet stays open. */
	fill_packet();
	CHECK_EQ(control->produced, 0);
	/* The smallest record would need the last unit, so it goes to the next packet. */
	CHECK(put(FIXED, 0, 0, 0));
	CHECK_EQ(control->produced, 1);
	walk_packet(&walk, 0);
	CHECK_EQ(walk.packet.used, KT_PACKET_SIZE - KT_UNIT);
	CHECK_EQ(walk.packet.events, 3);

	/* One unit more than fits, although the packet has that many left. */
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK(put(FIXED, FIRST_ROOM - KT_HEADER_COMPACT, 0, 0xee) == false);
	CHECK_EQ(control->lost[KT_LOST_LARGE], 1);
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(control->produced, 2);
	/* Empty: nothing to flush, nothing produced. */
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(control->produced, 2);
	world_destroy(&world);
}

TEST(extended_header_by_id)
{
	struct kt_walk walk;

	world_now = 5000;
	world_create(&world, 2, KT_MODE_DISCARD);
	CHECK(put(KT_ID_EXTENDED - 1, 4, 0, 1));
	CHECK(put(KT_ID_EXTENDED, 4, 0, 2));
	CHECK(put(KT_ID_EXTENDED + 1, 4, KT_RECORD_DYNAMIC, 3));
	CHECK(put(~0u, 0, 0, 4));
	CHECK(put(FIXED, 4, 0, 5));
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 0);
	CHECK_EQ(walk.packet.events, 5);
	CHECK_EQ(walk.packet.used,
		 sizeof(struct kt_packet) + 8 + 20 + 24 + 16 + 8);
	walk_record(&walk, 4, KT_ID_EXTENDED - 1, 5001, 1);
	walk_record(&walk, 4, KT_ID_EXTENDED, 5003, 2);
	walk_record(&walk, KT_SIZE_DYNAMIC, KT_ID_EXTENDED + 1, 5005, 3);
	walk_record(&walk, 0, ~0u, 5007, 4);
	walk_record(&walk, 4, FIXED, 5008, 5);
	walk_end(&walk);
	world_destroy(&world);
}

TEST(extended_header_by_epoch)
{
	const u64 epoch = 1ull << KT_TIME_BITS;
	struct kt_walk walk;

	world_now = 3 * epoch - 2;
	world_create(&world, 4, KT_MODE_DISCARD);
	world_tick = 0;
	world_now = 3 * epoch - 1; /* the last tick of the begin's epoch */
	CHECK(put(FIXED, 4, 0, 1));
	world_now = 3 * epoch; /* the first of the next: extended */
	CHECK(put(FIXED, 4, 0, 2));
	CHECK(put(FIXED, 4, 0, 3)); /* the same time: compact */
	world_now = 9 * epoch + 12;
	CHECK(put(FIXED, 4, 0, 4));
	world_now = (1ull << 53) + 9 * epoch + 13; /* above what head holds */
	world_now += epoch;
	CHECK(put(FIXED, 4, 0, 5));
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 0);
	CHECK_EQ(walk.packet.used, sizeof(struct kt_packet) + 2 * 8 + 3 * 20);
	walk_record(&walk, 4, FIXED, 3 * epoch - 1, 1);
	walk_record(&walk, 4, FIXED, 3 * epoch, 2);
	walk_record(&walk, 4, FIXED, 3 * epoch, 3);
	walk_record(&walk, 4, FIXED, 9 * epoch + 12, 4);
	walk_record(&walk, 4, FIXED, world_now, 5);
	walk_end(&walk);

	/* The epochs of head wrap: 2^32 of them. */
	world_now = (1ull << 53) * 5 - 1;
	kt_ring_reset(ring);
	CHECK(put(FIXED, 4, 0, 1));
	world_now++;
	CHECK(put(FIXED, 4, 0, 2));
	CHECK(put(FIXED, 4, 0, 3));
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 0);
	walk_record(&walk, 4, FIXED, (1ull << 53) * 5 - 1, 1);
	walk_record(&walk, 4, FIXED, (1ull << 53) * 5, 2);
	walk_record(&walk, 4, FIXED, (1ull << 53) * 5, 3);
	walk_end(&walk);

	/* So does the clock. */
	world_now = ~0ull;
	kt_ring_reset(ring);
	CHECK(put(FIXED, 4, 0, 1));
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 0);
	walk_record(&walk, 4, FIXED, ~0ull, 1);
	world_destroy(&world);
}

TEST(a_new_packet_needs_no_extended_header)
{
	const u64 epoch = 1ull << KT_TIME_BITS;
	struct kt_walk walk;

	world_now = 100;
	world_create(&world, 2, KT_MODE_DISCARD);
	fill_packet();
	world_tick = 0;
	world_now = 77 * epoch + 5;
	CHECK(put(FIXED, 8, 0, 9));
	CHECK_EQ((u32)ring->head & (KT_PACKET_UNITS - 1),
		 KT_PACKET_HEADER_UNITS + 3);
	CHECK_EQ(kt_ring_consume(ring, 0), 0);
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 1);
	CHECK_EQ(walk.packet.begin, world_now);
	walk_record(&walk, 8, FIXED, world_now, 9);
	walk_end(&walk);
	world_destroy(&world);
}

TEST(task_records_are_no_events)
{
	struct kt_task task = {.tid = 5, .tgid = 4, .parent = 1, .comm = "t"};
	struct kt_record record;
	struct kt_walk walk;
	void *p;

	world_create(&world, 2, KT_MODE_DISCARD);
	CHECK(put(KT_ID_SWITCH, 4, KT_RECORD_TASK, 6));
	p = kt_ring_reserve(ring, &record, KT_ID_TASK, sizeof(task),
			    KT_RECORD_TASK);
	CHECK(p);
	memcpy(p, &task, sizeof(task));
	kt_ring_commit(ring, &record);
	CHECK(put(FIXED, 4, 0, 1));
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(control->events, 1);
	walk_packet(&walk, 0);
	CHECK_EQ(walk.packet.events, 1);
	CHECK_EQ(kt_walk_next(&walk, size_given, NULL), 1);
	CHECK_EQ(walk.id, KT_ID_SWITCH);
	CHECK_EQ(walk.size, sizeof(struct kt_task_switch));
	CHECK_EQ(kt_walk_next(&walk, size_given, NULL), 1);
	CHECK_EQ(walk.id, KT_ID_TASK);
	CHECK(!memcmp(walk.payload, &task, sizeof(task)));

	/* Lost task records are counted separately, for any cause. */
	fill_packet();
	CHECK(!put(KT_ID_SWITCH, 4, KT_RECORD_TASK, 6));
	CHECK(!put(KT_ID_SWITCH, KT_PAYLOAD_MAX + 1, KT_RECORD_TASK, 6));
	CHECK_EQ(control->lost[KT_LOST_TASK], 2);
	CHECK_EQ(control->lost[KT_LOST_FULL], 0);
	CHECK_EQ(control->lost[KT_LOST_LARGE], 0);
	world_destroy(&world);
}

TEST(discard_keeps_the_oldest)
{
	const u32 size = 1000, units = (size + KT_HEADER_COMPACT) / KT_UNIT;
	const u32 fit = (KT_PACKET_UNITS - 1 - KT_PACKET_HEADER_UNITS) / units;
	struct kt_walk walk;
	u32 i, written = 0;

	world_create(&world, 4, KT_MODE_DISCARD);
	for (i = 0; i < 1000; i++)
		written += put(FIXED, size, 0, (u8)i);
	CHECK_EQ(written, 4 * fit);
	CHECK_EQ(control->lost[KT_LOST_FULL], 1000 - written);
	CHECK_EQ(control->produced, 3);
	CHECK_EQ(control->events, 3 * fit);
	CHECK_EQ(kt_ring_flush(ring), -ENOSPC);
	CHECK_EQ(control->produced, 3);
	/* A small record still fits into the rest. */
	CHECK(put(FIXED + 1, 0, 0, 0));

	CHECK_EQ(kt_ring_consume(ring, 0), 0);
	CHECK(put(FIXED, size, 0, 0x42));
	CHECK_EQ(kt_ring_consume(ring, 1), 0);
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 3);
	CHECK_EQ(walk.packet.events, fit + 1);
	CHECK_EQ(walk.packet.lost_full, 0);
	walk_packet(&walk, 4);
	CHECK_EQ(walk.packet.events, 1);
	CHECK_EQ(walk.packet.lost_full, 1000 - written);
	CHECK_EQ(walk.packet.events_before, 4 * fit + 1);
	CHECK_EQ(control->lost[KT_LOST_OVERWRITTEN], 0);
	world_destroy(&world);
}

TEST(overwrite_keeps_the_newest)
{
	const u32 size = 1000, units = (size + KT_HEADER_COMPACT) / KT_UNIT;
	const u32 fit = (KT_PACKET_UNITS - 1 - KT_PACKET_HEADER_UNITS) / units;
	struct kt_walk walk;
	u32 i;

	world_create(&world, 4, KT_MODE_OVERWRITE);
	CHECK(put(FIXED, size, 0, 0));
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 0);
	CHECK_EQ(walk.packet.events_before, 0);
	CHECK_EQ(kt_ring_consume(ring, 0), 0);

	/* Packets 1 .. 10 full, 11 open. */
	for (i = 0; i < 10 * fit + 1; i++)
		CHECK(put(FIXED, size, 0, (u8)i));
	CHECK_EQ(control->produced, 11);
	CHECK_EQ(control->consumed, 8);
	CHECK_EQ(control->lost[KT_LOST_OVERWRITTEN], 7 * fit);
	CHECK_EQ(control->lost[KT_LOST_FULL], 0);
	walk_packet(&walk, 8);
	/* The gap since the packet read before: 1 + 7 * fit - (0 + 1). */
	CHECK_EQ(walk.packet.events_before, 1 + 7 * fit);
	CHECK_EQ(walk.packet.events, fit);
	walk_record(&walk, size, FIXED, walk.packet.begin, (u8)(7 * fit));

	CHECK_EQ(kt_ring_consume(ring, 7), -ESTALE);
	CHECK_EQ(kt_ring_consume(ring, 0), -ESTALE);
	CHECK_EQ(kt_ring_consume(ring, 8), 0);
	CHECK_EQ(kt_ring_consume(ring, 8), -ESTALE);
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(control->events, 1 + 10 * fit + 1);
	world_destroy(&world);
}

TEST(flush_in_every_state)
{
	struct kt_record record;
	void *p;

	world_create(&world, 2, KT_MODE_OVERWRITE);
	CHECK_EQ(kt_ring_flush(ring), 0); /* empty */
	CHECK_EQ(control->produced, 0);
	CHECK(put(FIXED, 4, 0, 1));
	CHECK_EQ(kt_ring_flush(ring), 0); /* one event */
	CHECK_EQ(control->produced, 1);
	CHECK_EQ(kt_ring_flush(ring), 0); /* empty again */
	CHECK_EQ(control->produced, 1);
	CHECK(put(KT_ID_SWITCH, 4, KT_RECORD_TASK, 1));
	CHECK_EQ(kt_ring_flush(ring), 0); /* no event, but a record */
	CHECK_EQ(control->produced, 2);
	CHECK_EQ(control->events, 1);
	fill_packet();
	CHECK_EQ(kt_ring_flush(ring), 0); /* full */
	CHECK_EQ(control->produced, 3);
	CHECK_EQ(control->consumed, 2);
	CHECK_EQ(control->lost[KT_LOST_OVERWRITTEN], 1);

	/* Between reserve and commit, as an interrupt would. */
	p = kt_ring_reserve(ring, &record, FIXED, 4, 0);
	CHECK(p);
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(control->produced, 3); /* not before it is committed */
	CHECK(put(FIXED, 4, 0, 2));
	CHECK_EQ(kt_ring_flush(ring), -ENOSPC); /* all packets are open */
	memset(p, 3, 4);
	kt_ring_commit(ring, &record);
	CHECK_EQ(control->produced, 4);
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(control->produced, 5);
	world_destroy(&world);

	world_create(&world, 2, KT_MODE_DISCARD);
	CHECK(put(FIXED, 4, 0, 1));
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(kt_ring_flush(ring), 0); /* empty: no need of room */
	CHECK(put(FIXED, 4, 0, 1));
	CHECK_EQ(kt_ring_flush(ring), -ENOSPC);
	CHECK_EQ(kt_ring_flush(ring), -ENOSPC);
	CHECK_EQ(control->lost[KT_LOST_FULL], 0);
	CHECK_EQ(kt_ring_consume(ring, 0), 0);
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(control->produced, 2);
	CHECK_EQ(control->events, 2);
	world_destroy(&world);
}

TEST(consume_trusts_nobody)
{
	world_create(&world, 2, KT_MODE_DISCARD);
	CHECK_EQ(kt_ring_consume(ring, 0), -EINVAL); /* still open */
	CHECK_EQ(kt_ring_consume(ring, 1), -EINVAL);
	CHECK_EQ(kt_ring_consume(ring, ~0ull), -EINVAL);
	CHECK(put(FIXED, 4, 0, 1));
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK_EQ(kt_ring_consume(ring, 1), -EINVAL);
	CHECK_EQ(kt_ring_consume(ring, 1ull << 32), -EINVAL);
	CHECK_EQ(kt_ring_consume(ring, 0), 0);
	CHECK_EQ(kt_ring_consume(ring, 0), -EINVAL); /* twice */
	CHECK_EQ(kt_ring_consume(ring, 1), -EINVAL);
	CHECK_EQ(control->consumed, 1);
	world_destroy(&world);
}

/* A writer between reserve and commit blocks the ring. */
TEST(nested_writers_lose_as_nested)
{
	struct kt_record record;
	struct kt_walk walk;
	u32 i, written = 0;
	void *p;

	world_create(&world, 4, KT_MODE_OVERWRITE);
	p = kt_ring_reserve(ring, &record, FIXED, 4, 0);
	CHECK(p);
	for (i = 0; i < 300; i++)
		written += put(FIXED, 1000, 0, (u8)i);
	CHECK(written < 300);
	CHECK_EQ(control->lost[KT_LOST_NESTED], 300 - written);
	CHECK_EQ(control->produced, 0);
	CHECK_EQ(control->lost[KT_LOST_OVERWRITTEN], 0);
	memset(p, 9, 4);
	world_wakes = 0;
	kt_ring_commit(ring, &record);
	CHECK_EQ(control->produced, 3);
	CHECK_EQ(world_wakes, 1);
	for (i = 0; i < 3; i++) {
		walk_packet(&walk, i);
		CHECK_EQ(walk.packet.lost_nested, 0);
	}
	CHECK_EQ(kt_ring_flush(ring), 0);
	CHECK(put(FIXED, 4, 0, 1));
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 4);
	CHECK_EQ(walk.packet.lost_nested, 300 - written);
	world_destroy(&world);
}

TEST(reset_empties)
{
	struct kt_walk walk;
	u32 i;

	world_create(&world, 2, KT_MODE_OVERWRITE);
	for (i = 0; i < 500; i++)
		put(FIXED, 1000, 0, 1);
	put(FIXED, KT_PAYLOAD_MAX + 1, 0, 1);
	CHECK(control->produced > 2);
	kt_ring_reset(ring);
	CHECK_EQ(control->produced, 0);
	CHECK_EQ(control->consumed, 0);
	CHECK_EQ(control->events, 0);
	for (i = 0; i < KT_LOST_NR; i++)
		CHECK_EQ(control->lost[i], 0);
	CHECK_EQ(kt_ring_consume(ring, 0), -EINVAL);
	CHECK(put(FIXED, 4, 0, 2));
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 0);
	CHECK_EQ(walk.packet.events, 1);
	CHECK_EQ(walk.packet.events_before, 0);
	walk_record(&walk, 4, FIXED, world_now - 2, 2);
	walk_end(&walk);
	world_destroy(&world);
}

/* Writes and reads across @seq, in both modes and with rings of all sizes. */
static void cross(u64 seq, u32 packets, enum kt_mode mode)
{
	struct load loads[LOAD_LEVELS] = {{0}};
	struct verify v = {.overwrite = mode == KT_MODE_OVERWRITE};
	u32 i;

	for (i = 0; i < LOAD_LEVELS; i++)
		loads[i] = (struct load){.ring = ring, .level = i};
	world_create(&world, packets, mode);
	kt_ring_begin(ring, seq - 3);
	for (i = 0; i < 40 + 12 * packets; i++) {
		load_write(&loads[0], i % LOAD_KINDS, 20000 + 531 * i % 20000);
		load_write(&loads[1], LOAD_DYNAMIC, 531 * i % 10000);
		if (mode == KT_MODE_DISCARD || i == 9)
			if (!verify_drain(&v, ring))
				check_fail("%s", v.why);
	}
	CHECK(control->produced > seq);
	CHECK_EQ(kt_ring_flush(ring), 0);
	if (!verify_drain(&v, ring) || !verify_end(&v, ring, loads))
		check_fail("%s", v.why);
	CHECK(v.events > packets);
	CHECK_EQ(v.overwrite, control->lost[KT_LOST_OVERWRITTEN] > 0);
	world_destroy(&world);
}

TEST(positions_wrap)
{
	const u64 lap = 1ull << (32 - KT_PACKET_UNITS_SHIFT);
	u32 packets;

	for (packets = 2; packets <= WORLD_PACKETS_MAX; packets *= 2) {
		cross(lap, packets, KT_MODE_DISCARD);
		cross(lap, packets, KT_MODE_OVERWRITE);
		cross(5 * lap, packets, KT_MODE_OVERWRITE);
		cross(1ull << 32, packets, KT_MODE_DISCARD);
		cross(1ull << 32, packets, KT_MODE_OVERWRITE);
	}
}

/* Positions have one more bit than the largest ring needs. */
TEST(largest_ring)
{
	static u64 marks[KT_RING_MARKS(KT_RING_PACKETS_MAX)];
	static u8 data[2 << KT_PACKET_SHIFT]
		__attribute__((aligned(KT_CONTROL_SIZE)));
	struct kt_record record;
	struct kt_control c;
	struct kt_ring r;
	void *p;

	CHECK_EQ(kt_ring_init(&r, &c, data, marks, KT_RING_PACKETS_MAX,
			      KT_MODE_DISCARD, 0, 0),
		 0);
	CHECK_EQ(r.mask, 0x7fffffff);
	p = kt_ring_reserve(&r, &record, FIXED, 60000, 0);
	CHECK(p);
	kt_ring_commit(&r, &record);
	p = kt_ring_reserve(&r, &record, FIXED, 60000, 0);
	CHECK(p == data + KT_PACKET_SIZE + sizeof(struct kt_packet) +
			   KT_HEADER_COMPACT);
	kt_ring_commit(&r, &record);
	CHECK_EQ(c.produced, 1);
}

/* It has no memory to which anything could be written. */
TEST(a_closed_ring_takes_nothing)
{
	struct kt_ring closed;
	struct kt_control lost;
	struct kt_record record;
	u64 attempts = 0;

	kt_ring_init_closed(&closed, &lost);
	for (u64 time = 0; time < 3ull << 60; time += 1ull << 60) {
		world_now = time;
		for (u32 size = 0; size <= KT_PAYLOAD_MAX; size += 4096) {
			CHECK(!kt_ring_reserve(&closed, &record, FIXED, size,
					       0));
			CHECK(!kt_ring_reserve(&closed, &record, KT_ID_EXTENDED,
					       size, KT_RECORD_DYNAMIC));
			attempts += 2;
		}
	}
	CHECK(!kt_ring_reserve(&closed, &record, KT_ID_SWITCH, 4,
			       KT_RECORD_TASK));
	CHECK(kt_ring_flush(&closed) == -ENOSPC);
	CHECK_EQ(lost.lost[KT_LOST_NESTED], attempts);
	CHECK(!kt_ring_reserve(&closed, &record, FIXED, KT_PAYLOAD_MAX, 0));
	CHECK_EQ(lost.lost[KT_LOST_NESTED], attempts + 1);
	CHECK(!kt_ring_reserve(&closed, &record, FIXED, -1u, 0));
	CHECK(!kt_ring_reserve(&closed, &record, FIXED, -8u,
			       KT_RECORD_DYNAMIC));
	CHECK_EQ(lost.lost[KT_LOST_LARGE], 2);
	CHECK_EQ(closed.head, 2 * KT_PACKET_UNITS - 1);
	CHECK_EQ(lost.lost[KT_LOST_TASK], 1);
	CHECK_EQ(lost.produced, 0);
}

TEST(walker_refuses_damage)
{
	u8 bytes[256] __attribute__((aligned(8)));
	struct kt_packet *packet = (void *)bytes;
	struct kt_walk walk;
	u32 size = 4, words[4];
	int i;

	world_create(&world, 2, KT_MODE_DISCARD);
	CHECK(put(FIXED, 4, 0, 1));
	CHECK(put(FIXED, 4, 0, 2));
	CHECK_EQ(kt_ring_flush(ring), 0);
	memcpy(bytes, packet_at(0), sizeof(bytes));
	world_destroy(&world);
	CHECK_EQ(packet->used, 128 + 16);

	/* Cut anywhere, it is no packet, but it is not damage either. */
	for (i = 0; i < 144; i++)
		CHECK_EQ(kt_walk_begin(&walk, bytes, i), -ENODATA);
	CHECK_EQ(kt_walk_begin(&walk, bytes, 144), 0);

#define REFUSES(field, value, error)                                         \
	do {                                                                 \
		struct kt_packet good = *packet;                             \
                                                                             \
		packet->field = (value);                                     \
		CHECK_EQ(kt_walk_begin(&walk, bytes, sizeof(bytes)), error); \
		*packet = good;                                              \
	} while (0)
	REFUSES(magic, 0, -EBADMSG);
	REFUSES(version, 2, -EPROTONOSUPPORT);
	REFUSES(header_size, 124, -EBADMSG);
	REFUSES(header_size, 148, -EBADMSG);
	REFUSES(header_size, 130, -EBADMSG);
	REFUSES(header_size, 144, 0);
	REFUSES(used, 0, -EBADMSG);
	REFUSES(used, 124, -EBADMSG);
	REFUSES(used, 142, -EBADMSG);
	REFUSES(used, KT_PACKET_SIZE + 4, -EBADMSG);
	REFUSES(used, KT_PACKET_SIZE, -ENODATA);
	REFUSES(used, ~0u & ~3u, -EBADMSG);
	REFUSES(packet_size, 140, -EBADMSG);
	REFUSES(packet_size, ~0u, -EBADMSG);
	REFUSES(begin, packet->end + 1, -EBADMSG);
#undef REFUSES

	/* Records that would reach beyond the end. */
	CHECK_EQ(kt_walk_begin(&walk, bytes, sizeof(bytes)), 0);
	size = 12;
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), 1);
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), 0);
	CHECK_EQ(kt_walk_begin(&walk, bytes, sizeof(bytes)), 0);
	size = 13;
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), -EBADMSG);
	size = KT_SIZE_UNKNOWN;
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), -ENOENT);
	CHECK_EQ(walk.id, FIXED);

	size = KT_SIZE_DYNAMIC;
	for (i = 0; i <= 20; i++) {
		u32 claim = i < 20 ? (u32)i : ~0u;

		memcpy(bytes + 132, &claim, sizeof(claim));
		CHECK_EQ(kt_walk_begin(&walk, bytes, sizeof(bytes)), 0);
		CHECK_EQ(kt_walk_next(&walk, size_given, &size),
			 claim <= 8 ? 1 : -EBADMSG);
	}
	packet->used = 132; /* no place for the size */
	CHECK_EQ(kt_walk_begin(&walk, bytes, sizeof(bytes)), 0);
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), -EBADMSG);
	packet->used = 144;

	/* Extended headers: cut, and with bits that have no meaning. */
	words[0] = KT_ID_EXTENDED;
	words[1] = 99999;
	memset(words + 2, 0, 8);
	memcpy(bytes + 128, words, sizeof(words));
	size = 0;
	CHECK_EQ(kt_walk_begin(&walk, bytes, sizeof(bytes)), 0);
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), 1);
	CHECK_EQ(walk.id, 99999);
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), 0);
	packet->used = 140;
	CHECK_EQ(kt_walk_begin(&walk, bytes, sizeof(bytes)), 0);
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), -EBADMSG);
	packet->used = 144;
	words[0] |= 1u << KT_ID_BITS;
	memcpy(bytes + 128, words, sizeof(words));
	CHECK_EQ(kt_walk_begin(&walk, bytes, sizeof(bytes)), 0);
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), -EBADMSG);
}

CHECK_MAIN
