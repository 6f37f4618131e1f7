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
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
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

#endif /* KT_CORE_ENV_KERNEL_H */
