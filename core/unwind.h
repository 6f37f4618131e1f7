/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Stacks of programs: who called the place where a program is.
 *
 * The walk goes from frame to frame by the rules of unwind tables.  It reads the stack where
 * it is and waits for nothing, so it may run in any context.  Whatever the stack, the tables
 * and the registers are, it ends after @depth frames at most, and it never goes on with an
 * address that it could not read: a stack says how it ended.
 *
 * Most events come from places that were there before.  A cache, one for each CPU, maps a
 * pc to its rule and spares both searches, for the mapping and in its table.  It needs no lock: an
 * interrupt may change an entry between two accesses, and the entry's check tells.
 *
 * Where no table covers a place, code was most probably made at run time.  Such code keeps
 * frame pointers as a rule, so the walk takes a step by rbp and marks what it finds as a
 * guess.  Programs of 32 bits are walked so from end to end.
 */
#ifndef KT_CORE_UNWIND_H
#define KT_CORE_UNWIND_H

#include <ktrace.h>

#include "unwind_table.h"

/* What is known of a file that programs have mapped. */
struct kt_unwind_file {
	/* NULL: none.  It may come and go while walks use the file. */
	const struct kt_unwind_table *table;
	u64 label; /* of its frames: see KT_FRAME_FILE_SHIFT */
};

/* A mapping of a file's text. */
struct kt_unwind_map {
	u64 begin, end;
	u64 bias; /* what must be subtracted to get the file's address */
	const struct kt_unwind_file *file;
};

/*
 * More mappings than this are not found.  A process can have 65,530 unless the administrator
 * (vm.max_map_count) has allowed it more.
 */
#define KT_UNWIND_MAPS_MAX 65535

/* The mappings of a process. */
struct kt_unwind_space {
	const struct kt_unwind_map *maps; /* in order; they do not overlap */
	u32 nr;
	/*
	 * Random, and another one whenever the mappings or the tables of their files
	 * change: what the cache has of others is not found any more.
	 */
	u64 salt;
};

/* A return address that somebody has replaced with that of a page of the kernel's. */
struct kt_unwind_return {
	u64 sp; /* where it was */
	u64 ip;
};

struct kt_unwind_start {
	u64 ip, sp, bp, bx;
	/*
	 * The instruction before ip counts, as for a return address.  True in
	 * the entry of a system call, which may be the last instruction that a
	 * rule is good for.
	 */
	bool behind;
	const void *registers; /* for env_register() */
	/* A program of 32 bits: there are no tables for it, so all is guessed. */
	bool narrow;
	u32 nr_returns;
	const struct kt_unwind_return *returns;
};

struct kt_unwind_ended {
	enum kt_stack_end end;
	/*
	 * With KT_STACK_ABSENT: what could not be read, if it is known that it is
	 * the stack, and may be memory of the program; otherwise 0.
	 */
	u64 absent;
};

#define KT_UNWIND_CACHE_SHIFT 10

/* All zero: empty. */
struct kt_unwind_cache {
	struct kt_unwind_cached {
		u64 check; /* all in one: pc, salt, rule and label */
		u64 rule;  /* with marks (unwind.c) */
		u64 label; /* what makes a frame of an address, if it is in a file */
	} entries[1 << KT_UNWIND_CACHE_SHIFT];
};

/*
 * Writes up to @depth frames, 1 to KT_STACK_MAX: where it is, then return addresses, as
 * include/uapi/ktrace.h describes them.  Returns how many; at least one.
 */
u32 kt_unwind_program(const struct kt_unwind_space *space,
		      struct kt_unwind_cache *cache,
		      const struct kt_unwind_start *start, u32 depth,
		      u64 *frames, struct kt_unwind_ended *ended);

/* An address of the program, as a frame tells it. */
u64 kt_unwind_place(const struct kt_unwind_space *space, u64 address);

#endif /* KT_CORE_UNWIND_H */
