/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds who called a probe: the kernel's stack of this CPU (unwind.c). */
#ifndef KT_KERNEL_BASE_UNWIND_H
#define KT_KERNEL_BASE_UNWIND_H

#include <linux/types.h>

#include <ktrace.h>

/* A piece of code. */
struct kt_code {
	unsigned long begin;
	unsigned long size;
};

/* Code whose frames are not shown if they are the innermost ones. */
#define KT_HIDDEN_MAX 3

struct kt_hidden {
	struct kt_code code[KT_HIDDEN_MAX]; /* unused ones have no size */
};

void kt_unwind_init(void);
void kt_unwind_exit(void);

/* Who unwinds: "orc" or "stack_trace_save". */
const char *kt_unwinder(void);

/*
 * Writes up to KT_STACK_MAX addresses to @to, and returns how many.  Called with preemption
 * off, in any context.
 */
unsigned int kt_unwind(u64 *to, const struct kt_hidden *hidden,
		       enum kt_stack_end *end);

#endif /* KT_KERNEL_BASE_UNWIND_H */
