/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The world of the kernel modules.  Writers run with preemption off, so "local"
 * means this CPU against its own interrupts and NMIs.  The modules are built for
 * x86-64 only, so its local operations are included without asking.
 */
#ifndef KT_CORE_ENV_KERNEL_H
#define KT_CORE_ENV_KERNEL_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/barrier.h>
#include <asm/msr.h>

#include "arch/x86/local.h"

static __always_inline bool env_cmpxchg(u64 *p, u64 *old, u64 new)
{
	return try_cmpxchg(p, old, new);
}

/* On: the clock is the plain TSC.  If it is off, see kernel/base/clock.c. */
DECLARE_STATIC_KEY_TRUE(kt_clock_tsc);
u64 kt_clock_other(void);

static __always_inline u64 env_clock(void)
{
	if (static_branch_likely(&kt_clock_tsc))
		return rdtsc();
	return kt_clock_other();
}

/* Whether poison is on (kernel/base/poison.c); only tests switch it on. */
DECLARE_STATIC_KEY_FALSE(kt_poison_on);
void kt_poison(void *at, size_t size);

static __always_inline void env_poison(void *at, size_t size)
{
	if (static_branch_unlikely(&kt_poison_on))
		kt_poison(at, size);
}

static inline void env_current_task(u32 *tid, u32 *tgid, char *comm)
{
	*tid = current->pid;
	*tgid = current->tgid;
	memcpy(comm, current->comm, TASK_COMM_LEN);
}

struct kt_ring;
void env_wake(struct kt_ring *ring);

/*
 * kernel/base/memory.c.  Copying a string may write KT_STRING_SLACK bytes
 * behind @max.
 */
#define KT_STRING_SLACK 8
int env_copy(void *to, u64 from, u32 size, bool kernel);
long env_copy_string(void *to, u64 from, u32 max, bool kernel);

/* kernel/base/path.c */
long env_copy_path(void *to, int fd, u32 max);
long env_copy_file(void *to, int fd, u32 max);

static inline u32 env_exit_code(void)
{
	const struct signal_struct *signal = current->signal;

	return signal->flags & SIGNAL_GROUP_EXIT
		       ? READ_ONCE(signal->group_exit_code)
		       : ~0u;
}

static __always_inline u64 env_index(u64 index, u64 size)
{
	/*
	 * Where the size is a constant, as without 5-level paging, the kernel's macro would put
	 * it into an instruction that has no room for so many bits.
	 */
	OPTIMIZER_HIDE_VAR(size);
	return array_index_nospec(index, size);
}

/*
 * Opening the program's memory costs more than reading a word, so it is open for a whole stack.
 * A page that is not there is not fetched.
 */
static __always_inline bool env_stack_begin(u64 *limit)
{
	if (!current->mm)
		return false;
	*limit = TASK_SIZE_MAX - sizeof(u64);
	pagefault_disable();
	if (user_access_begin((const void __user *)0, sizeof(u64)))
		return true;
	pagefault_enable();
	return false;
}

static __always_inline bool env_stack_word(u64 from, u64 *word)
{
	unsafe_get_user(*word, (const u64 __user *)from, absent);
	return true;
absent:
	return false;
}

static __always_inline void env_stack_end(void)
{
	user_access_end();
	pagefault_enable();
}

/* Of a struct pt_regs. */
static __always_inline u64 env_register(const void *registers, u32 number)
{
	static const u8 offsets[] = {
		offsetof(struct pt_regs, ax),  offsetof(struct pt_regs, dx),
		offsetof(struct pt_regs, cx),  offsetof(struct pt_regs, bx),
		offsetof(struct pt_regs, si),  offsetof(struct pt_regs, di),
		offsetof(struct pt_regs, bp),  offsetof(struct pt_regs, sp),
		offsetof(struct pt_regs, r8),  offsetof(struct pt_regs, r9),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
		offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
		offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
	};

	return *(const u64 *)((const u8 *)registers + offsets[number]);
}

#endif /* KT_CORE_ENV_KERNEL_H */
