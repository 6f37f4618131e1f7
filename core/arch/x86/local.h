/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The local operations of env.h for x86-64, in both worlds.
 *
 * One instruction without a lock prefix is one step for interrupts and signal
 * handlers on the same CPU.  Flags tell what it did, so nothing is compared again.
 * The world that includes this defines the types.
 */
#ifndef KT_CORE_ARCH_X86_LOCAL_H
#define KT_CORE_ARCH_X86_LOCAL_H

/*
 * Results are int inside: of a bool the compiler would know that it is 1 when it is true,
 * and keep it in a register for whatever else is 1.
 */
static __always_inline bool env_cmpxchg_local(u64 *p, u64 *old, u64 new)
{
	int done;

	asm volatile("cmpxchgq %[new], %[p]"
		     : "=@ccz"(done), [p] "+m"(*p), "+a"(*old)
		     : [new] "r"(new)
		     : "memory");
	return done;
}

/* In one instruction, without a register for the word. */
static __always_inline bool env_upper_is(const u64 *p, u32 v)
{
	typedef u32 __attribute__((may_alias)) half;
	int same;

	asm volatile("cmpl %[v], %[upper]"
		     : "=@ccz"(same)
		     : [v] "r"(v), [upper] "m"(((const half *)p)[1]));
	return same;
}

static __always_inline bool env_add_carry_local(u64 *p, u64 v)
{
	int carry;

	asm volatile("addq %[v], %[p]"
		     : "=@ccc"(carry), [p] "+m"(*p)
		     : [v] "er"(v)
		     : "memory");
	return carry;
}

static __always_inline u32 env_add_return_local(u32 *p, u32 v)
{
	u32 old = v;

	asm volatile("xaddl %[old], %[p]"
		     : [old] "+r"(old), [p] "+m"(*p)
		     :
		     : "memory");
	return old + v;
}

static __always_inline void env_add_local(u64 *p, u64 v)
{
	asm volatile("addq %[v], %[p]" : [p] "+m"(*p) : [v] "er"(v) : "memory");
}

#endif /* KT_CORE_ARCH_X86_LOCAL_H */
