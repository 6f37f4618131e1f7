/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The binary contract between writers and readers of events.  The kernel
 * modules and the marker library write it, the recorder copies it to disk
 * unchanged, and readers decode it.  Little endian throughout, all
 * sizes in bytes unless a name says otherwise, no implicit padding.
 *
 * Each CPU has a ring of packets of one fixed size.  A packet is a header and
 * records that follow each other on 4-byte boundaries:
 *
 *	ring      | packet 4 | packet 5 | packet 2 | packet 3 |
 *	                         ^ open      ^ oldest
 *	packet    | struct kt_packet | record | record | ... | unused |
 *	                                                     ^ used
 *	record    | header 4 or 16 | length 4, if the event is dynamic | payload |
 *
 * Buffer files (buffers/cpuN) are mapped read-only: first one page with struct
 * kt_control, then the packets.  User space can write nothing, so the kernel
 * need not distrust anything: packets are given back with the KT_PUT_CONSUMED
 * ioctl.
 *
 * A reader takes packets [consumed, produced).  The packet with sequence number
 * s lies in slot s % packets.  In discard mode a packet stays until it is given
 * back.  In overwrite mode the writer may take it at any time, and
 * KT_PUT_CONSUMED then fails with ESTALE: the reader must drop its copy, and
 * the packet's events are in lost[KT_LOST_OVERWRITTEN] already. In both cases
 * each event is counted exactly once, as read or as lost.
 *
 * Versioning: KT_ABI_VERSION changes when any layout below changes meaning.
 * Reserved bytes are zero and may gain a meaning that zero does not have.
 */
#ifndef _UAPI_KTRACE_H
#define _UAPI_KTRACE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KT_ABI_VERSION 1

/* Packets */

#define KT_PACKET_MAGIC 0x4b50544bu /* "KTPK" */
#define KT_PACKET_SHIFT 16
#define KT_PACKET_SIZE	(1u << KT_PACKET_SHIFT)
#define KT_COMM_LEN	16

/* Why an event is not in the trace. */
enum kt_lost {
	KT_LOST_FULL,	     /* discard mode: the reader did not keep up */
	KT_LOST_OVERWRITTEN, /* overwrite mode: newer events took the place */
	KT_LOST_NESTED,	     /* interrupts filled the ring during one write */
	KT_LOST_LARGE,	     /* the record does not fit into a packet */
	KT_LOST_TASK,	     /* not an event: a task record, see below */
	KT_LOST_RECURSION,   /* caused by what a probe itself was doing */
	KT_LOST_NR,
};

/*
 * On disk a packet is cut to @used bytes, rounded up to 8.
 *
 * @events and @events_before count events (not task records).  For two packets
 * that follow each other in a stream, b.events_before - (a.events_before +
 * a.events) events were overwritten between them.  lost_* are running totals
 * at the time when the packet was opened: the difference to the packet before
 * was lost there.
 *
 * @tid, @tgid and @comm name the task that ran on the CPU when the packet was
 * opened, so that a lost task record misleads within one packet at most.
 */
struct kt_packet {
	__u32 magic;
	__u16 version;	   /* KT_ABI_VERSION */
	__u16 header_size; /* where the first record begins */
	__u32 packet_size;
	__u32 used; /* header included */
	__u64 seq;
	__u64 begin; /* clock: not after the first record */
	__u64 end;   /* clock: not before the last record */
	__u64 events_before;
	__u32 events;
	__u32 cpu;
	__u64 lost_full;
	__u64 lost_nested;
	__u64 lost_large;
	__u64 lost_task;
	__u32 tid;
	__u32 tgid;
	char comm[KT_COMM_LEN];
	__u64 trace_id; /* the same in all streams of a trace */
	__u64 lost_recursion;
};

