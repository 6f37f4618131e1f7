/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions of a session's functions: which calls are recorded, by what is passed in
 * registers.  They are decided at the entry.  A call that is refused is as if its function
 * were not chosen: nothing is recorded of it, its return is not hooked, and it is no root.
 *
 * They are filters (core/filter.h) whose fields are a0 to a5, the registers of arguments;
 * aN_u8 to aN_u64 and aN_s8 to aN_s64 are their lower bits.  Thousands of functions may have
 * the same condition, so one exists once.
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_CONDITION_H
#define KT_KERNEL_SOURCE_FUNCTION_CONDITION_H

#include <linux/list.h>

#include "event/gate.h"
#include "table.h"

struct kt_session;

/* Does not change, and lives as long as the session's functions. */
struct function_condition {
	struct list_head node;
	struct predicate *predicate;
	char text[];
};

struct function_conditions {
	struct list_head all; /* the oldest first */
	u32 nr;
};

void conditions_begin(struct function_conditions *conditions);
/* That of this text, made if need be.  @name is for messages.  NULL: refused, with *@err. */
const struct function_condition *condition_get(
	struct function_conditions *conditions, struct kt_session *session,
	const char *name, const char *text, int *err);
/* No function has those that came behind the first @nr. */
void conditions_cut(struct function_conditions *conditions, u32 nr);

/* With preemption off.  @registers: FUNCTION_WORDS of them. */
static __always_inline bool condition_holds(
	const struct function_condition *condition, const u64 *registers)
{
	return kt_filter_run(&condition->predicate->filter, registers,
			     FUNCTION_WORDS * sizeof(*registers),
			     smp_processor_id());
}

#endif /* KT_KERNEL_SOURCE_FUNCTION_CONDITION_H */
