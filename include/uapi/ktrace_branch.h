/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Branch trace, as the kernel gives it to programs: contexts, and what is in their buffers.
 *
 * A *context* is an open file `branches' of the control tree.  Who opens it writes one line, which
 * says what to trace:
 *
 *	pid PID [threads] [children] [mappings] [events] [HOW]
 *	cpu NUMBER [mappings] [HOW]
 *	all [mappings] [HOW]
 *	all events [user] [by lbr]
 *
 * HOW is [size BYTES] [user] [kernel] [by step|bts].
 *
 *	pid PID		a thread, by its number in the reader's PID namespace
 *	threads		the threads that it begins from now on, too
 *	children	the processes that it begins from now on, too
 *	mappings	what threads have mapped to be run is remembered (KT_READ_MAPPINGS)
 *	events		events may have the last branches of these threads (the file `stack' of a session);
 *			the buffers have only branches: no KT_BRANCH_SYSCALL, and of the stamps only
 *			KT_BRANCH_BEGINS and KT_BRANCH_ENDS
 *	cpu NUMBER	whatever programs run on this CPU, but for the process that has asked
 *	all		the same of all CPUs that are there
 *	size BYTES	of each buffer; rounded up to a power of two, KT_BRANCH_SIZE_MIN to
 *			KT_BRANCH_SIZE_MAX; 64 KiB if not given
 *	user		branches of the program; also if neither is given
 *	kernel		branches of the kernel while the task runs, also those in interrupts, and those by
 *			which it is entered and left; for root (CAP_SYS_ADMIN)
 *	by step		by stopping the processor behind each instruction: on every machine, of the program
 *	by bts		by Intel's branch trace store; neither mappings nor events
 *	all events	events may have the last branches of whatever programs run (the file `stack' of a
 *			session), from the processor's records, which are asked at the event: there is no
 *			buffer, and nothing to read.  Takes CAP_SYS_ADMIN, too
 *	by lbr		by the processor's last branch records
 *
 * Without `by', the first of these serves that can give what is wanted.  What the machine cannot give is
 * refused, and the file `error' of the tree says why, and what would do.
 *
 * To read the file gives a line for each of these: its name, a colon, and either the words `user' and
 * `kernel', as it can give them, or `no: ' and the reason.  In an open context, the line `by NAME' comes
 * first.
 *
 * The context ends when the file is closed.  A buffer keeps the newest entries; it stays when the thread
 * has ended.  A context of a thread has a buffer for each of its threads, one of CPUs a buffer for each CPU.
 */
#ifndef _UAPI_KTRACE_BRANCH_H
#define _UAPI_KTRACE_BRANCH_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * An entry of a buffer: a branch that was taken, or a stamp.  The kind is in the upper bits of
 * `from'; the rest of it is an address as the processor has it, without the bits above the 57
 * that any processor uses (5-level paging).
 */
struct kt_branch {
	__u64 from; /* where the instruction is, and the kind */
	__u64 to;
};

#define KT_BRANCH_KIND_SHIFT 57
#define KT_BRANCH_PLACE_MASK ((1ull << KT_BRANCH_KIND_SHIFT) - 1)
#define KT_BRANCH_TID_SHIFT  32
/* In the buffer of a CPU, among so many entries is a stamp. */
#define KT_BRANCH_STAMP_EVERY 64u

enum kt_branch_kind {
	KT_BRANCH_NONE = 0, /* of an instruction: it is no branch */
	KT_BRANCH_JUMP = 1,
	KT_BRANCH_CONDITIONAL = 2,
	KT_BRANCH_INDIRECT = 3, /* a jump to where a register or memory says */
	KT_BRANCH_CALL = 4,
	KT_BRANCH_INDIRECT_CALL = 5,
	KT_BRANCH_RETURN = 6,
	/*
	 * The program has called the kernel, and goes on at `to', which is mostly behind the call.  There
	 * is none if the kernel has sent it elsewhere before the call came back (KT_BRANCH_SENT).
	 * By bts: `to' is where the kernel begins; only with branches of the kernel.
	 */
	KT_BRANCH_SYSCALL = 7,
	/*
	 * The kernel has sent the program elsewhere: to the handler of a signal, back from it, or
	 * to the beginning of another program.  By bts: the kernel is left; only with its branches.
	 */
	KT_BRANCH_SENT = 8,
	/*
	 * Something between `from' and `to' that could not be followed.  By bts: an interrupt or a fault,
	 * or the instruction is not there any more.
	 */
	KT_BRANCH_UNKNOWN = 9,
	/*
	 * Stamps.  `to' is the time, of the trace's clock; the lower 32 bits of `from' are the CPU.  In
	 * the buffer of a CPU the bits from KT_BRANCH_TID_SHIFT on are the thread, by its number in the
	 * first PID namespace: what comes next is of that one.
	 */
	KT_BRANCH_ARRIVES = 10, /* the thread runs from now on */
	KT_BRANCH_LEAVES = 11,
	KT_BRANCH_ENDS = 12, /* the thread has ended: the last entry of it */
	/* It is traced from now on: when the context begins, or it comes from a CPU without one. */
	KT_BRANCH_BEGINS = 13,
	/*
	 * No stamp: before KT_BRANCH_ENDS, the instruction `from' where the thread was when it ended.
	 * `to' is the signal that has killed it, 0: none has; also for threads that end because another
	 * one of their process was killed.
	 */
	KT_BRANCH_LAST = 14,
	/*
	 * A stamp: behind KT_BRANCH_SYSCALL and KT_BRANCH_SENT, when the thread went on there; in the
	 * buffer of a CPU also elsewhere (KT_BRANCH_STAMP_EVERY).  By bts: not there, but behind branches
	 * that came from the store together, when they were taken from there.
	 */
	KT_BRANCH_TIME = 15,
	KT_BRANCH_KINDS
};

