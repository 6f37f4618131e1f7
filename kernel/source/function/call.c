// SPDX-License-Identifier: GPL-2.0-only
/* What is recorded of a call: call.h. */
#include <linux/limits.h>
#include <linux/time64.h>
#include <asm/tsc.h>

#include "call.h"
#include "event/capturing.h"

#define WORD(name) (offsetof(struct pt_regs, name) / sizeof(u64))

const u8 hook_words[KT_CAPTURE_ARGUMENTS] = {
	WORD(di), WORD(si), WORD(dx), WORD(cx),
	WORD(r8), WORD(r9), WORD(sp), KT_CAPTURE_NO_WORD,
};

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

	if (scoped && function->choice.role != FUNCTION_ROOT &&
	    scope_way(scope_set_of(scope, current), current) == SCOPE_WAYS)
		return;
	call_miss(hooks, in_nmi() ? MISS_NMI : MISS_SLEEP);
}

noinline void call_entry_capture(struct kt_enabled *enabled,
				 const struct function *function,
				 const struct pt_regs *regs)
{
	struct kt_capture_frame *frame;
	struct entry *entry;

	if (!kt_capture_begin(enabled, &frame))
		return;
	entry = (struct entry *)frame->payload;
	entry->function = function->index;
	entry->arguments = 0;
	kt_capture_end(enabled, frame, (const u64 *)regs);
}

noinline void call_entry_program(struct kt_enabled *enabled,
				 const struct function *function,
				 const struct function_program *program,
				 const struct pt_regs *regs)
{
	struct kt_capture_frame *frame;

	if (!kt_capturing_begin(enabled, program->capturing, &frame))
		return;
	/* As many words as the program was made for. */
	entry_fill((struct entry *)frame->payload, function, regs,
		   program->words);
	kt_capturing_end(enabled, program->capturing, frame, (const u64 *)regs);
}

noinline void call_stack_words(u64 *to, const struct pt_regs *regs, u32 nr)
{
	if (env_copy(to, regs->sp + sizeof(u64), nr * sizeof(u64), true))
		memset(to, 0, nr * sizeof(u64));
}

u32 call_ns_factor __ro_after_init;

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
