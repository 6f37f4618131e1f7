/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The world of the ring's deterministic tests (KT_ENV).  It is the world of
 * programs, with two differences: the test provides the clock, and it is called
 * before each step that another context could notice.  What it does there
 * (trace, flush, consume) looks to the ring like an interrupt, or another CPU,
 * at exactly this place.
 */
#ifndef KT_TESTS_RING_ENV_TEST_H
#define KT_TESTS_RING_ENV_TEST_H

#define env_clock env_clock_machine
#include "env_user.h"
#undef env_clock

extern void (*world_step)(void);

static inline void env_step(void)
{
	if (world_step)
		world_step();
}

u64 env_clock(void);

#undef READ_ONCE
#undef WRITE_ONCE
#undef smp_load_acquire
#undef smp_store_release
#define READ_ONCE(x) (env_step(), __atomic_load_n(&(x), __ATOMIC_RELAXED))
#define WRITE_ONCE(x, v) \
	(env_step(), __atomic_store_n(&(x), (v), __ATOMIC_RELAXED))
#define smp_load_acquire(p) (env_step(), __atomic_load_n((p), __ATOMIC_ACQUIRE))
#define smp_store_release(p, v) \
	(env_step(), __atomic_store_n((p), (v), __ATOMIC_RELEASE))

#define env_cmpxchg_local(p, old, new) \
	(env_step(), env_cmpxchg_local(p, old, new))
#define env_add_carry_local(p, v)  (env_step(), env_add_carry_local(p, v))
#define env_add_return_local(p, v) (env_step(), env_add_return_local(p, v))
#define env_add_local(p, v)	   (env_step(), env_add_local(p, v))
#define env_cmpxchg(p, old, new)   (env_step(), env_cmpxchg(p, old, new))

#endif /* KT_TESTS_RING_ENV_TEST_H */