/*
 * Records
 *
 * Compact header, one word:	bits 0-10 event id, bits 11-31 the low 21 bits
 *				of the time.
 * Extended header, 16 bytes:	bits 0-10 KT_ID_EXTENDED, bits 11-31 zero;
 *				then __u32 id, __u64 time.
 *
 * A compact time is completed from the previous time in the packet (for the
 * first record, the packet's begin): the bits above 20 are the same.  If they
 * differ, the writer uses an extended header.
 *
 * An event gets its id when it is enabled; the metadata says which event has
 * which id.  An event whose size varies ("dynamic") has a __u32 with the size
 * of its payload in front of the payload.  The next record begins at the next
 * multiple of 4.
 *
 * Most records of some events have zeros behind their first bytes.  Such an event has two
 * ids.  A record with the second, which is the first + 1, is the event's short form: it has
 * only so many bytes of the payload as the event's format says ("short: 4"), and no size in
 * front of them.
 */
#define KT_ID_BITS	   11
#define KT_ID_EXTENDED	   ((1u << KT_ID_BITS) - 1)
#define KT_TIME_BITS	   (32 - KT_ID_BITS)
#define KT_HEADER_COMPACT  4
#define KT_HEADER_EXTENDED 16

/*
 * Ids below KT_ID_FIRST are task records.  They say which task runs, are
 * written by the session itself, and do not count as events.
 *
 * The ids between KT_ID_EXIT and KT_ID_FIRST are reserved.  A record with one
 * of them does not count as an event either.  It has a __u32 with the size of
 * its payload in front of the payload, like a dynamic event, so that a reader
 * that does not know the id skips the record.
 *
 * The event sched:sched_switch contains the same information: after it, the
 * task of its next_pid runs.  While a session records all of these events, it
 * writes no KT_ID_SWITCH.
 */
enum kt_task_id {
	KT_ID_NONE,   /* never written; finding it means damage */
	KT_ID_SWITCH, /* struct kt_task_switch: from here on, this task runs */
	KT_ID_TASK,   /* struct kt_task: a task began, or has a new name */
	KT_ID_EXIT,   /* struct kt_task: a task ended */
	KT_ID_FIRST = 16,
};

struct kt_task_switch {
	__u32 tid;
};

struct kt_task {
	__u32 tid;
	__u32 tgid;
	__u32 parent; /* tgid of the parent */
	char comm[KT_COMM_LEN];
};

/*
 * Stacks
 *
 * A session stores each stack of functions once.  An event has only its id, in
 * the field KT_STACK_FIELD; 0: the stack could not be stored, which is counted;
 * KT_STACK_UNASKED: the condition for a stack did not hold.  Branches before the event
 * (KT_STACK_BRANCHES) have an id like stacks, in KT_BRANCHES_FIELD, which is in front of theirs; also
 * KT_STACK_UNASKED if nobody traces the program, or if it has taken none since its exec.
 *
 * The file `stacks' of a session, and that of a trace, is an array of words of 8
 * bytes.  It begins with struct kt_stacks, and then has struct kt_stack one
 * behind the other.  The id of a stack is the number of the word where it begins.
 * The file grows at its end only.  It may have stacks that no event has.
 *
 * The addresses are those behind the calls, as they are on the stack: innermost
 * first.  The first one of the kernel's is in the function that has the tracepoint;
 * the first one of a program's is the instruction at which it has entered the
 * kernel.  A stack of the kind KT_STACK_INTERRUPTED is the kernel's, and begins with
 * the instruction that was interrupted, or at which a probe is; it has no frames if that
 * was a program's.
 *
 * Programs lie at other addresses each time.  So a place in a file is not told by
 * its address: bits 47-62 are the number of the file (KT_FRAME_FILE_SHIFT), and
 * bits 0-46 the offset in it.  A trace's metadata says which file that is.  Thus all
 * processes that call in the same way have the same stack.  Code that a process makes at
 * run time counts as a file of its own, in which the offset is the address.  The number 0
 * means that the place is in no file; then bits 0-46 are the address.  If bit 63 is set, no
 * table told the frame: it was found where rbp pointed to.
 */
