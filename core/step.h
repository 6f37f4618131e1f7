/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Follows a program that the processor stops behind each instruction: which branches it has taken.
 *
 * A stop tells where the program is now.  How it came there is found by the instruction that was
 * next at the stop before.  Behind some instructions the processor does not stop: those that load ss
 * and, before FRED, those that enter the kernel.  Then the one behind them has run, too.
 *
 * Memory of the program is read by env_copy().
 */
#ifndef KT_CORE_STEP_H
#define KT_CORE_STEP_H

#include "instruction.h"

/* More instructions are not run between two stops. */
#define KT_STEP_MAX 4

struct kt_step {
	u64 ip;	    /* at the last stop: the instruction that runs next */
	u64 unread; /* stops behind instructions that could not be read */
};

/* Where the program is. */
struct kt_step_stop {
	u64 ip, flags, cx;
	bool narrow; /* it runs code of 32 bits */
	bool fred; /* the processor may stop before the first instruction, and behind system calls */
};

/* What it has done since the stop before. */
struct kt_step_done {
	struct kt_step_branch {
		u64 from, to;
		enum kt_branch_kind kind;
	} branches[KT_STEP_MAX];
	u32 nr;
	struct kt_instruction
		last; /* length 0: not known, or it has not run to its end */
};

void kt_step(struct kt_step *step, const struct kt_step_stop *stop,
	     struct kt_step_done *done);

/*
 * Without a stop: does the instruction at @at call the kernel, and may that have come back to @ip,
 * where the program goes on?  False also if the instruction cannot be read.
 */
bool kt_step_called(u64 at, u64 ip, bool narrow);

/* The instruction at @at, of the running program or of the kernel.  False: it cannot be read, or is none. */
bool kt_step_look(struct kt_instruction *instruction, u64 at, bool narrow,
		  bool kernel);

#endif /* KT_CORE_STEP_H */
