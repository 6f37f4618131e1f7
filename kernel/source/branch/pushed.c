// SPDX-License-Identifier: GPL-2.0-only
/* The stack of a program that has been stopped: see pushed.h. */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/processor-flags.h>
#include <asm/segment.h>
#include <asm/vsyscall.h>

#include "env.h"
#include "pushed.h"

void pushed_flags_hide(const struct pt_regs *regs)
{
	u16 __user *pushed = (u16 __user *)regs->sp;
	u16 word;

	/* A stack that begins elsewhere than at zero is not looked for. */
	if (regs->ss != __USER_DS ||
	    copy_from_user_nofault(&word, pushed, sizeof(word)) ||
	    word != (u16)regs->flags)
		return;
	word &= ~X86_EFLAGS_TF;
	copy_to_user_nofault(pushed, &word, sizeof(word));
}

bool pushed_by_vsyscall(const struct pt_regs *regs, u64 *returns_to)
{
	return (regs->ip & PAGE_MASK) == VSYSCALL_ADDR &&
	       !env_copy(returns_to, regs->sp, sizeof(*returns_to), false);
}
