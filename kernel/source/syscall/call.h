/* SPDX-License-Identifier: GPL-2.0-only */
/* A system call: its two events, and how its arguments get from the registers to the payload. */
#ifndef KT_KERNEL_SOURCE_SYSCALL_CALL_H
#define KT_KERNEL_SOURCE_SYSCALL_CALL_H

#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <asm/syscall.h>

#include "event/event.h"
#include "field.h"

enum direction {
	ENTER,
	EXIT,
	DIRECTIONS,
};

struct call {
	struct kt_event events[DIRECTIONS];
	struct kt_class enter;
	struct kt_field fields[ARGUMENTS];
	u8 registers[ARGUMENTS]; /* offsets in struct pt_regs */
	u8 offsets[ARGUMENTS];	 /* in the payload; its end if missing */
	u8 nr_arguments;
	u16 first, last; /* all numbers of this call are in this range */
	bool last_wide;	 /* the last argument has 8 bytes, not 4 */
	bool unknown;
	char names[DIRECTIONS][KT_NAME_MAX + 1];
};

static __always_inline u64 register_at(const struct pt_regs *regs, u8 offset)
{
	return *(const unsigned long *)((const u8 *)regs + offset);
}

/*
 * Stores 8 bytes for each argument but the last, in ascending order.  If an argument has
 * only 4, the next one overwrites the rest.
 */
static __always_inline void enter_store(const struct call *call, u8 *to,
					struct pt_regs *regs)
{
	unsigned int i, last = call->nr_arguments - 1;

	if (!call->nr_arguments)
		return;
	if (unlikely(call->unknown))
		*(u64 *)to = syscall_get_nr(current, regs);
	for (i = 0; i < last; i++)
		*(u64 *)(to + call->offsets[i]) =
			register_at(regs, call->registers[i]);
	if (call->last_wide)
		*(u64 *)(to + call->offsets[last]) =
			register_at(regs, call->registers[last]);
	else
		*(u32 *)(to + call->offsets[last]) =
			register_at(regs, call->registers[last]);
}

/*
 * Stores the first four registers, and the other two if the call has more than four
 * arguments.  Each takes 8 bytes.  What is captured then overwrites the bytes behind the
 * call's own arguments.
 */
static __always_inline void enter_store_all(const struct call *call, void *to,
					    struct pt_regs *regs)
{
	unsigned int i;

	if (unlikely(call->unknown))
		*(u64 *)to = syscall_get_nr(current, regs);
#pragma GCC unroll 4
	for (i = 0; i < 4; i++)
		*(u64 *)(to + call->offsets[i]) =
			register_at(regs, call->registers[i]);
	if (likely(call->nr_arguments <= 4))
		return;
#pragma GCC unroll 2
	for (i = 4; i < ARGUMENTS; i++)
		*(u64 *)(to + call->offsets[i]) =
			register_at(regs, call->registers[i]);
}

#endif /* KT_KERNEL_SOURCE_SYSCALL_CALL_H */
