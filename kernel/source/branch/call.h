/* SPDX-License-Identifier: GPL-2.0-only */
/* The system call of the running task, on its way back to the program. */
#ifndef KT_KERNEL_SOURCE_BRANCH_CALL_H
#define KT_KERNEL_SOURCE_BRANCH_CALL_H

#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/syscall.h>

/* Is there one, by the instruction at @at?  These have two bytes. */
static inline bool call_is_at(struct pt_regs *regs, u64 at)
{
	return syscall_get_nr(current, regs) >= 0 && regs->ip == at + 2;
}

/* There is one that has not come back: it begins again, or the handler of a signal comes first. */
static inline bool call_is_interrupted(struct pt_regs *regs)
{
	long error = syscall_get_error(current, regs);

	return syscall_get_nr(current, regs) >= 0 && error <= -ERESTARTSYS &&
	       error >= -ERESTART_RESTARTBLOCK;
}

#endif /* KT_KERNEL_SOURCE_BRANCH_CALL_H */
