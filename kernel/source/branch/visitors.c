// SPDX-License-Identifier: GPL-2.0-only
/* What tasks on some CPUs have mapped: see visitors.h. */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include <ktrace_branch.h>

#include "program/space.h"
#include "visitors.h"

/* Whoever makes processes makes visitors: the oldest of those that have ended go. */
#define VISITORS_MAX 8192u
/* Of all visitors: 64 MiB. */
#define MAPS_MAX ((64l << 20) / sizeof(struct kt_unwind_map))

struct branch_visitor {
	struct list_head node;
	struct rcu_head rcu;
	refcount_t users; /* the list, and the task's stepper */
	u32 number;

	raw_spinlock_t lock;
	bool closed; /* nobody wants to know any more, and nothing is kept */
	bool ended;
	u32 tid, tgid;
	char comm[TASK_COMM_LEN];
	struct branch_mappings mappings;
};

/* In the order of their numbers; under the mutex. */
static LIST_HEAD(visitors);
static DEFINE_MUTEX(visitors_mutex);
static u32 nr_visitors, next_number;
/* Who wants to know. */
static unsigned int watchers;
static atomic_long_t room;

void branch_visitor_put(struct branch_visitor *visitor)
{
	/* Who has found its stepper under RCU may still look at it. */
	if (visitor && refcount_dec_and_test(&visitor->users))
		kfree_rcu(visitor, rcu);
}

/* Under the mutex. */
static void visitor_drop(struct branch_visitor *visitor)
{
	unsigned long flags;

	list_del(&visitor->node);
	nr_visitors--;
	raw_spin_lock_irqsave(&visitor->lock, flags);
	visitor->closed = true;
	raw_spin_unlock_irqrestore(&visitor->lock, flags);
	branch_mappings_free(&visitor->mappings);
	branch_visitor_put(visitor);
}

void branch_visitors_begin(void)
{
	mutex_lock(&visitors_mutex);
	if (!watchers)
		atomic_long_set(&room, MAPS_MAX);
	WRITE_ONCE(watchers, watchers + 1);
	mutex_unlock(&visitors_mutex);
}

void branch_visitors_end(void)
{
	struct branch_visitor *visitor, *next;

	mutex_lock(&visitors_mutex);
	WRITE_ONCE(watchers, watchers - 1);
	if (!watchers)
		list_for_each_entry_safe(visitor, next, &visitors, node)
			visitor_drop(visitor);
	mutex_unlock(&visitors_mutex);
}

/* There is room for one more, or not. */
static bool room_make(void)
{
	struct branch_visitor *visitor;

	if (nr_visitors < VISITORS_MAX)
		return true;
	list_for_each_entry(visitor, &visitors, node) {
		if (!READ_ONCE(visitor->ended))
			continue;
		visitor_drop(visitor);
		return true;
	}
	return false;
}

static struct branch_visitor *visitor_make(void)
{
	struct branch_visitor *visitor =
		kzalloc(sizeof(*visitor), GFP_KERNEL | __GFP_NOWARN);

	if (!visitor)
		return NULL;
	refcount_set(&visitor->users, 2);
	raw_spin_lock_init(&visitor->lock);
	visitor->mappings.room = &room;
	mutex_lock(&visitors_mutex);
	if (watchers && room_make()) {
		visitor->number = next_number++;
		list_add_tail(&visitor->node, &visitors);
		nr_visitors++;
	} else {
		kfree(visitor);
		visitor = NULL;
	}
	mutex_unlock(&visitors_mutex);
	return visitor;
}

struct branch_visitor *branch_visitor_come(struct branch_visitor *visitor)
{
	if (visitor && !READ_ONCE(visitor->closed))
		return visitor;
	return READ_ONCE(watchers) ? visitor_make() : NULL;
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
	if (changed) {
		visitor->tid = current->pid;
		visitor->tgid = current->tgid;
		memcpy(visitor->comm, current->comm, sizeof(visitor->comm));
	}
	raw_spin_unlock(&visitor->lock);
	return changed;
}

void branch_visitor_end(struct branch_visitor *visitor)
{
	WRITE_ONCE(visitor->ended, true);
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
	maps->tgid = visitor->tgid;
	BUILD_BUG_ON(sizeof(maps->comm) != sizeof(visitor->comm));
	strscpy_pad(maps->comm, visitor->comm, sizeof(maps->comm));
	raw_spin_unlock_irqrestore(&visitor->lock, flags);
	return found;
}

bool branch_visitors_get(struct kt_branch_maps *maps,
			 struct branch_mapping *mapping)
{
	struct branch_visitor *visitor;
	bool found = false;

	mutex_lock(&visitors_mutex);
	list_for_each_entry(visitor, &visitors, node) {
		if (visitor->number < maps->thread)
			continue;
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
