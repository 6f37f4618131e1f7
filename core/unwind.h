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
 * guess.
 */
#ifndef KT_CORE_UNWIND_H
#define KT_CORE_UNWIND_H

#include "unwind_table.h"

#define KT_STACK_DEPTH_MAX 127

enum kt_stack_end {
	KT_STACK_COMPLETE,  /* the last frame was called by nobody */
	KT_STACK_TRUNCATED, /* there are more frames than were asked for */
	/* The rest could not be walked, because ... */
	KT_STACK_ABSENT,   /* memory of the stack is not there now */
	KT_STACK_NO_TABLE, /* no table covers the place, and rbp is no frame */
	KT_STACK_UNKNOWN,  /* no rule can say where the caller is */
	KT_STACK_CORRUPT,  /* the caller's frame is not above */
	KT_STACK_ENDS,
};

struct kt_stack {
	u32 nr;		/* of frames; at least 1 */
	u32 end;	/* enum kt_stack_end */
	u64 guesses[2]; /* bit N: frame N was found by rbp alone */
	u64 frames[KT_STACK_DEPTH_MAX]; /* where it is, then return addresses */
};

/* A mapping of a file's text. */
struct kt_unwind_map {
	u64 begin, end;
	u64 bias; /* what must be subtracted to get the file's address */
	const struct kt_unwind_table *table;
};

/* The mappings of a process that have tables. */
struct kt_unwind_space {
	const struct kt_unwind_map *maps; /* in order; they do not overlap */
	u32 nr;
	/*
	 * Random, and another one whenever the mappings change: what the cache
	 * has of other mappings is not found any more.
	 */
	u64 salt;
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
};

#define KT_UNWIND_CACHE_SHIFT 10

/* All zero: empty. */
struct kt_unwind_cache {
	struct kt_unwind_cached {
		u64 check; /* pc, salt and rule in one */
		u64 rule;
	} entries[1 << KT_UNWIND_CACHE_SHIFT];
};

/* @depth: how many frames are wanted, 1 to KT_STACK_DEPTH_MAX. */
void kt_unwind(const struct kt_unwind_space *space,
	       struct kt_unwind_cache *cache,
	       const struct kt_unwind_start *start, u32 depth,
	       struct kt_stack *stack);

#endif /* KT_CORE_UNWIND_H */
