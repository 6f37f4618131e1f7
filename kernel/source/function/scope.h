/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which calls a session records, if that depends on what is running: calls made within a
 * root, down to some depth, but not within a function that is cut.  If functions are chosen
 * that roots must be within, a root is none elsewhere.
 *
 * For each task that is in one of these functions, a session keeps how deep it is.  Only
 * the task itself and the interrupts on top of it change this, and they nest.  So there is
 * no lock.  Each call keeps what its task's state was before, and its return puts that
 * back.  Therefore a return that is not seen leaves no trace, once a call around it
 * returns.  If the outermost call never returns, the task's next call tells: it is not as
 * deep in the stack.
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_SCOPE_H
#define KT_KERNEL_SOURCE_FUNCTION_SCOPE_H

#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "table.h"

/* How many tasks may be in roots at once: SETS * WAYS, or less by chance. */
#define SCOPE_BITS 10
#define SCOPE_WAYS 4

struct scope_state {
	unsigned long stack; /* stack pointer at the outermost call */
	u32 depth;	     /* of recorded calls that are open */
	u8 level;	     /* which context the outermost call is in */
	bool cut;	     /* in a function that is cut */
	bool within;	     /* in a function that roots must be within */
};

struct scope_set {
	struct task_struct *tasks[SCOPE_WAYS];
	struct scope_state states[SCOPE_WAYS];
};

struct scope {
	/* What the file function_scope says. */
	u32 depth;		/* 0: any */
	bool no_interrupts;	/* not what interrupts in between call */
	bool around;		/* roots must be within others */
	struct scope_set *sets; /* NULL: it was never on */
};

enum scope_fate {
	SCOPE_OUT,    /* the call does not count */
	SCOPE_RECORD, /* it is recorded */
	SCOPE_SEEN,   /* it is not, but its return must be seen */
	SCOPE_FULL,   /* too many tasks are in such functions */
};

/* The sets; under kt_mutex, before ASKS_SCOPE.  Tasks that end are forgotten from then on. */
int scope_make(struct scope *scope);
/* No hook runs. */
void scope_clear(struct scope *scope);
void scope_free(struct scope *scope);

static __always_inline struct scope_set *scope_set_of(
	const struct scope *scope, const struct task_struct *task)
{
	return &scope->sets[hash_ptr(task, SCOPE_BITS)];
}

/* SCOPE_WAYS: it has none. */
static __always_inline unsigned int scope_way(const struct scope_set *set,
					      const struct task_struct *task)
{
	unsigned int way;

	for (way = 0; way < SCOPE_WAYS; way++) {
		if (READ_ONCE(set->tasks[way]) == task)
			break;
	}
	return way;
}

/* Can calls be recorded because such a function runs, though no other of a scope does? */
static __always_inline bool scope_begins(const struct scope *scope,
					 enum function_role role)
{
	return role == FUNCTION_AROUND ||
	       (role == FUNCTION_ROOT && !READ_ONCE(scope->around));
}

/*
 * A call of a function with this role by a task that is in none of the scope's functions.  It does
 * not count, unless such a function begins with it.
 */
static __always_inline bool scope_is_outside(const struct scope *scope,
					     enum function_role role,
					     const struct scope_set *set,
					     unsigned int *way)
{
	*way = scope_way(set, current);
	return *way == SCOPE_WAYS && role != FUNCTION_CUT &&
	       !scope_begins(scope, role);
}

enum scope_fate scope_enter_slow(struct scope *scope, enum function_role role,
				 unsigned long stack, struct scope_set *set,
				 unsigned int way, struct scope_state *before);

/*
 * A call begins, with preemption off; @stack: the stack pointer.  If it is to be recorded
 * or seen, the task is in it from now on until scope_leave(@before).
 */
static __always_inline enum scope_fate scope_enter(struct scope *scope,
						   enum function_role role,
						   unsigned long stack,
						   struct scope_state *before)
{
	struct scope_set *set = scope_set_of(scope, current);
	unsigned int way;

	if (likely(scope_is_outside(scope, role, set, &way)))
		return SCOPE_OUT;
	return scope_enter_slow(scope, role, stack, set, way, before);
}

void scope_leave(struct scope *scope, const struct scope_state *before);

#endif /* KT_KERNEL_SOURCE_FUNCTION_SCOPE_H */
