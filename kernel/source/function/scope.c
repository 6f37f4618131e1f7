// SPDX-License-Identifier: GPL-2.0-only
/* Calls within roots: scope.h. */
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "base/lock.h"
#include "event/tracepoints.h"
#include "scope.h"

static bool on_task_stack(unsigned long address)
{
	return address - (unsigned long)task_stack_page(current) < THREAD_SIZE;
}

/*
 * Is the state of calls that have returned without being seen?  A call that is open is above,
 * in the stack, of all that it calls.  Interrupts may have stacks of their own, which cannot
 * be compared.  (What a task that is no more has left was given back when it ended.)
 */
static bool state_is_stale(const struct scope_state *state, unsigned long stack,
			   u8 level)
{
	return level == state->level && stack > state->stack &&
	       on_task_stack(stack) && on_task_stack(state->stack);
}

/* A free way of the set; SCOPE_WAYS: there is none. */
static unsigned int way_claim(struct scope_set *set)
{
	unsigned int way;

	for (way = 0; way < SCOPE_WAYS; way++) {
		/* Another CPU may claim it, too, and so may an interrupt. */
		if (!READ_ONCE(set->tasks[way]) &&
		    !cmpxchg(&set->tasks[way], NULL, current))
			break;
	}
	return way;
}

static void state_reset(struct scope_state *state, unsigned long stack,
			u8 level)
{
	*state = (struct scope_state){
		.stack = stack,
		.level = level,
	};
}

static bool state_is_empty(const struct scope_state *state)
{
	return !state->depth && !state->cut && !state->within;
}

/* How deep is the task with this call?  0: the call does not count. */
static u32 depth_with(const struct scope *scope,
		      const struct scope_state *state, enum function_role role)
{
	bool root = role == FUNCTION_ROOT &&
		    (state->within || !READ_ONCE(scope->around));
	u32 max = READ_ONCE(scope->depth);

	if (!max || state->depth < max)
		return state->depth || root ? state->depth + 1 : 0;
	/* A root is recorded wherever it is called, and what it calls with it. */
	return root ? 1 : 0;
}

static enum scope_fate state_enter(struct scope *scope, enum function_role role,
				   struct scope_state *state,
				   unsigned long stack, u8 level)
{
	bool in_between = level > state->level && !state_is_empty(state);
	u32 depth;

	if (in_between && READ_ONCE(scope->no_interrupts)) {
		/* But a root in an interrupt is one, whatever it interrupts. */
		if (!scope_begins(scope, role))
			return SCOPE_OUT;
		state_reset(state, stack, level);
	}
	if (state->cut)
		return SCOPE_OUT;
	if (role == FUNCTION_CUT) {
		state->cut = true;
		return SCOPE_SEEN;
	}
	if (role == FUNCTION_AROUND) {
		if (state->within)
			return SCOPE_OUT;
		state->within = true;
		return SCOPE_SEEN;
	}
	depth = depth_with(scope, state, role);
	if (!depth)
		return SCOPE_OUT;
	state->depth = depth;
	return SCOPE_RECORD;
}

/*
 * Interrupts are off from when a place is claimed until it says what for, and while it is
 * given back.  Otherwise an interrupt could take it for its own, and give it back.
 */
enum scope_fate scope_enter_slow(struct scope *scope, enum function_role role,
				 unsigned long stack, struct scope_set *set,
				 unsigned int way, struct scope_state *before)
{
	u8 level = interrupt_context_level();
	enum scope_fate fate = SCOPE_FULL;
	struct scope_state *state;
	unsigned long flags;
	bool is_new = way == SCOPE_WAYS;

	raw_local_irq_save(flags);
	if (is_new)
		way = way_claim(set);
	if (unlikely(way == SCOPE_WAYS))
		goto out;
	state = &set->states[way];
	if (is_new || unlikely(state_is_stale(state, stack, level)))
		state_reset(state, stack, level);
	*before = *state;
	fate = state_enter(scope, role, state, stack, level);
	if (state_is_empty(state))
		WRITE_ONCE(set->tasks[way], NULL);
out:
	raw_local_irq_restore(flags);
	return fate;
}

void scope_leave(struct scope *scope, const struct scope_state *before)
{
	struct scope_set *set = scope_set_of(scope, current);
	unsigned int way = scope_way(set, current);
	unsigned long flags;

	/* It has no state if a call around this one was taken for ended. */
	if (unlikely(way == SCOPE_WAYS))
		return;
	raw_local_irq_save(flags);
	set->states[way] = *before;
	if (state_is_empty(before))
		WRITE_ONCE(set->tasks[way], NULL);
	raw_local_irq_restore(flags);
}

/* ---- tasks that end ------------------------------------------------------- */

/* Otherwise one that never left a root would keep its place. */
static void probe_free(void *data, struct task_struct *task)
{
	struct scope_set *set = scope_set_of(data, task);
	unsigned int way = scope_way(set, task);

	if (way < SCOPE_WAYS)
		WRITE_ONCE(set->tasks[way], NULL);
}

int scope_make(struct scope *scope)
{
	struct tracepoint *freed = kt_tracepoint_find("sched_process_free");
	int err;

	lockdep_assert_held(&kt_mutex);
	check_trace_callback_type_sched_process_free(probe_free);
	if (scope->sets)
		return 0;
	if (!freed)
		return -ENOENT;
	scope->sets =
		kvcalloc(1 << SCOPE_BITS, sizeof(*scope->sets), GFP_KERNEL);
	if (!scope->sets)
		return -ENOMEM;
	err = tracepoint_probe_register(freed, probe_free, scope);
	if (!err)
		return 0;
	kvfree(scope->sets);
	scope->sets = NULL;
	return err;
}

void scope_clear(struct scope *scope)
{
	if (scope->sets)
		memset(scope->sets, 0, sizeof(*scope->sets) << SCOPE_BITS);
}

void scope_free(struct scope *scope)
{
	if (!scope->sets)
		return;
	tracepoint_probe_unregister(kt_tracepoint_find("sched_process_free"),
				    probe_free, scope);
	kt_tracepoints_synchronize();
	kvfree(scope->sets);
	scope->sets = NULL;
}
