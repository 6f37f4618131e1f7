/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels for who hooks functions. */
#ifndef KT_KERNEL_COMPAT_FUNCTION_H
#define KT_KERNEL_COMPAT_FUNCTION_H

#include <linux/context_tracking.h>
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>
#include <linux/slab.h>
#include <linux/static_call.h>

/* The registers of ftrace's callbacks: only those of arguments, ip, sp and bp. */
#ifdef arch_ftrace_regs
#define kt_function_registers(fregs) (&arch_ftrace_regs(fregs)->regs)
#else
#define kt_function_registers(fregs) (&(fregs)->regs)
#endif

/* Does RCU see this CPU?  rcu_is_watching(), without a call. */
#if !defined(CONFIG_CONTEXT_TRACKING_IDLE)
#define kt_rcu_is_watching() rcu_is_watching()
#elif defined(KT_HAS_RCU_WATCHING)
#define kt_rcu_is_watching() rcu_is_watching_curr_cpu()
#else
#define kt_rcu_is_watching() (!rcu_dynticks_curr_cpu_in_eqs())
#endif

DECLARE_STATIC_CALL(kt_rethook_alloc, rethook_alloc);

/*
 * Since 6.6 the handler gets the return address, too; since 6.8 the nodes are made with
 * their rethook.
 */
#ifdef KT_HAS_RETHOOK_ADDRESS
#define KT_RETHOOK_HANDLER(name, node, data, address, regs) \
	void name(struct rethook_node *node, void *data,    \
		  unsigned long address, struct pt_regs *regs)
#else
#define KT_RETHOOK_HANDLER(name, node, data, address, regs) \
	void name(struct rethook_node *node, void *data, struct pt_regs *regs)
#endif

#ifdef KT_HAS_RETHOOK_POOL
#define kt_rethook_new(data, handler, size, nr) \
	static_call(kt_rethook_alloc)(data, handler, size, nr)
#define KT_RETHOOK_DEFINE
#define KT_RETHOOK_FIND(find)
#else
#define KT_RETHOOK_DEFINE \
	DEFINE_STATIC_CALL_NULL(kt_rethook_add_node, rethook_add_node);
#define KT_RETHOOK_FIND(find) find(kt_rethook_add_node, "rethook_add_node")
DECLARE_STATIC_CALL(kt_rethook_add_node, rethook_add_node);
DECLARE_STATIC_CALL(kt_rethook_release, rethook_free);

static inline struct rethook *kt_rethook_new(void *data,
					     rethook_handler_t handler,
					     int size, int nr)
{
	struct rethook *rethook = static_call(kt_rethook_alloc)(data, handler);
	struct rethook_node *node;

	if (!rethook)
		return ERR_PTR(-ENOMEM);
	while (nr--) {
		node = kzalloc(size, GFP_KERNEL);
		if (!node) {
			static_call(kt_rethook_release)(rethook);
			return ERR_PTR(-ENOMEM);
		}
		static_call(kt_rethook_add_node)(rethook, node);
	}
	return rethook;
}
#endif

#endif /* KT_KERNEL_COMPAT_FUNCTION_H */
