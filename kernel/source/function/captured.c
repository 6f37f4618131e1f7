// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole calls with what their arguments point to.
 *
 * A whole call is written when it returns, and what an argument points to may be gone by
 * then, or be something else: a file is closed, a name is moved.  So the function's capture
 * program runs at the entry, and what it puts is kept until the return.  Where?  Not on the
 * stack, where a trampoline keeps a call: it is too much.  Nor in buffers that a hook takes
 * and its return gives back: a task that ends in a call would keep its buffer for ever.  So
 * it is in the node by which rethook has hooked the return: the kernel itself takes back the
 * nodes of tasks that end, and frees those of a session that is gone when its last call
 * returns.  Functions with programs have no trampolines anyway (hooks.c).
 *
 * Such nodes are large, so they are a pool of their own, which exists once a session records
 * whole calls and a function of it has a program.  All that such a node has behind its struct
 * call is the record as it will be, so a call that is refused at its return is never copied.
 *
 * If the pool is empty, the call is kept without that, in an ordinary node.  Its record says
 * that nothing could be read, and is counted (uncaptured).
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>

#include "base/rethook.h"
#include "call.h"
#include "captured.h"
#include "compat/function.h"
#include "event/capturing.h"
#include "event/stack.h"
#include "hooks.h"
#include "returns.h"
#include "session/session.h"

static unsigned int captured_calls = 1024;
module_param(captured_calls, uint, 0644);
MODULE_PARM_DESC(captured_calls,
		 "of these, calls of which is kept what arguments point to");

/* A call whose program was run. */
struct captured {
	struct rethook_node node;
	struct call call;
	u32 size; /* of the record */
	u64 record[];
};

/* Of a node: kmalloc() gives no less for more than half of it. */
#define NODE_SIZE 2048

/* Of a record.  Strings are written by whole words, and copies are rounded up to a unit. */
#define RECORD_MAX                                                         \
	(NODE_SIZE - offsetof(struct captured, record) - KT_STRING_SLACK - \
	 KT_UNIT)

/* Of the record, what is in front of what the program puts. */
static u32 own_size(const struct function_program *program)
{
	return sizeof(struct whole) +
	       min_t(u32, program->words, FUNCTION_WORDS) * sizeof(u64);
}

/* ---- entry ---------------------------------------------------------------- */

/* Reading may fault: one program reads in each context, as kt_capturing_begin() says. */
static bool may_read(u32 reader)
{
	return likely(!reader) || kt_capture_interrupts(reader);
}

static void program_run(struct captured *captured,
			const struct function_program *program,
			const struct pt_regs *regs, u32 reader)
{
	const struct call_words words = {(const u64 *)regs, regs->sp, 1};
	struct whole *whole = (struct whole *)captured->record;
	u32 own = own_size(program);

	env_poison(whole, NODE_SIZE - offsetof(struct captured, record));
	whole->arguments = sizeof(*whole) | (own - sizeof(*whole)) << 16;
	call_words_store(whole->words, words, program->words);
	this_cpu_write(kt_capture_reader, preempt_count() | 1);
	captured->size = kt_capture_run(&program->capturing->program, words.at,
					whole, own);
	this_cpu_write(kt_capture_reader, reader);
}

/* NULL: what says why. */
static struct captured *captured_hook(struct hooks *hooks, u32 reader,
				      struct pt_regs *regs, enum miss *why)
{
	/* Before its first use, it is made. */
	struct rethook *pool = smp_load_acquire(&hooks->captured);
	struct hooked *hooked;

	*why = UNCAPTURED_NESTED;
	if (unlikely(!may_read(reader)))
		return NULL;
	*why = UNCAPTURED_OPEN;
	/* By its node: it is none of the ordinary ones. */
	hooked = likely(pool) ? returns_hook(pool, regs) : NULL;
	return likely(hooked)
		       ? container_of(&hooked->node, struct captured, node)
		       : NULL;
}

/* Whoever records nothing of the call needs no program. */
noinline struct call *captured_keep(struct hooks *hooks, struct pt_regs *regs,
				    const struct call *plan)
{
	const struct function_program *program =
		READ_ONCE(plan->function->choice.program);
	const struct call_words words = {(const u64 *)regs, regs->sp, 1};
	u32 reader = this_cpu_read(kt_capture_reader);
	enum miss why = UNCAPTURED_OPEN;
	struct captured *captured = NULL;
	struct hooked *hooked;

	if (likely(plan->fate != SCOPE_SEEN))
		captured = captured_hook(hooks, reader, regs, &why);
	if (likely(captured)) {
		call_keep_untimed(&captured->call, plan);
		program_run(captured, program, regs, reader);
		/* Behind it: the call did not take what the program takes. */
		call_time(&captured->call);
		return &captured->call;
	}
	hooked = returns_hook(hooks->returns, regs);
	if (unlikely(!hooked))
		return NULL;
	call_keep_untimed(&hooked->call, plan);
	call_words_store(hooked->words, words, program->words);
	hooked->call.uncaptured = why;
	call_time(&hooked->call);
	return &hooked->call;
}

