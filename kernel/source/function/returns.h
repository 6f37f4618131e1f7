/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions whose returns are hooked: base/rethook.h. */
#ifndef KT_KERNEL_SOURCE_FUNCTION_RETURNS_H
#define KT_KERNEL_SOURCE_FUNCTION_RETURNS_H

#include "base/rethook.h"
#include "call.h"

/* A call whose return is hooked. */
struct hooked {
	struct rethook_node node;
	struct call call;
	u64 words[FUNCTION_WORDS]; /* call.nr_words of them */
	struct whole whole;	   /* to be filtered; as in direct.c */
};

/*
 * At a call's entry, with preemption off: NULL, if no node is left.  The caller fills in
 * what is kept of the call before it may return.
 */
static __always_inline struct hooked *returns_hook(struct rethook *returns,
						   struct pt_regs *regs)
{
	struct rethook_node *node = kt_return_hook(returns, regs);

	return likely(node) ? container_of(node, struct hooked, node) : NULL;
}

#endif /* KT_KERNEL_SOURCE_FUNCTION_RETURNS_H */
