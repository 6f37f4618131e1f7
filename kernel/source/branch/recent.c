// SPDX-License-Identifier: GPL-2.0-only
/* Tells events what the running task has done last: see recent.h. */
#include <linux/hashtable.h>
#include <linux/minmax.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include <ktrace.h>

#include "branch_log.h"
#include "event/branches.h"
#include "recent.h"
#include "records.h"

/* Changed under the lock, read with preemption off. */
static DEFINE_HASHTABLE(recents, 8);
static DEFINE_SPINLOCK(recents_lock);

void branch_recent_begin(struct branch_recent *recent,
			 const struct kt_branch_log *log)
{
	recent->task = get_task_struct(current);
	recent->mm = current->mm;
	mmgrab(recent->mm);
	recent->log = log;
	spin_lock(&recents_lock);
	hash_add_rcu(recents, &recent->node, (unsigned long)current);
	spin_unlock(&recents_lock);
}

void branch_recent_executed(struct branch_recent *recent)
{
	struct mm_struct *old = recent->mm;

	if (!recent->log)
		return;
	mmgrab(current->mm);
	/* An event of an interrupt finds the old program, which does not run any more, or the new one. */
	WRITE_ONCE(recent->since, recent->log->head);
	barrier();
	WRITE_ONCE(recent->mm, current->mm);
	mmdrop(old);
}

bool branch_recent_end(struct branch_recent *recent)
{
	if (!recent->log)
		return false;
	spin_lock(&recents_lock);
	hash_del_rcu(&recent->node);
	spin_unlock(&recents_lock);
	return true;
}

void branch_recent_free(struct branch_recent *recent)
{
	if (!recent->log)
		return;
	mmdrop(recent->mm);
	put_task_struct(recent->task);
}

static const struct branch_recent *recent_of(const struct task_struct *task)
{
	const struct branch_recent *recent;

	/* What the other form calls may have events. */
	hash_for_each_possible_rcu_notrace(recents, recent, node,
					   (unsigned long)task)
		if (recent->task == task)
			return recent;
	return NULL;
}

/* Other entries lie between the branches: so many are looked at. */
#define LOOKS_MAX (8u * KT_BRANCHES_MAX)

/* The task itself writes its log, so an event is between two entries, or in the midst of the next one. */
static int recent_last(struct kt_branch *to, unsigned int max,
		       const struct mm_struct **mm)
{
	const struct branch_recent *recent = recent_of(current);
	const struct kt_branch_log *log;
	u64 at, oldest;
	u32 looks, nr = 0;

	/* Those that were traced are all there, whoever else knows some. */
	if (!recent)
		return branch_records_last(to, max, mm);
	*mm = READ_ONCE(recent->mm);
	/* A task that ends has no memory any more; one that executes a program has that one's. */
	if (current->mm && current->mm != *mm)
		return 0;
	log = recent->log;
	oldest = kt_branch_log_range(log, LOOKS_MAX, &looks);
	at = oldest + looks;
	oldest = max(oldest, READ_ONCE(recent->since));
	while (at > oldest && nr < max) {
		const struct kt_branch *entry = &log->entries[--at & log->mask];
		u32 kind = entry->from >> KT_BRANCH_KIND_SHIFT;

		if (kt_branch_is_stamp(kind) || kind == KT_BRANCH_LAST)
			continue;
		nr++;
		to[max - nr] = *entry;
	}
	memmove(to, to + max - nr, nr * sizeof(*to));
	return nr;
}

static const struct kt_branch_producer producer = {
	.last = recent_last,
};

int branch_recent_init(void)
{
	return kt_branch_producer_register(&producer);
}

void branch_recent_exit(void)
{
	kt_branch_producer_unregister(&producer);
}
