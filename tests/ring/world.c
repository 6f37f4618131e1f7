// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What surrounds the ring in its deterministic tests.
 */
#include "world.h"

#include <stdlib.h>

void (*world_step)(void);
u64 world_now, world_tick;
unsigned long world_wakes;

u64 env_clock(void)
{
	u64 now;

	env_step();
	now = world_now;
	world_now += world_tick;
	return now;
}

void env_wake(struct kt_ring *ring)
{
	world_wakes++;
}

void env_current_task(u32 *tid, u32 *tgid, char *comm)
{
	*tid = 812;
	*tgid = 800;
	memset(comm, 0, KT_COMM_LEN);
	memcpy(comm, "task", 4);
}

void world_create(struct world *world, u32 packets, enum kt_mode mode)
{
	size_t size = (size_t)packets << KT_PACKET_SHIFT;

	world_step = NULL;
	world_wakes = 0;
	world_tick = 1;
	world->data = aligned_alloc(4096, size);
	if (!world->data)
		abort();
	memset(world->data, 0xa5, size);
	if (kt_ring_init(&world->ring, &world->control, world->data,
			 world->marks, packets, mode, 3, 0x1234))
		abort();
}

void world_destroy(struct world *world)
{
	world_step = NULL;
	free(world->data);
}
