// SPDX-License-Identifier: GPL-2.0-only
/* Which producers of branches there are: see producer.h. */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "producer.h"

static const struct branch_producer *const producers[] = {
	&branch_step,
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
