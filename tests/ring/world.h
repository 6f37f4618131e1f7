/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A machine for the ring's tests: a ring with its memory, a clock, a task.
 */
#ifndef KT_TESTS_RING_WORLD_H
#define KT_TESTS_RING_WORLD_H

#include "ring.h"

#define WORLD_PACKETS_MAX 64u

struct world {
	struct kt_ring ring;
	struct kt_control control;
	u64 marks[KT_RING_MARKS(WORLD_PACKETS_MAX)];
	u8 *data;
};

/* Packets contain garbage at first, as recycled memory does. */
void world_create(struct world *world, u32 packets, enum kt_mode mode);
void world_destroy(struct world *world);

extern u64 world_now;  /* what env_clock() returns next (with env_test.h) */
extern u64 world_tick; /* by how much each reading advances the clock */
extern unsigned long world_wakes;

#endif /* KT_TESTS_RING_WORLD_H */