/* The address in `from' of an entry that is no stamp: the kernel's are the upper half. */
static inline __u64 kt_branch_place(__u64 from)
{
	return (__u64)((__s64)(from << (64 - KT_BRANCH_KIND_SHIFT)) >>
		       (64 - KT_BRANCH_KIND_SHIFT));
}

/* Of a kind. */
static inline int kt_branch_is_stamp(unsigned int kind)
{
	return (kind >= KT_BRANCH_ARRIVES && kind <= KT_BRANCH_BEGINS) ||
	       kind == KT_BRANCH_TIME;
}

#define KT_BRANCH_SIZE_MIN     4096u
#define KT_BRANCH_SIZE_DEFAULT (64u << 10)
#define KT_BRANCH_SIZE_MAX     (64u << 20)

/*
 * KT_READ_BRANCHES	copies the buffer of one of the context's threads, from the oldest entry
 *			that is still there.  Entries are not taken away, and tracing goes on.
 *			The threads are numbered from 0, in the order in which the context met them;
 *			CPUs in their order.
 *			ENOENT: there are not so many threads or CPUs.
 *			ENODATA: the context was not told yet what to trace.
 *
 * `lost' counts those of what the context wants for which there was no room, and one each time that it is
 * not known how many are missing, or whether any are: the processor's store was found full, somebody else
 * had it, or the task came to a CPU that has none.  A context of CPUs has one number for all of these.
 */
struct kt_branches {
	__u64 entries; /* in: where to copy them: an array of struct kt_branch */
	__u32 max;     /* in: how many at most: the newest ones */
	__u32 thread;  /* in: its number */
	__u64 first;   /* out: how many older ones there were */
	__u32 nr;      /* out: how many were copied */
	__u32 tid; /* out: in the namespace of who reads; 0: it is not there; or the CPU's number */
	__u64 unread; /* out: instructions whose bytes could not be read */
	__u32 skip; /* out: so many at the beginning were overwritten while they were copied */
	__u32 unfollowed; /* out: not followed for lack of memory: this thread or children; any programs */
	__u32 ended;	  /* out: 1: the thread has ended */
	__u32 lost; /* out: by bts: branches that are missing, see above */
	__u64 time; /* out: when it was read, of the trace's clock: what came before is there */
};

