// SPDX-License-Identifier: GPL-2.0-only
/* What is recorded of a call: call.h. */
#include <linux/limits.h>
#include <linux/time64.h>
#include <asm/tsc.h>

#include "call.h"
#include "compat/function.h"
#include "event/capturing.h"
#include "event/stack.h"

DEFINE_PER_CPU(u8, call_hooks_running); /* a bit for each context */

DEFINE_STATIC_KEY_FALSE(call_sleeping);

/*
 * The return cannot be hooked.  An NMI may have interrupted what hooks returns; of sleep see
 * function.c.
 */
void call_miss_return(const struct hooks *hooks,
		      const struct function *function, bool scoped)
{
	const struct scope *scope = &hooks->scope;

	if (scoped && !scope_begins(scope, function->choice.role) &&
	    scope_way(scope_set_of(scope, current), current) == SCOPE_WAYS)
		return;
	call_miss(hooks, in_nmi() ? MISS_NMI : MISS_SLEEP);
}

noinline bool call_refused(const struct function_condition *condition,
			   const u64 *at, bool registers)
{
	u64 words[FUNCTION_WORDS];
	u32 i;

	if (!registers)
		return !condition_holds(condition, at);
	for (i = 0; i < FUNCTION_WORDS; i++)
		words[i] = at[hook_words[i]];
	return !condition_holds(condition, words);
}

/* Programs take their arguments where struct pt_regs has them (hook_words). */
static void capture_end(struct kt_enabled *enabled,
			struct kt_capture_frame *frame, struct call_words words)
{
	u64 regs[HOOK_WORD(sp) + 1];
	u32 i;

	for (i = 0; i < FUNCTION_WORDS; i++)
		regs[hook_words[i]] = call_word(words, i);
	regs[HOOK_WORD(sp)] = words.sp;
	kt_capture_end(enabled, frame, regs);
}

/*
 * A stack begins in the function itself, behind what calls the hook.  Functions of events with
 * stacks have no trampoline (hooks.c), so the registers are a struct pt_regs.  Its ip is where the
 * function goes on: a live patch may have changed it.
 */
static __always_inline struct kt_caller caller_of(
	const struct function *function, const u64 *registers)
{
	const struct pt_regs *regs = (const struct pt_regs *)registers;

	return (struct kt_caller){READ_ONCE(function->ip) + MCOUNT_INSN_SIZE,
				  regs->sp, regs->bp, NULL};
}

noinline void call_entry_capture(struct kt_enabled *enabled,
				 const struct function *function,
				 struct call_words words)
{
	struct kt_capture_frame *frame;
	struct entry *entry;

	/* Its way is just about to change. */
	if (!words.registers && call_takes_stack(enabled))
		return;
	if (!kt_capture_begin(enabled, &frame))
		return;
	entry = (struct entry *)frame->payload;
	entry->function = function->index;
	entry->arguments = 0;
	if (!words.registers) {
		capture_end(enabled, frame, words);
		return;
	}
	*kt_stack_caller(frame->payload) = caller_of(function, words.at);
	kt_capture_end(enabled, frame, words.at);
}

noinline void call_complete(struct kt_ring *ring, u32 packet)
{
	u8 before;

	/* If a hook runs here already, as in call_returned(), its mark stays. */
	call_hook_begin(&before);
	kt_ring_complete(ring, packet);
	call_hook_end(before);
}

static void entry_write_stack(struct kt_enabled *enabled,
			      const struct function *function,
			      struct call_words words, u32 nr)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);
	struct kt_ring *ring = kt_ring_here(enabled);
	u32 size = sizeof(struct entry) + nr * sizeof(u64);
	struct {
		struct kt_caller caller; /* kt_stack_caller() */
		struct entry entry;
	} * room;

	/* Without registers: its way is just about to change. */
	if (!words.registers || !kt_gate_admits(gate))
		return;
	room = kt_gate_begin(ring, sizeof(struct kt_caller) + size);
	if (!room)
		return;
	room->caller = caller_of(function, words.at);
	entry_store(&room->entry, function, words, nr);
	kt_gate_end(gate, ring->owner, &room->entry, size, KT_RECORD_DYNAMIC);
	kt_scratch_give(ring->owner, room);
}

/* With a gate, or into the next packet. */
noinline void call_entry_write_slow(struct kt_enabled *enabled,
				    const struct function *function,
				    const u64 *at, bool registers)
{
	const struct call_words words = {
		at, registers ? ((const struct pt_regs *)at)->sp : 0,
		registers};
	u32 nr = READ_ONCE(function->choice.words);
	struct kt_write write __kt_uninitialized;
	struct entry *entry;

	if (call_takes_stack(enabled)) {
		entry_write_stack(enabled, function, words, nr);
		return;
	}
	entry = kt_write_begin(&write, enabled,
			       sizeof(*entry) + nr * sizeof(u64),
			       KT_RECORD_DYNAMIC);
	if (!entry)
		return;
	entry_store(entry, function, words, nr);
	kt_write_end(&write, KT_RECORD_DYNAMIC);
}

noinline void call_write_exit_slow(struct kt_enabled *enabled,
				   const struct function *function, u64 value)
{
	struct kt_write write __kt_uninitialized;
	struct exit *exit;

	/* The function may have ended RCU's watch.  Gates live as long as RCU sees us. */
	if (unlikely(!kt_rcu_is_watching()))
		return;
	exit = kt_write_begin(&write, enabled, sizeof(*exit), 0);
	if (!exit)
		return;
	exit_store(exit, function, value);
	kt_write_end(&write, 0);
}

