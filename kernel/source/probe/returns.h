/* SPDX-License-Identifier: GPL-2.0-only */
/* Room for calls whose return is wanted, from their begin to their end: returns.c. */
#ifndef KT_KERNEL_SOURCE_RETURNS_H
#define KT_KERNEL_SOURCE_RETURNS_H

#include "base/rethook.h"
#include "compat/function.h"
#include "probe.h"

/* A return that uses a pool. */
struct return_slot {
	struct probe *probe;  /* NULL: it has gone, or nobody has it */
	unsigned long serial; /* how many have had it */
};

/* An open call. */
struct return_node {
	struct rethook_node node;
	const struct return_slot *slot;
	unsigned long serial;
};

/*
 * Takes room for the open calls of @probe, in a pool of its session, before it can be hit.  The
 * handler is called at its returns.  0 or -ENOMEM.  Under kt_mutex.
 */
int returns_take(struct probe *probe, rethook_handler_t handler);
/*
 * Gives the room back that those of the list have which are not armed any more, and waits until no
 * handler uses them.  Under kt_mutex.
 */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
void returns_give(struct list_head *probes);
#else
/* Nobody takes any: entries.h. */
static inline void returns_give(struct list_head *probes)
{
}
#endif

/*
 * At the entry of a call, with preemption off.  Where RCU is idle some kernels hook nothing, which
 * would be taken for no room; so this asks first, on all.
 */
static __always_inline void return_hook(struct probe *probe,
					struct pt_regs *regs)
{
	const struct return_slot *slot = probe->hooked.slot;
	struct rethook_node *node;
	struct return_node *call;

	if (unlikely(!kt_rcu_is_watching())) {
		/* First: whoever reads both takes these from the hits. */
		this_cpu_inc(*probe->hits);
		atomic64_inc(&probe->idle);
		return;
	}
	node = kt_return_hook(probe->hooked.returns, regs);
	if (unlikely(!node)) {
		atomic64_inc(&probe->hooked.open);
		return;
	}
	call = container_of(node, struct return_node, node);
	call->slot = slot;
	call->serial = slot->serial;
}

/* In the handler: whose return it is.  NULL: that has gone meanwhile. */
static __always_inline struct probe *return_probe(
	const struct rethook_node *node)
{
	const struct return_node *call =
		container_of(node, const struct return_node, node);
	struct probe *probe = READ_ONCE(call->slot->probe);

	return likely(READ_ONCE(call->slot->serial) == call->serial) ? probe
								     : NULL;
}

#endif /* KT_KERNEL_SOURCE_RETURNS_H */
