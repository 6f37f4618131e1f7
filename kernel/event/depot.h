/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The depot: each stack of a session, stored once.  What it is for readers is described with
 * struct kt_stack (include/uapi/ktrace.h).
 *
 * Probes of all contexts look up and add without a lock.  A stack is added behind the last
 * one, and then gets a slot of the hash table by a cmpxchg.  If another CPU has stored the
 * same stack meanwhile, its id is used, and what was added stays without an event.
 */
#ifndef KT_KERNEL_EVENT_DEPOT_H
#define KT_KERNEL_EVENT_DEPOT_H

#include <linux/atomic.h>
#include <linux/types.h>

#include <ktrace.h>

#define KT_DEPOT_DEFAULT (4u << 20) /* bytes */
#define KT_DEPOT_MIN	 4096u
#define KT_DEPOT_MAX	 (1u << 30)

/* Why an event has no stack. */
enum kt_depot_lost {
	KT_DEPOT_FULL, /* the depot has no room */
	KT_DEPOT_NESTED, /* interrupts took the room in which stacks are put together */
	KT_DEPOT_AWAY, /* the processor's records of its branches could not be had */
	KT_DEPOT_LOST_NR,
};

struct kt_depot_counts {
	u64 lost[KT_DEPOT_LOST_NR];
};

struct kt_depot {
	u64 *words;
	u32 nr_words;
	atomic_t used;	   /* words */
	atomic_t appended; /* of these, by kt_depot_append() */
	u32 *slots;	   /* ids; 0: free */
	u32 slot_mask;	   /* their number is a power of two */
	u32 shown;	   /* words that readers may see; under kt_mutex */
	struct kt_depot_counts __percpu *counts;
};

/* NULL: no memory. */
struct kt_depot *kt_depot_create(u32 bytes);
/* May be NULL.  No probe uses it any more. */
void kt_depot_free(struct kt_depot *depot);
/* Forgets all stacks.  No probe uses it. */
void kt_depot_empty(struct kt_depot *depot);

/*
 * The id of a stack of which everything is set but the hash.  If it is new, it is added.
 * 0: there is no room, which has been counted.
 */
u32 kt_depot_id(struct kt_depot *depot, struct kt_stack *stack);
/* The same, but no event goes without a stack if there is no room: that is not counted. */
u32 kt_depot_try_id(struct kt_depot *depot, struct kt_stack *stack);
/*
 * Stores what nobody will look up.  All such entries have a quarter of the depot at most.  0: there
 * is no room; nothing is counted.
 */
u32 kt_depot_append(struct kt_depot *depot, const struct kt_stack *stack);
/* Do the frames of the stack begin with those of the other one, which is stored? */
bool kt_depot_goes_on(const struct kt_depot *depot, u32 id,
		      const struct kt_stack *stack);
void kt_depot_count(struct kt_depot *depot, enum kt_depot_lost cause);

u64 kt_depot_lost(const struct kt_depot *depot, enum kt_depot_lost cause);
/* How many bytes readers may see.  A stack that is being added ends them. */
size_t kt_depot_show(struct kt_depot *depot);

#endif /* KT_KERNEL_EVENT_DEPOT_H */
