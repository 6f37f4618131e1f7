/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls in which 32-bit programs make others: the number of the other call, or its arguments, or both
 * are in memory.
 *
 *	socketcall	connect, sendto and the other calls of sockets
 *	ipc		semget, msgsnd, shmat and the other calls of System V
 *	old_select	select
 *	old_mmap	mmap, with the offset in bytes
 *
 * C libraries still call in these ways, so who asks for connect wants those, too.  Such a call is
 * recorded as the one that it is, with the arguments of that one.  If the memory cannot be
 * read when it begins, it is recorded as it was made: its begin, and therefore its end.
 *
 * Some of these calls have no number of their own for 32-bit programs.  They get one that no program
 * can use: from KT_PARTS_FIRST on.
 */
#ifndef KT_KERNEL_SOURCE_SYSCALL_PARTS_H
#define KT_KERNEL_SOURCE_SYSCALL_PARTS_H

#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/unistd_32_ia32.h>

#define KT_PARTS_FIRST 1000

enum kt_part_of {
	KT_PART_SOCKETCALL,
	KT_PART_IPC,
	KT_PART_SELECT,
	KT_PART_MMAP,
	KT_PARTS_OF,
};

#define KT_PARTS_EACH 32

/* Names of kernel functions, by the first argument of the call that they are a part of. */
static const char *const kt_part_names[KT_PARTS_OF][KT_PARTS_EACH] = {
	[KT_PART_SOCKETCALL] =
		{
			NULL,	       "socket",
			"bind",	       "connect",
			"listen",      "accept",
			"getsockname", "getpeername",
			"socketpair",  "send",
			"recv",	       "sendto",
			"recvfrom",    "shutdown",
			"setsockopt",  "getsockopt",
			"sendmsg",     "recvmsg",
			"accept4",     "recvmmsg_time32",
			"sendmmsg",
		},
	[KT_PART_IPC] =
		{
			[1] = "semop",
			[2] = "semget",
			[3] = "semctl",
			[4] = "semtimedop_time32",
			[11] = "msgsnd",
			[12] = "msgrcv",
			[13] = "msgget",
			[14] = "msgctl",
			[21] = "shmat",
			[22] = "shmdt",
			[23] = "shmget",
			[24] = "shmctl",
		},
	[KT_PART_SELECT] = {"select_time32"},
	[KT_PART_MMAP] = {"mmap"},
};

/* Their numbers; 0: there is none. */
static u16 kt_part_numbers[KT_PARTS_OF][KT_PARTS_EACH];

/* Of the calls of sockets, how many arguments are in memory. */
static const u8 kt_part_words[KT_PARTS_EACH] = {
	0, 3, 3, 3, 2, 3, 3, 3, 4, 4, 4, 6, 6, 2, 5, 5, 3, 3, 4, 5, 4,
};

/* False: @to may have been changed. */
static inline bool kt_part_read(u32 *to, u32 from, unsigned int words)
{
	const void __user *address = (const void __user *)(unsigned long)from;

	return !copy_from_user_nofault(to, address, words * sizeof(*to));
}

/*
 * 64-bit programs, too, may call as 32-bit programs do, and the registers may then have anything in
 * their upper halves.  The kernel does not look at these.
 */
static inline bool kt_part_is_wide(const struct pt_regs *regs)
{
	return (regs->bx | regs->cx | regs->dx | regs->si | regs->di |
		regs->bp) >>
	       32;
}

static inline void kt_part_narrow(struct pt_regs *to,
				  const struct pt_regs *regs)
{
	*to = *regs;
	to->bx = (u32)regs->bx;
	to->cx = (u32)regs->cx;
	to->dx = (u32)regs->dx;
	to->si = (u32)regs->si;
	to->di = (u32)regs->di;
	to->bp = (u32)regs->bp;
}

static inline void kt_part_set(struct pt_regs *regs, const u32 *words)
{
	regs->bx = words[0];
	regs->cx = words[1];
	regs->dx = words[2];
	regs->si = words[3];
	regs->di = words[4];
	regs->bp = words[5];
}

/* The arguments of a call of System V.  False: they cannot be read. */
static inline bool kt_part_ipc(u32 *w, const struct pt_regs *regs)
{
	const u32 first = regs->cx, second = regs->dx, third = regs->si,
		  pointer = regs->di, fifth = regs->bp;

	w[0] = first;
	w[1] = second;
	w[2] = third;
	switch ((u32)regs->bx & 0xffff) {
	case 1: /* semop */
	case 4: /* semtimedop */
		w[1] = pointer;
		w[2] = second;
		w[3] = fifth;
		return true;
	case 3: /* semctl */
		return kt_part_read(&w[3], pointer, 1);
	case 11: /* msgsnd */
		w[1] = pointer;
		w[2] = second;
		w[3] = third;
		return true;
	case 12: /* msgrcv; old programs have the address and the type in memory */
		w[1] = pointer;
		w[2] = second;
		w[3] = fifth;
		w[4] = third;
		if ((u32)regs->bx >> 16)
			return true;
		{
			u32 both[2];

			if (!kt_part_read(both, pointer, 2))
				return false;
			w[1] = both[0];
			w[3] = both[1];
		}
		return true;
	case 14: /* msgctl */
	case 24: /* shmctl */
		w[2] = pointer;
		return true;
	case 21: /* shmat */
		w[1] = pointer;
		w[2] = second;
		return true;
	case 22: /* shmdt */
		w[0] = pointer;
		return true;
	default:
		return true;
	}
}

/*
 * If the call of @regs is another one: the number of that one.  Else -1.  It depends on registers
 * only, so it is the same at both ends of the call.
 */
static inline int kt_part_number(const struct pt_regs *regs)
{
	enum kt_part_of of;
	u32 which = 0;

	switch ((u32)regs->orig_ax) {
	case __NR_ia32_socketcall:
		of = KT_PART_SOCKETCALL;
		which = regs->bx;
		break;
	case __NR_ia32_ipc:
		of = KT_PART_IPC;
		which = (u32)regs->bx & 0xffff;
		break;
	case __NR_ia32_select:
		of = KT_PART_SELECT;
		break;
	case __NR_ia32_mmap:
		of = KT_PART_MMAP;
		break;
	default:
		return -1;
	}
	if (which >= KT_PARTS_EACH || !kt_part_numbers[of][which])
		return -1;
	return kt_part_numbers[of][which];
}

/* False: the arguments cannot be read. */
static inline bool kt_part_arguments(u32 *words, const struct pt_regs *regs)
{
	switch ((u32)regs->orig_ax) {
	case __NR_ia32_socketcall:
		return kt_part_read(words, regs->cx,
				    kt_part_words[(u32)regs->bx]);
	case __NR_ia32_ipc:
		return kt_part_ipc(words, regs);
	case __NR_ia32_select:
		return kt_part_read(words, regs->bx, 5);
	default:
		return kt_part_read(words, regs->bx, 6);
	}
}

/* What the call returns; shmat has stored it.  0: another thread has taken that memory away. */
static inline long kt_part_result(const struct pt_regs *part,
				  const struct pt_regs *regs, long result)
{
	u32 address;

	if (part->orig_ax != regs->orig_ax &&
	    part->orig_ax == kt_part_numbers[KT_PART_IPC][21] && !result &&
	    kt_part_read(&address, regs->si, 1))
		return address;
	return result;
}

#endif /* KT_KERNEL_SOURCE_SYSCALL_PARTS_H */
