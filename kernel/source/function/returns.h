/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks at the return of calls, by the kernel's rethook, which kretprobes use: at a call's
 * entry its return address is replaced by that of a trampoline of the kernel's, and kept
 * in a node.  Unwinders know it.  Nothing of it is ours while a call is open, so we may be
 * unloaded while tasks sleep in calls that were hooked.
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_RETURNS_H
#define KT_KERNEL_SOURCE_FUNCTION_RETURNS_H

#include <linux/static_call.h>

#include "call.h"
#include "compat/function.h"

/* A call whose return is hooked. */
struct hooked {
	struct rethook_node node;
	struct call call;
	u64 words[FUNCTION_WORDS]; /* call.nr_words of them */
	struct whole whole;	   /* to be filtered; as in direct.c */
};

DECLARE_STATIC_CALL(kt_rethook_try_get, rethook_try_get);
DECLARE_STATIC_CALL(kt_rethook_hook, rethook_hook);

/* What the kernel lacks, NULL: nothing. */
const char *returns_init(void);

/*
 * For up to @nr open calls, of each of which a node of @size bytes is kept; the handler gets
 * @data.  NULL: no memory.
 */
struct rethook *returns_make(void *data, rethook_handler_t handler, int size,
			     int nr);
/*
 * From here on no call is hooked, and when all CPUs have left the handler (RCU) it is not
 * called any more: open calls return without it.  @returns may be NULL.
 */
void returns_free(struct rethook *returns);

/* Must this function not be hooked, because of what happens at returns? */
bool returns_forbid(unsigned long address);

/*
 * At a call's entry, with preemption off: NULL, if no node is left.  The caller fills in
 * what is kept of the call before it may return.
 */
static __always_inline struct hooked *returns_hook(struct rethook *returns,
						   struct pt_regs *regs)
{
	struct rethook_node *node = static_call(kt_rethook_try_get)(returns);

	if (unlikely(!node))
		return NULL;
	static_call(kt_rethook_hook)(node, regs, true);
	return container_of(node, struct hooked, node);
}

#endif /* KT_KERNEL_SOURCE_FUNCTION_RETURNS_H */
