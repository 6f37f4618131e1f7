/* SPDX-License-Identifier: GPL-2.0-only */
/* The flag of the running task that makes the processor stop behind each instruction. */
#ifndef KT_KERNEL_SOURCE_BRANCH_TRAP_FLAG_H
#define KT_KERNEL_SOURCE_BRANCH_TRAP_FLAG_H

#include <linux/ptrace.h>
#include <linux/thread_info.h>
#include <linux/uprobes.h>
#include <asm/cpufeature.h>
#include <asm/processor-flags.h>

/*
 * X86_EFLAGS_TF makes the processor stop.  TIF_FORCED_TF tells the kernel that the program has not
 * set it: then children do not get it, and debuggers do not see it.
 */
static inline bool is_forced(void)
{
	return test_thread_flag(TIF_FORCED_TF);
}

/* ptrace wants to stop the task behind the next instruction. */
static inline bool is_debugged(void)
{
	return test_syscall_work(SYSCALL_EXIT_TRAP);
}

/* A uprobe lets the program run a copy of an instruction. */
static inline bool runs_copy(void)
{
	return current->utask && current->utask->active_uprobe;
}

/* Does the processor enter and leave the kernel by FRED? */
static inline bool has_fred(void)
{
#ifdef X86_FEATURE_FRED
	return cpu_feature_enabled(X86_FEATURE_FRED);
#else
	return false;
#endif
}

/* @own: the program has set it itself. */
static inline void stepping_on(struct pt_regs *regs, bool own)
{
	regs->flags |= X86_EFLAGS_TF;
	if (!own)
		set_thread_flag(TIF_FORCED_TF);
}

/* While the kernel, or somebody who sees the flags, is at work. */
static inline void stepping_off(struct pt_regs *regs)
{
	if (!is_forced() || is_debugged())
		return;
	regs->flags &= ~X86_EFLAGS_TF;
	clear_thread_flag(TIF_FORCED_TF);
}

#endif /* KT_KERNEL_SOURCE_BRANCH_TRAP_FLAG_H */
