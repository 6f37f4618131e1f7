// SPDX-License-Identifier: GPL-2.0-only
/* What tasks on some CPUs have mapped: see visitors.h. */
#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include <ktrace_branch.h>

#include "program/space.h"
#include "visitors.h"

/* Whoever makes processes makes visitors: those that have ended go, the oldest first. */
#define VISITORS_MAX 8192u

struct branch_visitor {
	struct rcu_head rcu;
	refcount_t users; /* `visitors', and the task's stepper */
	u32 number;

	raw_spinlock_t lock;
	bool closed; /* nobody wants to know any more, and nothing is kept */
	bool ended;
	u32 tid; /* when it came */
	char comm[TASK_COMM_LEN];
	struct branch_mappings mappings;
};

/* By their numbers; under the mutex. */
static DEFINE_XARRAY(visitors);
static DEFINE_MUTEX(visitors_mutex);
static u32 nr_visitors, next_number;
static atomic_t nr_ended; /* of them */
/* Who wants to know. */
static unsigned int watchers;
static atomic_long_t room;

static void visitor_put(struct branch_visitor *visitor)
{
	/* Who has found its stepper under RCU may still look at it. */
	if (refcount_dec_and_test(&visitor->users))
		kfree_rcu(visitor, rcu);
}

/* Under the mutex. */
static void visitor_drop(struct branch_visitor *visitor)
{
	unsigned long flags;

	xa_erase(&visitors, visitor->number);
	WRITE_ONCE(nr_visitors, nr_visitors - 1);
	raw_spin_lock_irqsave(&visitor->lock, flags);
	WRITE_ONCE(visitor->closed, true);
	if (visitor->ended)
		atomic_dec(&nr_ended);
	raw_spin_unlock_irqrestore(&visitor->lock, flags);
	branch_mappings_free(&visitor->mappings);
	visitor_put(visitor);
}

void branch_visitors_begin(void)
{
	mutex_lock(&visitors_mutex);
	if (!watchers)
		atomic_long_set(&room, BRANCH_MAPPINGS_ROOM);
	WRITE_ONCE(watchers, watchers + 1);
	mutex_unlock(&visitors_mutex);
}

void branch_visitors_end(void)
{
	struct branch_visitor *visitor;
	unsigned long number;

	mutex_lock(&visitors_mutex);
	WRITE_ONCE(watchers, watchers - 1);
	if (!watchers)
		xa_for_each(&visitors, number, visitor)
			visitor_drop(visitor);
	mutex_unlock(&visitors_mutex);
}

/* A task for which there is none asks each time that it comes, so this is without the mutex. */
static bool is_full(void)
{
	return READ_ONCE(nr_visitors) >= VISITORS_MAX &&
	       atomic_read(&nr_ended) <= 0;
}

/* There is room for one more, or not. */
static bool room_make(void)
{
	struct branch_visitor *visitor;
	unsigned long number;

	if (nr_visitors < VISITORS_MAX)
		return true;
	xa_for_each(&visitors, number, visitor) {
		if (!READ_ONCE(visitor->ended))
			continue;
		visitor_drop(visitor);
		return true;
	}
	return false;
}

/* Under the mutex. */
static bool visitor_add(struct branch_visitor *visitor)
{
	if (!watchers || !room_make())
		return false;
	visitor->number = next_number;
	if (xa_err(xa_store(&visitors, visitor->number, visitor, GFP_KERNEL)))
		return false;
	next_number++;
	WRITE_ONCE(nr_visitors, nr_visitors + 1);
	return true;
}

static struct branch_visitor *visitor_make(void)
{
	struct branch_visitor *visitor;
	bool added;

	if (!READ_ONCE(watchers) || is_full())
		return NULL;
	visitor = kzalloc(sizeof(*visitor), GFP_KERNEL | __GFP_NOWARN);
	if (!visitor)
		return NULL;
	refcount_set(&visitor->users, 2);
	raw_spin_lock_init(&visitor->lock);
	visitor->mappings.room = &room;
	visitor->tid = current->pid;
	mutex_lock(&visitors_mutex);
	added = visitor_add(visitor);
	mutex_unlock(&visitors_mutex);
	if (added)
		return visitor;
	kfree(visitor);
	return NULL;
}

struct branch_visitor *branch_visitor_come(struct branch_visitor *visitor)
{
	/* A thread that has executed a program may have another number since. */
	if (visitor && !READ_ONCE(visitor->closed) &&
	    visitor->tid == current->pid)
		return visitor;
	return visitor_make();
}

bool branch_visitor_notice(struct branch_visitor *visitor, u64 since,
			   const struct kt_maps **dropped)
{
	u32 before = visitor->mappings.nr;
	bool changed = false;

	raw_spin_lock(&visitor->lock);
	if (!visitor->closed) {
		branch_mappings_notice(&visitor->mappings, since,
				       kt_space_maps(current->mm), dropped);
		changed = visitor->mappings.nr != before;
	}
	/* It may have executed another program. */
	if (changed)
		memcpy(visitor->comm, current->comm, sizeof(visitor->comm));
	raw_spin_unlock(&visitor->lock);
	return changed;
}

void branch_visitor_leave(struct branch_visitor *visitor)
{
	unsigned long flags;

	if (!visitor)
		return;
	raw_spin_lock_irqsave(&visitor->lock, flags);
	if (!visitor->closed)
		atomic_inc(&nr_ended);
	WRITE_ONCE(visitor->ended, true);
	raw_spin_unlock_irqrestore(&visitor->lock, flags);
	visitor_put(visitor);
}

static bool visitor_get(struct branch_visitor *visitor,
			struct kt_branch_maps *maps,
			struct branch_mapping *mapping)
{
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&visitor->lock, flags);
	found = branch_mappings_get(&visitor->mappings, &maps->change, mapping);
	maps->tid = visitor->tid;
	BUILD_BUG_ON(sizeof(maps->comm) != sizeof(visitor->comm));
	strscpy_pad(maps->comm, visitor->comm, sizeof(maps->comm));
	raw_spin_unlock_irqrestore(&visitor->lock, flags);
	return found;
}

bool branch_visitors_get(struct kt_branch_maps *maps,
			 struct branch_mapping *mapping)
{
	unsigned long number = maps->thread;
	struct branch_visitor *visitor;
	bool found = false;

	mutex_lock(&visitors_mutex);
	xa_for_each_start(&visitors, number, visitor, number) {
		/* The changes of the next one begin anew. */
		if (visitor->number != maps->thread)
			maps->change = 0;
		maps->thread = visitor->number;
		found = visitor_get(visitor, maps, mapping);
		if (found)
			break;
	}
	mutex_unlock(&visitors_mutex);
	return found;
}
