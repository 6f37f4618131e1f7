// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks by trampolines.
 *
 * A session has one trampoline for all of its functions that may use one, so its address
 * tells whose call it is.  A call whose return is wanted has its frame on the stack.  When it
 * returns, the session may be gone, and its functions with it: what the frame says of them
 * counts only while the session's serial number is still that in the frame.  No two sessions
 * ever have the same, even if this module was unloaded in between.
 *
 * Unlike rethook, this needs no list of nodes, so calls are hooked in NMIs, too.  There the
 * return is not: stacks of NMIs are small.
 */
#include <linux/cc_platform.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/security.h>
#include <linux/uaccess.h>

#include "base/lock.h"
#include "base/symbol.h"
#include "call.h"
#include "compat/function.h"
#include "compat/stack.h"
#include "direct.h"
#include "hooks.h"
#include "trampoline.h"

static bool direct = true;
module_param(direct, bool, 0644);
MODULE_PARM_DESC(direct,
		 "hook functions by trampolines of our own where possible");

KT_IRQ_STACK_DEFINE;

/* Has no functions, and no calls: no serial number is 0. */
static struct hooks nobody;

/* Who has which trampoline; nobody, or a session.  Set under kt_mutex. */
static struct hooks *owners[TRAMPOLINES] = {
	[0 ... TRAMPOLINES - 1] = &nobody,
};
static bool in_use;

/*
 * What a frame keeps of a call until it returns.  Most calls need nothing else than their
 * function; of whole calls, when they began and how many words they have is in the frame's
 * further words.  All others have their struct call there, and no function here.
 */
struct kept {
	const struct function *function;
	u64 serial;
};
static_assert(sizeof(struct kept) <=
	      sizeof_field(struct trampoline_frame, kept));

struct kept_more {
	struct call call;
	struct whole
		whole; /* to be filtered; on the stack it would be guarded */
};
static_assert(sizeof(struct kept_more) <=
	      sizeof_field(struct trampoline_frame, more));

/* ---- hooks ---------------------------------------------------------------- */

/* No kprobe may be in here: a breakpoint's handler has functions that are hooked. */

/*
 * Each open call has a frame on the stack, so functions that call each other need more of it
 * than without us.  This much is left to them alone.
 */
#define STACK_LEFT (THREAD_SIZE / 2)

static bool is_in_upper_part(const struct trampoline_frame *frame,
			     unsigned long bottom, unsigned long size)
{
	return (unsigned long)frame - STACK_LEFT - bottom < size - STACK_LEFT;
}

/* Wherever it is.  NMIs have a small one: no call is kept there. */
static noinline __kprobes bool stack_suffices(
	const struct trampoline_frame *frame)
{
	return !in_nmi() &&
	       (is_in_upper_part(frame, (unsigned long)task_stack_page(current),
				 THREAD_SIZE) ||
		is_in_upper_part(frame, kt_irq_stack_bottom(), IRQ_STACK_SIZE));
}

/*
 * The same where most calls are: outside of interrupts.  A task's stack is aligned to its
 * size, so one bit tells.  (Where an interrupt begins and ends, it does not count as one,
 * and its stack is nearly empty.)
 */
static __always_inline bool task_stack_suffices(
	const struct trampoline_frame *frame)
{
	BUILD_BUG_ON(STACK_LEFT * 2 != THREAD_SIZE);
	return !(preempt_count() &
		 (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)) &&
	       (unsigned long)frame & STACK_LEFT;
}

static __always_inline unsigned long place_of(
	const struct trampoline_frame *frame)
{
	return frame->behind - MCOUNT_INSN_SIZE;
}

static __always_inline struct call_words words_of(
	const struct trampoline_frame *frame)
{
	return (struct call_words){frame->arguments,
				   (unsigned long)&frame->caller, 0};
}

/* Keeps the call until it returns; its words stay where they are. */
static __always_inline unsigned long frame_keep(struct hooks *hooks,
						struct trampoline_frame *frame,
						const struct call *plan)
{
	struct kept *kept = (struct kept *)frame->kept;

	kept->serial = READ_ONCE(hooks->serial);
	kept->function = plan->function;
	if (likely(call_is_plain(hooks, plan)))
		return TRAMPOLINE_KEEP;
	kept->function = NULL;
	call_keep(hooks, &((struct kept_more *)frame->more)->call, plan);
	return TRAMPOLINE_KEEP_ALL;
}

/* With preemption off, as all below. */
static __always_inline unsigned long entered_any(struct hooks *hooks,
						 struct trampoline_frame *frame)
{
	const struct function *function =
		function_find(&hooks->functions, place_of(frame), true);
	const struct kt_enabled *entry = smp_load_acquire(&hooks->hit[ENTRY]);
	const struct call_words words = words_of(frame);
	unsigned long answer = TRAMPOLINE_LEAVE;
	struct call plan __kt_uninitialized;