/* ---- return --------------------------------------------------------------- */

static struct whole *record_of(struct captured *captured)
{
	return (struct whole *)captured->record;
}

/* Is there nothing to be done at the return?  Most calls are refused by numbers alone. */
static __always_inline bool captured_refused(const struct hooks *hooks,
					     struct captured *captured,
					     u64 result)
{
	const struct kt_enabled *whole = READ_ONCE(hooks->hit[CALL]);

	return whole && !READ_ONCE(hooks->hit[EXIT]) &&
	       captured->call.fate == SCOPE_OUT && kt_rcu_is_watching() &&
	       call_whole_refused(whole, captured->call.function,
				  captured->call.begin, result,
				  record_of(captured));
}

/* Locations that the event's class does not know are behind the two masks (core/capture.h). */
static void locations_move(struct captured *captured,
			   const struct kt_stacking *stacking)
{
	const struct function_program *program =
		captured->call.function->choice.program;
	void *own = (void *)captured->record + own_size(program);

	kt_stack_locations_move(stacking, own + 2 * sizeof(u16),
				program->capturing->program.nr_fields);
}

static void captured_write(struct kt_enabled *enabled,
			   struct captured *captured, u64 result)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);
	const struct call *call = &captured->call;
	struct whole *whole = record_of(captured);

	whole_store(whole, call->function, call->begin, rdtsc(), result);
	if (gate && unlikely(gate->stacking))
		locations_move(captured, gate->stacking);
	call_write_made(enabled, call, whole, captured->size,
			captured->node.frame);
}

/* As call_returned(), but the record is there. */
static noinline void captured_record(struct hooks *hooks,
				     struct captured *captured, u64 result)
{
	const struct call *call = &captured->call;
	struct kt_enabled *exit, *whole;
	u8 before;
	bool first;

	/* The function may have ended RCU's watch.  Then nothing here is kept for us. */
	if (unlikely(!kt_rcu_is_watching()))
		return;
	call_left(hooks, call);
	first = call_hook_begin(&before);
	exit = READ_ONCE(hooks->hit[EXIT]);
	if (exit)
		call_write_exit(exit, call->function, result);
	whole = READ_ONCE(hooks->hit[CALL]);
	if (whole)
		captured_write(whole, captured, result);
	if (likely(first))
		call_hook_end(before);
}

/* With preemption off. */
static __kprobes KT_RETHOOK_HANDLER(captured_returned, node, data, address,
				    regs)
{
	struct captured *captured = container_of(node, struct captured, node);

	if (!captured_refused(data, captured, regs->ax))
		captured_record(data, captured, regs->ax);
}

/* ---- the pool ------------------------------------------------------------- */

static int program_check(const struct hooks *hooks, const struct choice *choice)
{
	const struct function_program *program = choice->what.program;
	u32 size = kt_capture_size_max(&program->capturing->program,
				       own_size(program));

	if (size <= RECORD_MAX)
		return 0;
	return kt_refuse(
		hooks->session, -E2BIG,
		"%s: its program may put %zu bytes too many to be kept "
		"until a call returns: limit its strings and bytes",
		choice->name, size - RECORD_MAX);
}

int captured_prepare(struct hooks *hooks, const struct choices *choices)
{
	unsigned int calls = clamp(READ_ONCE(captured_calls), 1u, 1u << 16);
	const struct choice *choice;
	struct rethook *pool;
	bool any = false;
	int err = 0;

	list_for_each_entry(choice, &choices->all, node) {
		if (!function_is_recorded(&choice->what) ||
		    !choice->what.program)
			continue;
		any = true;
		err = err ?: program_check(hooks, choice);
	}
	if (err || !any || hooks->captured)
		return err;
	pool = kt_rethook_make(hooks, captured_returned, NODE_SIZE, calls);
	if (!pool)
		return kt_refuse(hooks->session, -ENOMEM,
				 "no memory for %u open calls with what their "
				 "arguments point to",
				 calls);
	smp_store_release(&hooks->captured, pool);
	return 0;
}

void captured_free(struct hooks *hooks)
{
	struct rethook *pool = hooks->captured;

	WRITE_ONCE(hooks->captured, NULL);
	kt_rethook_free(pool);
}
