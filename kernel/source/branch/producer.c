// SPDX-License-Identifier: GPL-2.0-only
/* Which producers of branches there are: see producer.h. */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "producer.h"

static const struct branch_producer *const producers[] = {
	&branch_step,
	&branch_store,
	&branch_records,
};

const struct branch_producer *branch_producer_nth(unsigned int i)
{
	return i < ARRAY_SIZE(producers) ? producers[i] : NULL;
}

void branch_producers_turn(struct task_struct *prev, struct task_struct *next)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(producers); i++)
		if (producers[i]->turn)
			producers[i]->turn(prev, next);
}

void branch_producers_look(void)
{
	unsigned long flags;

	local_irq_save(flags);
	branch_producers_turn(current, current);
	local_irq_restore(flags);
}

static void turn_here(void *context)
{
	const struct branch_producer *producer = context;

	producer->turn(current, current);
}

void branch_producer_flush(const struct branch_producer *producer,
			   unsigned int cpu)
{
	/* On a CPU that is off, nothing is found. */
	if (producer->turn)
		smp_call_function_single(cpu, turn_here, (void *)producer,
					 true);
}
