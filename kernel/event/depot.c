// SPDX-License-Identifier: GPL-2.0-only
/* Stores each stack of a session once: see depot.h. */
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/lock.h"
#include "depot.h"

#define DEPOT_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* A stack takes more than this on average; so no more than half of the slots are used. */
#define BYTES_PER_SLOT 32

/* How many slots a look-up tries. */
#define TRIES 64

/* ---- making --------------------------------------------------------------- */

void kt_depot_empty(struct kt_depot *depot)
{
	const struct kt_stacks head = {KT_STACKS_MAGIC, KT_ABI_VERSION};
	u32 used = atomic_read(&depot->used);
	unsigned int cpu;

	/* Whether a stack is complete is seen from its head: so all must be zero. */
	memset(depot->words, 0, used * sizeof(u64));
	memset(depot->slots, 0, (depot->slot_mask + 1) * sizeof(u32));
	memcpy(depot->words, &head, sizeof(head));
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(depot->counts, cpu), 0,
		       sizeof(*depot->counts));
	atomic_set(&depot->appended, 0);
	atomic_set(&depot->used, 1);
	depot->shown = 1;
}

struct kt_depot *kt_depot_create(u32 bytes)
{
	struct kt_depot *depot = kzalloc(sizeof(*depot), GFP_KERNEL_ACCOUNT);
	u32 slots = roundup_pow_of_two(bytes / BYTES_PER_SLOT);

	if (!depot)
		return NULL;
	depot->nr_words = bytes / sizeof(u64);
	depot->slot_mask = slots - 1;
	depot->words = kvzalloc(bytes, DEPOT_GFP);
	depot->slots = kvcalloc(slots, sizeof(u32), DEPOT_GFP);
	depot->counts =
		alloc_percpu_gfp(struct kt_depot_counts, GFP_KERNEL_ACCOUNT);
	if (!depot->words || !depot->slots || !depot->counts) {
		kt_depot_free(depot);
		return NULL;
	}
	kt_depot_empty(depot);
	return depot;
}

void kt_depot_free(struct kt_depot *depot)
{
	if (!depot)
		return;
	kvfree(depot->words);
	kvfree(depot->slots);
	free_percpu(depot->counts);
	kfree(depot);
}

/* ---- what probes call ----------------------------------------------------- */

void kt_depot_count(struct kt_depot *depot, enum kt_depot_lost cause)
{
	this_cpu_inc(depot->counts->lost[cause]);
}

static u32 hash_of(const struct kt_stack *stack)
{
	u64 hash = stack->frames | stack->end << 16 | stack->kind << 24;
	unsigned int i;

	for (i = 0; i < stack->frames; i++)
		hash = (rol64(hash, 5) ^ stack->addresses[i]) *
		       0x9e3779b97f4a7c15ull;
	return hash >> 32;
}

/* What has the same head has as many frames. */
static bool same(const u64 *stored, const u64 *stack, u32 words)
{
	u32 i;

	for (i = 0; i < words; i++) {
		if (stored[i] != stack[i])
			return false;
	}
	return true;
}

/* 0: there is no room */
static u32 add(struct kt_depot *depot, const u64 *stack, u32 words)
{
	int at = atomic_read(&depot->used);

	do {
		if (words > depot->nr_words - at)
			return 0;
	} while (!atomic_try_cmpxchg(&depot->used, &at, at + words));
	memcpy(depot->words + at + 1, stack + 1, (words - 1) * sizeof(u64));
	/* Makes it complete for readers. */
	smp_store_release(&depot->words[at], *stack);
	return at;
}

u32 kt_depot_try_id(struct kt_depot *depot, struct kt_stack *stack)
{
	u32 words = 1 + stack->frames, added = 0, id, i;
	const u64 *from = (const u64 *)stack;

	stack->hash = hash_of(stack);
	for (i = 0; i < TRIES; i++) {
		u32 *slot = &depot->slots[(stack->hash + i) & depot->slot_mask];

		id = smp_load_acquire(slot);
		if (!id) {
			if (!added)
				added = add(depot, from, words);
			if (!added)
				break;
			/* Orders what was stored before the slot. */
			id = cmpxchg(slot, 0, added);
			if (!id)
				return added;
		}
		if (likely(same(depot->words + id, from, words)))
			return id;
	}
	return 0;
}

u32 kt_depot_id(struct kt_depot *depot, struct kt_stack *stack)
{
	u32 id = kt_depot_try_id(depot, stack);

	if (unlikely(!id))
		kt_depot_count(depot, KT_DEPOT_FULL);
	return id;
}

u32 kt_depot_append(struct kt_depot *depot, const struct kt_stack *stack)
{
	u32 words = 1 + stack->frames;

	if (atomic_add_return(words, &depot->appended) <= depot->nr_words / 4)
		return add(depot, (const u64 *)stack, words);
	atomic_sub(words, &depot->appended);
	return 0;
}

bool kt_depot_goes_on(const struct kt_depot *depot, u32 id,
		      const struct kt_stack *stack)
{
	const u64 *stored = depot->words + id;
	const struct kt_stack *before = (const struct kt_stack *)stored;

	return stack->frames > before->frames &&
	       same(stored + 1, stack->addresses, before->frames);
}

/* ---- what readers see ----------------------------------------------------- */

u64 kt_depot_lost(const struct kt_depot *depot, enum kt_depot_lost cause)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(depot->counts, cpu)->lost[cause]);
	return sum;
}

size_t kt_depot_show(struct kt_depot *depot)
{
	u32 used = atomic_read(&depot->used);

	lockdep_assert_held(&kt_mutex);
	while (depot->shown < used) {
		u64 head = smp_load_acquire(&depot->words[depot->shown]);
		const struct kt_stack *stack = (const struct kt_stack *)&head;

		if (!head)
			break;
		depot->shown += 1 + stack->frames;
	}
	return depot->shown * sizeof(u64);
}
