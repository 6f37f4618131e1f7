// SPDX-License-Identifier: GPL-2.0-only
/*
 * Room for calls whose return is wanted: returns.h.
 *
 * The kernel wants the memory for open calls when a return is armed, and if it keeps them in an
 * objpool, some pages of it for each CPU that there may be.  So a session has a limited number of
 * pools.  As long as there are fewer returns, each has a pool of its own, and functions that sleep
 * take no room from the others; then some share one.  A call that finds its pool empty is missed,
 * and counted.
 *
 * A call may return long after its probe has gone.  So it does not keep the probe, but its slot in
 * the pool, which tells whether that has another one by now.  A pool goes with its last probe; then
 * rethook forgets it, and its open calls return without us.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "returns.h"

/* Calls that may be open in a pool. */
#define CALLS 1024
/* Of the memory that grows with the CPUs, so much is for the pools of a session. */
#define BYTES_MAX SZ_32M
/* What an objpool takes for each CPU: a pointer for each call, and the calls that begin there. */
#define BYTES_OF_CPU (CALLS * sizeof(void *) + PAGE_SIZE)
#define POOLS_MIN    8
#define POOLS_MAX    64
/* So many returns share a pool at most: then there are more pools. */
#define SLOTS 256

struct pool {
	struct list_head node; /* of pools */
	const struct kt_session *session;
	struct rethook *rethook;
	unsigned int nr; /* of slots that are in use */
	struct return_slot slots[SLOTS];
};

/* Of all sessions; under kt_mutex. */
static LIST_HEAD(pools);

static unsigned int pools_max(void)
{
	return clamp_t(size_t, BYTES_MAX / BYTES_OF_CPU / num_possible_cpus(),
		       POOLS_MIN, POOLS_MAX);
}

static struct pool *pool_make(const struct kt_session *session,
			      rethook_handler_t handler)
{
	struct pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);

	if (!pool)
		return NULL;
	pool->rethook = kt_rethook_make(pool, handler,
					sizeof(struct return_node), CALLS);
	if (!pool->rethook) {
		kfree(pool);
		return NULL;
	}
	pool->session = session;
	list_add_tail(&pool->node, &pools);
	return pool;
}

/* A new one while there may be more; else that with the fewest returns. */
static struct pool *pool_choose(const struct kt_session *session,
				rethook_handler_t handler)
{
	struct pool *pool, *best = NULL, *made = NULL;
	unsigned int nr = 0;

	list_for_each_entry(pool, &pools, node) {
		if (pool->session != session)
			continue;
		nr++;
		if (!best || pool->nr < best->nr)
			best = pool;
	}
	if (nr < pools_max() || best->nr == SLOTS)
		made = pool_make(session, handler);
	/* If there is no memory for one more, it shares one. */
	return made || !best || best->nr == SLOTS ? made : best;
}

int returns_take(struct probe *probe, rethook_handler_t handler)
{
	struct pool *pool = pool_choose(probe->enabled->session, handler);
	struct return_slot *slot;

	if (!pool)
		return -ENOMEM;
	for (slot = pool->slots; slot->probe; slot++)
		;
	WRITE_ONCE(slot->probe, probe);
	pool->nr++;
	probe->hooked.pool = pool;
	probe->hooked.slot = slot;
	probe->hooked.returns = pool->rethook;
	return 0;
}

/* The pool, if nobody has it any more: then it is to be freed when all handlers have ended. */
static struct pool *slot_give(struct probe *probe)
{
	struct return_slot *slot = probe->hooked.slot;
	struct pool *pool = probe->hooked.pool;

	WRITE_ONCE(slot->probe, NULL);
	WRITE_ONCE(slot->serial, slot->serial + 1);
	/* The rest says what kind it is, and is not used before it takes room again. */
	probe->hooked.pool = NULL;
	if (--pool->nr)
		return NULL;
	kt_rethook_free(pool->rethook);
	return pool;
}

void returns_give(struct list_head *probes)
{
	struct pool *pool, *next;
	struct probe *probe;
	LIST_HEAD(empty);
	bool any = false;

	list_for_each_entry(probe, probes, node) {
		if (probe->armed || !probe->returns || !probe->hooked.pool)
			continue;
		any = true;
		pool = slot_give(probe);
		if (pool)
			list_move_tail(&pool->node, &empty);
	}
	if (!any)
		return;
	/* Some returns are where RCU does not watch. */
	synchronize_rcu();
	synchronize_rcu_tasks_rude();
	list_for_each_entry_safe(pool, next, &empty, node)
		kfree(pool);
}
