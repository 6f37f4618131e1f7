/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is recorded of a call: at its entry, and at its return.  It does not matter here how
 * the call and its return were hooked (hooks.c).
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_CALL_H
#define KT_KERNEL_SOURCE_FUNCTION_CALL_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rethook.h>

#include "event/event.h"
#include "event/write.h"
#include "hooks.h"
#include "table.h"

/* What is kept of a call until it returns. */
struct call {
	const struct function *function;
	struct scope_state before; /* if it is in a scope: what was before it */
	enum scope_fate fate;	   /* SCOPE_OUT: it is in none */
	/* For the event of whole calls. */
	bool timed;
	u8 nr_words;   /* that are kept beside it */
	u8 uncaptured; /* of a function with a program: why it was not run */
	u64 begin;
};

/* Payloads; README.md promises them to readers. */
struct entry {
	u32 function;
	u32 arguments; /* where they are: offset, length << 16 */
	u64 words[];
} __packed;

/* Its short form, if there are no words. */
#define ENTRY_SHORT offsetof(struct entry, arguments)

struct exit {
	u32 function;
	u64 value;
} __packed;

struct whole {
	u32 function;
	u32 arguments; /* as in struct entry */
	u64 duration;  /* ns */
	s64 value;
	u64 words[];
} __packed;

/*
 * A hook may call a function that is hooked, for example to read the clock.  Such a hit
 * must not write: the ring would never finish the record of the outer hit, if each of its
 * attempts made another record.  So there is a bit for each context of a CPU.  A hit that
 * finds its bit set is missed, and counted.
 */
DECLARE_PER_CPU(u8, call_hooks_running);

/*
 * With preemption off.  False: this context runs a hook already.  *@before is for
 * call_hook_end(); interrupts in between leave the bits as they find them.
 */
