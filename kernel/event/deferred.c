// SPDX-License-Identifier: GPL-2.0-only
/* Completes stacks of programs when memory can be read: see deferred.h. */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "base/work.h"
#include "program/stack.h"
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
	HOPELESS, /* the memory of this stack cannot be read; free for others */
};

static struct slot {
	/*
	 * Of the depot while it is used, and of the end of WAITING, which is either the work's or
	 * kt_deferred_forget()'s.
	 */
	raw_spinlock_t lock;
	struct callback_head work;
	int state;		  /* enum state */
	struct task_struct *task; /* while it is waiting, with a reference */
	const struct mm_struct *mm;
	unsigned long ip, sp;	/* where the task has entered the kernel */
	struct kt_depot *depot; /* NULL: forgotten */
	u32 first;		/* the stack that was found at once */
	u32 id;			/* what the events have */
	bool behind;
} slots[1 << SLOTS_SHIFT] = {
	[0 ...(1 << SLOTS_SHIFT) - 1] =
		{
			.lock = __RAW_SPIN_LOCK_UNLOCKED(slots.lock),
		},
};

static atomic64_t last_number = ATOMIC64_INIT(0);

static struct slot *slot_of(const struct task_struct *task, unsigned int try)
{
	u32 first = hash_ptr((void *)task, SLOTS_SHIFT);

	return &slots[(first + try) % ARRAY_SIZE(slots)];
}

/*
 * exec() changes all, and so may a debugger.  Who looks for a slot may see one that another task
 * takes at this moment; its task tells that it is another one's.
 */
static bool same_entry(const struct slot *slot)
{
	const struct pt_regs *regs = task_pt_regs(current);

	return READ_ONCE(slot->mm) == current->mm &&
	       READ_ONCE(slot->ip) == regs->ip &&
	       READ_ONCE(slot->sp) == regs->sp;
}

static u32 pair_add(struct kt_depot *depot, struct kt_stack *room,
		    enum kt_stack_kind kind, u64 first, u64 second)
{
	room->hash = 0;
	room->kind = kind;
	room->end = KT_STACK_COMPLETE;
	room->frames = 2;
	room->addresses[0] = first;
	room->addresses[1] = second;
	return kt_depot_append(depot, room);
}

/* ---- on the way back ------------------------------------------------------ */

/* What a walk is to do with memory that is absent. */
struct attempt {
	u64 absent;    /* 0: nothing */
	bool last;     /* no more attempts */
	bool hopeless; /* it has ended there all the same */
};

/*
 * Walks again.  True: there is memory to be read first.  If it is what was to be read before, that
 * has not helped.  A stack is only replaced by one that goes on where it has ended.
 */
static bool walk_again(struct slot *slot, struct kt_stack *stack,
		       struct attempt *attempt)
{
	struct kt_unwind_ended ended;
	bool again = false;
	unsigned long flags;
	u32 id;

	raw_spin_lock_irqsave(&slot->lock, flags);
	if (!slot->depot || !current->mm || !same_entry(slot))
		goto out;
	stack->kind = KT_STACK_USER;
	stack->frames =
		kt_program_stack(stack->addresses, slot->behind, &ended);
	stack->end = ended.end;
	attempt->hopeless = ended.end == KT_STACK_ABSENT;
	again = attempt->hopeless && ended.absent && !attempt->last &&
		ended.absent != attempt->absent;
	attempt->absent = ended.absent;
	if (again || !kt_depot_goes_on(slot->depot, slot->first, stack))
		goto out;
	id = kt_depot_try_id(slot->depot, stack);
	if (id)
		pair_add(slot->depot, stack, KT_STACK_RESOLVED, slot->id, id);
out:
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	return again;
}

/*
 * Only memory that nobody else provides: the program itself may be who serves a file or a
 * userfaultfd, and would wait for itself.
 */
static bool may_be_read(u64 address)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool may = false;

	if (mmap_read_lock_killable(mm))
		return false;
	vma = find_vma(mm, address);
	if (vma && vma->vm_start <= address &&
	    !(vma->vm_flags & (VM_UFFD_MISSING | VM_UFFD_MINOR)))
		may = vma->vm_file ? file_inode(vma->vm_file)->i_sb->s_magic ==
					     TMPFS_MAGIC
				   : vma_is_anonymous(vma);
	mmap_read_unlock(mm);
	return may;
}

static void slot_end(struct slot *slot, enum state state)
{
	struct task_struct *task = slot->task;
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->lock, flags);
	/* From here on another task may have the slot. */
	smp_store_release(&slot->state, state);
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	put_task_struct(task);
	kt_work_done(THIS_MODULE);
}

