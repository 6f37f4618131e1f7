/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows what processes map, while an event has stacks of programs, or somebody traces branches.
 *
 * Mappings must be known before the program runs what it has mapped, and a probe can read none:
 * it may hold any lock.  So they are read at these times, each of which can wait:
 *
 *	at first		of all processes, by who asks for stacks
 *	after a mapping		by the process itself, as it returns to the program
 *				(task work).  Also what exec has mapped is read
 *				then, before the first instruction.
 *	at a fork		not at all: the child has the mappings of the parent
 *
 * What tells of mappings is a kprobe on perf_event_mmap().  The kernel calls that for
 * each mapping that is made or gets other rights, and has no tracepoint for it.  With
 * ftrace, such a kprobe is a call; the way by sys_exit would slow all system calls of all
 * processes.  Nothing tells that a mapping was moved (mremap): then stacks end there.
 */
#ifndef KT_KERNEL_PROGRAM_FOLLOW_H
#define KT_KERNEL_PROGRAM_FOLLOW_H

/*
 * Called under kt_mutex, once for each event that has stacks of programs, and for each context of
 * branches that wants to know what was mapped.  0 or an error:
 * -EOPNOTSUPP: this kernel cannot do it.
 */
int kt_programs_follow(void);
void kt_programs_unfollow(void);

#endif /* KT_KERNEL_PROGRAM_FOLLOW_H */
