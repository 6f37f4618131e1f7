/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Everything that the core uses of the world for which it is compiled.
 *
 * Each world supplies, besides u8 .. u64, s64, bool, likely/unlikely,
 * READ_ONCE, WRITE_ONCE, smp_load_acquire, smp_store_release, smp_rmb, smp_wmb, memcpy,
 * __always_inline, noinline:
 *
 * Operations that are atomic only for interrupts on the same CPU.  They need no lock
 * prefix or barrier, but must be one step as seen by an interrupt (for the
 * tests: a signal handler of the same thread), and the compiler must move no
 * other access across them:
 *	bool env_cmpxchg_local(u64 *p, u64 *old, u64 new)
 *		false: *old now holds what was found
 *	bool env_add_carry_local(u64 *p, u64 v)
 *		adds; true if the sum passed 2^64
 *	bool env_upper_is(const u64 *p, u32 v)
 *		is @v the upper half of the word?  It only reads, and the compiler may move
 *		accesses to other memory across it
 *	u32 env_add_return_local(u32 *p, u32 v)
 *	void env_add_local(u64 *p, u64 v)
 * They depend on the processor rather than on the world: a world includes them from
 * arch/PROCESSOR/local.h.
 *
 * Operation against other CPUs, fully ordered:
 *	bool env_cmpxchg(u64 *p, u64 *old, u64 new)
 *
 * What surrounds the ring:
 *	u64 env_clock(void)		the trace's clock
 *	void env_current_task(u32 *tid, u32 *tgid, char *comm)
 *					comm: KT_COMM_LEN bytes, zero padded
 *	void env_wake(struct kt_ring *)	a packet can be read; any context
 *	void env_poison(void *at, size_t size)
 *					memory that is about to be written; a
 *					test fills it with bytes that it must not
 *					find later, all others do nothing
 *
 * Reads of memory that may not be resident, of the running program or, if
 * @kernel, of the kernel.  They never wait:
 *	int env_copy(void *to, u64 from, u32 size, bool kernel)
 *					0, or -EFAULT
 *	long env_copy_string(void *to, u64 from, u32 max, bool kernel)
 *					bytes before the NUL, which need not be
 *					copied; @max if there is no NUL before it;
 *					-EFAULT.  The rest up to @max may get any
 *					bytes
 *	long env_copy_path(void *to, int fd, u32 max)
 *					the path of @fd (-100, AT_FDCWD: the
 *					working directory): its length without
 *					the NUL, or an error.  May write @max + 1
 *					bytes
 *	long env_copy_file(void *to, int fd, u32 max)
 *					the same, a NUL, and what the file is: the
 *					length of both and of that NUL
 *
 *	u32 env_exit_code(void)		with what the running process ends, as
 *					wait(2) has it; ~0 while it does not end
 *
 * Reads of the running program's stack, many of them together.  Nothing else may be called
 * between begin and end:
 *	bool env_stack_begin(u64 *limit)
 *					sets the end of what may be read; false:
 *					nothing may be read here
 *	bool env_stack_word(u64 from, u64 *word)
 *					at an address that env_index() has kept
 *					below that end, or up to 4 KiB before
 *					it; false: it is not there
 *	void env_stack_end(void)
 *	u64 env_register(const void *registers, u32 number)
 *					a register by DWARF's number, below 16;
 *					may be called between them
 *
 *	u64 env_index(u64 index, u64 size)
 *					@index if it is below @size, 0 if not, also
 *					while the processor only speculates
 *
 * Nothing else in core/ may ask which world it is in.
 */
#ifndef KT_CORE_ENV_H
#define KT_CORE_ENV_H

#if defined(__KERNEL__)
#include "env_kernel.h"
#elif defined(KT_ENV)
#include KT_ENV /* a test's own world, for instance with its own clock */
#else
#include "env_user.h"
#endif

#endif /* KT_CORE_ENV_H */