	/* It has just been taken out of the table: its module goes, or it has an heir. */
	if (unlikely(!function))
		return answer;
	/* Entries have stacks from now on: its way is just about to change (hooks_update()). */
	if (entry && unlikely(call_takes_stack(entry)))
		return answer;
	switch (call_plan(hooks, function, words, &plan)) {
	case CALL_IGNORED:
		return answer;
	case CALL_KEPT:
		if (unlikely(!stack_suffices(frame))) {
			call_left(hooks, &plan);
			call_miss(hooks, MISS_STACK);
			return answer;
		}
		answer = frame_keep(hooks, frame, &plan);
		call_entered(hooks, function, words, &plan);
		return answer;
	case CALL_NOTED:
		call_entered(hooks, function, words, NULL);
	}
	return answer;
}

static noinline __kprobes unsigned long entered_slow(
	struct hooks *hooks, struct trampoline_frame *frame)
{
	unsigned long answer = TRAMPOLINE_LEAVE;
	u8 before;

	/* It has just given back its trampoline. */
	if (unlikely(hooks == &nobody))
		return answer;
	/* Gates live as long as RCU sees us. */
	if (unlikely(!kt_rcu_is_watching())) {
		call_miss(hooks, MISS_IDLE);
	} else if (unlikely(!call_hook_begin(&before))) {
		call_miss(hooks, MISS_RECURSION);
	} else {
		answer = entered_any(hooks, frame);
		call_hook_end(before);
	}
	return answer;
}

/* If so, gcc knows it, and does not ask. */
static __always_inline struct kt_enabled *with_small_id(
	struct kt_enabled *plain)
{
	if (plain->id >= KT_ID_EXTENDED)
		__builtin_unreachable();
	return plain;
}

/*
 * Most calls: entry and exit are recorded, of all processes.  Is this one of them?  @function:
 * the first one in the table that it may be; @exit: plain[EXIT].
 */
static __always_inline bool call_is_of_most(
	const struct function *function, const struct kt_enabled *exit,
	const struct trampoline_frame *frame)
{
	return likely(READ_ONCE(function->direct_ip) == place_of(frame)) &&
	       !static_branch_unlikely(&call_sleeping) &&
	       likely(kt_write_is_direct(exit)) && likely(!call_hooks_run());
}

/*
 * Records its entry with @nr words, and keeps the call.  The stack suffices.  Calls nothing.
 * False: nothing has happened.
 */
static __always_inline bool entered_plain(const struct hooks *hooks,
					  struct trampoline_frame *frame,
					  const struct function *function,
					  u32 nr)
{
	struct kept *kept = (struct kept *)frame->kept;
	struct kt_write write __kt_uninitialized;
	bool last;

	if (unlikely(!call_entry_try(
		    with_small_id(READ_ONCE(hooks->plain[ENTRY])), function,
		    words_of(frame), nr, &write, &last)))
		return false;
	kept->function = function;
	kept->serial = READ_ONCE(hooks->serial);
	if (unlikely(last))
		call_complete(write.ring, kt_record_packet(&write.record));
	return true;
}

/* The same, if only entries are recorded. */
static __always_inline bool entered_alone(struct hooks *hooks,
					  struct trampoline_frame *frame)
{
	unsigned long place = place_of(frame);
	const struct function *function =
		function_first(&hooks->functions, place);
	struct kt_enabled *entry = smp_load_acquire(&hooks->alone);
	struct kt_write write __kt_uninitialized;
	bool last;

	if (!entry || unlikely(READ_ONCE(function->direct_ip) != place) ||
	    unlikely(call_hooks_run()) ||
	    unlikely(!call_entry_try(
		    with_small_id(entry), function, words_of(frame),
		    READ_ONCE(function->choice.words), &write, &last)))
		return false;
	if (unlikely(last))
		call_complete(write.ring, kt_record_packet(&write.record));
	return true;
}

static noinline __kprobes unsigned long entered_anywhere(
	struct hooks *hooks, struct trampoline_frame *frame)
{
	const struct kt_enabled *exit = smp_load_acquire(&hooks->plain[EXIT]);
	const struct function *function =
		function_first(&hooks->functions, place_of(frame));

	if (exit && stack_suffices(frame) &&
	    call_is_of_most(function, exit, frame) &&
	    entered_plain(hooks, frame, function,
			  READ_ONCE(function->choice.words)))
		return TRAMPOLINE_KEEP;
	return entered_slow(hooks, frame);
}

