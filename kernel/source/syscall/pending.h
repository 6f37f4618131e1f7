/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that could not be read when a system call began is usually resident when the call
 * ends, because the kernel has read it.  So the fields of the enter event that are missing
 * are remembered for the thread, and the exit event's program gets them as its last
 * argument.  The table is small: if two threads share a place, one of them loses it, and
 * its fields stay unread.
 */
#ifndef KT_KERNEL_SOURCE_SYSCALL_PENDING_H
#define KT_KERNEL_SOURCE_SYSCALL_PENDING_H

#include <linux/hash.h>
#include <linux/sched.h>

#define KT_PENDING_BITS 8

/* One for each session. */
struct kt_pending {
	/* tid << 32 | number << 16 | bits of the fields that could not be read */
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

/* Returns the fields and forgets them. */
static inline u16 kt_pending_take(struct kt_pending *pending, u32 number)
{
	u64 *place = kt_pending_place(pending), value = READ_ONCE(*place);

	if (likely((value & ~0xffffull) != kt_pending_key(number)))
		return 0;
	/* If another thread has just taken the place, it loses it. */
	WRITE_ONCE(*place, 0);
	return value;
}

#endif /* KT_KERNEL_SOURCE_SYSCALL_PENDING_H */