#define KT_STACKS_MAGIC	    0x534b544bu /* "KTKS" */
#define KT_STACK_FIELD	    "__kernel_stack"
#define KT_USER_STACK_FIELD "__user_stack"
#define KT_BRANCHES_FIELD   "__branches"
#define KT_STACK_UNASKED    0xffffffffu
#define KT_STACK_MAX	    127 /* frames */

#define KT_FRAME_FILE_SHIFT 47
#define KT_FRAME_FILE_MAX   0xffffu
#define KT_FRAME_PLACE_MASK ((1ull << KT_FRAME_FILE_SHIFT) - 1)
#define KT_FRAME_GUESS	    (1ull << 63)

/* Why a stack has no more frames. */
enum kt_stack_end {
	KT_STACK_COMPLETE,
	KT_STACK_TRUNCATED, /* after KT_STACK_MAX frames */
	KT_STACK_NO_TABLE, /* nothing says what the last function has on the stack */
	KT_STACK_HOOKED,  /* a tracer has replaced the return address */
	KT_STACK_BROKEN,  /* the next frame would be outside of all stacks */
	KT_STACK_UNKNOWN, /* the kernel's own unwinder does not tell */
	/* Only of programs: */
	KT_STACK_ABSENT,  /* memory of the stack is not there now */
	KT_STACK_NO_RULE, /* no rule can say where the caller is */
	KT_STACK_CORRUPT, /* the caller's frame is not above */
	KT_STACK_NO_MAPS, /* the mappings of the process are not known yet */
	KT_STACK_CONTEXT, /* not readable here: in an NMI, amid a switch */
	KT_STACK_EXEC, /* in an exec: the old program is gone, the new one does not run yet */
	KT_STACK_END_NR,
};

/* Bits. */
enum kt_stack_kind {
	KT_STACK_KERNEL = 1,
	KT_STACK_USER = 2, /* no frames and complete: a thread of the kernel */
	/*
	 * No stack, and only in a trace: what a frame of a program is called.  The first
	 * word is the frame, without KT_FRAME_GUESS, which says here that this is the name of the
	 * instruction itself, of a place that is behind a call, too; the second one is how far it is behind
	 * the beginning of its function; then come the names of the function and of the
	 * file, each with a NUL behind it.  The function's is empty if it is not known.
	 * More texts may follow: the position in the source ("path:line"); then, for each
	 * function that the compiler has put into that one or into each other there,
	 * innermost first, its name and the position of its call.  Positions that are not
	 * known are empty.
	 */
	KT_STACK_NAME = 4,
	KT_STACK_INTERRUPTED = 8,
	/*
	 * No stack, but what an event has whose program's stack ended where memory was not
	 * there (KT_STACK_ABSENT).  The first word is the id of that stack, the second one
	 * is unique.  The task reads the memory on its way back to the program, once for all
	 * events since it has entered the kernel.  Then follows, later in the file, the kind
	 * KT_STACK_RESOLVED, whose words are the id of this and that of the stack that was
	 * found now.
	 */
	KT_STACK_DEFERRED = 16,
	KT_STACK_RESOLVED = 32,
	/*
	 * No stack: the branches that the program has taken before the event, newest last.  The words
	 * are two frames for each, where the instruction is and where it went; then come the kinds
	 * (enum kt_branch_kind of ktrace_branch.h), sixteen in a word, in 4 bits each, the lowest
	 * first.  kt_stack_branches() tells how many branches there are.
	 */
	KT_STACK_BRANCHES = 64,
};

/* Of one event. */
#define KT_BRANCHES_MAX 32

/* @frames: of an entry KT_STACK_BRANCHES. */
static inline unsigned int kt_stack_branches(unsigned int frames)
{
	return frames * 16 / 33;
}

/* How many words so many branches take. */
static inline unsigned int kt_stack_branches_words(unsigned int branches)
{
	return branches * 2 + (branches + 15) / 16;
}

struct kt_stacks {
	__u32 magic;
	__u32 version; /* KT_ABI_VERSION */
};

