// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ring under a clock that falls: nothing is lost, and readers can merge it.
 */
#include "check.h"
#include "packet.h"
#include "world.h"

static struct world world;
static struct kt_ring *const ring = &world.ring;
static struct kt_control *const control = &world.control;

static const u32 FIXED = KT_ID_FIRST;

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

static u32 size_given(const void *arg, u32 id)
{
	return *(const u32 *)arg;
}

static void walk_packet(struct kt_walk *walk, u64 seq)
{
	const u8 *data = world.data +
			 ((seq & (control->packets - 1)) << KT_PACKET_SHIFT);

	CHECK_EQ(kt_walk_begin(walk, data, KT_PACKET_SIZE), 0);
	CHECK_EQ(walk->packet.seq, seq);
}

/*
 * A packet that was written while the clock fell is valid.  If the ring noticed the fall
 * (@seen), times never decrease.
 */
static u32 walk_fallen(u64 seq, u64 *time, bool seen)
{
	u32 size = 1000, records = 0;
	struct kt_walk walk;

	walk_packet(&walk, seq);
	if (seen)
		CHECK(walk.packet.begin >= *time);
	*time = walk.packet.begin;
	while (kt_walk_next(&walk, size_given, &size) > 0) {
		if (seen)
			CHECK(walk.time >= *time &&
			      walk.time <= walk.packet.end);
		*time = walk.time;
		records++;
	}
	CHECK_EQ(records, walk.packet.events);
	return records;
}

TEST(a_clock_that_falls)
{
	const u64 epoch = 1ull << KT_TIME_BITS;
	/* Into another epoch; to zero; within the same epoch, which the ring does not check. */
	const u64 falls[] = {7 * epoch + 3, 0, 9 * epoch + 10};
	size_t fall;

	for (fall = 0; fall < 3; fall++) {
		u32 put_all = 0, got = 0;
		u64 seq, time = 0;

		world_now = 9 * epoch + 1000;
		world_create(&world, 8, KT_MODE_DISCARD);
		world_tick = 1;
		for (; put_all < 20; put_all++)
			CHECK(put(FIXED, 1000, 0, 1));
		/* The same at the begin of a packet that is still empty. */
		if (fall == 2)
			CHECK_EQ(kt_ring_flush(ring), 0);
		world_now = falls[fall];
		for (; put_all < 200; put_all++)
			CHECK(put(FIXED, 1000, 0, 2));
		/* It catches up, and goes on within the epoch in which it fell. */
		world_now = 9 * epoch + 5;
		for (; put_all < 260; put_all++)
			CHECK(put(FIXED, 1000, 0, 4));
		world_tick = 0;
		world_now = 12 * epoch + 77;
		CHECK(put(FIXED, 1000, 0, 3));
		put_all++;
		CHECK_EQ(kt_ring_flush(ring), 0);
		for (seq = 0; seq < control->produced; seq++)
			got += walk_fallen(seq, &time, fall < 2);
		CHECK_EQ(got, put_all);
		CHECK_EQ(time, 12 * epoch + 77);
		world_destroy(&world);
	}
}

/* A ring that is reset starts with the clock as it is then. */
TEST(a_reset_forgets_the_clock)
{
	struct kt_walk walk;
	u32 size = 4;

	world_now = 1ull << 40;
	world_create(&world, 2, KT_MODE_DISCARD);
	world_tick = 0;
	CHECK(put(FIXED, 4, 0, 1));
	world_now = 5000;
	kt_ring_reset(ring);
	CHECK(put(FIXED, 4, 0, 2));
	CHECK_EQ(kt_ring_flush(ring), 0);
	walk_packet(&walk, 0);
	CHECK_EQ(walk.packet.begin, 5000);
	CHECK_EQ(kt_walk_next(&walk, size_given, &size), 1);
	CHECK_EQ(walk.time, 5000);
	world_destroy(&world);
}

CHECK_MAIN
