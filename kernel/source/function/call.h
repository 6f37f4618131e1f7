/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is recorded of a call: at its entry, and at its return.  It does not matter here how
 * the call and its return were hooked (hooks.c).
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_CALL_H
#define KT_KERNEL_SOURCE_FUNCTION_CALL_H

#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

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
	u8 nr_words;
	u64 begin;
	u64 words[FUNCTION_WORDS];
};

/* Payloads; README.md promises them to readers. */
struct entry {
	u32 function;
	u32 arguments; /* where they are: offset, length << 16 */
	u64 words[];
} __packed;

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
 * attempts made another record.  ftrace's own guard lets one nested hit of a context pass,
 * so there is a bit of our own for each context of a CPU.  A hit that finds its bit set is
 * missed, and counted.
 */
DECLARE_PER_CPU(u8, call_hooks_running);

/* With preemption off.  False: this context runs a hook already. */
static __always_inline bool call_hook_begin(u8 *context)
{
	*context = 1 << interrupt_context_level();
	if (unlikely(this_cpu_read(call_hooks_running) & *context))
		return false;
	this_cpu_or(call_hooks_running, *context);
	return true;
}

static __always_inline void call_hook_end(u8 context)
{
	this_cpu_and(call_hooks_running, ~context);
}

/* How long are ticks of the TSC?  ns = ticks * factor >> CALL_NS_SHIFT. */
#define CALL_NS_SHIFT 22
extern u32 call_ns_factor;

static __always_inline u64 call_ticks_to_ns(u64 ticks)
{
	return mul_u64_u32_shr(ticks, call_ns_factor, CALL_NS_SHIFT);
}

/* What the kernel lacks, NULL: nothing. */
const char *call_init(void);

void call_miss_return(const struct hooks *hooks,
		      const struct function *function, bool scoped);

/*
 * What was passed on the stack, behind the return address.  Whoever asks for more words than
 * there are may reach beyond the stack: then they are zero.
 */
void call_stack_words(u64 *to, const struct pt_regs *regs, u32 nr);

static __always_inline void entry_fill(struct entry *entry,
				       const struct function *function,
				       const struct pt_regs *regs, u32 nr)
{
	u32 i;

	entry->function = function->index;
	entry->arguments = sizeof(*entry) | nr * sizeof(u64) << 16;
	for (i = 0; i < nr && i < FUNCTION_WORDS; i++)
		entry->words[i] = ((const u64 *)regs)[hook_words[i]];
	if (unlikely(nr > FUNCTION_WORDS))
		call_stack_words(entry->words + FUNCTION_WORDS, regs,
				 nr - FUNCTION_WORDS);
}

static __always_inline void call_entry_write(struct kt_enabled *enabled,
					     const struct function *function,
					     const struct pt_regs *regs)
{
	u32 nr = READ_ONCE(function->choice.words);
	struct kt_write write __kt_uninitialized;
	struct entry *entry;

	entry = kt_write_begin(&write, enabled,
			       sizeof(*entry) + nr * sizeof(u64),
			       KT_RECORD_DYNAMIC);
	if (!entry)
		return;
	entry_fill(entry, function, regs, nr);
	kt_write_end(&write, KT_RECORD_DYNAMIC);
}

/* The session has a program for the event, and registers are not recorded. */
void call_entry_capture(struct kt_enabled *enabled,
			const struct function *function,
			const struct pt_regs *regs);
/* The function has its own, which is run in addition. */
void call_entry_program(struct kt_enabled *enabled,
			const struct function *function,
			const struct function_program *program,
			const struct pt_regs *regs);

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
	const struct pt_regs *regs, struct call *call)
{
	struct scope *scope = &hooks->scope;

	call->fate = scope_enter(scope, READ_ONCE(function->choice.role),
				 regs->sp, &call->before);
	if (unlikely(call->fate == SCOPE_FULL))
		call_miss(hooks, MISS_TASK);
	return call->fate == SCOPE_RECORD || call->fate == SCOPE_CUT
		       ? CALL_KEPT
		       : CALL_IGNORED;
}

/*
 * At a call's entry, with preemption off, between call_hook_begin() and call_hook_end(), as
 * all below.  If the call is kept, *@call is filled in, and call_left() must follow: at
 * its return, or at once if its return cannot be hooked.
 */
static __always_inline enum call_plan call_plan(struct hooks *hooks,
						const struct function *function,
						const struct pt_regs *regs,
						struct call *call)
{
	/* Before hooks->returns, which is made before any of them. */
	const struct kt_enabled *enabled = smp_load_acquire(&hooks->hit[EXIT]);
	bool scoped = READ_ONCE(hooks->scope.on);

