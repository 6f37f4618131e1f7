/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A buffer of branches: it keeps the newest ones, and is read without being emptied.
 *
 * There is one writer at a time, and any number of readers.  A writer waits for nobody, so it may
 * overwrite entries while they are copied; the reader then knows which.
 *
 *	operation	writer		another reader	what it gives
 *	add		excluded	may run		-
 *	range		may run		may run		what may be copied
 *	overwritten	may run		may run		how much of that is not valid
 *
 * "Excluded" is the caller's work: a thread's buffer is written by the thread itself, and by the
 * scheduler while that one is not running; a CPU's on that CPU, with interrupts off.
 */
#ifndef KT_CORE_BRANCH_LOG_H
#define KT_CORE_BRANCH_LOG_H

#include <ktrace_branch.h>

#include "env.h"

struct kt_branch_log {
	struct kt_branch *entries; /* NULL: it takes nothing yet */
	u32 mask;
	u64 head; /* entries that were ever added */
};

/* @entries: @nr of them, a power of two.  Until then, the log takes nothing. */
static inline void kt_branch_log_open(struct kt_branch_log *log,
				      struct kt_branch *entries, u32 nr)
{
	log->mask = nr - 1;
	smp_store_release(&log->entries, entries);
}

static __always_inline void kt_branch_log_add(struct kt_branch_log *log,
					      enum kt_branch_kind kind,
					      u64 from, u64 to)
{
	struct kt_branch *entry = &log->entries[log->head & log->mask];

	/* The reader must know that the oldest entry goes before that changes. */
	smp_wmb();
	WRITE_ONCE(entry->from, (from & KT_BRANCH_PLACE_MASK) |
					(u64)kind << KT_BRANCH_KIND_SHIFT);
	WRITE_ONCE(entry->to, to);
	smp_store_release(&log->head, log->head + 1);
}

/*
 * The newest @max entries, or as many as there are: the number of the first one, counted from the
 * first that was ever added.  Entry N is in entries[N & mask].
 */
static inline u64 kt_branch_log_range(const struct kt_branch_log *log, u32 max,
				      u32 *nr)
{
	u64 head = smp_load_acquire(&log->head);

	*nr = log->mask;
	if (*nr > max)
		*nr = max;
	if (*nr > head)
		*nr = head;
	return head - *nr;
}

/*
 * To be called when entries have been copied: how many of them, from @first on, may have been
 * overwritten meanwhile.
 */
static inline u64 kt_branch_log_overwritten(const struct kt_branch_log *log,
					    u64 first)
{
	u64 oldest;

	smp_rmb();
	/* One more may be in the making. */
	oldest = READ_ONCE(log->head) + 1;
	oldest = oldest > log->mask + 1ull ? oldest - (log->mask + 1ull) : 0;
	return oldest > first ? oldest - first : 0;
}

#endif /* KT_CORE_BRANCH_LOG_H */
