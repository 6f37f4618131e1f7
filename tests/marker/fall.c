// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ring of programs under a clock that falls, as the time stamp counter does
 * if it restarts after a sleep.  Nothing may be lost, and times may never
 * decrease.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "packet.h"
#include "publish.h"

#define PACKETS 8
#define EVENT	KT_ID_FIRST
#define SIZE	1000

static const u64 epoch = 1ull << KT_TIME_BITS;

static u64 now, tick;
void (*world_step)(void);

u64 env_clock(void)
{
	return now += tick;
}

static struct marker_rings rings;
static u8 packet[KT_PACKET_SIZE];

static void rings_make(void)
{
	u32 cpus = sysconf(_SC_NPROCESSORS_CONF), nr = cpus + 1;

	free(rings.base);
	rings = marker_rings(aligned_alloc(64, nr * marker_ring_size(PACKETS)),
			     PACKETS, cpus, 1);
	for (u32 i = 0; i < nr; i++)
		marker_ring_init(&rings, i, KT_MODE_DISCARD, 7);
}

static bool put(void)
{
	struct {
		u8 prefix[MARKER_PREFIX_ROOM];
		u8 payload[SIZE];
	} record = {0};

	return marker_ring_write(&rings, EVENT, record.payload, SIZE, 0);
}

static u32 size_of(const void *arg, u32 id)
{
	return id == EVENT ? SIZE : kt_task_size(id);
}

static u64 walk(u32 used, u64 *time)
{
	struct kt_walk walk;
	u64 events = 0;
	int more;

	CHECK_EQ(kt_walk_begin(&walk, packet, used), 0);
	CHECK(walk.packet.begin >= *time);
	*time = walk.packet.begin;
	while ((more = kt_walk_next(&walk, size_of, NULL)) > 0) {
		CHECK(walk.time >= *time && walk.time <= walk.packet.end);
		*time = walk.time;
		events += walk.id == EVENT;
	}
	CHECK_EQ(more, 0);
	CHECK_EQ(events, walk.packet.events);
	return events;
}

/*
 * Reads everything that was written; @newest is the time of the last record in
 * the fullest ring.
 */
static u64 rings_read(u64 *newest)
{
	u64 events = 0;
	u32 used;

	*newest = 0;
	for (u32 i = 0; i < rings.cpus + rings.locked; i++) {
		u64 time = 0;

		while (marker_ring_read(&rings, i, packet, &used) > 0)
			events += walk(used, &time);
		if (marker_ring_read_open(&rings, i, packet, &used))
			events += walk(used, &time);
		if (time > *newest)
			*newest = time;
	}
	return events;
}

TEST(a_clock_that_falls)
{
	/* Into another epoch; to zero. */
	const u64 falls[] = {7 * epoch + 3, 0};

	for (size_t fall = 0; fall < 2; fall++) {
		u64 events = 0, newest;

		now = 9 * epoch + 1000;
		tick = 1;
		rings_make();
		for (; events < 20; events++)
			CHECK(put());
		now = falls[fall];
		for (; events < 200; events++)
			CHECK(put());
		/*
		 * It catches up, and continues within the epoch in which it
		 * fell.
		 */
		now = 9 * epoch + 5;
		for (; events < 260; events++)
			CHECK(put());
		now = 300 * epoch + 77;
		tick = 0;
		CHECK(put());
		events++;
		CHECK_EQ(rings_read(&newest), events);
		CHECK_EQ(newest, now);
	}
}

/* The time must not run ahead with each record. */
TEST(time_stands_still)
{
	u64 newest;

	now = 9 * epoch + 1000;
	tick = 1;
	rings_make();
	CHECK(put());
	now = 5;
	for (int i = 0; i < 100; i++)
		CHECK(put());
	CHECK_EQ(rings_read(&newest), 101);
	/*
	 * One epoch for each CPU that it ran on, plus those of writers in
	 * between.
	 */
	CHECK(newest <= 12 * epoch);
}

/*
 * The ticks that the recorder says are missing are added, and time continues.
 */
TEST(what_is_missing_is_added)
{
	u64 missing = 0, newest;

	now = 9 * epoch + 1000;
	tick = 1;
	rings_make();
	rings.missing = &missing;
	CHECK(put());
	now = 5;
	CHECK(put());
	missing = 20 * epoch;
	now = 3 * epoch;
	tick = 0;
	CHECK(put());
	CHECK_EQ(rings_read(&newest), 3);
	CHECK_EQ(newest, 23 * epoch);
	/* The same holds for rings that are made then. */
	for (u32 i = 0; i < rings.cpus + rings.locked; i++)
		marker_ring_init(&rings, i, KT_MODE_DISCARD, 7);
	CHECK(put());
	CHECK_EQ(rings_read(&newest), 1);
	CHECK_EQ(newest, 23 * epoch);
	rings.missing = NULL;
}

/*
 * If the recorder says so, the clock is the kernel's, and nothing is missing.
 */
TEST(the_clock_is_the_kernels)
{
	u64 missing = 20 * epoch, newest, from;
	struct timespec ts;

	now = 9 * epoch + 1000;
	tick = 1;
	rings_make();
	rings.monotonic = true;
	rings.missing = &missing;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	from = ts.tv_sec * 1000000000ull + ts.tv_nsec;
	CHECK(put());
	CHECK(put());
	clock_gettime(CLOCK_MONOTONIC, &ts);
	CHECK_EQ(rings_read(&newest), 2);
	CHECK(newest >= from);
	CHECK(newest <= ts.tv_sec * 1000000000ull + ts.tv_nsec);
	rings.monotonic = false;
	rings.missing = NULL;
}

CHECK_MAIN
