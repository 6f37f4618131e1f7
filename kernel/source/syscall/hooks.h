/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probes of a session have, and which event is enabled for a call. */
#ifndef KT_KERNEL_SOURCE_SYSCALL_HOOKS_H
#define KT_KERNEL_SOURCE_SYSCALL_HOOKS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <asm/syscall.h>

#include "event/write.h"

#include "call.h"
#include "field.h"
#include "parts.h"
#include "pending.h"

#define NUMBERS 1024 /* larger numbers are "unknown" */

/* The last entry is for numbers that are out of range. */
struct table {
	struct kt_enabled *enabled[ABIS][NUMBERS + 1];
	u32 nr_enabled;
	u32 nr_compat; /* of these, of 32-bit programs */
};

/* For each session: the data of its probes. */
struct hooks {
	struct table tables[DIRECTIONS];
	struct kt_pending pending;
	struct kt_pending whole; /* calls that are recorded as made */
	atomic_long_t unread;	 /* calls that are not, as nobody wants them */
};

static __always_inline struct kt_enabled *enabled_find(
	const struct hooks *hooks, enum direction direction,
	unsigned long number)
{
	number = min_t(unsigned long, number, NUMBERS);
	return READ_ONCE(hooks->tables[direction].enabled[NATIVE][number]);
}

/*
 * A call that is made by another one is recorded as call @number, with its own registers in @part.
 * If its arguments cannot be read when it begins, it is recorded as it was made, or missed if that is
 * not enabled.  Its end must be of the same call, whether they can be read then or not.
 */
static inline struct kt_enabled *enabled_find_part(struct hooks *hooks,
						   enum direction direction,
						   struct pt_regs *part,
						   struct pt_regs **regs,
						   int number)
{
	const struct table *table = &hooks->tables[direction];
	const u32 made = (*regs)->orig_ax;
	struct kt_enabled *whole = READ_ONCE(table->enabled[COMPAT][made]);
	struct kt_enabled *found = READ_ONCE(table->enabled[COMPAT][number]);
	bool began_whole = kt_pending_take(&hooks->whole, made);
	u32 words[ARGUMENTS] = {0};

	if (direction == EXIT && began_whole)
		return whole;
	if (!found && (direction == EXIT || !whole))
		return NULL;
	if (!kt_part_arguments(words, *regs) && direction == ENTER) {
		kt_pending_set(&hooks->whole, made, 1);
		if (!whole && !kt_write_refused(found))
			atomic_long_inc(&hooks->unread);
		return whole;
	}
	*part = **regs;
	part->orig_ax = number;
	kt_part_set(part, words);
	*regs = part;
	return found;
}

/* As enabled_find(), for a 32-bit program.  @regs may become those of @part. */
static inline struct kt_enabled *enabled_find_compat(struct hooks *hooks,
						     enum direction direction,
						     struct pt_regs *part,
						     struct pt_regs **regs)
{
	unsigned long number = syscall_get_nr(current, *regs);
	int inner;

	if (!READ_ONCE(hooks->tables[direction].nr_compat))
		return NULL;
	if (unlikely(kt_part_is_wide(*regs))) {
		kt_part_narrow(part, *regs);
		*regs = part;
	}
	inner = kt_part_number(*regs);
	if (inner >= 0)
		return enabled_find_part(hooks, direction, part, regs, inner);
	if (number >= KT_PARTS_FIRST)
		number = NUMBERS;
	return READ_ONCE(hooks->tables[direction].enabled[COMPAT][number]);
}

#endif /* KT_KERNEL_SOURCE_SYSCALL_HOOKS_H */
