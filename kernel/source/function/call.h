/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is recorded of a call: at its entry, and at its return.  It does not matter here how
 * the call and its return were hooked (hooks.c).
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_CALL_H
#define KT_KERNEL_SOURCE_FUNCTION_CALL_H

#include <linux/percpu.h>
#include <linux/preempt.h>

#include "event/event.h"
#include "event/write.h"
#include "hooks.h"
#include "table.h"

/* What is kept of a call until it returns. */
struct call {
	const struct function *function;
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

void call_entry_capture(struct kt_enabled *enabled,
			const struct function *function,
			const struct pt_regs *regs);

static __always_inline void call_entry_write(struct kt_enabled *enabled,
					     const struct function *function,
					     const struct pt_regs *regs)
{
	u32 i, nr = READ_ONCE(function->choice.words);
	struct kt_write write __kt_uninitialized;
	struct entry *entry;

	entry = kt_write_begin(&write, enabled,
			       sizeof(*entry) + nr * sizeof(u64),
			       KT_RECORD_DYNAMIC);
	if (!entry)
		return;
	entry->function = function->index;
	entry->arguments = sizeof(*entry) | nr * sizeof(u64) << 16;
	for (i = 0; i < nr; i++)
		entry->words[i] = ((const u64 *)regs)[hook_words[i]];
	kt_write_end(&write, KT_RECORD_DYNAMIC);
}

/* With preemption off, between call_hook_begin() and call_hook_end(), as all below. */
static __always_inline void call_entered(struct hooks *hooks,
					 const struct function *function,
					 const struct pt_regs *regs)
{
	struct kt_enabled *enabled = READ_ONCE(hooks->hit[ENTRY]);

	if (!enabled)
		return;
	if (unlikely(enabled->capturing))
		call_entry_capture(enabled, function, regs);
	else
		call_entry_write(enabled, function, regs);
}

/* @value: the register of results. */
static __always_inline void call_returned(struct hooks *hooks,
					  const struct call *call, u64 value)
{
	struct kt_enabled *enabled = READ_ONCE(hooks->hit[EXIT]);
	const struct function *function = call->function;
	struct kt_write write __kt_uninitialized;
	struct exit *exit;

	if (!enabled)
		return;
	exit = kt_write_begin(&write, enabled, sizeof(*exit), 0);
	if (!exit)
		return;
	exit->function = function->index;
	exit->value = READ_ONCE(function->choice.is_void) ? 0 : value;
	kt_write_end(&write, 0);
}

#endif /* KT_KERNEL_SOURCE_FUNCTION_CALL_H */
