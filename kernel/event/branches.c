// SPDX-License-Identifier: GPL-2.0-only
/* The branches before an event: see branches.h. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include <ktrace.h>
#include <ktrace_branch.h>

#include "base/lock.h"
#include "branches.h"
#include "depot.h"
#include "program/stack.h"

static const struct kt_branch_producer __rcu *the_producer;

int kt_branch_producer_register(const struct kt_branch_producer *producer)
{
	int err = 0;

	mutex_lock(&kt_mutex);
	if (rcu_access_pointer(the_producer))
		err = -EBUSY;
	else
		rcu_assign_pointer(the_producer, producer);
	mutex_unlock(&kt_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(kt_branch_producer_register);

void kt_branch_producer_unregister(const struct kt_branch_producer *producer)
{
	mutex_lock(&kt_mutex);
	if (rcu_access_pointer(the_producer) == producer)
		RCU_INIT_POINTER(the_producer, NULL);
	mutex_unlock(&kt_mutex);
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(kt_branch_producer_unregister);

bool kt_branch_producer_is_there(void)
{
	return rcu_access_pointer(the_producer);
}

/*
 * The producer's entries and the words are in the same room: each entry becomes two words, and the
 * kinds come behind all of them.
 */
static_assert(sizeof(struct kt_branch) == 2 * sizeof(u64));
static_assert(KT_BRANCHES_MAX * 2 + (KT_BRANCHES_MAX + 15) / 16 <=
	      KT_STACK_MAX);

static void words_make(struct kt_stack *stack, unsigned int nr,
		       const struct mm_struct *mm)
{
	u64 *words = stack->addresses, *kinds = words + nr * 2;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u64 kind = words[i * 2] >> KT_BRANCH_KIND_SHIFT;

		if (!(i % 16))
			kinds[i / 16] = 0;
		kinds[i / 16] |= kind << (i % 16 * 4);
		words[i * 2] &= KT_BRANCH_PLACE_MASK;
		words[i * 2 + 1] &= KT_BRANCH_PLACE_MASK;
	}
	kt_program_places(mm, words, nr * 2);
}

u32 kt_branches_id(struct kt_depot *depot, struct kt_stack *stack,
		   unsigned int max)
{
	/* What checks it may have events. */
	const struct kt_branch_producer *producer =
		rcu_dereference_raw(the_producer);
	const struct mm_struct *mm;
	int nr;

	nr = producer ? producer->last((struct kt_branch *)stack->addresses,
				       max, &mm)
		      : 0;
	if (unlikely(nr < 0))
		kt_depot_count(depot, KT_DEPOT_AWAY);
	if (nr <= 0)
		return KT_STACK_UNASKED;
	words_make(stack, nr, mm);
	stack->kind = KT_STACK_BRANCHES;
	stack->end = KT_STACK_COMPLETE;
	stack->frames = kt_stack_branches_words(nr);
	return kt_depot_id(depot, stack);
}