/*
 * The same, if only whole calls are recorded.  Whether this one is, is asked at its return.
 */
static __always_inline bool entered_whole(struct hooks *hooks,
					  struct trampoline_frame *frame)
{
	unsigned long place = place_of(frame);
	const struct function *function =
		function_first(&hooks->functions, place);
	struct kept *kept = (struct kept *)frame->kept;
	struct call *call = &((struct kept_more *)frame->more)->call;

	if (unlikely(READ_ONCE(function->direct_ip) != place) ||
	    static_branch_unlikely(&call_sleeping) ||
	    unlikely(call_hooks_run()) || unlikely(!task_stack_suffices(frame)))
		return false;
	kept->function = function;
	kept->serial = READ_ONCE(hooks->serial);
	call->nr_words = READ_ONCE(function->choice.words);
	call->begin = rdtsc();
	return true;
}

/* The four below are called with preemption off, and switch it on. */

static noinline __kprobes unsigned long entered_rest(
	struct hooks *hooks, struct trampoline_frame *frame)
{
	unsigned long answer = entered_anywhere(hooks, frame);

	preempt_enable_notrace();
	return answer;
}

static noinline __kprobes unsigned long entered_alone_or_rest(
	struct hooks *hooks, struct trampoline_frame *frame)
{
	if (unlikely(!entered_alone(hooks, frame)) &&
	    (unlikely(!kt_rcu_is_watching()) ||
	     !call_is_outside(hooks, place_of(frame), true)))
		return entered_rest(hooks, frame);
	preempt_enable_notrace();
	return TRAMPOLINE_LEAVE;
}

/* If not each entry and exit is recorded. */
static noinline __kprobes unsigned long entered_otherwise(
	struct hooks *hooks, struct trampoline_frame *frame)
{
	if (!smp_load_acquire(&hooks->whole) ||
	    unlikely(!entered_whole(hooks, frame)))
		return entered_alone_or_rest(hooks, frame);
	preempt_enable_notrace();
	return TRAMPOLINE_KEEP_ALL;
}

/* Of its own, because this takes more registers than no words.  @nr: not 0. */
static noinline __kprobes unsigned long entered_with_words(
	struct hooks *hooks, struct trampoline_frame *frame,
	const struct function *function, u32 nr)
{
	if (!nr)
		__builtin_unreachable();
	if (unlikely(!entered_plain(hooks, frame, function, nr)))
		return entered_rest(hooks, frame);
	preempt_enable_notrace();
	return TRAMPOLINE_KEEP;
}

static __kprobes unsigned long direct_entered(struct trampoline_frame *frame)
{
	const struct function *function;
	const struct kt_enabled *exit;
	struct hooks *hooks;
	u32 nr;

	preempt_disable_notrace();
	hooks = READ_ONCE(owners[frame->trampoline]);
	exit = smp_load_acquire(&hooks->plain[EXIT]);
	if (!exit)
		return entered_otherwise(hooks, frame);
	function = function_first(&hooks->functions, place_of(frame));
	if (unlikely(!call_is_of_most(function, exit, frame)) ||
	    unlikely(!task_stack_suffices(frame)))
		return entered_rest(hooks, frame);
	nr = READ_ONCE(function->choice.words);
	if (nr)
		return entered_with_words(hooks, frame, function, nr);
	if (unlikely(!entered_plain(hooks, frame, function, 0)))
		return entered_rest(hooks, frame);
	preempt_enable_notrace();
	return TRAMPOLINE_KEEP;
}

/* @words: call->nr_words of them, those of the frame; NULL: the call is not timed. */
static noinline __kprobes void returned_slow(struct hooks *hooks,
					     const struct call *call,
					     const u64 *words, u64 result)
{
	const struct trampoline_frame *frame =
		container_of(words, struct trampoline_frame, arguments[0]);

	/* The function may have ended RCU's watch.  Then nothing here is kept for us. */
	if (unlikely(!kt_rcu_is_watching()))
		return;
	call_left(hooks, call);
	call_returned(hooks, call, words, result, NULL,
		      (struct call_place){NULL, (unsigned long)&frame->caller});
}

static noinline __kprobes void returned_plain(struct hooks *hooks,
					      const struct function *function,
					      u64 result)
{
	const struct call call = {.function = function, .fate = SCOPE_OUT};

	returned_slow(hooks, &call, NULL, result);
}

