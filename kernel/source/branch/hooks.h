/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens to tasks, as who traces their branches must know it. */
#ifndef KT_KERNEL_SOURCE_BRANCH_HOOKS_H
#define KT_KERNEL_SOURCE_BRANCH_HOOKS_H

#include <linux/types.h>

struct pt_regs;
struct task_struct;

struct branch_hooks {
	/* The CPU leaves the first for the second; interrupts are off. */
	void (*switches)(struct task_struct *prev, struct task_struct *next);
	/* These three are called in the task's context; the first one for the parent's. */
	void (*forks)(struct task_struct *child);
	void (*execs)(void);
	void (*exits)(void);
	/* The task is about to run a signal's handler: its frame is made next. */
	void (*signals)(void);
	/* It has no handler for this signal, which may kill it. */
	void (*defaults)(int signal);
	/* It is about to come back from there. */
	void (*returns)(void);
	/* A debugger lets it go on, with or without stopping it again; it does not run yet. */
	void (*resumes)(struct task_struct *task);
	/*
	 * The processor has stopped behind an instruction of the program; interrupts are off.  True:
	 * that was all, and nobody else is to be told.
	 */
	bool (*stops)(struct pt_regs *regs, unsigned long *dr6);
	/* The program has met a breakpoint. */
	void (*breaks)(struct pt_regs *regs);
};

/* 0, or why they cannot be had.  May sleep; one user at a time. */
int branch_hooks_attach(const struct branch_hooks *hooks);
/* Afterwards none of them runs. */
void branch_hooks_detach(void);

#endif /* KT_KERNEL_SOURCE_BRANCH_HOOKS_H */