/* Such functions have no trampoline: the registers are a struct pt_regs. */
noinline void call_entry_program(struct kt_enabled *enabled,
				 const struct function *function,
				 const struct function_program *program,
				 struct call_words words)
{
	struct kt_capture_frame *frame;

	if (!words.registers ||
	    !kt_capturing_begin(enabled, program->capturing, &frame))
		return;
	/* As many words as the program was made for. */
	entry_store((struct entry *)frame->payload, function, words,
		    program->words);
	*kt_stack_caller(frame->payload) = caller_of(function, words.at);
	kt_capturing_end(enabled, program->capturing, frame, words.at);
}

/*
 * The chain of callers is at the return what it was at the entry, so it is walked only here, for a
 * call that is recorded.  It begins as that of an entry does (caller_of()), with the function.  If
 * the function has got an heir meanwhile, it has no place any more.  And rbp must be what it was at
 * the entry, because frames further out are found by it.
 */
static noinline bool write_with_stack(struct kt_enabled *enabled,
				      const struct kt_stacking *stacking,
				      const struct call *call,
				      const struct whole *whole, u32 size,
				      unsigned long sp)
{
	const struct kt_caller here = kt_caller();
	const struct function *function = call->function;
	u64 begin = READ_ONCE(function->ip) ?: function->address;
	struct kt_ring *ring = kt_ring_here(enabled);
	struct {
		struct kt_caller caller; /* kt_stack_caller() */
		u64 payload[];
	} * room;
	bool written;

	room = kt_gate_begin(ring, sizeof(struct kt_caller) + size);
	if (!room)
		return false;
	room->caller = (struct kt_caller){
		begin + MCOUNT_INSN_SIZE, sp,
		stacking->kinds & KT_STACK_KERNEL ? kt_unwind_bp(&here, sp) : 0,
		NULL};
	memcpy(room->payload, whole, size);
	written = kt_stack_write(stacking, ring, enabled->id, room->payload,
				 size, KT_RECORD_DYNAMIC);
	kt_scratch_give(ring->owner, room);
	return written;
}

noinline bool call_write_made(struct kt_enabled *enabled,
			      const struct call *call, struct whole *whole,
			      u32 size, unsigned long sp)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);
	struct kt_ring *ring = kt_ring_here(enabled);
	struct kt_record record;
	void *slot;

	if (gate && (!kt_gate_admits(gate) ||
		     !kt_gate_judges(gate, whole, size, smp_processor_id())))
		return false;
	if (gate && gate->stacking)
		return write_with_stack(enabled, gate->stacking, call, whole,
					size, sp);
	slot = kt_ring_reserve(ring, &record, enabled->id, size,
			       KT_RECORD_DYNAMIC);
	if (!slot)
		return false;
	kt_capture_copy(slot, whole, size);
	kt_ring_commit(ring, &record);
	return true;
}

noinline void call_write_stack(struct kt_enabled *enabled,
			       const struct call *call, const u64 *words,
			       u64 value, unsigned long sp)
{
	u32 nr = call->nr_words;
	struct {
		struct whole whole;
		u64 words[FUNCTION_WORDS];
	} room;

	whole_store(&room.whole, call->function, call->begin, rdtsc(), value);
	room.whole.arguments = sizeof(room.whole) | nr * sizeof(u64) << 16;
	memcpy(room.words, words, nr * sizeof(u64));
	call_write_made(enabled, call, &room.whole,
			sizeof(room.whole) + nr * sizeof(u64), sp);
}

/* Made here, and not in the ring: only what is recorded counts. */
noinline void call_write_uncaptured(struct hooks *hooks,
				    struct kt_enabled *enabled,
				    const struct call *call, const u64 *words,
				    u64 value, unsigned long sp)
{
	const struct kt_capture *program =
		&call->function->choice.program->capturing->program;
	u32 i, nr = call->nr_words,
	       own = sizeof(struct whole) + nr * sizeof(u64);
	u64 room[(sizeof(struct whole) + 2 * sizeof(u16) +
		  KT_CAPTURE_FIELDS_MAX * sizeof(u32)) /
			 sizeof(u64) +
		 FUNCTION_WORDS + 1];
	struct whole *whole = (struct whole *)room;
	u32 size = kt_capture_nothing(program, whole, own);

	/* All fields of the largest program, and a unit behind them. */
	static_assert(sizeof(room) >=
		      sizeof(*whole) + FUNCTION_WORDS * sizeof(u64) +
			      2 * sizeof(u16) +
			      KT_CAPTURE_FIELDS_MAX * sizeof(u32) + KT_UNIT);
	whole_store(whole, call->function, call->begin, rdtsc(), value);
	whole->arguments = sizeof(*whole) | nr * sizeof(u64) << 16;
	for (i = 0; i < nr; i++)
		whole->words[i] = words[i];
	*((u16 *)((void *)whole + own) + 1) =
		GENMASK(program->nr_fields - 1, 0);
	if (call_write_made(enabled, call, whole, size, sp))
		this_cpu_inc(hooks->misses[call->uncaptured]);
}

noinline void call_stack_words(u64 *to, unsigned long sp, u32 nr)
{
	if (env_copy(to, sp + sizeof(u64), nr * sizeof(u64), true))
		memset(to, 0, nr * sizeof(u64));
}

u64 call_ns_factor __ro_after_init;

const char *call_init(void)
{
	u64 factor;

	if (!tsc_khz)
		return "the kernel does not say how fast the processor's TSC is";
	factor = ((u64)NSEC_PER_MSEC << CALL_NS_SHIFT) / tsc_khz;
	if (factor > U32_MAX)
		return "the processor's TSC is slower than 1 MHz";
	call_ns_factor = factor;
	return NULL;
}