static __always_inline bool call_hook_begin(u8 *before)
{
	u8 context = 1;

	if (unlikely(preempt_count() &
		     (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
		context <<= interrupt_context_level();
	*before = this_cpu_read(call_hooks_running);
	if (unlikely(*before & context))
		return false;
	this_cpu_or(call_hooks_running, context);
	return true;
}

/*
 * Does any context of this CPU run a hook?  A hook that calls no function needs no more than
 * this, and no call_hook_begin().
 */
static __always_inline bool call_hooks_run(void)
{
	return this_cpu_read(call_hooks_running);
}

static __always_inline void call_hook_end(u8 before)
{
	this_cpu_write(call_hooks_running, before);
}

/* How long are ticks of the TSC?  ns = ticks * factor >> CALL_NS_SHIFT. */
#define CALL_NS_SHIFT 22
extern u64 call_ns_factor; /* of 32 bits */

/* mul_u64_u32_shr() has a number of 128 bits, and for that gcc would align the hook's stack. */
static __always_inline u64 call_ticks_to_ns(u64 ticks)
{
	u64 high;

	asm("mulq %[factor]\n\t"
	    "shrdq %[shift], %[high], %[ticks]"
	    : [ticks] "+a"(ticks), [high] "=d"(high)
	    : [factor] "rm"(call_ns_factor), [shift] "i"(CALL_NS_SHIFT)
	    : "cc");
	return ticks;
}

/* What the kernel lacks, NULL: nothing. */
const char *call_init(void);

void call_miss_return(const struct hooks *hooks,
		      const struct function *function, bool scoped);

/*
 * Where a hook has what was passed.  Built in place, so that the compiler knows it; without
 * holes, which it would fill in memory.
 */
struct call_words {
	const u64 *at;
	unsigned long sp; /* the stack pointer: where the return address is */
	unsigned long
		registers; /* 1: a struct pt_regs is there; 0: one is behind the other */
};

static __always_inline u64 call_word(struct call_words words, u32 i)
{
	return words.at[words.registers ? hook_words[i] : i];
}

/*
 * What was passed on the stack, behind the return address at @sp.  Whoever asks for more
 * words than there are may reach beyond the stack: then they are zero.
 */
void call_stack_words(u64 *to, unsigned long sp, u32 nr);

/*
 * Up to six: those in registers.  One after the other, without a loop, which would take longer
 * than what it does.  False: there are fewer.
 */
static __always_inline bool call_words_store(u64 *to, struct call_words words,
					     u32 nr)
{
	if (nr < 1)
		return false;
	to[0] = call_word(words, 0);
	if (nr < 2)
		return false;
	to[1] = call_word(words, 1);
	if (nr < 3)
		return false;
	to[2] = call_word(words, 2);
	if (nr < 4)
		return false;
	to[3] = call_word(words, 3);
	if (nr < 5)
		return false;
	to[4] = call_word(words, 4);
	if (nr < 6)
		return false;
	to[5] = call_word(words, 5);
	return true;
}

static __always_inline void entry_store(struct entry *entry,
					const struct function *function,
					struct call_words words, u32 nr)
{
	u64 *to = entry->words;

	entry->function = function->index;
	entry->arguments = sizeof(*entry) + (nr * sizeof(u64) << 16);
	/* Functions with arguments on the stack have no trampoline. */
	if (call_words_store(to, words, nr) && words.registers &&
	    unlikely(nr > FUNCTION_WORDS))
		call_stack_words(to + FUNCTION_WORDS, words.sp,
				 nr - FUNCTION_WORDS);
}

/*
 * Records the entry with @nr words, calling no function.  False: it cannot, and nothing has
 * happened.  *@last: the record is the last one of its packet that is committed:
 * call_complete().
 */
static __always_inline bool call_entry_try(struct kt_enabled *enabled,
					   const struct function *function,
					   struct call_words words, u32 nr,
					   struct kt_write *write, bool *last)
{
	void *payload;

	if (unlikely(!kt_write_may_try(enabled)))
		return false;
	if (!nr) {
		if (unlikely(!kt_write_try_begin_short(write, enabled,
						       ENTRY_SHORT, &payload)))
			return false;
		((struct entry *)payload)->function = function->index;
	} else {
		if (unlikely(!kt_write_try_begin(write, enabled,
						 sizeof(struct entry) +
							 nr * sizeof(u64),
						 KT_RECORD_DYNAMIC, &payload)))
			return false;
		entry_store(payload, function, words, nr);
	}
	*last = kt_ring_commit_is_last(write->ring, &write->record);
	return true;
}

/* By another function, so that it costs the caller nothing. */
void call_complete(struct kt_ring *ring, u32 packet);

void call_entry_write_slow(struct kt_enabled *enabled,
			   const struct function *function, const u64 *at,
			   bool registers);

static __always_inline void call_entry_write(struct kt_enabled *enabled,
					     const struct function *function,
					     struct call_words words)
{
	struct kt_write write __kt_uninitialized;
	bool last;

	if (unlikely(!call_entry_try(enabled, function, words,
				     READ_ONCE(function->choice.words), &write,
				     &last)))
		call_entry_write_slow(enabled, function, words.at,
				      words.registers);
	else if (unlikely(last))
		kt_ring_complete(write.ring, kt_record_packet(&write.record));
}

/* Is the event recorded with stacks?  This does not change while it is attached. */
static __always_inline bool call_takes_stack(const struct kt_enabled *enabled)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);

	return gate && gate->stacking;
}

/* The session has a program for the event, and registers are not recorded. */
void call_entry_capture(struct kt_enabled *enabled,
			const struct function *function,
			struct call_words words);
/* The function has its own, which is run in addition. */
void call_entry_program(struct kt_enabled *enabled,
			const struct function *function,
			const struct function_program *program,
			struct call_words words);

static __always_inline void call_miss(const struct hooks *hooks, enum miss miss)
{
	this_cpu_inc(hooks->misses[miss]);
}

enum call_plan {
	CALL_IGNORED,
	CALL_NOTED, /* only its entry is recorded */
	CALL_KEPT,  /* its return is wanted, too */
};

/* The machine sleeps, is about to, or wakes up. */
DECLARE_STATIC_KEY_FALSE(call_sleeping);

static __always_inline enum call_plan call_plan_scoped(
	struct hooks *hooks, const struct function *function,
	struct call_words words, struct call *call)
{
	struct scope *scope = &hooks->scope;
	struct scope_state before; /* @call stays in registers */

	call->fate = scope_enter(scope, READ_ONCE(function->choice.role),
				 words.sp, &before);
	call->before = before;
	if (unlikely(call->fate == SCOPE_FULL))
		call_miss(hooks, MISS_TASK);
	return call->fate == SCOPE_RECORD || call->fate == SCOPE_SEEN
		       ? CALL_KEPT
		       : CALL_IGNORED;
}

/*
 * If a session has a scope, most calls of the kernel are outside of it.  They do not count, so
 * nothing else is asked of them.  RCU must see us.  @direct: as of function_find().
 */
static __always_inline bool call_is_outside(const struct hooks *hooks,
					    unsigned long ip, bool direct)
{
	const struct scope *scope = &hooks->scope;
	const struct function *function;
	unsigned int way;

	/* The scope's sets are made before. */
	if (!(smp_load_acquire(&hooks->asks) & ASKS_SCOPE))
		return false;
	function = function_find(&hooks->functions, ip, direct);
	return function &&
	       scope_is_outside(scope, READ_ONCE(function->choice.role),
				scope_set_of(scope, current), &way);
}

/* Does the function's condition refuse the call?  It has one. */
bool call_refused(const struct function_condition *condition, const u64 *at,
		  bool registers);

/* What call_plan() does in most cases, if nothing more is asked of the call. */
static __always_inline enum call_plan call_plan_return(
	struct hooks *hooks, const struct function *function, struct call *call,
	bool scoped)
{
	if (unlikely(in_nmi()) || static_branch_unlikely(&call_sleeping)) {
		call_miss_return(hooks, function, scoped);
		return CALL_IGNORED;
	}
	call->function = function;
	call->fate = SCOPE_OUT;
	return CALL_KEPT;
}

/* A condition comes first: a call that it refuses is not missed, and has no scope. */
static __always_inline enum call_plan call_plan_asked(
	struct hooks *hooks, u8 asks, const struct function *function,
	struct call_words words, struct call *call)
{
	const struct function_condition *condition =
		READ_ONCE(function->choice.condition);
	bool scoped = asks & ASKS_SCOPE;
	enum call_plan plan;

	if (condition && call_refused(condition, words.at, words.registers))
		return CALL_IGNORED;
	if (!scoped && !READ_ONCE(hooks->hit[EXIT]) &&
	    !READ_ONCE(hooks->hit[CALL]))
		return CALL_NOTED;
	plan = call_plan_return(hooks, function, call, scoped);
	return plan == CALL_KEPT && scoped
		       ? call_plan_scoped(hooks, function, words, call)
		       : plan;
}

/*
 * At a call's entry, with preemption off, between call_hook_begin() and call_hook_end(), as
 * all below.  If the call is kept, *@call is filled in, and call_left() must follow: at
 * its return, or at once if its return cannot be hooked.
 */
static __always_inline enum call_plan call_plan(struct hooks *hooks,
						const struct function *function,
						struct call_words words,
						struct call *call)
{
	/* Before hooks->returns, which is made before any of them. */
	const struct kt_enabled *enabled = smp_load_acquire(&hooks->hit[EXIT]);
	u8 asks = READ_ONCE(hooks->asks);

	if (!enabled)
		enabled = smp_load_acquire(&hooks->hit[CALL]);
	if (!enabled) {
		if (!asks)
			return CALL_NOTED;
		enabled = smp_load_acquire(&hooks->hit[ENTRY]);
	}
	if (!enabled || kt_write_refused(enabled))
		return CALL_IGNORED;
	return unlikely(asks)
		       ? call_plan_asked(hooks, asks, function, words, call)
		       : call_plan_return(hooks, function, call, false);
}

/* Is nothing to be kept of it but its function? */
static __always_inline bool call_is_plain(const struct hooks *hooks,
					  const struct call *planned)
{
	return planned->fate == SCOPE_OUT && !READ_ONCE(hooks->hit[CALL]);
}

/* What was planned becomes what is kept. */
static __always_inline void call_keep_untimed(struct call *call,
					      const struct call *planned)
{
	call->function = planned->function;
	call->fate = planned->fate;
	if (unlikely(planned->fate != SCOPE_OUT))
		call->before = planned->before;
	call->nr_words = 0;
	call->timed = false;
}

/* The same, and it is for the event of whole calls. */
static __always_inline void call_time(struct call *call)
{
	call->nr_words = min_t(u32, READ_ONCE(call->function->choice.words),
			       FUNCTION_WORDS);
	call->timed = true;
	call->begin = rdtsc();
}

static __always_inline void call_keep(struct hooks *hooks, struct call *call,
				      const struct call *planned)
{
	call_keep_untimed(call, planned);
	if (unlikely(READ_ONCE(hooks->hit[CALL])))
		call_time(call);
}

/* The same, if nothing is to be kept but its function: call_is_plain(). */
static __always_inline void call_keep_plain(struct call *call,
					    const struct function *function)
{
	call->function = function;
	call->fate = SCOPE_OUT;
	call->nr_words = 0;
	call->timed = false;
}

/* @call: NULL, if it is only noted. */
static __always_inline void call_entered(struct hooks *hooks,
					 const struct function *function,
					 struct call_words words,
					 const struct call *call)
{
	struct kt_enabled *enabled = READ_ONCE(hooks->hit[ENTRY]);
	const struct function_program *program;

	if (!enabled || (call && unlikely(call->fate == SCOPE_SEEN)))
		return;
	program = READ_ONCE(function->choice.program);
	if (unlikely(enabled->capturing))
		call_entry_capture(enabled, function, words);
	else if (unlikely(program))
		call_entry_program(enabled, function, program, words);
	else
		call_entry_write(enabled, function, words);
}

/* Without bits that are no part of it. */
static __always_inline u64 result_value(struct function_result result,
					u64 value)
{
	u8 shift = 64 - result.bits;

	if (!result.bits)
		return 0;
	return result.is_signed ? (s64)(value << shift) >> shift
				: value << shift >> shift;
}

static __always_inline void exit_store(struct exit *exit,
				       const struct function *function,
				       u64 value)
{
	exit->function = function->index;
	exit->value = value;
	if (unlikely(function->choice.result.bits != 64))
		exit->value = result_value(function->choice.result, value);
}

/* As call_entry_try().  @value: the register of results. */
static __always_inline bool call_exit_try(struct kt_enabled *enabled,
					  const struct function *function,
					  u64 value, struct kt_write *write,
					  bool *last)
{
	void *payload;

	if (unlikely(!kt_write_may_try(enabled)) ||
	    unlikely(!kt_write_try_begin(write, enabled, sizeof(struct exit), 0,
					 &payload)))
		return false;
	exit_store(payload, function, value);
	*last = kt_ring_commit_is_last(write->ring, &write->record);
	return true;
}

void call_write_exit_slow(struct kt_enabled *enabled,
			  const struct function *function, u64 value);

static __always_inline void call_write_exit(struct kt_enabled *enabled,
					    const struct function *function,
					    u64 value)
{
	struct kt_write write __kt_uninitialized;
	bool last;

	if (unlikely(!call_exit_try(enabled, function, value, &write, &last)))
		call_write_exit_slow(enabled, function, value);
	else if (unlikely(last))
		kt_ring_complete(write.ring, kt_record_packet(&write.record));
}

/* All but arguments. */
static __always_inline void whole_store(struct whole *whole,
					const struct function *function,
					u64 begin, u64 now, u64 value)
{
	whole->function = function->index;
	/* The TSC may begin anew while the machine sleeps. */
	whole->duration = now < begin ? 0 : call_ticks_to_ns(now - begin);
	whole->value = value;
	if (unlikely(function->choice.result.bits != 64))
		whole->value = result_value(function->choice.result, value);
}

/*
 * Does the filter refuse the call by numbers alone?  (The arguments are none.)  This calls
 * nothing, and nothing has happened but in @whole.  To be asked where RCU watches.
 */
static __always_inline bool call_whole_refused(const struct kt_enabled *enabled,
					       const struct function *function,
					       u64 begin, u64 value,
					       struct whole *whole)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);

	if (!gate)
		return false;
	if (!kt_gate_admits(gate))
		return true;
	whole_store(whole, function, begin, rdtsc(), value);
	return kt_gate_refuses(gate, whole);
}

