// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Where a call passes its arguments: the calling convention of x86-64 (System V ABI), as
 * far as functions of the kernel use it.  There are no floating point numbers.
 *
 * A value of up to 8 bytes takes the next register, one of up to 16 bytes the next two.  If
 * not enough registers are left, all of it is on the stack; a later argument may still get
 * a register.  A struct that is larger, or has a member that is not aligned, is always on
 * the stack.  If such a struct is the result, the caller passes its address as a hidden
 * first argument.
 */
#include "kernel/btf.h"
#include "passing.h"

#define WORD 8u
/* A struct within a struct, and so on: more are not followed. */
#define DEPTH_MAX 16

/* Is a member where a packed struct alone would have it? */
static bool is_unaligned(const struct btf *btf, const struct btf_type *t,
			 unsigned int depth)
{
	for (__u32 i = 0; i < btf_vlen(t); i++) {
		__u32 id = btf_members(t)[i].type;
		const struct btf_type *of = type_resolve(btf, id);
		int align = btf__align_of(btf, id);

		if (!of || align <= 0 || depth == DEPTH_MAX)
			return true;
		if (!btf_member_bitfield_size(t, i) &&
		    btf_member_bit_offset(t, i) % (8 * align))
			return true;
		if (btf_is_composite(of) && is_unaligned(btf, of, depth + 1))
			return true;
	}
	return false;
}

static bool has_float(const struct btf *btf, const struct btf_type *t,
		      unsigned int depth)
{
	while (t && btf_is_array(t))
		t = type_resolve(btf, btf_array(t)->type);
	if (!t || btf_is_float(t) || depth == DEPTH_MAX)
		return true;
	for (__u32 i = 0; btf_is_composite(t) && i < btf_vlen(t); i++)
		if (has_float(btf, type_resolve(btf, btf_members(t)[i].type),
			      depth + 1))
			return true;
	return false;
}

enum passing_class passing_class(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = type_resolve(btf, id);

	if (!t)
		return PASSING_UNKNOWN;
	if (btf_is_ptr(t))
		return PASSING_WORDS;
	if (btf_is_int(t) || btf_is_any_enum(t))
		return t->size <= WORD ? PASSING_WORDS : PASSING_UNKNOWN;
	if (!btf_is_composite(t))
		return PASSING_UNKNOWN;
	/*
	 * An empty class of C++ has a byte, which nobody passes.  Of transparent unions of pointers,
	 * as release_pages() has one, the BTF of some kernels has no members.
	 */
	if (!btf_vlen(t) && t->size > 1)
		return btf_is_union(t) && t->size == WORD ? PASSING_WORDS
							  : PASSING_UNKNOWN;
	if (!t->size || !btf_vlen(t))
		return PASSING_NOTHING;
	/* The stack would have a gap in front of it. */
	if (btf__align_of(btf, id) > (int)WORD)
		return PASSING_UNKNOWN;
	if (t->size > 2 * WORD)
		return PASSING_MEMORY;
	if (has_float(btf, t, 0))
		return PASSING_UNKNOWN;
	return is_unaligned(btf, t, 0) ? PASSING_MEMORY : PASSING_WORDS;
}

void passing_begin(struct passing *passing, const struct btf *btf, __u32 result)
{
	enum passing_class class =
		result ? passing_class(btf, result) : PASSING_NOTHING;

	*passing = (struct passing){
		.registers = class == PASSING_MEMORY,
		.lost = class == PASSING_UNKNOWN,
	};
}

bool passing_next(struct passing *passing, const struct btf *btf, __u32 id,
		  unsigned int *word, unsigned int *nr)
{
	enum passing_class class = passing_class(btf, id);
	const struct btf_type *t = type_resolve(btf, id);

	*nr = 0;
	*word = 0;
	if (class == PASSING_UNKNOWN)
		passing->lost = true;
	if (passing->lost)
		return false;
	if (class == PASSING_NOTHING)
		return true;
	*nr = btf_is_ptr(t) ? 1 : (t->size + WORD - 1) / WORD;
	if (class == PASSING_WORDS &&
	    *nr <= PASSING_REGISTERS - passing->registers) {
		*word = passing->registers;
		passing->registers += *nr;
	} else {
		*word = PASSING_REGISTERS + passing->stack;
		passing->stack += *nr;
	}
	return true;
}