struct kt_stack {
	__u32 hash;
	__u16 frames;
	__u8 end;  /* enum kt_stack_end */
	__u8 kind; /* enum kt_stack_kind */
	__u64 addresses[];
};

/* Samples */

/* What the file `profile_rate' of a session takes: samples per second and CPU. */
#define KT_PROFILE_RATE_DEFAULT 99
#define KT_PROFILE_RATE_MAX	100000

/* Values of an event that is defined at run time (files `define' and `probes'). */
#define KT_DEFINITION_FIELDS 12

/* Buffer files */

#define KT_CONTROL_MAGIC 0x4c43544bu /* "KTCL" */
#define KT_CONTROL_SIZE	 4096	     /* the packets begin here */

enum kt_mode {
	KT_MODE_DISCARD,   /* oldest events survive */
	KT_MODE_OVERWRITE, /* newest events survive */
};

/*
 * Each group of fields has one writer and a cache line of its own: the first
 * is fixed when the buffer is made, the second is written by the CPU that
 * traces, the third by reader and writer (atomically).  produced, consumed
 * and the totals run free: compare by difference only.
 */
struct kt_control {
	__u32 magic;
	__u32 version;
	__u32 packet_size;
	__u32 packets; /* a power of two */
	__u32 cpu;
	__u32 mode; /* enum kt_mode */
	__u64 trace_id;
	__u8 pad0[32];

	__u64 produced; /* packets that can be read */
	__u64 events;	/* in produced packets, since the buffer was made */
	__u64 lost[KT_LOST_NR];

	__u64 consumed; /* packets given back or overwritten */
	__u8 pad2[56];
};

/*
 * ioctls of a buffer file.  Positions count packets.
 *
 * KT_GET_SIZE		bytes of all packets together
 * KT_GET_PRODUCED	see struct kt_control
 * KT_GET_CONSUMED	see struct kt_control
 * KT_PUT_CONSUMED	give back the packet with this sequence number.
 *			EINVAL: not the oldest unread packet, or none is there.
 *			ESTALE: it has been overwritten.
 * KT_FLUSH		close the open packet, so that it can be read.
 *			ENOSPC: discard mode and no packet is free; consume
 *			some and try again.
 */
#define KT_IOC		0xb7
#define KT_GET_SIZE	_IOR(KT_IOC, 0, __u64)
#define KT_GET_PRODUCED _IOR(KT_IOC, 1, __u64)
#define KT_GET_CONSUMED _IOR(KT_IOC, 2, __u64)
#define KT_PUT_CONSUMED _IOW(KT_IOC, 3, __u64)
#define KT_FLUSH	_IO(KT_IOC, 4)

/*
 * The ioctl of the file `programs' of the control tree.
 *
 * KT_ADD_TABLE		says how the frames of a file lie on the stack, by a table of
 *			core/unwind_table.h whose addresses are offsets in the file.
 *			It goes when the open file of `programs' is closed.
 *			EBADMSG: it is damaged.
 *			EPROTONOSUPPORT: another version or processor.
 *			ENOSPC: there are too many tables.
 *			ENXIO: no event has stacks of programs.
 */
struct kt_table {
	__u64 bytes; /* where they are */
	__u32 size;
	__s32 file; /* a descriptor of the file, or KT_TABLE_VDSO */
};

#define KT_TABLE_VDSO (-1)
#define KT_ADD_TABLE  _IOW(KT_IOC, 5, struct kt_table)

#ifndef __cplusplus
_Static_assert(sizeof(struct kt_packet) == 128, "on-disk layout");
_Static_assert(sizeof(struct kt_task) == 28, "on-disk layout");
_Static_assert(sizeof(struct kt_stacks) == 8, "on-disk layout");
_Static_assert(sizeof(struct kt_stack) == 8, "on-disk layout");
_Static_assert(sizeof(struct kt_control) == 192, "mapped layout");
#endif

#endif /* _UAPI_KTRACE_H */
