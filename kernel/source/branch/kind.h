/* SPDX-License-Identifier: GPL-2.0-only */
/* Of what kind a branch is that the processor has recorded with its places alone. */
#ifndef KT_KERNEL_SOURCE_BRANCH_KIND_H
#define KT_KERNEL_SOURCE_BRANCH_KIND_H

#include <linux/types.h>

#include <ktrace_branch.h>

#include "step.h"

/* The instruction that was looked at last: a loop comes to the same one.  Zero at first. */
struct branch_looked {
	u64 at;
	bool is_known;
	struct kt_instruction instruction;
};

/* Is it an address of a program? */
bool branch_of_program(u64 place);

/*
 * Of a branch of the running task that does not leave the kernel.  Any context; what cannot be read there is
 * KT_BRANCH_UNKNOWN, and so are interrupts.
 */
enum kt_branch_kind branch_kind_of(u64 from, u64 to,
				   struct branch_looked *looked);

#endif /* KT_KERNEL_SOURCE_BRANCH_KIND_H */