/* The filter of the event says now whether the call is recorded. */
static __always_inline void call_write_whole(struct kt_enabled *enabled,
					     const struct call *call,
					     const u64 *words, u64 value)
{
	u32 i, nr = call->nr_words;
	struct kt_write write __kt_uninitialized;
	struct whole *whole;
	u64 now = rdtsc();

	whole = kt_write_begin(&write, enabled,
			       sizeof(*whole) + nr * sizeof(u64),
			       KT_RECORD_DYNAMIC);
	if (!whole)
		return;
	whole_store(whole, call->function, call->begin, now, value);
	whole->arguments = sizeof(*whole) | nr * sizeof(u64) << 16;
	for (i = 0; i < nr; i++)
		whole->words[i] = words[i];
	kt_write_end(&write, KT_RECORD_DYNAMIC);
}

/*
 * The same, of a record that is made: @size bytes, and room for a unit behind them.  @sp: where the
 * call's return address is, or was.  Is it recorded?
 */
bool call_write_made(struct kt_enabled *enabled, const struct call *call,
		     struct whole *whole, u32 size, unsigned long sp);

/* As call_write_whole(), with who called. */
void call_write_stack(struct kt_enabled *enabled, const struct call *call,
		      const u64 *words, u64 value, unsigned long sp);