/* Of the same type as the ioctls of ktrace.h (KT_IOC), which have numbers below 16. */
#define KT_READ_BRANCHES _IOWR(0xb7, 16, struct kt_branches)

/* A part of a file that was mapped to be run.  Parts come in the order of their addresses. */
struct kt_branch_map {
	__u64 begin, end;
	__u64 offset; /* of what is at `begin', in the file */
	__u32 file; /* its number in the file `programs' of the control tree */
	__u32 pad;
};

/*
 * KT_READ_MAPPINGS	what a thread had mapped since a certain entry of its buffer, until the next
 *			change.  In a context of CPUs: the same of a task that came to any of
 *			them, see below.  The changes are numbered from 0.  The first two and the last ones are
 *			kept, also if the thread has ended: to read all of them, ask for 0, and then
 *			for one more than the number that came, until ENOENT.  Without maps, it is not
 *			known what was mapped.  The `from' of an entry was mapped since its own number
 *			or before, its `to' since the number behind it or before.
 *			ENOENT: there are not so many threads, or changes.
 *			ENODATA: the context was not told to remember mappings.
 *
 * The tasks that came to CPUs are numbered in the order in which they came first, since the first such
 * context was there, whichever CPU that was.  If they are more than 8192, those that have ended are
 * forgotten, the oldest first; if so many have not, others are not known.  Number @thread is asked for, or the next one that is known: if @change is behind its last one,
 * change 0 of the next.  `since' is a time: the mappings hold from the first stamp of the task on that is
 * not before that.
 */
struct kt_branch_maps {
	__u64 maps; /* in: where to copy them: an array of struct kt_branch_map */
	__u32 max; /* in: how many there may be */
	__u32 nr; /* out: how many there are; if these are more, none was copied */
	__u32 thread; /* in: its number; out: that which came */
	__u32 change; /* in: its number; out: of that which came */
	__u64 since; /* out: the number of the first entry, as `first' counts them; or a time */
	/* Out: of a task that came to CPUs; otherwise 0. */
	__u32 tid; /* in the first PID namespace */
	__u32 pad;
	char comm[16];
};

#define KT_READ_MAPPINGS _IOWR(0xb7, 17, struct kt_branch_maps)

/*
 * In a trace
 *
 * A stream of the kind KT_BRANCH_STREAM has what was read of contexts when the recording ended.  It
 * begins with struct kt_branch_stream; then come parts, each with struct kt_branch_part in front.
 * What a part says of a thread is said of that of the last KT_BRANCH_PART_THREAD before it.
 */
#define KT_BRANCH_STREAM       "branches"
#define KT_BRANCH_STREAM_MAGIC 0x5242544bu /* "KTBR" */

struct kt_branch_stream {
	__u32 magic;
	__u32 version; /* KT_ABI_VERSION of ktrace.h */
};

struct kt_branch_part {
	__u32 kind; /* enum kt_branch_part_kind; a reader skips what it does not know */
	__u32 pad;
	__u64 size; /* of what follows, a multiple of 8 */
};

enum kt_branch_part_kind {
	KT_BRANCH_PART_THREAD = 1, /* struct kt_branch_thread: another thread */
	KT_BRANCH_PART_MAPPINGS =
		2, /* struct kt_branch_mappings, then struct kt_branch_map */
	KT_BRANCH_PART_ENTRIES =
		3, /* struct kt_branch; parts of one thread follow each other */
	KT_BRANCH_PART_NAMES =
		4, /* struct kt_stack, of the kind KT_STACK_NAME (ktrace.h) */
};

/* As in struct kt_branches. */
struct kt_branch_thread {
	__u64 first; /* the number of the first entry */
	__u64 lost;  /* older ones that were overwritten */
	__u64 unread;
	__u64 before; /* the frame (ktrace.h) where it was before the first entry; 0: not known */
	__u32 tid;
	__u32 ended;
	__u32 unfollowed;
	__u32 pad;
};

/* As in struct kt_branch_maps.  The changes of a thread come in the order of their numbers. */
struct kt_branch_mappings {
	__u64 since;
	__u32 number; /* of the change */
	__u32 pad;
};

#endif /* _UAPI_KTRACE_BRANCH_H */
