/* SPDX-License-Identifier: GPL-2.0-only */
/* The stack of the program that runs, as a probe takes it. */
#ifndef KT_KERNEL_PROGRAM_STACK_H
#define KT_KERNEL_PROGRAM_STACK_H

#include <linux/types.h>

#include "unwind.h"

struct mm_struct;

/* Between begin and end kt_program_stack() may be called. */
int kt_program_stacks_begin(void);
void kt_program_stacks_end(void);

/*
 * Writes up to KT_STACK_MAX frames to @to, and returns how many.  Called with preemption off,
 * in any context.  @behind: in the entry of a system call (core/unwind.h).
 */
unsigned int kt_program_stack(u64 *to, bool behind,
			      struct kt_unwind_ended *ended);

/*
 * Makes frames of addresses in the memory that @mm describes.  With preemption off, in any
 * context.
 */
void kt_program_places(const struct mm_struct *mm, u64 *addresses,
		       unsigned int nr);

#endif /* KT_KERNEL_PROGRAM_STACK_H */
