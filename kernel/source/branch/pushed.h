/* SPDX-License-Identifier: GPL-2.0-only */
/* What lies on the stack of a program that has just been stopped. */
#ifndef KT_KERNEL_SOURCE_BRANCH_PUSHED_H
#define KT_KERNEL_SOURCE_BRANCH_PUSHED_H

#include <linux/types.h>

struct pt_regs;

/* It has pushed its flags: it must not see that it is stopped. */
void pushed_flags_hide(const struct pt_regs *regs);
/*
 * It is in the page of the old system calls: the kernel does what its functions would do, and
 * returns behind the call.  The processor does not stop in between.  False: it is not there.
 */
bool pushed_by_vsyscall(const struct pt_regs *regs, u64 *returns_to);

#endif /* KT_KERNEL_SOURCE_BRANCH_PUSHED_H */
