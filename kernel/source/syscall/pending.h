/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was not in memory when a system call began: by the time that it ends, the kernel
 * has read it in.  So it is remembered for the thread which fields of the enter event
 * those were, and the exit's program finds them in its last argument.  The memory is
 * small, and a thread may lose its place to another: then a field stays unread.
 */
#ifndef KT_KERNEL_SOURCE_SYSCALL_PENDING_H
#define KT_KERNEL_SOURCE_SYSCALL_PENDING_H

#include <linux/hash.h>
#include <linux/sched.h>

#define KT_PENDING_BITS 8

/* A session's. */
struct kt_pending {
	/* tid << 32 | number << 16 | fields that could not be read. */
	u64 places[1 << KT_PENDING_BITS];
};

static inline u64 *kt_pending_place(struct kt_pending *pending)
{
	return &pending->places[hash_32(current->pid, KT_PENDING_BITS)];
}

static inline u64 kt_pending_key(u32 number)
{
	return (u64)current->pid << 32 | (u64)(number & 0xffff) << 16;
}

static inline void kt_pending_set(struct kt_pending *pending, u32 number,
				  u16 unread)
{
	WRITE_ONCE(*kt_pending_place(pending), kt_pending_key(number) | unread);
}

/* Once: it is forgotten then. */
static inline u16 kt_pending_take(struct kt_pending *pending, u32 number)
{
	u64 *place = kt_pending_place(pending), value = READ_ONCE(*place);

	if (likely((value & ~0xffffull) != kt_pending_key(number)))
		return 0;
	/* Should another thread have come meanwhile, it has lost its place. */
	WRITE_ONCE(*place, 0);
	return value;
}

#endif /* KT_KERNEL_SOURCE_SYSCALL_PENDING_H */
