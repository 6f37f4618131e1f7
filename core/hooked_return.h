/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Functions of the kernel whose return must not be hooked, though the kernel takes that: it would
 * stop.  Its modules refuse them (kernel/base/rethook.c), and user space says why beforehand.
 */
#ifndef KT_CORE_HOOKED_RETURN_H
#define KT_CORE_HOOKED_RETURN_H

/*
 * What rethook calls at each entry or return.  Its return would be hooked, and that call it
 * again: without an end, until the stack is used up.  Some only if the kernel checks its
 * use of RCU (CONFIG_PROVE_RCU), some only in kernels from before rethook forbade it.
 */
#define KT_RETURN_RECURSES "the kernel calls it at each return that is hooked"
/*
 * A function that is called as one task and returns as another.  The kernel forbids it, too, but
 * compares the address behind the landing pad (IBT) with that of the symbol, so it forbids nothing.
 */
#define KT_RETURN_CHANGES_TASK "it returns in another task"
/*
 * Functions that do not return, while what is around them does or begins anew, as after a
 * longjmp: the node of their call would stay in front of those of the calls around it.
 */
#define KT_RETURN_NEVER "it does not return, but what has called it goes on"

struct kt_hooked_return {
	const char *name, *why;
};

static const struct kt_hooked_return kt_hooked_returns[] = {
	{"rcu_read_lock_held", KT_RETURN_RECURSES},
	{"rcu_read_lock_any_held", KT_RETURN_RECURSES},
	{"rcu_lockdep_current_cpu_online", KT_RETURN_RECURSES},
	{"arch_rethook_prepare", KT_RETURN_RECURSES},
	{"arch_rethook_fixup_return", KT_RETURN_RECURSES},
	{"arch_rethook_trampoline_callback", KT_RETURN_RECURSES},
	{"__switch_to", KT_RETURN_CHANGES_TASK},
	{"bpf_throw", KT_RETURN_NEVER},
	{"do_idle", KT_RETURN_NEVER},
	{"arch_cpu_idle_dead", KT_RETURN_NEVER},
};

#endif /* KT_CORE_HOOKED_RETURN_H */
