/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds who called a probe: the kernel's stack of this CPU (unwind.c). */
#ifndef KT_KERNEL_BASE_UNWIND_H
#define KT_KERNEL_BASE_UNWIND_H

#include <linux/types.h>

#include <ktrace.h>

#include "symbol.h"

/* Code whose frames are not shown if they are the innermost ones. */
#define KT_HIDDEN_MAX 3

struct kt_hidden {
	struct kt_code code[KT_HIDDEN_MAX]; /* unused ones have no size */
};

void kt_unwind_init(void);
void kt_unwind_exit(void);

/* Who unwinds: "orc" or "stack_trace_save". */
const char *kt_unwinder(void);

/* Where a function was called, or what was interrupted, with the registers of that moment. */
struct kt_caller {
	u64 pc; /* behind the call */
	u64 sp;
	u64 bp;
	const struct pt_regs
		*regs; /* NULL, or it was interrupted, with these */
};

/*
 * Who called the function that says this, which must not be inlined.  The compiler gives it
 * a frame on rbp.  A walk from here spares the frames of those that walk.
 */
#define kt_caller()                                                      \
	({                                                               \
		const u64 *frame = __builtin_frame_address(0);           \
		(struct kt_caller){frame[1], (u64)(frame + 2), frame[0], \
				   NULL};                                \
	})

/*
 * Writes up to KT_STACK_MAX addresses to @to, from that of @caller on, and returns how many.
 * Called with preemption off, in any context.
 */
unsigned int kt_unwind(u64 *to, const struct kt_caller *caller,
		       const struct kt_hidden *hidden, enum kt_stack_end *end);

/*
 * Can a walk begin with a function that has returned?  Only by the tables: stack_trace_save() begins
 * with who calls it.
 */
bool kt_unwinds_returned(void);

/*
 * rbp as who called a function had it, whose return address is, or was, at @sp.  Goes there from
 * @from, which is further in.  0: it was not found.  As kt_unwind().
 */
u64 kt_unwind_bp(const struct kt_caller *from, u64 sp);

#endif /* KT_KERNEL_BASE_UNWIND_H */