static void work_run(struct callback_head *head)
{
	struct slot *slot = container_of(head, struct slot, work);
	struct kt_stack *stack =
		kmalloc(struct_size(stack, addresses, KT_STACK_MAX),
			GFP_KERNEL | __GFP_NOWARN);
	/* Without memory it is not to be tried again at once. */
	struct attempt attempt = {.hopeless = !stack};
	unsigned int pages = 0;

	/* No lock is held while a page is read: that may take long. */
	while (stack && walk_again(slot, stack, &attempt)) {
		attempt.last = ++pages == PAGES_MAX;
		if (may_be_read(attempt.absent))
			fault_in_readable(
				(const char __user *)(uintptr_t)attempt.absent,
				sizeof(u64));
	}
	kfree(stack);
	slot_end(slot, attempt.hopeless ? HOPELESS : FREE);
}

/* ---- what probes call ----------------------------------------------------- */

/*
 * Behind the last look at what a task has to do, the work would run at the end of its next entry
 * into the kernel, which may look the same.  There interrupts are off, and nothing but the probe
 * keeps the task from being preempted; schedule() does so twice more.
 */
static bool may_return_first(void)
{
	return !in_hardirq() && !in_serving_softirq() && irqs_disabled() &&
	       (preempt_count() & PREEMPT_MASK) < 3;
}

/* Is there a slot for this?  Then *@id is what events are to have. */
static bool slot_find(const struct kt_depot *depot, bool behind, u32 *id)
{
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		const struct slot *slot = slot_of(current, i);
		int state = smp_load_acquire(&slot->state);

		if ((state != WAITING && state != HOPELESS) ||
		    READ_ONCE(slot->task) != current ||
		    READ_ONCE(slot->depot) != depot)
			continue;
		if (state == HOPELESS && READ_ONCE(slot->first) == *id)
			return true;
		/* The work of this task, which ends the state, is still to come. */
		if (state == WAITING && READ_ONCE(slot->behind) == behind &&
		    same_entry(slot)) {
			*id = READ_ONCE(slot->id);
			return true;
		}
	}
	return false;
}

/*
 * What was hopeless for this entry stays, or the work, if it has events of its own, would never
 * come to an end.
 */
static struct slot *slot_take(void)
{
	static const int wanted[] = {FREE, HOPELESS};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wanted) * TRIES; i++) {
		struct slot *slot = slot_of(current, i % TRIES);
		int state = wanted[i / TRIES];

		if (READ_ONCE(slot->state) != state ||
		    (state == HOPELESS && READ_ONCE(slot->task) == current &&
		     same_entry(slot)))
			continue;
		if (cmpxchg(&slot->state, state, FILLED) == state)
			return slot;
	}
	return NULL;
}

u32 kt_deferred_id(struct kt_depot *depot, u32 id, struct kt_stack *room,
		   bool behind)
{
	const struct pt_regs *regs = task_pt_regs(current);
	struct slot *slot;
	u32 later = id;

	if (slot_find(depot, behind, &later) || may_return_first())
		return later;
	slot = slot_take();
	if (!slot)
		return id;
	later = pair_add(depot, room, KT_STACK_DEFERRED, id,
			 atomic64_inc_return(&last_number));
	if (!later) {
		smp_store_release(&slot->state, FREE);
		return id;
	}
	WRITE_ONCE(slot->task, get_task_struct(current));
	WRITE_ONCE(slot->mm, current->mm);
	WRITE_ONCE(slot->ip, regs->ip);
	WRITE_ONCE(slot->sp, regs->sp);
	WRITE_ONCE(slot->behind, behind);
	WRITE_ONCE(slot->first, id);
	WRITE_ONCE(slot->id, later);
	WRITE_ONCE(slot->depot, depot);
	/* An interrupt may have an event, too. */
	smp_store_release(&slot->state, WAITING);
	if (kt_work_add(current, &slot->work, work_run, THIS_MODULE))
		return later;
	put_task_struct(current);
	smp_store_release(&slot->state, FREE);
	return id;
}

/* ---- the end -------------------------------------------------------------- */

/* The task that waits for nothing any more; with a reference. */
static struct task_struct *forgotten(struct slot *slot,
				     const struct kt_depot *depot)
{
	struct task_struct *task = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->lock, flags);
	if (READ_ONCE(slot->depot) == depot) {
		WRITE_ONCE(slot->depot, NULL);
		if (READ_ONCE(slot->state) == WAITING)
			task = get_task_struct(slot->task);
	}
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	return task;
}

/* A task may sleep for days before its work would run, and the module could not go. */
void kt_deferred_forget(const struct kt_depot *depot)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		struct task_struct *task = forgotten(&slots[i], depot);

		if (!task)
			continue;
		if (kt_work_cancel(task, &slots[i].work))
			slot_end(&slots[i], FREE);
		put_task_struct(task);
	}
}
