/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Types of debugging information, made into those of expressions (BTF): base types, structs of C
 * and C++, enumerations, functions.
 */
#ifndef KT_LIB_PROBE_DEBUG_TYPE_H
#define KT_LIB_PROBE_DEBUG_TYPE_H

#include "debug_code.h"

/*
 * Before anything is asked for: @code is of the kernel, whose own type information @base is, or of a
 * module, which has also @others (NULL: none).  A type that is in @base under the same name, and is
 * the only one, is taken from there.  So what leads far, and what a unit only declares, need not be
 * looked for.  @base is copied, @others must stay.
 */
void debug_type_base(struct debug_code *code, const struct btf *base,
		     const struct btf *others);

/* All types that were asked for, with all that they lead to.  NULL: no memory. */
const struct btf *debug_type_btf(struct debug_code *code);

/* The type that @of has, as a variable or a function.  0: void.  < 0: -errno, with a message. */
int debug_type_of(struct debug_code *code, Dwarf_Die *of);

/*
 * A function's, with names of its parameters.  Where a call passes them is told by
 * session/passing.h, as far as it is the same as in C; a parameter of which it is not has a type
 * that is passed nobody knows how.
 */
int debug_type_proto(struct debug_code *code, Dwarf_Die *function);

/*
 * Casts may name types that nothing else leads to: makes those whose names are words of @text
 * known (debug_named.h), first such of the unit that has the @address.
 */
int debug_types_load(struct debug_code *code, uint64_t address,
		     const char *text);

#endif /* KT_LIB_PROBE_DEBUG_TYPE_H */
