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
#include <linux/hash.h>
#include <linux/types.h>

#include "program.h"

#define FUNCTION_WORDS	   6  /* arguments that come in registers */
#define FUNCTION_WORDS_MAX 16 /* with those on the stack */

/* Where calls of a function are recorded; see scope.h. */
enum function_role {
	FUNCTION_ROOT,	 /* everywhere */
	FUNCTION_INSIDE, /* within a root */
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
	struct function_result result;
	const struct function_program *program; /* NULL: words alone */
};

/*
 * Readers know by the index how records are laid out.  So if that changes, the function is
 * added once more, and what it was before is gone.
 */
struct function {
	unsigned long ip; /* where ftrace calls hooks; 0: it is gone */
	struct function_choice choice;
	u32 index;
	struct function_choice next; /* what a change makes of it */
	struct function
		*heir; /* takes its place, with other records; NULL: none */
	unsigned long address;
	const char *name;
	const char *module; /* NULL: vmlinux */
	char text[];
};

struct function_slots {
	unsigned int bits;
	struct function *at[];
};

struct functions {
	struct function_slots *slots; /* NULL: there is none yet */
	struct function **all;	      /* by index */
	u32 nr;
	u32 room;
};

/* NULL: it is none of them, or gone. */
static __always_inline struct function *function_find(
	const struct functions *functions, unsigned long ip)
{
	const struct function_slots *slots = READ_ONCE(functions->slots);
	struct function *function;
	u32 at;

	if (unlikely(!slots))
		return NULL;
	at = hash_64(ip, slots->bits);
	while ((function = READ_ONCE(slots->at[at]))) {
		if (likely(READ_ONCE(function->ip) == ip))
			return function;
		at = (at + 1) & ((1u << slots->bits) - 1);
	}
	return NULL;
}

/* A new one, with what is asked of it in next and choice; or an error. */
struct function *function_add(struct functions *functions, unsigned long ip,
			      unsigned long address, const char *name,
			      const char *module,
			      const struct function_choice *choice);
/* Those from index @nr on were never hooked, and nobody has seen them. */
void functions_cut(struct functions *functions, u32 nr);
/* No hook runs. */
void functions_free(struct functions *functions);

#endif /* KT_KERNEL_SOURCE_FUNCTION_TABLE_H */
