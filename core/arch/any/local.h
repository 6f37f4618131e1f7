/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The local operations of env.h as the compiler's atomic ones: for programs on
 * processors without a folder here, and for ThreadSanitizer, which does not see
 * through assembler.
 *
 * Ordered, because the compiler must not move other accesses across them.
 */
#ifndef KT_CORE_ARCH_ANY_LOCAL_H
#define KT_CORE_ARCH_ANY_LOCAL_H

static __always_inline bool env_cmpxchg_local(u64 *p, u64 *old, u64 new)
{
	return __atomic_compare_exchange_n(p, old, new, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static __always_inline bool env_upper_is(const u64 *p, u32 v)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED) >> 32 == v;
}

static __always_inline bool env_add_carry_local(u64 *p, u64 v)
{
	u64 sum = __atomic_add_fetch(p, v, __ATOMIC_ACQ_REL);

	return sum < v;
}

static __always_inline u32 env_add_return_local(u32 *p, u32 v)
{
	return __atomic_add_fetch(p, v, __ATOMIC_ACQ_REL);
}

static __always_inline void env_add_local(u64 *p, u64 v)
{
	__atomic_add_fetch(p, v, __ATOMIC_ACQ_REL);
}

#endif /* KT_CORE_ARCH_ANY_LOCAL_H */