/* The function's program was not run: call->uncaptured says why. */
void call_write_uncaptured(struct hooks *hooks, struct kt_enabled *enabled,
			   const struct call *call, const u64 *words, u64 value,
			   unsigned long sp);

/*
 * Where a call that returns has its return address.  Built in place, as struct call_words: then it
 * costs nothing if nobody asks.
 */
struct call_place {
	const struct rethook_node *node; /* NULL: @sp is it */
	unsigned long sp;
};

static __always_inline unsigned long call_place_sp(struct call_place place)
{
	return place.node ? place.node->frame : place.sp;
}

/* What must be done at a return even if it cannot be recorded. */
static __always_inline void call_left(struct hooks *hooks,
				      const struct call *call)
{
	if (unlikely(call->fate != SCOPE_OUT))
		scope_leave(&hooks->scope, &call->before);
}

static __always_inline void call_record_return(struct hooks *hooks,
					       const struct call *call,
					       const u64 *words, u64 value,
					       struct whole *whole,
					       struct call_place place)
{
	struct kt_enabled *enabled = READ_ONCE(hooks->hit[EXIT]);

	if (unlikely(call->fate == SCOPE_SEEN))
		return;
	if (enabled)
		call_write_exit(enabled, call->function, value);
	if (likely(!call->timed))
		return;
	enabled = READ_ONCE(hooks->hit[CALL]);
	if (!enabled)
		return;
	/* Behind a trampoline that was asked before, and there is no program. */
	if (whole && call_whole_refused(enabled, call->function, call->begin,
					value, whole))
		return;
	if (whole && unlikely(call->function->choice.program))
		call_write_uncaptured(hooks, enabled, call, words, value,
				      call_place_sp(place));
	else if (unlikely(call_takes_stack(enabled)))
		call_write_stack(enabled, call, words, value,
				 call_place_sp(place));
	else
		call_write_whole(enabled, call, words, value);
}

/*
 * Behind call_left().  @words: call->nr_words of them; @value: the register of results;
 * @whole: room to ask the filter of whole calls; NULL: the call was hooked by a trampoline.
 *
 * A hook may run in this context.  But no call is kept that begins within a hook of its own
 * context.  So this one began in another context, in an interrupt that came while the hook
 * ran: irq_exit_rcu() returns when the interrupt counts as ended.  It is recorded, as in any
 * interrupt of a hook; what recording calls is still missed.
 */
static __always_inline void call_returned(struct hooks *hooks,
					  const struct call *call,
					  const u64 *words, u64 value,
					  struct whole *whole,
					  struct call_place place)
{
	u8 before;
	bool first = call_hook_begin(&before);

	call_record_return(hooks, call, words, value, whole, place);
	if (likely(first))
		call_hook_end(before);
}

#endif /* KT_KERNEL_SOURCE_FUNCTION_CALL_H */
