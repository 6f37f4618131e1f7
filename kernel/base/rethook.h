/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks at the return of calls, by the kernel's rethook, which kretprobes use: at a call's
 * entry its return address is replaced by that of a trampoline of the kernel's, and kept
 * in a node.  Unwinders know it.  Nothing of it is ours while a call is open, so we may be
 * unloaded while tasks sleep in calls that were hooked.
 */
#ifndef KT_KERNEL_BASE_RETHOOK_H
#define KT_KERNEL_BASE_RETHOOK_H

#include <linux/static_call.h>

#include "compat/function.h"

DECLARE_STATIC_CALL(kt_rethook_try_get, rethook_try_get);
DECLARE_STATIC_CALL(kt_rethook_hook, rethook_hook);

/*
 * Before all else; may be called again.  What the kernel lacks, NULL: nothing.  If it lacks
 * something, kt_rethook_obstacle() can be called nevertheless.
 */
const char *kt_rethook_init(void);

/*
 * Why nobody must hook the return of the function that begins at @address or, with a landing pad,
 * just before it: neither rethook nor a kretprobe, though the kernel takes one.  NULL: one may.
 */
const char *kt_rethook_obstacle(unsigned long address);
/*
 * Must this function not be hooked, because of what happens at returns?  Also if the kernel allows
 * no kprobe there.  May wait.
 */
bool kt_rethook_forbids(unsigned long address);

/*
 * For up to @nr open calls, of each of which a node of @size bytes is kept; the handler gets
 * @data.  NULL: no memory.
 */
struct rethook *kt_rethook_make(void *data, rethook_handler_t handler, int size,
				int nr);
/*
 * From here on no call is hooked, and when all CPUs have left the handler (RCU) it is not
 * called any more: open calls return without it.  @rethook may be NULL.
 */
void kt_rethook_free(struct rethook *rethook);

/* At a call's entry, with preemption off: NULL, if no node is left. */
static __always_inline struct rethook_node *kt_return_hook(
	struct rethook *rethook, struct pt_regs *regs)
{
	struct rethook_node *node = static_call(kt_rethook_try_get)(rethook);

	if (likely(node))
		static_call(kt_rethook_hook)(node, regs, true);
	return node;
}

#endif /* KT_KERNEL_BASE_RETHOOK_H */
