/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of a session: those that are chosen, and those that were, because records
 * of them may be in the buffers.
 *
 * A function has an index, which its records have and which is never used again in the
 * session.  Hooks find it by the address that ftrace calls them with, without a lock, in
 * any context: a hash table without deletions, which is replaced when it is half full.
 * All else is protected by kt_mutex.
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_TABLE_H
#define KT_KERNEL_SOURCE_FUNCTION_TABLE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "program.h"

struct function_condition;

#define FUNCTION_WORDS	   6  /* arguments that come in registers */
#define FUNCTION_WORDS_MAX 16 /* with those on the stack */

/* Where calls of a function are recorded; see scope.h. */
enum function_role {
	FUNCTION_ROOT, /* everywhere, or only within those of the third kind */
	FUNCTION_INSIDE, /* within a root */
	FUNCTION_AROUND, /* nowhere, but if there is one, roots are within one */
	FUNCTION_CUT, /* nowhere, and what they call is not recorded, either */
};

/* What a function returns. */
struct function_result {
	u8 bits; /* 0: nothing */
	bool is_signed;
};

/* What is asked of a function. */
struct function_choice {
	bool on;
	u8 words; /* that are recorded of its arguments */
	u8 role;
	bool direct; /* it takes nothing on the stack: direct.c */
	struct function_result result;
	const struct function_program *program; /* NULL: words alone */
	const struct function_condition
		*condition; /* which calls count; NULL: all */
};

/* Can there be records of it? */
static inline bool function_is_recorded(const struct function_choice *choice)
{
	return choice->on && (choice->role == FUNCTION_ROOT ||
			      choice->role == FUNCTION_INSIDE);
}

/*
 * Readers know by the index how records are laid out.  So if that changes, the function is
 * added once more, and what it was before is gone.
 */
struct function {
	unsigned long ip; /* where ftrace calls hooks; 0: it is gone */
	/*
	 * The same for hooks by trampolines; 0: they may not find it.  They do not have all that
	 * some records need, and may be late: then there may be an heir of that kind, or one
	 * that is only planned.
	 */
	unsigned long direct_ip;
	struct function_choice choice;
	u32 index;
	u8 way; /* how it is hooked, if it is on (choice): enum way */
	struct function_choice next; /* what a change makes of it */
	struct function
		*heir; /* takes its place, with other records; NULL: none */
	unsigned long address;
	const char *name;
	const char *module; /* NULL: vmlinux */
	char text[];
};

struct function_slots {
	u64 mask;	       /* of indices: how many there are - 1 */
	struct function *at[]; /* without one: function_none */
};

/* Has no place, so it is not what anyone is looking for. */
extern struct function function_none;

/* Functions are aligned to 16 bytes, and are everywhere in the kernel's text. */
static __always_inline u64 function_slot(const struct function_slots *slots,
					 unsigned long ip)
{
	return ip >> 4 & slots->mask;
}

struct functions {
	struct function_slots *slots;
	struct function **all; /* by index */
	u32 nr;
	u32 room;
};

/* Where @ip would be found at once; function_none, or another, tells nothing. */
static __always_inline struct function *function_first(
	const struct functions *functions, unsigned long ip)
{
	const struct function_slots *slots = READ_ONCE(functions->slots);

	return READ_ONCE(slots->at[function_slot(slots, ip)]);
}

/* NULL: it is none of them, or gone.  @direct: a trampoline asks. */
static __always_inline struct function *function_find(
	const struct functions *functions, unsigned long ip, bool direct)
{
	const struct function_slots *slots = READ_ONCE(functions->slots);
	struct function *function;
	u64 at;

	for (at = function_slot(slots, ip);; at = (at + 1) & slots->mask) {
		function = READ_ONCE(slots->at[at]);
		if (likely((direct ? READ_ONCE(function->direct_ip)
				   : READ_ONCE(function->ip)) == ip))
			return function;
		if (function == &function_none)
			return NULL;
	}
}

/* None yet. */
void functions_begin(struct functions *functions);
/*
 * A new one, with what is asked of it in next and choice; or an error: -ENOSPC if there have
 * been 2^20.  @heir: it will take the place of another one, which is hooked until then.
 */
struct function *function_add(struct functions *functions, unsigned long ip,
			      unsigned long address, const char *name,
			      const char *module,
			      const struct function_choice *choice, bool heir);
/* Those from index @nr on were never hooked, and nobody has seen them. */
void functions_cut(struct functions *functions, u32 nr);
/* It is not found any more, and its index is not used again. */
void function_end(struct function *function);
/* The same, and its heir is found where it was. */
void function_inherit(struct functions *functions, struct function *function);
/*
 * Waits for all hooks that run.  Some run where RCU does not watch: ftrace waits in the same
 * way.
 */
void functions_synchronize(void);
/* No hook runs. */
void functions_free(struct functions *functions);

#endif /* KT_KERNEL_SOURCE_FUNCTION_TABLE_H */