/* It need not ask whether a hook runs: see call_returned(). */
static __always_inline void returned(const struct trampoline_frame *frame,
				     u64 result)
{
	struct hooks *hooks = READ_ONCE(owners[frame->trampoline]);
	const struct kept *kept = (const struct kept *)frame->kept;
	const struct function *function = kept->function;
	struct kt_write write __kt_uninitialized;
	struct kt_enabled *exit;
	bool last;

	if (unlikely(READ_ONCE(hooks->serial) != kept->serial))
		return;
	exit = READ_ONCE(hooks->plain[EXIT]);
	if (unlikely(!exit) ||
	    unlikely(!call_exit_try(with_small_id(exit), function, result,
				    &write, &last)))
		returned_plain(hooks, function, result);
	else if (unlikely(last))
		call_complete(write.ring, kt_record_packet(&write.record));
}

static __kprobes void direct_returned(struct trampoline_frame *frame,
				      u64 result)
{
	preempt_disable_notrace();
	returned(frame, result);
	preempt_enable_notrace();
}

/* Is there nothing to be done of a call that entered_whole() has kept? */
static __always_inline bool whole_refused(const struct hooks *hooks,
					  const struct function *function,
					  struct kept_more *more, u64 result)
{
	const struct kt_enabled *whole = READ_ONCE(hooks->whole);

	return whole && kt_rcu_is_watching() &&
	       call_whole_refused(whole, function, more->call.begin, result,
				  &more->whole);
}

static noinline __kprobes void returned_whole(struct hooks *hooks,
					      const struct function *function,
					      struct trampoline_frame *frame,
					      u64 result)
{
	struct call *call = &((struct kept_more *)frame->more)->call;

	call->function = function;
	call->fate = SCOPE_OUT;
	call->timed = true;
	returned_slow(hooks, call, frame->arguments, result);
}

static __always_inline void returned_all(struct trampoline_frame *frame,
					 u64 result)
{
	struct hooks *hooks = READ_ONCE(owners[frame->trampoline]);
	const struct kept *kept = (const struct kept *)frame->kept;
	struct kept_more *more = (struct kept_more *)frame->more;

	if (unlikely(READ_ONCE(hooks->serial) != kept->serial))
		return;
	if (unlikely(!kept->function))
		returned_slow(hooks, &more->call, frame->arguments, result);
	else if (unlikely(!whole_refused(hooks, kept->function, more, result)))
		returned_whole(hooks, kept->function, frame, result);
}

static __kprobes void direct_returned_all(struct trampoline_frame *frame,
					  u64 result)
{
	preempt_disable_notrace();
	returned_all(frame, result);
	preempt_enable_notrace();
}

static const struct trampoline_handlers handlers = {
	.entered = direct_entered,
	.returned = direct_returned,
	.returned_all = direct_returned_all,
};

/* ---- who has a trampoline ------------------------------------------------- */

unsigned long direct_take(struct hooks *hooks)
{
	unsigned int i;

	lockdep_assert_held(&kt_mutex);
	if (hooks->trampoline || !direct || !kt_trampoline_address(0))
		return hooks->trampoline;
	/* If user space says `direct' of a wrong function, that one's arguments are wrong. */
	if (security_locked_down(LOCKDOWN_MODULE_PARAMETERS))
		return 0;
	/* Reading the clock may be an exception there, whose handler's functions are hooked. */
	if (cc_platform_has(CC_ATTR_GUEST_STATE_ENCRYPT))
		return 0;
	for (i = 0; i < TRAMPOLINES && owners[i] != &nobody; i++)
		;
	if (i == TRAMPOLINES)
		return 0;
	if (!in_use)
		kt_trampoline_use(&handlers);
	in_use = true;
	WRITE_ONCE(owners[i], hooks);
	hooks->trampoline = kt_trampoline_address(i);
	return hooks->trampoline;
}

void direct_give(struct hooks *hooks)
{
	unsigned int i;

	for (i = 0; i < TRAMPOLINES; i++) {
		if (owners[i] == hooks)
			WRITE_ONCE(owners[i], &nobody);
	}
	hooks->trampoline = 0;
}

void direct_begin(struct hooks *hooks)
{
	WRITE_ONCE(hooks->serial, kt_trampoline_serial());
}

bool direct_at(unsigned long ip)
{
	unsigned long begin = kt_trampoline_address(TRAMPOLINES - 1);
	struct {
		u8 opcode;
		s32 distance;
	} __packed call;

	if (!ip || copy_from_kernel_nofault(&call, (void *)ip, sizeof(call)))
		return false;
	return call.opcode == CALL_INSN_OPCODE &&
	       ip + sizeof(call) + call.distance - begin <=
		       kt_trampoline_address(0) - begin;
}

void direct_init(void)
{
	functions_begin(&nobody.functions);
	KT_IRQ_STACK_FIND(kt_symbol);
}

void direct_exit(void)
{
	if (in_use)
		kt_trampoline_leave();
}
