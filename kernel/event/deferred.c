// SPDX-License-Identifier: GPL-2.0-only
/* Completes stacks of programs when memory can be read: see deferred.h. */
#include <linux/hash.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "program/stack.h"
#include "program/work.h"
#include "deferred.h"
#include "depot.h"

/* A task waits for the pages of so many frames at most. */
#define PAGES_MAX 64

/*
 * Probes cannot allocate memory: the event may be one of the allocator's.  If all slots that a
 * task may take are in use, its stacks stay as they are.
 */
#define SLOTS_SHIFT 7
#define TRIES	    8

enum state {
	FREE,
	FILLED,	  /* by its task, at this moment */
	WAITING,  /* for the work of the task */
	HOPELESS, /* this memory cannot be read; free for others */
};

static struct slot {
	struct callback_head work;
	int state; /* enum state, changed by cmpxchg() if it is free */
	struct task_struct *task; /* only compared, as is the next */
	const struct mm_struct *mm;
	unsigned long ip, sp;	/* where it has entered the kernel */
	struct kt_depot *depot; /* NULL: forgotten */
	u32 id;			/* what the events have */
	bool behind;
} slots[1 << SLOTS_SHIFT];

/* Of the depots in slots, while they are used. */
static DEFINE_RAW_SPINLOCK(slots_lock);

static atomic64_t last_number = ATOMIC64_INIT(0);

static struct slot *slot_of(const struct task_struct *task, unsigned int try)
{
	u32 first = hash_ptr((void *)task, SLOTS_SHIFT);

	return &slots[(first + try) % ARRAY_SIZE(slots)];
}

/* exec() changes all, and so may a debugger. */
static bool same_entry(const struct slot *slot)
{
	const struct pt_regs *regs = task_pt_regs(current);

	return slot->mm == current->mm && slot->ip == regs->ip &&
	       slot->sp == regs->sp;
}

/* ---- on the way back ------------------------------------------------------ */

static u32 entry_add(struct kt_depot *depot, struct kt_stack *room,
		     enum kt_stack_kind kind, u64 first, u64 second)
{
	room->kind = kind;
	room->end = KT_STACK_COMPLETE;
	room->frames = 2;
	room->addresses[0] = first;
	room->addresses[1] = second;
	return kt_depot_try_id(depot, room);
}

/*
 * Walks again.  True: *@absent is to be read first.  If it is what was to be read before, that
 * has not helped.
 */
static bool walk_again(struct slot *slot, struct kt_stack *stack, u64 *absent,
		       bool last)
{
	struct kt_unwind_ended ended;
	u64 before = *absent;
	bool again = false;
	unsigned long flags;
	u32 id;

	raw_spin_lock_irqsave(&slots_lock, flags);
	if (!slot->depot || !current->mm || !same_entry(slot))
		goto out;
	stack->kind = KT_STACK_USER;
	stack->frames =
		kt_program_stack(stack->addresses, slot->behind, &ended);
	stack->end = ended.end;
	*absent = ended.end == KT_STACK_ABSENT ? ended.absent : 0;
	again = *absent && *absent != before && !last;
	if (again)
		goto out;
	id = kt_depot_try_id(slot->depot, stack);
	if (id)
		entry_add(slot->depot, stack, KT_STACK_RESOLVED, slot->id, id);
out:
	raw_spin_unlock_irqrestore(&slots_lock, flags);
	return again;
}

static void work_run(struct callback_head *head)
{
	struct slot *slot = container_of(head, struct slot, work);
	struct kt_stack *stack = kmalloc(
		struct_size(stack, addresses, KT_STACK_MAX), GFP_KERNEL);
	unsigned int pages = 0;
	u64 absent = 0;

	/* Memory may be somebody's who makes readers wait, so no lock is held meanwhile. */
	while (stack && walk_again(slot, stack, &absent, ++pages > PAGES_MAX))
		fault_in_readable((const char __user *)(uintptr_t)absent,
				  sizeof(u64));
	kfree(stack);
	smp_store_release(&slot->state, absent ? HOPELESS : FREE);
	kt_work_done();
}

/* ---- what probes call ----------------------------------------------------- */

/* The slot of the current task for this entry into the kernel. */
static struct slot *slot_find(const struct kt_depot *depot)
{
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		struct slot *slot = slot_of(current, i);
		int state = smp_load_acquire(&slot->state);

		if ((state == WAITING || state == HOPELESS) &&
		    slot->task == current && READ_ONCE(slot->depot) == depot &&
		    same_entry(slot))
			return slot;
	}
	return NULL;
}

static struct slot *slot_take(void)
{
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		struct slot *slot = slot_of(current, i);
		int state = READ_ONCE(slot->state);

		if ((state == FREE || state == HOPELESS) &&
		    cmpxchg(&slot->state, state, FILLED) == state)
			return slot;
	}
	return NULL;
}

u32 kt_deferred_id(struct kt_depot *depot, u32 id, struct kt_stack *room,
		   bool behind)
{
	const struct pt_regs *regs = task_pt_regs(current);
	struct slot *slot = slot_find(depot);
	u32 later;

	if (slot)
		return READ_ONCE(slot->state) == WAITING ? slot->id : id;
	slot = slot_take();
	if (!slot)
		return id;
	later = entry_add(depot, room, KT_STACK_DEFERRED, id,
			  atomic64_inc_return(&last_number));
	if (!later)
		goto err;
	slot->task = current;
	slot->mm = current->mm;
	slot->ip = regs->ip;
	slot->sp = regs->sp;
	slot->behind = behind;
	slot->id = later;
	WRITE_ONCE(slot->depot, depot);
	/* An interrupt may have an event, too. */
	smp_store_release(&slot->state, WAITING);
	if (kt_work_add(current, &slot->work, work_run))
		return later;
err:
	smp_store_release(&slot->state, FREE);
	return id;
}

void kt_deferred_forget(const struct kt_depot *depot)
{
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&slots_lock, flags);
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		if (slots[i].depot == depot)
			WRITE_ONCE(slots[i].depot, NULL);
	}
	raw_spin_unlock_irqrestore(&slots_lock, flags);
}