	if (!enabled)
		enabled = smp_load_acquire(&hooks->hit[CALL]);
	if (!enabled) {
		if (!scoped)
			return CALL_NOTED;
		enabled = smp_load_acquire(&hooks->hit[ENTRY]);
	}
	if (!enabled || kt_write_refused(enabled))
		return CALL_IGNORED;
	if (unlikely(in_nmi()) || static_branch_unlikely(&call_sleeping)) {
		call_miss_return(hooks, function, scoped);
		return CALL_IGNORED;
	}
	call->function = function;
	call->fate = SCOPE_OUT;
	return unlikely(scoped) ? call_plan_scoped(hooks, function, regs, call)
				: CALL_KEPT;
}

/* What was planned becomes what is kept. */
static __always_inline void call_keep(struct hooks *hooks, struct call *call,
				      const struct call *planned,
				      const struct pt_regs *regs)
{
	const struct function *function = planned->function;
	u32 i, nr;

	call->function = function;
	call->fate = planned->fate;
	if (unlikely(planned->fate != SCOPE_OUT))
		call->before = planned->before;
	call->timed = false;
	if (likely(!READ_ONCE(hooks->hit[CALL])))
		return;
	nr = min_t(u32, READ_ONCE(function->choice.words), FUNCTION_WORDS);
	for (i = 0; i < nr; i++)
		call->words[i] = ((const u64 *)regs)[hook_words[i]];
	call->nr_words = nr;
	call->timed = true;
	call->begin = rdtsc();
}

/* @call: NULL, if it is only noted. */
static __always_inline void call_entered(struct hooks *hooks,
					 const struct function *function,
					 const struct pt_regs *regs,
					 const struct call *call)
{
	struct kt_enabled *enabled = READ_ONCE(hooks->hit[ENTRY]);
	const struct function_program *program;

	if (!enabled || (call && unlikely(call->fate == SCOPE_CUT)))
		return;
	program = READ_ONCE(function->choice.program);
	if (unlikely(enabled->capturing))
		call_entry_capture(enabled, function, regs);
	else if (unlikely(program))
		call_entry_program(enabled, function, program, regs);
	else
		call_entry_write(enabled, function, regs);
}

/* Without bits that are no part of it. */
static __always_inline u64 result_value(struct function_result result,
					u64 value)
{
	u8 shift = 64 - result.bits;

	if (likely(result.bits == 64))
		return value;
	if (!result.bits)
		return 0;
	return result.is_signed ? (s64)(value << shift) >> shift
				: value << shift >> shift;
}

/* @value: the register of results. */
static __always_inline void call_write_exit(struct kt_enabled *enabled,
					    const struct function *function,
					    u64 value)
{
	struct kt_write write __kt_uninitialized;
	struct exit *exit = kt_write_begin(&write, enabled, sizeof(*exit), 0);

	if (!exit)
		return;
	exit->function = function->index;
	exit->value = result_value(function->choice.result, value);
	kt_write_end(&write, 0);
}

/* The filter of the event says now whether the call is recorded. */
static __always_inline void call_write_whole(struct kt_enabled *enabled,
					     const struct call *call, u64 value)
{
	const struct function *function = call->function;
	u32 i, nr = call->nr_words;
	struct kt_write write __kt_uninitialized;
	struct whole *whole;
	u64 now = rdtsc();

	whole = kt_write_begin(&write, enabled,
			       sizeof(*whole) + nr * sizeof(u64),
			       KT_RECORD_DYNAMIC);
	if (!whole)
		return;
	whole->function = function->index;
	whole->arguments = sizeof(*whole) | nr * sizeof(u64) << 16;
	/* The TSC may begin anew while the machine sleeps. */
	whole->duration =
		now < call->begin ? 0 : call_ticks_to_ns(now - call->begin);
	whole->value = result_value(function->choice.result, value);
	for (i = 0; i < nr; i++)
		whole->words[i] = call->words[i];
	kt_write_end(&write, KT_RECORD_DYNAMIC);
}

/* What must be done at a return even if it cannot be recorded. */
static __always_inline void call_left(struct hooks *hooks,
				      const struct call *call)
{
	if (unlikely(call->fate != SCOPE_OUT))
		scope_leave(&hooks->scope, &call->before);
}

/* Behind call_left().  @value: the register of results. */
static __always_inline void call_returned(struct hooks *hooks,
					  const struct call *call, u64 value)
{
	struct kt_enabled *enabled = READ_ONCE(hooks->hit[EXIT]);

	if (unlikely(call->fate == SCOPE_CUT))
		return;
	if (enabled)
		call_write_exit(enabled, call->function, value);
	if (likely(!call->timed))
		return;
	enabled = READ_ONCE(hooks->hit[CALL]);
	if (enabled)
		call_write_whole(enabled, call, value);
}

#endif /* KT_KERNEL_SOURCE_FUNCTION_CALL_H */
